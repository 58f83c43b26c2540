import { describe, expect, test } from 'vitest'
import { GENERIC_PROFILE, type VenueProfile } from '../../src/exchange/profile/venue-profile.js'
import type { Instrument } from '../../src/model/instrument.js'
import type { PlaceEntry } from '../../src/venue/messages.js'
import { ExchangeBench, placeEntry, type BenchCommand, type BenchOptions } from '../support/exchange-bench.ts'
import { lineBatch, madeInstrument, type MarketLine } from '../support/market-lines.ts'
import { book, marginProfile, mark } from '../support/played-money.ts'
import type { ClientMessage } from '../../src/venue/order-messages.js'

/** Clients c and d have an account each, e shares c's. */
const clients = { c: 'A', d: 'B', e: 'A' }
const place = (clientId: string, ownOrderId: string, terms: Partial<PlaceEntry>): BenchCommand => ({ timeNs: 2, clientId, send: (entry) => entry.place([placeEntry(ownOrderId, terms)]) })

/** Two instruments with the same lines, two accounts with 100 each. */
function play(lines: readonly MarketLine[], commands: readonly BenchCommand[], more: { profile?: VenueProfile, instrument?: Partial<Instrument>, priceScale?: number, bench?: Partial<BenchOptions> } = {}) {
  const messages: ClientMessage[] = []
  const { profile = GENERIC_PROFILE, priceScale = 0 } = more
  const account = (accountId: string) => ({ accountId, exchangeCode: 'test', balances: new Map([[2, '100']]), fees: { maker: '0', taker: '0' }, profile })
  const bench = new ExchangeBench({
    instruments: [1, 2].map((id) => {
      const instrument = madeInstrument({ id, ...more.instrument })
      return { instrument, priceScale, batches: [lineBatch(id === 1 ? lines : [lines[0]!], { instrument, priceScale })] }
    }),
    clients, accounts: [account('A'), account('B')], delivered: (_world, _client, _timeNs, message) => void messages.push(message), ...more.bench,
  })
  // Commands of one instant go in their order.
  bench.run(commands.map((command, at) => ({ ...command, timeNs: command.timeNs + at })))
  const refused = messages.flatMap((message) => (message.kind === 'placeResponse' ? message.results.flatMap(({ ownOrderId, error }) => (error === undefined ? [] : [`${String(ownOrderId)} ${error.type}`])) : []))
  const reasons = messages.flatMap((message) => (message.kind === 'orderUpdate' ? message.orders.flatMap(({ ownOrderId, state, error }) => (error === undefined ? [] : [`${String(ownOrderId)} ${state} ${error.type}`])) : []))
  return { reasons: [...new Set(reasons)], open: [...bench.worlds[0]!.orders.openOrders()].map(({ ownOrderId }) => ownOrderId).sort(), refused, bench }
}

const day = book(1, 100, 101)
const rest = (): Partial<PlaceEntry> => ({ side: 'BID', price: 50, totalQuantity: 1 })

