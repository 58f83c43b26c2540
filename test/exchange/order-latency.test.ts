import { expect, test } from 'vitest'
import { interpolatedLatency, proportionalLatency, sampledLatency, type RecordedRoundTrip } from '../../src/exchange/adapter/order-latency.js'
import { profileDurationNs } from '../../src/exchange/profile/venue-profile.js'
import { RandomNumbers } from '../../src/model/random.js'

const moment = (timeNs: number, feedLatencyNs = 0) => ({ timeNs, number: 0, feedLatencyNs, random: new RandomNumbers(1, 'latency', 0) })

test('no latency is below 0, whatever was drawn or measured, and each is a whole number of nanoseconds', () => {
  expect([-7, -0.4, 0.4, 2.5].map((drawn) => sampledLatency('drawn', () => drawn).latencyNs(moment(1)))).toEqual([0, 0, 0, 3])
  expect([-5, -4, 0, 1].map((feedLatencyNs) => proportionalLatency(2.5, 10).latencyNs(moment(1, feedLatencyNs)))).toEqual([0, 0, 10, 13])
  const back: RecordedRoundTrip[] = [{ requestNs: 0, exchangeNs: -20, responseNs: -10 }, { requestNs: 100, exchangeNs: 110, responseNs: 115 }]
  expect([50, 80].map((timeNs) => interpolatedLatency(back, 'request').latencyNs(moment(timeNs)))).toEqual([0, 4])
})

test('recorded latencies: by the time of sending on the way there, by that of the exchange on the way back', () => {
  const trips: RecordedRoundTrip[] = [{ requestNs: 0, exchangeNs: 10, responseNs: 40 }, { requestNs: 50, exchangeNs: 70, responseNs: 80 }, { requestNs: 50, exchangeNs: 90, responseNs: 140 }, { requestNs: 100, exchangeNs: 130, responseNs: 150 }]
  const along = (way: 'request' | 'response', ...times: readonly number[]): number[] => times.map((timeNs) => interpolatedLatency(trips, way).latencyNs(moment(timeNs)))
  // 10 at 0, 20 and then 40 at 50, 30 at 100: of two rows of one time the later one counts from then on.
  expect(along('request', -1, 0, 25, 49, 50, 75, 100, 101)).toEqual([10, 10, 15, 20, 40, 35, 30, 30])
  // 30 at 10, 10 at 70, 50 at 90, 20 at 130.
  expect(along('response', 0, 10, 40, 70, 80, 90, 110, 130, 999)).toEqual([30, 30, 20, 10, 30, 50, 35, 20, 20])
})

test('what an assumption is called says all of it', () => {
  expect([proportionalLatency(2, 10).name, interpolatedLatency([{ requestNs: 0, exchangeNs: 1, responseNs: 2 }], 'request').name]).toEqual(['2 x feed + 10ns', 'interpolated (1 recorded)'])
})

test('no latency is above an hour, however it was drawn or multiplied', () => {
  const [hourNs, never] = [3_600_000_000_000, moment(1)]
  expect([hourNs, hourNs + 1, Infinity].map((drawn) => sampledLatency('drawn', () => drawn).latencyNs(never))).toEqual([hourNs, hourNs, hourNs])
  expect(proportionalLatency(999, 10).latencyNs(moment(1, 4_000_000_000_000))).toBe(hourNs)
})

test('fees of a profile come at most a day late', () => {
  expect([profileDurationNs('2s'), profileDurationNs('1d')]).toEqual([2_000_000_000, 86_400_000_000_000])
  for (const text of ['', '2', '0s', '-2s', '25h']) expect(() => profileDurationNs(text)).toThrow('Cannot take a duration of a venue profile: it must be a duration')
})
