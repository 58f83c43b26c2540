import { expect } from 'vitest'
import { Amount } from '../../src/model/amount.js'

// What a message states is an amount or its text: a test writes the text.
expect.addEqualityTesters([
  (a: unknown, b: unknown) => {
    if (!(a instanceof Amount) && !(b instanceof Amount)) return undefined
    return [a, b].every((one) => one instanceof Amount || typeof one === 'string') ? String(a) === String(b) : false
  },
])
