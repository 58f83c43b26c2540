import { describe, expect, test } from 'vitest'
import type { AccountConfig } from '../../src/exchange/accounts/account-config.js'
import { GENERIC_PROFILE, type VenueProfile } from '../../src/exchange/profile/venue-profile.js'
import { MarketMoney } from '../../src/exchange/market/market-money.js'
import { constantLatency } from '../../src/exchange/adapter/order-latency.js'
import type { Instrument } from '../../src/model/instrument.js'
import { ExchangeBench, type BenchCommand } from '../support/exchange-bench.ts'
import { lineBatch, madeInstrument, type MarketLine } from '../support/market-lines.ts'
import { book, index, marginProfile, mark, place, playMoney, refusals, shortly } from '../support/played-money.ts'
import { throughJson } from '../support/through-json.ts'

const day = book(1, 100, 101)
const later = book(30, 100, 101)
const bets: VenueProfile = { ...GENERIC_PROFILE, name: 'bets', kind: 'prediction' }
const at = (expiryNs: number, outcome?: string) => ({ usdRates: new Map(), expiries: new Map([[1, expiryNs]]), outcomes: new Map(outcome === undefined ? [] : [[1, outcome]]) })

describe('contracts that end', () => {
  test('a call is paid by the index: premium out, intrinsic value in, its fee off', () => {
    // 2 calls of strike 150 at 20, index 190: 40 each. Fee 1 % of 80.
    const profile: VenueProfile = { ...GENERIC_PROFILE, name: 'options', settlement: { index: 'last', feeRate: '0.01' } }
    const lines = [book(1, 19, 20), index(9, 190), index(21, 900), later]
    const run = playMoney(lines, [place(2, 'BID', 2, 20), place(3, 'BID', 1, 5)], { profile }, { type: 'call', strikePrice: '150' }, at(20))
    expect(shortly(run)).toEqual(['settlement 20 40 40 index'])
    expect(run.events[0]).toMatchObject({ size: '2', feeAmount: '0.8' })
    // 100 - 40 + 80 - 0.8.
    expect(run.account.cashOf(2).toFixed()).toBe('139.2')
    const after = run.messages.filter((message) => 'adapterTimeNs' in message && message.adapterTimeNs === 20).map(({ kind }) => kind)
    expect(after).toEqual(['orderUpdate', 'positionUpdate', 'walletUpdate'])
  })

  test('a future by the index, by the last mark where there is none', () => {
    expect(shortly(playMoney([day, index(9, 110), later], [place(2, 'BID', 2, 101)], {}, { type: 'future' }, at(20)))).toEqual(['settlement 20 18 110 index'])
    expect(shortly(playMoney([day, mark(9, 105), later], [place(2, 'ASK', 2, 100)], {}, { type: 'future' }, at(20)))).toEqual(['settlement 20 -10 105 mark'])
  })

  test('without a fee none is told; a fee of what ends at 0 is none', () => {
    const free = playMoney([day, index(9, 110), later], [place(2, 'BID', 2, 101)], {}, { type: 'future' }, at(20))
    const profile: VenueProfile = { ...GENERIC_PROFILE, name: 'options', settlement: { index: 'last', feeRate: '0.01' } }
    const worthless = playMoney([book(1, 19, 20), index(9, 100), later], [place(2, 'BID', 2, 20)], { profile }, { type: 'call', strikePrice: '150' }, at(20))
    expect([shortly(worthless), ...[free, worthless].map(({ events }) => Object.keys(events[0]!).includes('feeAmount'))]).toEqual([['settlement 20 -40 0 index'], false, false])
  })

  test('what nothing ever valued stays: no index, no mark, and no mid in a book of one side', () => {
    const asks = (timeNs: number): MarketLine => ({ kind: 'snapshot', timeNs, rows: [[1, 101, 50]] })
    const run = playMoney([asks(1), asks(30)], [place(2, 'BID', 2, 101)], {}, { type: 'future' }, at(20))
    expect([shortly(run), run.account.positions.get(1)?.sums.quantity.toFixed(), run.messages.filter((message) => 'adapterTimeNs' in message && message.adapterTimeNs === 20)]).toEqual([[], '2', []])
  })

  /** Prices in tenths: 60 at 0.4 are 24. */
  const tenths = { tickSize: '0.1' }
  const bought = [place(2, 'BID', 60, 4)]

  test('a prediction contract by its outcome, else by the last mark', () => {
    const lines = [book(1, 3, 4), mark(9, 1), later]
    expect(shortly(playMoney(lines, bought, { profile: bets }, tenths, at(20, '0')))).toEqual(['settlement 20 -24 0 outcome'])
    expect(shortly(playMoney(lines, bought, { profile: bets }, tenths, at(20)))).toEqual(['settlement 20 36 1 mark'])
    const run = playMoney(lines, bought, { profile: bets }, tenths, at(20, '1'))
    expect([shortly(run), run.account.cashOf(2).toFixed()]).toEqual([['settlement 20 36 1 outcome'], '136'])
  })

  test('what a settlement cannot be paid of is a debt, where balances bind', () => {
    // 100 sold at 0.4 bring 40 to the 60.5 there were; their end costs 100, and 1 % of it as a fee.
    const profile: VenueProfile = { ...bets, settlement: { index: 'last', feeRate: '0.01' } }
    const sold = (balances: readonly (readonly [number, string])[], more: Partial<AccountConfig> = {}) => playMoney([book(1, 4, 6), later], [place(2, 'ASK', 100, 4)], { profile, balances: new Map(balances), ...more }, tenths, at(20, '1'))
    const run = sold([[2, '60.5']])
    expect([shortly(run), run.account.cashOf(2).toFixed(), run.account.debts.get(2)?.toFixed()]).toEqual([['settlement 20 -60 1 outcome', 'debt 20 0.5'], '0', '0.5'])
    expect([shortly(sold([])), shortly(sold([[2, '60.5']], { checks: 'none' }))]).toEqual([['settlement 20 -60 1 outcome'], ['settlement 20 -60 1 outcome']])
  })

  test('at the end of a run an outcome settles what has not ended', () => {
    const run = playMoney([book(1, 3, 4)], bought, { profile: bets }, tenths, { ...at(20, '0'), expiries: new Map() })
    run.bench.worlds[0]!.settlement.settleOutcomes(99)
    expect([shortly(run), run.account.cashOf(2).toFixed()]).toEqual([['settlement 99 -24 0 outcome'], '76'])
  })

  test('what its holder still has open there goes with it, and nothing elsewhere', () => {
    const instrument = (id: number) => ({ instrument: madeInstrument({ id, ...tenths }), priceScale: 1, batches: [lineBatch([book(1, 3, 4)], { instrument: madeInstrument({ id, ...tenths }), priceScale: 1 })] })
    const bench = new ExchangeBench({
      instruments: [instrument(1), instrument(2)], money: { ...at(20, '0'), expiries: new Map() },
      accounts: [{ accountId: 'A', exchangeCode: 'test', balances: new Map([[2, '100']]), fees: { maker: '0', taker: '0' }, profile: bets }],
    })
    bench.run([...bought, place(3, 'BID', 1, 2), place(4, 'BID', 1, 2, { instrumentId: 2 })])
    bench.worlds[0]!.settlement.settleOutcomes(99)
    expect([...bench.worlds[0]!.orders.openOrders()].map(({ ownOrderId }) => ownOrderId)).toEqual(['o4'])
  })
})