describe('what happens to one leaves the others alone', () => {
  test('a world that halts at gaps does so where it has traded, though no order of it rests any more', () => {
    const cancel: BenchCommand = { timeNs: 5, clientId: 'c', send: (entry) => { entry.cancel([{ ownOrderId: 'own' }]) } }
    const halted = (gaps: 'halt' | 'freeze'): boolean => play([day, { kind: 'update', timeNs: 20, gap: true, rows: [] }], [place('c', 'own', rest()), cancel], { bench: { assumptions: { gaps } } }).bench.worlds[0]!.halt !== null
    expect([halted('halt'), halted('freeze')]).toEqual([true, false])
  })

  test('what a world saves of an instrument are its own levels, though others rest at the same prices', () => {
    const orders = [place('c', 'own', rest()), { ...place('c', 'theirs', rest()), world: 1 }, { ...place('d', 'apart', { ...rest(), price: 60 }), world: 1 }]
    const { bench } = play([day], orders, { bench: { worldCount: 2 } })
    const levels = bench.worlds.map((world) => {
      const open = world.orders.openOrders()
      return world.state().instruments.flatMap(([, { resting }]) => resting.map((at) => [open[at]!.price, open[at]!.ownOrderId]))
    })
    expect(levels).toEqual([[[50, 'own']], [[60, 'apart'], [50, 'theirs']]])
  })

  test('an order that is over with its position leaves its queue: nothing of it is saved', () => {
    const orders = [place('c', 'buy', { price: 101, totalQuantity: 2 }), place('c', 'close', { side: 'ASK', price: 110, totalQuantity: 2, reduceOnly: true }), place('c', 'sell', { side: 'ASK', price: 105, totalQuantity: 2 })]
    const { bench, open } = play([day, { kind: 'trades', timeNs: 30, rows: [[0, 106, 9]] }], orders)
    expect([open, bench.worlds[0]!.state().instruments.flatMap(([, { resting }]) => resting)]).toEqual([[], []])
    // The better one sells all of it; no row comes to where the other rests.
    expect(bench.worlds[0]!.accounts.get('A')!.positions.get(1)!.sums.quantity.toFixed()).toBe('0')
  })

  test('an account is told of its own open orders, of all its clients, and of no other', () => {
    const { bench } = play([day], [place('c', 'own', rest()), place('d', 'theirs', rest()), place('e', 'shared', { ...rest(), instrumentId: 2 })])
    expect(['c', 'd', 'e'].map((clientId) => bench.entryOf(clientId).initial.orders.map(({ ownOrderId }) => ownOrderId))).toEqual([['own', 'shared'], ['theirs'], ['own', 'shared']])
  })

  test('a contract that ends takes the orders on it, of every account, and no other', () => {
    const money = { usdRates: new Map(), expiries: new Map([[1, 20]]), outcomes: new Map() }
    const commands = [place('c', 'own', rest()), place('c', 'elsewhere', { ...rest(), instrumentId: 2 }), place('d', 'theirs', rest()), place('d', 'theirs elsewhere', { ...rest(), instrumentId: 2 })]
    expect(play([day, mark(9, 100), book(30, 100, 101)], commands, { instrument: { type: 'future' }, bench: { money } }).open).toEqual(['elsewhere', 'theirs elsewhere'])
  })

  test('a cross liquidation takes the account\'s orders whose margin comes out of the same wallet, and no other', () => {
    const orders = [
      place('c', 'buy', { side: 'BID', price: 101, totalQuantity: 7 }), place('c', 'own', rest()), place('e', 'shared', rest()), place('c', 'elsewhere', { ...rest(), instrumentId: 2 }), place('d', 'theirs', rest()),
    ]
    const lines = [day, mark(1, 100), mark(20, 91), book(30, 90, 91)]
    // 7 at 101 with 100: at 91 the profit is -70 and 30 are left, 5 % of 637 is 31.85.
    expect(play(lines, orders, { profile: marginProfile(['cross']) }).open).toEqual(['theirs'])
  })

  test('an order that opens or closes an isolated position stays in a cross liquidation elsewhere, and an isolated one takes those of its instrument alone', () => {
    const lines = [day, mark(1, 100), mark(20, 91), mark(25, 89), book(30, 88, 89)]
    // 4 at 101 (41 set aside at most) leave room for 1 at 50 elsewhere (5, its mark 100.5: 10.05 at most).
    const isolated = [place('c', 'buy', { side: 'BID', price: 101, totalQuantity: 4, openClose: 'OPEN' }), place('c', 'own', rest()), place('c', 'elsewhere', { ...rest(), instrumentId: 2 })]
    expect(play(lines, isolated, { profile: marginProfile(['cross', 'isolated']) }).open).toEqual(['elsewhere'])
    const cross = [place('c', 'buy', { side: 'BID', price: 101, totalQuantity: 7 }), place('c', 'apart', { ...rest(), instrumentId: 2, openClose: 'OPEN' }), place('c', 'elsewhere', { ...rest(), instrumentId: 2 })]
    expect(play(lines, cross, { profile: marginProfile(['cross', 'isolated']) }).open).toEqual(['apart'])
  })

  test('stop orders that are triggered in one instant enter each on its own instrument', () => {
    const traded = (ask: number): MarketLine[] => [book(1, 50, ask), { kind: 'trades', timeNs: 20, rows: [[0, 120, 1]] }]
    const instruments = [1, 2].map((id) => ({ instrument: madeInstrument({ id }), batches: [lineBatch(traded(id === 1 ? 101 : 91), { instrument: madeInstrument({ id }) })] }))
    const stop = (ownOrderId: string, instrumentId: number) => place('c', ownOrderId, { instrumentId, type: 'STOP_LIMIT', price: 95, triggerPrice: 110 })
    // 95 meets 91, and rests before 101.
    const run = play([day], [stop('rests', 1), stop('takes', 2)], { bench: { instruments } })
    expect([run.open, [1, 2].map((id) => run.bench.worlds[0]!.accounts.get('A')!.positions.get(id)?.sums.openValue.toFixed())]).toEqual([['rests'], [undefined, '91']])
  })

  test('a gap that cancels takes the orders on its instrument, of every account, and no other', () => {
    const commands = [place('c', 'own', rest()), place('c', 'elsewhere', { ...rest(), instrumentId: 2 }), place('d', 'theirs', rest()), place('d', 'theirs elsewhere', { ...rest(), instrumentId: 2 })]
    expect(play([day, { kind: 'update', timeNs: 20, gap: true, rows: [] }], commands, { bench: { assumptions: { gaps: 'cancelAndWait' } } }).open).toEqual(['elsewhere', 'theirs elsewhere'])
  })

  test('a split of coins at one exchange leaves those at another as they are', () => {
    const accounts = ['test', 'elsewhere'].map((exchangeCode, at) => ({ accountId: 'AB'[at]!, exchangeCode, balances: new Map([[1, '3'], [2, '100']]), fees: { maker: '0', taker: '0' } }))
    const corporateActions = [{ timeNs: 20, action: { instrumentId: 1, split: { lastPrice: '100', buyVolume: '2', sellVolume: '1', liquidateFractionalShares: false } } }]
    const { bench } = play([day, book(30, 100, 101)], [], { instrument: { type: 'spot' }, bench: { accounts, corporateActions } })
    expect([...bench.worlds[0]!.accounts.values()].map((account) => account.cashOf(1).toFixed())).toEqual(['6', '3'])
  })

  test('an order that closes takes the other orders of its client on its instrument, and no other', () => {
    const commands = [
      place('c', 'buy', { side: 'BID', price: 101, totalQuantity: 1 }), place('c', 'own', rest()), place('e', 'shared', rest()), place('c', 'elsewhere', { ...rest(), instrumentId: 2 }), place('d', 'theirs', rest()),
      place('c', 'close', { side: 'ASK', price: 110, totalQuantity: 1, closeOnly: true }),
    ]
    expect(play([day], commands).open).toEqual(['close', 'elsewhere', 'shared', 'theirs'])
  })

  test('margin that another account\'s orders need is its own; another client\'s of the same account counts', () => {
    // 9 at 100 need 90 of 100.
    const most = { side: 'BID', price: 100, totalQuantity: 9 } as const
    expect(play([day, mark(1, 100)], [place('d', 'theirs', most), place('c', 'own', most)], { profile: marginProfile(['cross']) }).refused).toEqual([])
    expect(play([day, mark(1, 100)], [place('e', 'shared', most), place('c', 'own', most)], { profile: marginProfile(['cross']) }).refused).toEqual(['own INSUFFICIENT_MARGIN'])
  })
})

