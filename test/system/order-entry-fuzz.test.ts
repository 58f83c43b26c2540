import { expect, test } from 'vitest'
import { fuzzSession, fuzzSockets } from '../support/order-entry-fuzz.ts'

/** Heap that a hundred thousand inputs may leave behind. */
const HEAP_LIMIT_BYTES = 200_000_000

test('a hundred thousand inputs: no crash, nothing of another account, every refusal documented, memory bounded', () => {
  for (let seed = 100; seed < 120; seed++) expect(fuzzSession(seed, 5000)).toEqual([])
  expect(process.memoryUsage().heapUsed).toBeLessThan(HEAP_LIMIT_BYTES)
})

test('two thousand connections of broken frames', async () => {
  expect(await fuzzSockets(7, 2000)).toEqual([])
})
