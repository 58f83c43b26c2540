import { expect, test } from 'vitest'
import { NO_MONEY_DECLARED } from '../../src/exchange/accounts/world-money.js'
import type { Instrument } from '../../src/model/instrument.js'
import type { PlaceEntry } from '../../src/venue/messages.js'
import { ExchangeBench, placeEntry, type BenchCommand } from '../support/exchange-bench.ts'
import { lineBatch, madeInstrument, type MarketLine } from '../support/market-lines.ts'
import { book, funding, marginProfile, mark } from '../support/played-money.ts'
import { playedInTwo } from '../support/played-in-two.ts'

const HOUR = 3_600_000_000_000
const MINUTE = 60_000_000_000
const order = (timeNs: number, clientId: string, side: 'BID' | 'ASK', totalQuantity: number, terms: Partial<PlaceEntry> = {}): BenchCommand => (
  { timeNs, clientId, send: (entry) => entry.place([placeEntry(`${clientId}${timeNs}`, { side, totalQuantity, price: side === 'BID' ? 101 : 100, ...terms })]) }
)

/** Instrument 1 pays funding, liquidates and ends; 2 are coins that are bought with a loan; 3 names a funding when nobody holds it any more, 4 has no mark. */
function made(received: string[]): ExchangeBench {
  const instrument = (id: number, lines: readonly MarketLine[], more: Partial<Instrument> = {}) => {
    const one = madeInstrument({ id, ...more })
    return { instrument: one, batches: [lineBatch(lines, { instrument: one })] }
  }
  const day = book(1, 100, 101)
  const account = (accountId: string, cash: string) => ({ accountId, exchangeCode: 'test', balances: new Map([[2, cash]]), fees: { maker: '0', taker: '0.001' }, profile: marginProfile(['cross', 'isolated'], { borrowRates: { CASH: '0.876' } }) })
  const cash = { id: 2, code: 'CASH', name: null, type: null, fxRate: '1', fxTime: null }
  return new ExchangeBench({
    instruments: [
      instrument(1, [day, mark(1, 100), funding(1, 10, 20), funding(10, 20, 11 * MINUTE), funding(12, 30, 20), funding(21, 20, 11 * MINUTE), mark(25, 81), mark(39, 95), book(90, 100, 101)], { type: 'future' }), instrument(2, [day, book(HOUR + 1, 100, 101)], { type: 'spot' }),
      instrument(3, [day, mark(1, 100), funding(60, 10, 70), mark(80, 101)]), instrument(4, [day, book(30, 102, 103)]),
    ],
    clients: { a: 'A', b: 'B', c: 'C' }, accounts: [account('A', '200'), account('B', '5000'), account('C', '100')], money: { ...NO_MONEY_DECLARED, expiries: new Map([[1, 12 * MINUTE]]) },
    underlyings: { entries: [cash], get: (id) => (id === 2 ? cash : undefined) },
    observer: () => ({ money: ({ kind, exchangeTimeNs, accountId, amount, instrumentId }) => void received.push(`${exchangeTimeNs} ${kind} ${accountId} ${amount} ${instrumentId ?? ''}`) }),
    delivered: (_world, clientId, timeNs, message) => void received.push(`${timeNs} ${clientId} ${message.kind}`),
  })
}

const commands: BenchCommand[] = [
  order(2, 'a', 'BID', 9, { instrumentId: 1 }), order(3, 'b', 'BID', 2, { instrumentId: 1 }), order(4, 'a', 'BID', 1, { instrumentId: 3, openClose: 'OPEN' }), order(4, 'b', 'BID', 1, { instrumentId: 3, openClose: 'OPEN' }), order(5, 'b', 'ASK', 1, { instrumentId: 4 }),
  order(6, 'c', 'BID', 3, { instrumentId: 2, autoBorrow: true }), order(7, 'a', 'BID', 1, { instrumentId: 1, price: 10 }), order(50, 'a', 'ASK', 1, { instrumentId: 3, openClose: 'CLOSE' }), order(50, 'b', 'ASK', 1, { instrumentId: 3, openClose: 'CLOSE' }),
  order(HOUR + 2, 'c', 'ASK', 3, { instrumentId: 2, autoRepay: true }),
]

/** What is told of a run at its end, and whether anything is still listened to. */
const left = ({ worlds, markets }: ExchangeBench): unknown[] => [worlds[0]!.money.state(), [...markets.values()].map(({ money }) => money.isWatched)]

test('funding, margin, loans and ends of contracts go on where a checkpoint left them', () => {
  const whole: string[] = []
  const bench = made(whole)
  bench.run(commands)
  const kinds = whole.map((text) => text.split(' ').slice(0, 4).join(' '))
  for (const told of ['20 funding A', '20 funding B', '25 liquidation A', `${11 * MINUTE} funding B`, `${12 * MINUTE} settlement B`, `${HOUR} interest C`, `${HOUR + 2} repay C`]) expect(kinds.some((text) => text.startsWith(told)), told).toBe(true)
  expect(left(bench)).toEqual([expect.objectContaining({ named: [1], unmarked: [4], expiries: [1] }), [false, false, false, true]])
  for (const cutNs of [2, 3, 6, 11, 20, 24, 25, 39, 49, 50, 84, 11 * MINUTE - 1, 11 * MINUTE, 12 * MINUTE - 1, 12 * MINUTE, HOUR - 1, HOUR]) {
    const resumed = playedInTwo(made, commands, cutNs)
    expect([resumed.received, left(resumed.bench)], `cut at ${cutNs}`).toEqual([whole, left(bench)])
  }
})