describe('a loss that cash cannot pay at the end of a contract under margin', () => {
  const fewer = place(3, 'BID', 1, 10, { instrumentId: 2 })
  const sold = place(4, 'ASK', 1, 9, { instrumentId: 2 })

  /** A future bought at 101 ends at 91 by the index: 9 cost 90 of the 60 there are; beside it stands another instrument of 9 and 10. */
  const events = (beside: readonly BenchCommand[], other: Partial<Instrument>): string[] => {
    const told: string[] = []
    const [future, second] = [madeInstrument({ type: 'future' }), madeInstrument({ id: 2, code: 'B', ...other })]
    const bench = new ExchangeBench({
      instruments: [
        { instrument: future, batches: [lineBatch([day, index(9, 91), later], { instrument: future })] },
        { instrument: second, batches: [lineBatch([book(1, 9, 10)], { instrument: second })] },
      ],
      accounts: [{ accountId: 'A', exchangeCode: 'test', balances: new Map([[2, '60'], [3, '60']]), fees: { maker: '0', taker: '0' }, profile: halved }],
      money: at(20), observer: () => ({ money: ({ kind, amount }) => void told.push(`${kind} ${amount}`) }),
    })
    bench.run([place(2, 'BID', 9, 101), ...beside])
    return told
  }
  // Half of the usual margin: 9 at 101 need 45.45.
  const halved: VenueProfile = { ...marginProfile(['cross']), margin: { modes: ['cross'], brackets: [{ upTo: '5000', initialRate: '0.05', maintenanceRate: '0.01', deduction: '0' }], liquidationFeeRate: '0' } }

  test.each<[string, readonly BenchCommand[], Partial<Instrument>, string[]]>([
    ['is a debt where nothing else stands', [], {}, ['settlement -90', 'debt 30']],
    ['is none while another position stands that its margin may still pay it from', [fewer], {}, ['settlement -90']],
    ['is one beside a position that was closed', [fewer, sold], {}, ['settlement -90', 'debt 31']],
    ['is one beside a position in another underlying', [fewer], { counterUnderlyingId: 3, valuationUnderlyingId: 3, feeUnderlyingId: 3 }, ['settlement -90', 'debt 30']],
    // Its premium of 10 has been paid.
    ['is one beside an option, which is paid in full', [fewer], { type: 'call', strikePrice: '100' }, ['settlement -90', 'debt 40']],
  ])('%s', (_name, beside, other, expected) => {
    expect(events(beside, other)).toEqual(expected)
  })
})

