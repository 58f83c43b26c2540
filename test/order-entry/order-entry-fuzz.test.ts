import { expect, test } from 'vitest'
import { fuzzSession, fuzzSockets } from '../support/order-entry-fuzz.ts'

test.each([1, 2])('a thousand inputs of seed %i: no crash, nothing of another account, every refusal documented', (seed) => {
  expect(fuzzSession(seed, 1000)).toEqual([])
})

test('broken frames, half messages and abrupt closes: the server serves on', async () => {
  expect(await fuzzSockets(3, 60)).toEqual([])
})