describe('what is counted for an order is of its account, and where that is meant of its instrument', () => {
  const limited: VenueProfile = { ...GENERIC_PROFILE, name: 'limited', limits: { maxOpenOrders: 2 } }
  const wealthy = { bench: { accounts: ['A', 'B'].map((accountId) => ({ accountId, exchangeCode: 'test', balances: new Map([[2, '100000'], [3, '100']]), fees: { maker: '0', taker: '0' }, profile: marginProfile(['cross', 'isolated']) })) } }

  test('open orders against the most that may be open', () => {
    const elsewhere = [1, 2].map((at) => place('c', `elsewhere ${at}`, { ...rest(), instrumentId: 2 }))
    const theirs = [1, 2].map((at) => place('d', `theirs ${at}`, rest()))
    expect(play([day], [...elsewhere, ...theirs, place('c', 'one', rest()), place('e', 'two', rest()), place('c', 'three', rest())], { profile: limited }).refused).toEqual(['three TOO_MANY_ORDERS'])
  })

  test.each(['AUTO', 'OPEN'] as const)('what a position may come to, against the last bracket: %s', (openClose) => {
    // 49 at 100 are 4900 of 5000.
    const most = { side: 'BID', price: 100, totalQuantity: 49, openClose } as const
    expect(play([day, mark(1, 100)], [place('c', 'elsewhere', { ...most, instrumentId: 2 }), place('d', 'theirs', most), place('c', 'own', most), place('e', 'shared', { ...most, totalQuantity: 2 })], wealthy).refused).toEqual(['shared POSITION_TOO_LARGE'])
  })

  test('stakes of prediction contracts', () => {
    const bets = { profile: { ...GENERIC_PROFILE, name: 'bets', kind: 'prediction' } as VenueProfile, priceScale: 2, instrument: { tickSize: '0.01' } }
    // 250 at 0.4 are 100.
    const all = { side: 'BID', price: 40, totalQuantity: 250 } as const
    expect(play([book(1, 39, 41)], [place('d', 'theirs', all), place('c', 'own', all), place('c', 'elsewhere', { ...all, totalQuantity: 1, instrumentId: 2 })], bets).refused).toEqual(['elsewhere INSUFFICIENT_BALANCE'])
  })

  test('options that are held against those that are to be sold', () => {
    const venue: VenueProfile = { ...GENERIC_PROFILE, name: 'venue', kind: 'options' }
    const buy = (instrumentId: number): Partial<PlaceEntry> => ({ side: 'BID', price: 25, totalQuantity: 2, instrumentId })
    const sell = (instrumentId: number): Partial<PlaceEntry> => ({ side: 'ASK', price: 30, totalQuantity: 2, instrumentId })
    expect(play([book(1, 20, 25)], [place('c', 'one', buy(1)), place('c', 'two', buy(2)), place('c', 'a', sell(1)), place('c', 'b', sell(2)), place('d', 'theirs', sell(1))], { profile: venue, instrument: { type: 'call', strikePrice: '100' } }).refused).toEqual(['theirs NOT_SUPPORTED'])
  })

  test('margin in the underlying that it is kept in', () => {
    const paidIn = (id: number) => madeInstrument(id === 1 ? { id } : { id, counterUnderlyingId: 3, valuationUnderlyingId: 3, feeUnderlyingId: 3 })
    const bench: Partial<BenchOptions> = {
      instruments: [1, 2].map((id) => ({ instrument: paidIn(id), batches: [lineBatch([day, mark(1, 100)], { instrument: paidIn(id) })] })),
      accounts: [{ accountId: 'A', exchangeCode: 'test', balances: new Map([[2, '100'], [3, '100']]), fees: { maker: '0', taker: '0' }, profile: marginProfile(['cross']) }], clients: { c: 'A' },
    }
    // 9 at 100 need 90 of either 100.
    const most = { side: 'BID', price: 100, totalQuantity: 9 } as const
    const run = play([day], [place('c', 'elsewhere', { ...most, instrumentId: 2 }), place('c', 'own', most)], { bench })
    const account = run.bench.worlds[0]!.accounts.get('A')!
    expect([run.refused, ...[2, 3].map((id) => run.bench.worlds[0]!.preTrade.blocked(account, id).toFixed())]).toEqual([[], '90', '90'])
  })
})

