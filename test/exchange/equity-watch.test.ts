import { describe, expect, test } from 'vitest'
import type { AccountConfig } from '../../src/exchange/accounts/account-config.js'
import { GENERIC_PROFILE, type VenueProfile } from '../../src/exchange/profile/venue-profile.js'
import { constantLatency } from '../../src/exchange/adapter/order-latency.js'
import { NO_MONEY_DECLARED, type WorldMoney } from '../../src/exchange/accounts/world-money.js'
import type { Instrument } from '../../src/model/instrument.js'
import { ExchangeBench, placeEntry, type BenchCommand } from '../support/exchange-bench.ts'
import { lineBatch, madeInstrument, type MarketLine } from '../support/market-lines.ts'
import { playedInTwo } from '../support/played-in-two.ts'
import { book, funding, index, marginProfile, mark } from '../support/played-money.ts'
import type { ClientMessage } from '../../src/venue/order-messages.js'

type Step = BenchCommand | MarketLine

const HOUR = 3_600_000_000_000
const order = (timeNs: number, side: 'BID' | 'ASK', totalQuantity: number, price: number, more: object = {}): BenchCommand => (
  { timeNs, send: (entry) => entry.place([placeEntry(`o${timeNs}`, { side, totalQuantity, price, ...more })]) })
const day = book(1, 100, 101)
const LENDER: VenueProfile = { ...GENERIC_PROFILE, name: 'lender', borrowRates: { CASH: '0.876', COIN: '8760' } }
const rates = (coin?: string): WorldMoney => ({
  ...NO_MONEY_DECLARED, usdRates: new Map([[2, { usd: '1', declaredBy: 'run' }], ...(coin === undefined ? [] : [[1, { usd: coin, declaredBy: 'run' }] as const])]),
})

interface Page {
  readonly account?: Partial<AccountConfig>
  readonly instrument?: Partial<Instrument>
  readonly money?: WorldMoney
}

interface Played {
  readonly bench: ExchangeBench
  /** Stops and fills, with their times. */
  readonly told: string[]
  readonly messages: ClientMessage[]
}

/** Plays lines and orders of one client on account A: 100 in cash, no fees, where the page does not say otherwise. */
function play(steps: readonly Step[], { account, instrument, money }: Page = {}): Played {
  const made = madeInstrument(instrument)
  const told: string[] = []
  const messages: ClientMessage[] = []
  const codes = new Map([[1, 'COIN'], [2, 'CASH']])
  const underlyingOf = (id: number) => ({ id, code: codes.get(id) ?? '', name: null, type: null, fxRate: null, fxTime: null })
  const bench = new ExchangeBench({
    instruments: [{ instrument: made, batches: [lineBatch(steps.filter((step) => 'kind' in step), { instrument: made })] }],
    accounts: [{ accountId: 'A', exchangeCode: 'test', balances: new Map([[2, '100']]), fees: { maker: '0', taker: '0' }, atZero: 'stop', ...account }],
    underlyings: { entries: [1, 2].map(underlyingOf), get: underlyingOf },
    ...(money === undefined ? {} : { money }),
    observer: () => ({
      stopped: (clientId, timeNs, reason) => void told.push(`${timeNs} ${clientId} ${reason}`),
      executed: (_order, price, quantity, timeNs) => void told.push(`${timeNs} fill ${quantity} at ${price}`),
      money: ({ kind, exchangeTimeNs, amount }) => void told.push(`${exchangeTimeNs} ${kind} ${amount}`),
    }),
    delivered: (_world, _client, _timeNs, message) => void messages.push(message),
  })
  bench.run(steps.filter((step) => 'send' in step), 3 * HOUR)
  return { bench, told, messages }
}

const stopsOf = ({ told }: Played): string[] => told.filter((text) => text.includes('EQUITY_ZERO'))
const zero = (timeNs: number, equity: string, code = 'CASH'): string => `${timeNs} c EQUITY_ZERO: the equity of account A was ${equity} ${code}`

