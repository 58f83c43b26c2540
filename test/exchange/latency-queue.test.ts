import { describe, expect, test } from 'vitest'
import { FaultPlan, type PlannedFault } from '../../src/exchange/adapter/fault-plan.js'
import { LatencyQueue, constantLatency, sampledLatency } from '../../src/exchange/adapter/order-latency.js'
import { RandomNumbers } from '../../src/model/random.js'
import { throughJson } from '../support/through-json.ts'

const random = (): RandomNumbers => new RandomNumbers(1, 'lane', 0)

describe('a way of messages', () => {
  test('each has the next number and the way\'s own random numbers', () => {
    const seen: unknown[] = []
    const own = random()
    const lane = new LatencyQueue(own)
    const latency = sampledLatency('told', (drawn, number) => {
      seen.push([drawn === own, number])
      return 0
    })
    for (const timeNs of [5, 6, 7]) lane.carry(latency, timeNs, 0, 1)
    expect(seen).toEqual([[true, 0], [true, 1], [true, 2]])
  })

  test('first in, first out: what would overtake arrives with the one before it, ordered by the larger instrument', () => {
    const lane = new LatencyQueue(random())
    const carriedBy = (way: LatencyQueue, timeNs: number, latencyNs: number, instrumentId: number) => [way.carry(constantLatency(latencyNs), timeNs, 0, instrumentId), way.lastInstrumentId]
    const carried = (...message: readonly [number, number, number]) => carriedBy(lane, ...message)
    expect([carried(10, 50, 2), carried(20, 5, 1), carried(30, 5, 3), carried(40, 20, 1), carried(50, 11, 2)]).toEqual([[60, 2], [60, 2], [60, 3], [60, 3], [61, 2]])
    const copy = new LatencyQueue(random())
    copy.restore(throughJson(lane.state()))
    expect([copy.state(), copy.lastInstrumentId, carriedBy(copy, 55, 0, 1)]).toEqual([lane.state(), 2, [61, 2]])
    copy.restore(new LatencyQueue(random()).state())
    expect(carriedBy(copy, 0, 0, 1)).toEqual([0, 1])
  })

  test.each([-1, 0.5, NaN, 3_600_000_000_001])('a latency of %d is refused', (latencyNs) => {
    const latency = { name: 'mine', latencyNs: () => latencyNs }
    expect(() => new LatencyQueue(random()).carry(latency, 0, 0, 1)).toThrow(`Cannot send a message with the latency mine: it must give whole nanoseconds from 0 to 1h, found ${latencyNs}`)
  })
})

describe('when a fault first happens', () => {
  const fault = (startNs: number, everyNs: number | null, forNs: number): PlannedFault => ({ accountId: null, effect: { kind: 'status', status: 'BANNED', message: '' }, startNs, everyNs, forNs })

  test('once: at its time; in every interval: where the seed puts it in the first; one that fills its intervals begins with them', () => {
    const plan = new FaultPlan([fault(70, null, 5), fault(1000, 500, 20), fault(30, 500, 500)], 1)
    expect([plan.firstNs(0), plan.firstNs(2), plan.firstNs(3)]).toEqual([70, 30, Infinity])
    expect(plan.active('status', 'A', plan.firstNs(1))).not.toBeNull()
    expect([plan.active('status', 'A', 30), plan.active('status', 'A', 529), plan.active('status', 'A', 29)].map((effect) => effect !== null)).toEqual([true, true, false])
  })

  test('one that is almost as long as its interval begins with it, or one later', () => {
    const plan = new FaultPlan([fault(0, 5, 4)], 1)
    const begins = Array.from({ length: 40 }, (_, slot) => [0, 1, 2, 3, 4].filter((at) => plan.active('status', 'A', slot * 5 + at) !== null).join(''))
    expect([...new Set(begins)].sort()).toEqual(['0123', '1234'])
  })
})
