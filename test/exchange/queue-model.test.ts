import { expect, test } from 'vitest'
import { log2Queue, logQueue, power2Queue, power3Queue, powerQueue, queueModelFromName, riskAverseQueue, type QueueModel } from '../../src/exchange/matching/queue-model.js'

// A level of 100 falls to 60, 10 of it traded: 30 went away unseen. 30 were ahead of the order, 70 behind; one unit is 10.
// Rows make their models while a test runs: what is made while tests are collected no mutant is judged by.
test.each<[name: string, model: () => QueueModel, words: string, expected: number]>([
  ['riskAverse', () => riskAverseQueue, 'none of it ahead', 30],
  ['power(1)', () => powerQueue(1), '30 - (1 - 70/100) * 30', 21],
  ['power(3)', () => powerQueue(), '30 - (1 - 343/370) * 30', 27.810810811],
  ['power2(2)', () => power2Queue(2), '30 - (1 - 0.49) * 30', 14.7],
  ['power2(1)', () => power2Queue(1), '30 - (1 - 0.7) * 30', 21],
  ['power2(3)', () => power2Queue(), '30 - (1 - 0.343) * 30', 10.29],
  ['power3(2)', () => power3Queue(2), '30 - 0.3 * 0.3 * 30', 27.3],
  ['power3(1)', () => power3Queue(1), '30 - 0.3 * 30', 21],
  ['power3(3)', () => power3Queue(), '30 - 0.027 * 30', 29.19],
  ['log', () => logQueue, '30 - (1 - ln 8 / (ln 8 + ln 4)) * 30', 18],
  ['log2', () => log2Queue, '30 - (1 - ln 8 / ln 11) * 30', 26.015834],
])('%s: %s', (name, model, _words, expected) => {
  expect(model().name).toBe(name)
  expect(model().ahead(30, 10, 100, 60, 10)).toBeCloseTo(expected, 6)
})

test.each<[name: string, model: () => QueueModel]>([
  ['riskAverse', () => riskAverseQueue], ['power', () => powerQueue()], ['power2', () => power2Queue()], ['power3', () => power3Queue()], ['log', () => logQueue], ['log2', () => log2Queue],
])('%s: the queue is never longer than its level, and does not grow with it', (_name, model) => {
  expect(model().ahead(48, 10, 50, 45, 10)).toBe(45)
  expect(model().ahead(30, 0, 50, 60, 10)).toBe(30)
  expect(model().ahead(40, 0, 100, 5, 10)).toBeLessThanOrEqual(5)
  expect(model().ahead(0, 0, 100, 60, 10)).toBe(0)
})

test('a share that is infinite is all of it, as in hftbacktest', () => {
  // One unit more ahead than the level was: ln 0. All 40 were behind, and the queue is the level.
  expect(log2Queue.ahead(110, 0, 100, 60, 10)).toBe(60)
  // Nothing was there, and nothing is.
  for (const model of [powerQueue(), power2Queue(), power3Queue(), logQueue, log2Queue]) expect(model.ahead(20, 0, 0, 0, 10)).toBe(0)
})

test('a share of a large decrease may be more than what was ahead, as in hftbacktest', () => {
  // 40 - (1 - 0.6^3) * 95
  expect(power2Queue().ahead(40, 0, 100, 5, 10)).toBeCloseTo(-34.48, 9)
})

test('exponents from 1 to 64, by name too', () => {
  for (const exponent of [1, 64]) expect(queueModelFromName('power', exponent).name).toBe(`power(${exponent})`)
  for (const exponent of [0, 65, 1.5, NaN]) expect(() => queueModelFromName('power3', exponent)).toThrow(`whole number from 1 to 64, found ${exponent}`)
  expect(() => queueModelFromName('toString')).toThrow(expect.objectContaining({ place: { field: 'queue', expected: 'riskAverse, power, power2, power3, log, log2', found: 'toString' } }))
})