const LONG = [day, mark(1, 100), order(2, 'BID', 10, 101)]
const SHORT = [day, mark(1, 100), order(2, 'ASK', 10, 100)]
const TWO = { balances: new Map([[1, '1'], [2, '100']]) }

describe('equity that comes to 0 (exchange rules 8.6)', () => {
  test.each<readonly [what: string, steps: readonly Step[], page: Page, stops: readonly string[]]>([
    ['a mark that leaves 10', [...LONG, mark(3, 92)], {}, []],
    ['a mark that leaves nothing', [...LONG, mark(3, 92), mark(4, 91)], {}, [zero(4, '0')]],
    ['a mark that leaves less than nothing', [...LONG, mark(3, 90)], {}, [zero(3, '-10')]],
    ['a mark for a short position', [...SHORT, mark(3, 109), mark(4, 111)], {}, [zero(4, '-10')]],
    ['a mark that was 0 for a part of an instant alone', [...LONG, mark(3, 90), mark(3, 95)], {}, []],
    ['many small steps', [...LONG, ...Array.from({ length: 20 }, (_, at) => mark(3 + at, 100 - at))], {}, [zero(12, '0')]],
    ['the mid, where there is no mark', [day, order(2, 'BID', 10, 101), book(3, 91, 93), book(4, 90, 92)], {}, [zero(4, '0')]],
    ['the last mid, where the book shows one side', [day, order(2, 'BID', 10, 101), { kind: 'snapshot', timeNs: 3, rows: [[0, 80, 5]] }, book(4, 89, 90)], {}, [zero(4, '-15')]],
    ['a fee', [day, mark(1, 101), order(2, 'BID', 1, 101)], { account: { balances: new Map([[2, '1']]), fees: { maker: '0', taker: '0.01' } } }, [zero(2, '-0.01')]],
    ['a fee that leaves the last cent', [day, mark(1, 101), order(2, 'BID', 1, 101)], { account: { balances: new Map([[2, '1.01']]), fees: { maker: '0', taker: '0.01' } } }, [zero(2, '0')]],
    ['funding', [...LONG, funding(3, 1000, 5), mark(4, 100)], {}, [zero(5, '-10')]],
    ['funding that leaves something', [...LONG, funding(3, 899, 5), mark(4, 100)], {}, []],
    ['a fill far from its mark', [...LONG, book(3, 80, 81), order(4, 'ASK', 10, 80)], {}, [zero(4, '-110')]],
    ['a fill without a position', [day, mark(1, 1), order(2, 'BID', 1, 101)], {}, [zero(2, '0')]],
    ['a liquidation', [...LONG.slice(0, 2), order(2, 'BID', 9, 101), mark(3, 90)], { account: { profile: marginProfile(['cross']) } }, [zero(3, '-7.1')]],
    ['an isolated position whose loss is all there is', [...LONG.slice(0, 2), order(2, 'BID', 9, 101), mark(3, 50)], { account: { profile: marginProfile(['isolated']) } }, []],
    ['an inverse contract, in coins', [day, mark(1, 100), order(2, 'BID', 10, 101), mark(3, 51), mark(4, 50)], { instrument: { isInverse: true, contractValue: '100' }, account: { balances: new Map([[1, '10']]) } }, [zero(4, '-0.09900990099009901', 'COIN')]],
    ['an option that was sold', [day, mark(1, 100), order(2, 'ASK', 1, 100), mark(3, 199), mark(4, 200)], { instrument: { type: 'call', strikePrice: '1', expiry: '2030-01-01T00:00:00Z' } }, [zero(4, '0')]],
    ['coins that were bought', [day, order(2, 'BID', 1, 100), book(3, 1, 2)], { instrument: { type: 'spot' } }, []],
    ['coins that were bought with a loan', [day, order(2, 'BID', 10, 101, { autoBorrow: true }), book(3, 91, 92), book(4, 90, 92)], { instrument: { type: 'spot' }, account: { profile: LENDER } }, [zero(4, '0')]],
    ['coins that were sold and are owed', [day, order(2, 'ASK', 10, 100, { autoBorrow: true }), book(3, 108, 110), book(4, 111, 112)], { instrument: { type: 'spot' }, account: { profile: LENDER } }, [zero(4, '-15')]],
    ['interest', [day, order(2, 'ASK', 1, 100, { autoBorrow: true }), book(2 * HOUR, 100, 101)], { instrument: { type: 'spot' }, account: { profile: LENDER } }, [zero(HOUR, '-1')]],
    ['interest of coins nobody prices, with a rate', [day, order(2, 'ASK', 1, 100, { autoBorrow: true }), { kind: 'snapshot', timeNs: 3, rows: [[0, 100, 5]] }, book(2 * HOUR, 100, 101)], { instrument: { type: 'spot' }, account: { profile: LENDER }, money: rates('100') }, [zero(HOUR, '0', 'USD')]],
    ['two currencies by their rates', [...LONG, mark(3, 86), mark(4, 85)], { account: TWO, money: rates('60') }, [zero(4, '0', 'USD')]],
    ['two currencies without a rate', [...LONG, mark(3, 1)], { account: TWO, money: rates() }, []],
    ['a fee in another currency, without a rate', [...LONG, mark(3, 1)], { instrument: { feeUnderlyingId: 1 }, account: { fees: { maker: '0', taker: '1', by: 'quantity' } } }, []],
    ['no balances', [...LONG, mark(3, 1)], { account: { balances: new Map() } }, []],
    ['preset hftbacktest', [...LONG, mark(3, 1)], { account: { checks: 'none' } }, []],
    ['an account that is noted', [...LONG, mark(3, 1)], { account: { atZero: 'note' } }, []],
    ['an account that nobody looks at', [...LONG, mark(3, 1)], { account: { atZero: undefined } as never }, []],
  ])('%s', (_what, steps, page, stops) => {
    expect(stopsOf(play(steps, page))).toEqual(stops)
  })

  test('open orders are cancelled with the reason, what comes later is refused, the position stays and pays on', () => {
    const late = [order(6, 'BID', 1, 50), order(7, 'ASK', 1, 120)]
    const amend: BenchCommand = { timeNs: 8, send: (entry) => entry.amend([{ ownOrderId: 'o3', currentClientOrderId: 'o3', newClientOrderId: 'x', totalQuantity: 2 }]) }
    const stop = order(4, 'ASK', 1, 60, { type: 'STOP_LIMIT', triggerPrice: 70, triggerReference: 'mark' })
    const played = play([...LONG, order(3, 'BID', 5, 90), stop, mark(5, 91), ...late, amend, funding(9, 100, 20), mark(10, 60), book(30, 100, 200)])
    expect(played.told).toEqual(['2 fill 10 at 101', zero(5, '0'), '20 funding -6'])
    const updates = played.messages.flatMap((message) => (message.kind === 'orderUpdate' ? message.orders.filter(({ state }) => state === 'CANCELED') : []))
    expect(updates.map(({ ownOrderId, error }) => [ownOrderId, error?.type, error?.source])).toEqual([['o3', 'EQUITY_ZERO', 'EXCHANGE'], ['o4', 'EQUITY_ZERO', 'EXCHANGE']])
    const errors = played.messages.flatMap((message) => (message.kind === 'placeResponse' || message.kind === 'amendResponse' ? message.results.flatMap(({ error }) => error?.type ?? []) : []))
    expect(errors).toEqual(['EQUITY_ZERO', 'EQUITY_ZERO', 'ORDER_NOT_FOUND'])
    expect(played.bench.worlds[0]!.accounts.get('A')!.positions.get(1)!.sums.quantity.toFixed()).toBe('10')
    expect(played.bench.worlds[0]!.money.equity.records()).toEqual([{ accountId: 'A', stoppedNs: 5, belowNs: 10, unknownNs: null, missingIds: [] }])
  })

  test('an order that is on its way when its account falls is refused', () => {
    const made = madeInstrument()
    const messages: ClientMessage[] = []
    const bench = new ExchangeBench({
      instruments: [{ instrument: made, batches: [lineBatch([day, mark(1, 100), mark(30, 50), book(90, 100, 101)], { instrument: made })] }],
      accounts: [{ accountId: 'A', exchangeCode: 'test', balances: new Map([[2, '100']]), fees: { maker: '0', taker: '0' }, atZero: 'stop' }],
      assumptions: { requestLatency: constantLatency(10) }, delivered: (_world, _client, _timeNs, message) => void messages.push(message),
    })
    bench.run([order(2, 'BID', 10, 101), order(25, 'BID', 1, 101)])
    expect(messages.flatMap((message) => (message.kind === 'placeResponse' ? message.results.map(({ ownOrderId, error }) => [ownOrderId, error?.type]) : []))).toEqual([['o2', undefined], ['o25', 'EQUITY_ZERO']])
  })

  test.each<readonly [what: string, steps: readonly Step[], page: Page, record: object]>([
    ['below 0 is noted once, whoever trades on', [...LONG, mark(3, 91), mark(4, 90), mark(5, 120), mark(6, 80)], { account: { atZero: 'note' } }, { stoppedNs: null, belowNs: 4 }],
    ['0 alone is not below', [...LONG, mark(3, 91), mark(4, 120)], { account: { atZero: 'note' } }, { stoppedNs: null, belowNs: null }],
    ['a stop below 0 is both', [...LONG, mark(3, 80)], {}, { stoppedNs: 3, belowNs: 3 }],
    ['a rate is missing, and named', [...LONG, mark(3, 92), mark(4, 90), mark(5, 80)], { account: TWO, money: rates() }, { stoppedNs: null, belowNs: null, unknownNs: 4, missingIds: [1] }],
    ['no rate is needed as long as nothing is below 0', [...LONG, mark(3, 92)], { account: TWO }, { stoppedNs: null, unknownNs: null }],
  ])('%s', (_what, steps, page, record) => {
    expect(play(steps, page).bench.worlds[0]!.money.equity.records()).toEqual([expect.objectContaining(record)])
  })

  test('every client of the account is stopped on all its accounts, those of others trade on', () => {
    const told: string[] = []
    const made = madeInstrument()
    const account = (accountId: string): AccountConfig => ({ accountId, exchangeCode: 'test', balances: new Map([[2, '100']]), fees: { maker: '0', taker: '0' }, atZero: 'stop' })
    const bench = new ExchangeBench({
      instruments: [{ instrument: made, batches: [lineBatch([day, mark(1, 100), mark(5, 89), mark(8, 79)], { instrument: made })] }],
      accounts: [account('A'), account('B')], clients: { a: 'A', b: 'B', d: 'A' }, worldCount: 2,
      observer: (world) => ({ stopped: (clientId, timeNs) => void told.push(`world ${world} ${clientId} stopped ${timeNs}`), executed: (filled, _price, quantity, timeNs) => void told.push(`world ${world} ${filled.clientId} ${quantity} ${timeNs}`) }),
    })
    const by = (clientId: string, world: number, command: BenchCommand): BenchCommand => ({ ...command, clientId, world })
    bench.run([
      by('a', 0, order(2, 'BID', 10, 101)), by('b', 0, order(3, 'BID', 5, 101)), by('d', 0, order(4, 'BID', 1, 90)), by('a', 1, order(2, 'BID', 5, 101)),
      by('d', 0, order(6, 'BID', 1, 101)), by('b', 0, order(6, 'BID', 1, 101)), by('a', 1, order(6, 'BID', 1, 101)),
    ])
    expect(told).toEqual(['world 0 a 10 2', 'world 1 a 5 2', 'world 0 b 5 3', 'world 0 a stopped 5', 'world 0 d stopped 5', 'world 0 b 1 6', 'world 1 a 1 6', 'world 0 b stopped 8', 'world 1 a stopped 8', 'world 1 d stopped 8'])
  })

  test('a rate that changes counts from the next price on', () => {
    const usdRates = new Map([[1, { usd: '60', declaredBy: 'data' as const }], [2, { usd: '1', declaredBy: 'data' as const }]])
    const fall: BenchCommand = { timeNs: 4, send: () => { usdRates.set(1, { usd: '20', declaredBy: 'data' }) } }
    const steps = [...LONG, mark(3, 90), fall, mark(5, 90), mark(6, 89)]
    expect(stopsOf(play(steps, { account: TWO, money: { ...NO_MONEY_DECLARED, usdRates } }))).toEqual([zero(6, '0', 'USD')])
    usdRates.set(1, { usd: '60', declaredBy: 'data' })
    const deeper: BenchCommand = { timeNs: 4, send: () => { usdRates.set(1, { usd: '10', declaredBy: 'data' }) } }
    expect(stopsOf(play([...LONG, mark(3, 90), deeper, mark(5, 90)], { account: TWO, money: { ...NO_MONEY_DECLARED, usdRates } }))).toEqual([zero(5, '0', 'USD')])
  })

  test('prices are held against bands: equity is worked out at few of ten thousand of them', () => {
    const marks = Array.from({ length: 10_000 }, (_, at) => mark(3 + at, 100 + (at % 2)))
    const made = madeInstrument()
    let looks = 0
    const bench = new ExchangeBench({
      instruments: [{ instrument: made, batches: [lineBatch([day, mark(1, 100), ...marks], { instrument: made })] }],
      accounts: [{ accountId: 'A', exchangeCode: 'test', balances: new Map([[2, '1000']]), fees: { maker: '0', taker: '0' }, atZero: 'stop' }],
    })
    const { equity } = bench.worlds[0]!.money
    const isDue = equity.isDue.bind(equity)
    equity.isDue = (...args) => {
      looks++
      return isDue(...args)
    }
    bench.run([order(2, 'BID', 10, 101)])
    expect(looks).toBe(1)
  })

  test('a checkpoint goes on as the undisturbed run, before and after the stop', () => {
    const made = (received: string[]): ExchangeBench => {
      const [perpetual, spot] = [madeInstrument(), madeInstrument({ id: 2, type: 'spot' })]
      return new ExchangeBench({
        instruments: [
          { instrument: perpetual, batches: [lineBatch([day, mark(1, 100), mark(5, 95), mark(9, 92), index(10, 1), mark(11, 80), mark(15, 60)], { instrument: perpetual })] },
          { instrument: spot, batches: [lineBatch([day, book(7, 99, 100), book(12, 50, 51), book(14, 40, 41)], { instrument: spot })] },
        ],
        accounts: [{ accountId: 'A', exchangeCode: 'test', balances: new Map([[2, '100']]), fees: { maker: '0', taker: '0' }, atZero: 'stop', profile: LENDER }],
        underlyings: { entries: [], get: (id) => ({ id, code: id === 1 ? 'COIN' : 'CASH', name: null, type: null, fxRate: null, fxTime: null }) },
        observer: () => ({ stopped: (clientId, timeNs, reason) => void received.push(`${timeNs} ${clientId} ${reason}`) }),
        delivered: (_world, _client, timeNs, message) => void received.push(`${timeNs} ${JSON.stringify(message)}`),
      })
    }
    const commands = [order(2, 'BID', 5, 101), order(3, 'BID', 3, 101, { instrumentId: 2, autoBorrow: true }), order(4, 'BID', 1, 50), order(13, 'BID', 1, 101)]
    const whole: string[] = []
    const bench = made(whole)
    bench.run(commands, HOUR)
    expect(whole.filter((text) => text.includes('EQUITY_ZERO: '))).toEqual([zero(11, '-9.5')])
    for (const cutNs of [1, 2, 3, 6, 8, 10, 11, 12, 13]) {
      const resumed = playedInTwo(made, commands, cutNs, HOUR)
      expect([resumed.received, resumed.bench.worlds[0]!.money.equity.records()], `cut at ${cutNs}`).toEqual([whole, bench.worlds[0]!.money.equity.records()])
    }
  })
})
