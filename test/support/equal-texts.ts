import { expect } from 'vitest'
import { Amount } from '../../src/model/amount.js'
import { DrawnId } from '../../src/model/id.js'

/** A worker runs this file before each of its test files, but keeps its testers: each would be asked hundreds of times. */
const worker = globalThis as typeof globalThis & { hasEqualTexts?: true }

// What a message states is an amount or its text, and an id or its text: a test writes the text.
if (worker.hasEqualTexts === undefined) {
  expect.addEqualityTesters([Amount, DrawnId].map((kind) => (a: unknown, b: unknown) => {
    if (!(a instanceof kind) && !(b instanceof kind)) return undefined
    return [a, b].every((one) => one instanceof kind || typeof one === 'string') ? String(a) === String(b) : false
  }))
  worker.hasEqualTexts = true
}