describe('an order that ends without its client says why', () => {
  test('a contract has ended', () => {
    const money = { usdRates: new Map(), expiries: new Map([[1, 20]]), outcomes: new Map() }
    expect(play([day, mark(9, 100), book(30, 100, 101)], [place('c', 'own', rest())], { instrument: { type: 'future' }, bench: { money } }).reasons).toEqual(['own CANCELED INSTRUMENT_EXPIRED'])
  })

  test('positions of its account were liquidated', () => {
    const commands = [place('c', 'buy', { side: 'BID', price: 101, totalQuantity: 7 }), place('c', 'own', rest())]
    expect(play([day, mark(1, 100), mark(20, 91), book(30, 90, 91)], commands, { profile: marginProfile(['cross']) }).reasons).toEqual(['own CANCELED LIQUIDATED'])
  })

  test('a split', () => {
    const corporateActions = [{ timeNs: 20, action: { instrumentId: 1, split: { lastPrice: '100', buyVolume: '2', sellVolume: '1', liquidateFractionalShares: false } } }]
    expect(play([day, book(30, 50, 51)], [place('c', 'own', rest()), place('c', 'elsewhere', { ...rest(), instrumentId: 2 })], { bench: { corporateActions } }).reasons).toEqual(['own CANCELED CORPORATE_ACTION'])
  })
})

