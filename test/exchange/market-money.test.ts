import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EVERY_PRICE, MarketMoney, type MoneyWatcher } from '../../src/exchange/market/market-money.js'
import { EVENT_KINDS } from '../../src/model/event-kind.js'
import { lineBatch, madeInstrument, type MarketLine } from '../support/market-lines.ts'
import { throughJson } from '../support/through-json.ts'

const instrument = madeInstrument()
const MINUTE = 60_000_000_000

function publish(money: MarketMoney, line: Partial<MarketLine>, timeNs = 5): void {
  money.apply(lineBatch([{ kind: 'funding', timeNs, value: 10, ...line }], { instrument }), 0, timeNs)
}

test('funding lines are taken as rule 8.1 says, and outlive a checkpoint', () => {
  const money = new MarketMoney()
  const copy = (): unknown[] => {
    const other = new MarketMoney()
    other.restore(throughJson(money.state()))
    return [other.fundings.nextFrom(0), other.fundings.dueAt(100 * MINUTE)]
  }
  expect(copy()).toEqual([null, null])
  publish(money, { value: 10, valueScale: 4, nextFundingNs: 100 * MINUTE })
  publish(money, { value: 12, valueScale: 5, nextFundingNs: 100 * MINUTE }, 6)
  expect(copy()).toEqual([{ timeNs: 100 * MINUTE, rate: { rate: 12, scale: 5 } }, { rate: 12, scale: 5 }])
})

test('the mark before an instant is kept, however many come in it, and outlives a checkpoint', () => {
  const money = new MarketMoney()
  const copy = (): unknown[] => {
    const other = new MarketMoney()
    other.restore(throughJson(money.state()))
    return [other.markNs, other.markBefore.value, other.markBefore.scale]
  }
  expect(copy()).toEqual([-Infinity, NaN, 0])
  money.marked(5, NaN, 0)
  expect(copy()).toEqual([5, NaN, 0])
  money.marked(6, 100, 2)
  money.marked(6, 200, 1)
  expect(copy()).toEqual([6, 100, 2])
})

test('a line that names no time, or one that is over, says nothing; one that names its own instant comes too late', () => {
  const money = new MarketMoney()
  money.apply(lineBatch([{ kind: 'mark', timeNs: 5, value: 10 }], { instrument }), 0, 5)
  for (const nextFundingNs of [NaN, 4, 5]) publish(money, { nextFundingNs })
  expect(money.fundings.nextFrom(0)).toBe(null)
  publish(money, { nextFundingNs: 6 })
  publish(money, { nextFundingNs: 5 })
  expect(money.fundings.nextFrom(0)?.timeNs).toBe(6)
})

test('watchers come and go by themselves', () => {
  const money = new MarketMoney()
  const received: string[] = []
  const watcher = (name: string): MoneyWatcher => ({ wantsPrices: name !== 'c', wantsIndex: false, band: () => EVERY_PRICE, onFunding: () => received.push(`${name} funding`), onPrice: () => received.push(`${name} price`) })
  const [a, b, c, stranger] = [watcher('a'), watcher('b'), watcher('c'), watcher('d')]
  for (const one of [a, b, b, c]) money.watch(one)
  money.unwatch(stranger)
  expect(money.isWatched).toBe(true)
  money.unwatch(a)
  money.unwatch(b)
  expect(money.isWatched).toBe(true)
  money.unwatch(c)
  expect([money.isWatched, received]).toEqual([false, []])
})

test('a funding line goes to all, a mark to those who want prices, an index to those who want it', () => {
  const money = new MarketMoney()
  const received: string[] = []
  for (const name of ['a', 'b']) money.watch({ wantsPrices: name === 'a', wantsIndex: name === 'b', band: () => EVERY_PRICE, onFunding: (timeNs) => received.push(`${name} funding ${timeNs}`), onPrice: (timeNs) => received.push(`${name} price ${timeNs}`) })
  const { snapshot, update, trades, topOfBook, mark, index, funding } = EVENT_KINDS
  const after = (kind: number): string[] => {
    money.tell(kind, 7)
    return received.splice(0)
  }
  expect(after(funding)).toEqual(['b funding 7', 'a funding 7'])
  for (const kind of [snapshot, update, topOfBook, trades]) expect(after(kind)).toEqual([])
  expect([after(index), after(mark)]).toEqual([['b price 7'], ['a price 7']])
  money.tellMid(NaN, 0, 8)
  expect(received).toEqual(['a price 8'])
})

test('mids are reported outside of the narrowest band alone, which may be any double', () => {
  const money = new MarketMoney()
  const bands = [{ lowest: 99.5, highest: 101 }, { lowest: 98, highest: 100.25 }]
  const others = { wantsIndex: false, onFunding: () => undefined, onPrice: () => undefined }
  for (const at of [0, 1]) money.watch({ ...others, wantsPrices: true, band: () => bands[at]! })
  money.watch({ ...others, wantsPrices: false, band: () => EVERY_PRICE })
  const beyond = (mids: readonly number[], scale = 1): boolean[] => mids.map((mid) => money.isBeyond(Math.round(mid * 2 * 10 ** scale), scale))
  expect(beyond([99.5, 99.55, 100.2, 100.25])).toEqual([true, false, false, true])
  expect(money.isBeyond(NaN, 1)).toBe(true)
  bands[0] = { lowest: -Infinity, highest: Infinity }
  expect(beyond([99])).toEqual([true])
  money.bandsChanged()
  expect(beyond([98, 99, 101])).toEqual([true, false, true])
  money.bandsChanged()
  expect(beyond([98.01, 100.24], 2)).toEqual([false, false])
  bands[1] = EVERY_PRICE
  money.bandsChanged()
  expect(beyond([98.01, 100.24], 2)).toEqual([true, true])
  fc.assert(fc.property(fc.double({ min: 1e-6, max: 1e9, noNaN: true }), fc.nat(8), fc.integer({ min: -3, max: 3 }), (edge, scale, near) => {
    const twice = Math.round(edge * 2 * 10 ** scale) + near
    for (const [lowest, highest] of [[edge, Infinity], [-Infinity, edge]] as const) {
      bands[1] = { lowest, highest }
      money.bandsChanged()
      const price = twice / 2 / 10 ** scale
      if (price <= lowest || price >= highest) expect(money.isBeyond(twice, scale)).toBe(true)
    }
  }))
})

test('an average belongs to its window, and is shared by all who ask for it', () => {
  const money = new MarketMoney()
  const averages = [money.averageOver(10, 20), money.averageOver(10, 30), money.averageOver(15, 20), money.averageOver(10, 20)]
  expect(new Set(averages).size).toBe(3)
  expect(averages[3]).toBe(averages[0])
  expect(averages.map(({ startNs, endNs }) => `${startNs} ${endNs}`)).toEqual(['10 20', '10 30', '15 20', '10 20'])
})
