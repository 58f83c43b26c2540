import { describe, expect, test } from 'vitest'
import { Decimal } from '../../src/model/decimal.js'
import { WorstFalls, WORST_FALLS } from '../../src/report/worst-falls.js'
import { throughJson } from '../support/through-json.ts'

const fallOf = (fall: number, timeNs: number, underlyingId = 1) => ({ underlyingId, sinceNs: timeNs - 60, timeNs, fall: new Decimal(fall), equity: new Decimal(100 - fall) })

describe('the worst falls', () => {
  test('are the greatest of each underlying, of equal ones the earlier', () => {
    const worst = new WorstFalls()
    for (const [at, fall] of [3, 1, 4, 1, 5, 9, 2, 6, 5].entries()) worst.add(fallOf(fall, at), () => [])
    worst.add(fallOf(0.5, 99, 2), () => [])
    const found = worst.falls.map(({ underlyingId, fall, timeNs }) => [underlyingId, fall.toNumber(), timeNs])
    expect(found).toEqual([[1, 9, 5], [1, 6, 7], [1, 5, 4], [1, 5, 8], [1, 4, 2], [2, 0.5, 99]])
  })

  test('look at books only where they are kept', () => {
    const worst = new WorstFalls()
    let looks = 0
    const books = (): [] => {
      looks++
      return []
    }
    for (let fall = 10; fall > 0; fall--) worst.add(fallOf(fall, 10 - fall), books)
    expect(looks).toBe(WORST_FALLS)
  })

  test('are the same from their state', () => {
    const [worst, other] = [new WorstFalls(), new WorstFalls()]
    worst.add(fallOf(1.25, 7), () => [{ instrumentId: 3, priceScale: 1, quantityScale: 0, bids: [[10, 2]], asks: [] }])
    other.restore(throughJson(worst.state()))
    expect(JSON.stringify(other.state())).toBe(JSON.stringify(worst.state()))
    expect(other.falls[0]!.fall.eq('1.25')).toBe(true)
  })
})