describe('what an order needs before it is taken', () => {
  const steps: MarketLine = { kind: 'snapshot', timeNs: 1, rows: [[0, 100, 5], [0, 80, 50], [1, 101, 5], [1, 125, 50]] }
  const market = (side: 'BID' | 'ASK', totalQuantity: number): Partial<PlaceEntry> => ({ type: 'MARKET', side, price: null, totalQuantity, timeInForce: 'IMMEDIATE_OR_CANCEL' })

  test.each([
    // 8 reach 125: 1000 is the end of the first bracket. 9 are 1125, in the second: 225.
    ['a purchase by the worst price that it reaches', market('BID', 8), []],
    ['one too large by it', market('BID', 9), ['o INSUFFICIENT_MARGIN']],
    // 9 reach 80, but what they open is worth the mid, 100.5: 904.5. 10 are 1005, in the second.
    ['a sale by the mid, by which its position is valued', market('ASK', 9), []],
    ['one too large by that', market('ASK', 10), ['o INSUFFICIENT_MARGIN']],
  ] as const)('MARKET: %s', (_name, terms, refused) => {
    expect(play([steps], [place('c', 'o', terms)], { profile: marginProfile(['cross']) }).refused).toEqual(refused)
  })

  test('the seller of an option is refused by what the profile does not say, the holder may sell', () => {
    const option = { profile: marginProfile(['cross']), instrument: { type: 'call', strikePrice: '100' } as const }
    const sell = { side: 'ASK', price: 100, totalQuantity: 1 } as const
    expect(play([book(1, 20, 25)], [place('c', 'o', sell)], option).refused).toEqual(['o NOT_SUPPORTED'])
    expect(play([book(1, 20, 25)], [place('c', 'b', { side: 'BID', price: 25, totalQuantity: 2 }), place('c', 'one', sell), place('c', 'two', sell), place('c', 'three', sell)], option).refused).toEqual(['three NOT_SUPPORTED'])
    expect(play([book(1, 20, 25)], [place('c', 'b', { side: 'BID', price: 25, totalQuantity: 2 }), place('c', 'o', { ...sell, totalQuantity: 3 })], option).refused).toEqual(['o NOT_SUPPORTED'])
    expect(play([book(1, 20, 25)], [place('c', 'b', { side: 'BID', price: 25, totalQuantity: 2 }), place('c', 'o', { ...sell, totalQuantity: 3, reduceOnly: true })], option).refused).toEqual([])
  })

  test('a prediction contract: a purchase its price, a sale of what is not held the rest to 1', () => {
    const bets = { profile: { ...GENERIC_PROFILE, name: 'bets', kind: 'prediction' } as VenueProfile, priceScale: 2, instrument: { tickSize: '0.01' } }
    const sell = (quantity: number): Partial<PlaceEntry> => ({ side: 'ASK', price: 60, totalQuantity: quantity })
    // 250 * 0.4 are 100.
    expect(play([book(1, 39, 41)], [place('c', 'o', sell(250))], bets).refused).toEqual([])
    expect(play([book(1, 39, 41)], [place('c', 'o', sell(251))], bets).refused).toEqual(['o INSUFFICIENT_BALANCE'])
    expect(play([book(1, 39, 41)], [place('c', 'one', sell(125)), place('c', 'two', sell(125)), place('c', 'three', sell(1))], bets).refused).toEqual(['three INSUFFICIENT_BALANCE'])
    // 100 held cost 41: 59 are left, for 147 that are not held.
    const buy = place('c', 'b', { side: 'BID', price: 41, totalQuantity: 100 })
    expect(play([book(1, 39, 41)], [buy, place('c', 'o', sell(247))], bets).refused).toEqual([])
    expect(play([book(1, 39, 41)], [buy, place('c', 'o', sell(248))], bets).refused).toEqual(['o INSUFFICIENT_BALANCE'])
  })

  test('a price band binds an order with a price, and none before anything values the instrument', () => {
    const profile: VenueProfile = { ...GENERIC_PROFILE, name: 'banded', limits: { priceBand: '0.01' } }
    expect(play([steps], [place('c', 'o', { side: 'BID', price: 90, totalQuantity: 1 })], { profile }).refused).toEqual(['o PRICE_OUT_OF_BAND'])
    expect(play([{ ...steps, timeNs: 50 }], [place('c', 'o', { side: 'BID', price: 90, totalQuantity: 1 })], { profile }).refused).toEqual([])
  })
})