describe('the average of the index', () => {
  const NS = 1_000_000
  const half: VenueProfile = { ...GENERIC_PROFILE, name: 'halfHour', settlement: { index: 'average', averageMs: 10 } }
  const expiryNs = 30 * NS
  const far = book(expiryNs + 1, 100, 101)
  const long = [place(2, 'BID', 1, 101)]

  test.each([
    ['each value counts as long as it stood in the window', [index(1, 100), index(22 * NS, 130), index(27 * NS, 70)], '106', 'average'],
    ['one value before the window stands for all of it', [index(1, 117)], '117', 'average'],
    ['a window that begins without a value is averaged from its first', [index(25 * NS, 120), index(28 * NS, 100)], '112', 'average'],
    ['a quotient is rounded once, to 18 decimals', [index(expiryNs - 3, 100), index(expiryNs - 1, 101)], '100.333333333333333333', 'average'],
    ['what comes at the end or after it does not count', [index(1, 117), index(expiryNs, 500)], '117', 'average'],
    ['without an index the last mark stands', [mark(9, 104)], '104', 'mark'],
  ] as const)('%s', (_what, lines, atPrice, by) => {
    const run = playMoney([day, ...lines, far], long, { profile: half }, { type: 'future' }, at(expiryNs))
    expect(run.events.map((event) => [event.kind, event.atPrice, event.markedBy])).toEqual([['settlement', atPrice, by]])
  })

  test('it is counted though nobody looks at the instrument before the window is over by half', () => {
    const lines = [day, index(1, 100), index(22 * NS, 130), book(26 * NS, 100, 101), index(27 * NS, 70), far]
    const run = playMoney(lines, [place(28 * NS, 'BID', 1, 101)], { profile: half }, { type: 'future' }, at(expiryNs))
    expect(run.events.map((event) => event.atPrice)).toEqual(['106'])
  })

  test('an option is worth what it is by the average', () => {
    const lines = [book(1, 19, 20), index(1, 160), index(25 * NS, 200), book(expiryNs + 1, 19, 20)]
    const run = playMoney(lines, [place(2, 'BID', 2, 20)], { profile: half }, { type: 'call', strikePrice: '150' }, at(expiryNs))
    expect(shortly(run)).toEqual([`settlement ${expiryNs} 20 30 average`])
  })

  test('it goes on from plain data, and is one for all who ask', () => {
    const money = new MarketMoney()
    const average = money.averageOver(10, 20)
    expect(money.averageOver(10, 20)).toBe(average)
    money.applyIndex(5, 1, 0)
    money.applyIndex(14, 25, 1)
    const other = new MarketMoney()
    other.restore(throughJson(money.state()))
    for (const one of [money, other]) {
      one.applyIndex(18, 4, 0)
      expect(one.averageOver(10, 20).average()?.toFixed()).toBe('2.2')
    }
    expect(new MarketMoney().averageOver(10, 20).average()).toBeNull()
  })
})

