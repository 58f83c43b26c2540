import { expect } from 'vitest'
import { Amount } from '../../src/model/amount.js'
import { DrawnId } from '../../src/model/id.js'

// What a message states is an amount or its text, and an id or its text: a test writes the text.
expect.addEqualityTesters([Amount, DrawnId].map((kind) => (a: unknown, b: unknown) => {
  if (!(a instanceof kind) && !(b instanceof kind)) return undefined
  return [a, b].every((one) => one instanceof kind || typeof one === 'string') ? String(a) === String(b) : false
}))