describe('orders of contracts that end', () => {
  const future = { type: 'future', code: 'FUT', expiry: '2026-01-01T00:00:00Z' }
  const orderStates = ({ messages }: ReturnType<typeof playMoney>) => messages.flatMap((message) => (message.kind === 'orderUpdate' ? message.orders.map((order) => `${message.adapterTimeNs} ${String(order.ownOrderId)} ${order.state}`) : []))

  test('what is open at the end is cancelled, without a position too', () => {
    const stop = place(3, 'BID', 1, 120, { type: 'STOP_LIMIT', triggerPrice: 119 })
    const run = playMoney([day, later], [place(2, 'BID', 2, 90), stop], {}, future, at(20))
    expect(orderStates(run)).toEqual(['2 o2 CONFIRMED', '3 o3 CONFIRMED', '20 o2 CANCELED', '20 o3 CANCELED'])
    expect([shortly(run), [...run.bench.worlds[0]!.orders.openOrders()]]).toEqual([[], []])
  })

  test('from that instant on the exchange takes none, and changes none', () => {
    const amend: BenchCommand = { timeNs: 20, send: (entry) => entry.amend([{ ownOrderId: 'o2', currentClientOrderId: 'o2', newClientOrderId: 'n', price: 91 }]) }
    const run = playMoney([day, later], [place(2, 'BID', 2, 90), place(19, 'BID', 2, 90), amend, place(20, 'BID', 1, 90), place(25, 'BID', 1, 90)], {}, future, at(20))
    expect(refusals(run)).toEqual(['o2 ORDER_NOT_FOUND EXCHANGE', 'o20 INSTRUMENT_EXPIRED EXCHANGE', 'o25 INSTRUMENT_EXPIRED EXCHANGE'])
    const words = run.messages.flatMap((message) => (message.kind === 'placeResponse' ? message.results.map(({ error }) => error?.message) : []))
    expect(words[3]).toBe('FUT expired at 2026-01-01T00:00:00Z and takes no orders any more')
  })

  test('an amend and a replace that arrive in that very instant are too late', () => {
    const change = (timeNs: number, newOwnOrderId: string | null): BenchCommand => ({ timeNs, send: (entry) => {
      const ids = { currentClientOrderId: 'o2', newClientOrderId: 'n', price: 91 }
      if (newOwnOrderId === null) entry.amend([{ ownOrderId: 'o2', ...ids }])
      else entry.replace([{ currentOwnOrderId: 'o2', newOwnOrderId, ...ids }])
    } })
    const late = { requestLatency: constantLatency(5) }
    const amended = playMoney([day, later], [place(2, 'BID', 2, 90), change(15, null)], {}, future, at(20), late)
    expect([refusals(amended), orderStates(amended)]).toEqual([['o2 INSTRUMENT_EXPIRED EXCHANGE'], ['7 o2 CONFIRMED', '20 o2 CANCELED']])
    const replaced = playMoney([day, later], [place(2, 'BID', 2, 90), change(15, 'r')], {}, future, at(20), late)
    const errors = replaced.messages.flatMap((message) => (message.kind === 'replaceResponse' ? message.results.map(({ ownOrderId, error }) => `${String(ownOrderId)} ${error?.type}`) : []))
    expect([errors, orderStates(replaced)]).toEqual([['r INSTRUMENT_EXPIRED'], ['7 o2 CONFIRMED', '20 o2 CANCELED']])
  })

  test('a contract that never ends takes orders for ever', () => {
    expect(refusals(playMoney([day, later], [place(25, 'BID', 1, 90)]))).toEqual([])
  })
})

describe('conversions by declared rates alone', () => {
  const rates = (...ids: number[]) => ({ usdRates: new Map(ids.map((id) => [id, { usd: id === 2 ? '0.5' : '100', declaredBy: 'run' as const }])), expiries: new Map(), outcomes: new Map() })
  const fees = { maker: '0', taker: '0.01' }

  test('fills say what they are worth, wallets what they add up to', () => {
    const run = playMoney([day, mark(1, 100)], [place(2, 'BID', 2, 101)], { fees, profile: marginProfile(['cross']) }, {}, rates(2))
    // Value 202, fee 2.02, profit -2: (100 - 2.02 - 2) * 0.5; 5 % of 200 is 10.
    expect(run.messages.find(({ kind }) => kind === 'fill')).toMatchObject({ fills: [{ usdTurnover: '101', usdFees: '1.01', fxRate: '0.5' }] })
    expect(run.messages.find(({ kind }) => kind === 'walletUpdate')).toMatchObject({ totalBalances: [{ walletType: 'ACCOUNT', usdAmount: '47.99' }], maintenanceMargin: [{ usdAmount: '5' }] })
  })

  test('fees in USD come with the late fees', () => {
    const late = { ...marginProfile(['cross']), messages: { lateFees: '50ns' } }
    const run = playMoney([day, mark(1, 100)], [place(2, 'BID', 2, 101)], { fees, profile: late }, {}, rates(2))
    const fills = run.messages.flatMap((message) => (message.kind === 'fill' ? message.fills : []))
    expect(fills.map(({ fees: told, usdFees, usdTurnover }) => [told, usdFees, usdTurnover].join(' '))).toEqual(['0 0 101', '2.02 1.01 101'])
  })

  test('a field whose rate nobody declared is absent', () => {
    const run = playMoney([day], [place(2, 'BID', 2, 101)], { fees }, {}, rates(1))
    const fills = run.messages.flatMap((message) => (message.kind === 'fill' ? message.fills : []))
    expect(fills.map(({ usdFees, fxRate }) => [usdFees, fxRate])).toEqual([[undefined, undefined]])
    expect(Object.keys(run.messages.find(({ kind }) => kind === 'walletUpdate')!)).not.toContain('totalBalances')
  })
})
