import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ClientVenue } from '../../src/simulation/client-venue.js'
import type { AccountConfig } from '../../src/exchange/accounts/account-config.js'
import type { OpenClose } from '../../src/model/order.js'
import type { Instrument } from '../../src/model/instrument.js'
import { SimulatedClock } from '../../src/replay/simulated-clock.js'
import type { Order } from '../../src/strategy/order.js'
import { startStrategy } from '../../src/strategy/runtime.js'
import { ExchangeBench } from '../support/exchange-bench.ts'
import { FakeMarket } from '../support/fake-market.ts'
import { lineBatch, madeInstrument } from '../support/market-lines.ts'
import { marginProfile } from '../support/played-money.ts'
import { recording, type RecordingStrategy } from '../support/recording-strategy.ts'

const runs = { numRuns: 100 }

/** What a strategy sends before it asks for as much as it can have: price as a step off the touch; above 0 it takes. */
interface Step {
  readonly side: 'BID' | 'ASK'
  readonly quantity: number
  readonly away: number
  readonly openClose: OpenClose
}

interface Case {
  readonly instrument: Partial<Instrument>
  readonly account: Partial<AccountConfig>
  readonly balance: number
  readonly priceScale: number
  readonly bid: number
  readonly mark: number
  readonly steps: readonly Step[]
  readonly probe: Step
}

interface Answer {
  readonly allowed: string
  /** What the exchange said of so much, and of one lot more; null where it took it. */
  readonly ofAllowed: string | null
  readonly ofMore: string | null
}

/** A strategy does its steps against the exchange, asks for all that it can have, then for one lot more without a ratio. */
function answer({ instrument: more, account, balance, priceScale, bid, mark, steps, probe }: Case): Answer {
  const instrument = madeInstrument({ tickSize: priceScale === 0 ? '1' : '0.01', ...more })
  const lines = lineBatch([
    { kind: 'snapshot', timeNs: 0, rows: [[0, bid, 1_000_000], [1, bid + 1, 1_000_000]] },
    { kind: 'mark', timeNs: 1, value: mark, valueScale: priceScale }, { kind: 'index', timeNs: 1, value: mark, valueScale: priceScale },
  ], { instrument, priceScale })
  const bench = new ExchangeBench({
    instruments: [{ instrument, batches: [lines], priceScale }],
    accounts: [{ accountId: 'A', exchangeCode: 'test', balances: new Map([1, 2, 3].map((id) => [id, String(balance)])), fees: { maker: '0', taker: '0' }, ...account }],
  })
  const clock = { ...new SimulatedClock(0, 0).forClients(''), nowNs: () => bench.nowNs }
  const view = new FakeMarket()
  Object.assign(view, { priceScale, quantityScale: 0, markPrice: mark, markScale: priceScale })
  view.top([bid, 1_000_000], [bid + 1, 1_000_000])
  const directories = { instruments: bench.worlds[0]!.config.instruments, underlyings: { entries: [], get: () => undefined } }
  const venue = new ClientVenue({ clientId: 'own', seed: 1, clock, ...directories, connect: (account, listener) => bench.worlds[0]!.connect('own', account, listener, () => bench.nowNs), views: new Map([[1, view as never]]), subscribers: new Map(), onState: () => undefined })
  const { strategy } = startStrategy({ venue, clientId: 'own', strategy: recording([]), parameters: { instrument: 'TEST' }, accounts: [{ accountId: 'A', exchangeCode: 'test' }] })
  const trading = (strategy as RecordingStrategy).instrument
  const send = ({ side, quantity, away, openClose }: Step, baseRiskRatio: string | null): Order => {
    const at = side === 'BID' ? bid + (away > 0 ? 1 : away) : bid + 1 - (away > 0 ? 1 : away)
    const price = trading.price(priceScale === 0 ? String(at) : (at / 100).toFixed(2))
    return trading.placeOrder({ side, price, quantity: trading.quantity(String(quantity)), openClose, postOnly: away <= 0, timeInForce: away > 0 ? 'IMMEDIATE_OR_CANCEL' : 'GOOD_TILL_CANCEL', baseRiskRatio })
  }
  const orders: Order[] = []
  const lots = (): number => (orders[0]!.isDiscarded ? 0 : Number(orders[0]!.totalQuantity.toString()))
  bench.run([
    ...steps.map((step, number) => ({ timeNs: 10 + number, send: () => { send(step, null) } })),
    { timeNs: 100, send: () => { orders.push(send({ ...probe, quantity: 1e9 }, '1')) } },
    { timeNs: 200, send: () => { if (orders[0]!.isOpen) orders[0]!.cancel() } },
    { timeNs: 300, send: () => { orders.push(send({ ...probe, quantity: lots() + 1 }, null)) } },
  ])
  const [first, second] = orders
  return { allowed: first!.discardReason ?? String(lots()), ofAllowed: first!.lastError?.type ?? null, ofMore: second!.lastError?.type ?? null }
}

const side = fc.constantFrom('BID', 'ASK')
/** The touch or below rests; net orders. */
const step = (away: readonly number[], openClose: fc.Arbitrary<OpenClose> = fc.constant('AUTO' as const)): fc.Arbitrary<Step> =>
  fc.record({ side, quantity: fc.integer({ min: 1, max: 30 }), away: fc.constantFrom(...away), openClose })

const CROSS = { profile: marginProfile(['cross']) }
const ISOLATED = { profile: marginProfile(['cross', 'isolated']) }
/** The underlyings: 1 base, 2 counter, 3 valuation. */
const MARGINED: readonly (readonly [name: string, instrument: Partial<Instrument>, money: number])[] = [
  ['linear', {}, 100], ['linear of 3', { multiplier: '3' }, 300], ['inverse', { isInverse: true, contractValue: '700' }, 10], ['quanto', { isQuanto: true, contractValue: '0.07', valuationUnderlyingId: 3 }, 10],
]

function expectAgreement(found: Answer): void {
  if (found.allowed !== 'MIN_ORDER_SIZE') expect(found).toMatchObject({ allowed: expect.stringMatching(/^\d+$/) as unknown, ofAllowed: null })
  expect(found.ofMore).toMatch(/^(INSUFFICIENT_MARGIN|INSUFFICIENT_BALANCE|POSITION_TOO_LARGE)$/)
}

describe('all that an order can have by its ratio the exchange takes, and not one lot more', () => {
  test('100 at 10 % open 10 contracts at 100', () => {
    const one: Case = { instrument: {}, account: CROSS, balance: 100, priceScale: 0, bid: 100, mark: 100, steps: [], probe: { side: 'BID', quantity: 0, away: 0, openClose: 'AUTO' } }
    expect(answer(one)).toEqual({ allowed: '10', ofAllowed: null, ofMore: 'INSUFFICIENT_MARGIN' })
  })

  test.each(MARGINED)('%s, by the margin of any position', (_name, instrument, money) => {
    const cases = fc.record({
      balance: fc.integer({ min: 1, max: 10 * money }), bid: fc.integer({ min: 60, max: 140 }), drift: fc.integer({ min: -3, max: 3 }),
      steps: fc.array(step([1, 1, 0, -5]), { maxLength: 4 }), probe: step([0, -7, -30]),
    })
    fc.assert(fc.property(cases, ({ drift, ...given }) => {
      expectAgreement(answer({ instrument, account: CROSS, priceScale: 0, mark: given.bid + drift, ...given }))
    }), runs)
  })

  test.each([['cross', CROSS], ['isolated', ISOLATED]])('positions beside the net one, %s', (_name, account) => {
    const profile = { ...account.profile, kind: 'generic' as const }
    const openClose = fc.constantFrom<OpenClose>('OPEN', 'OPEN', 'AUTO')
    const cases = fc.record({
      balance: fc.integer({ min: 1, max: 1000 }), bid: fc.integer({ min: 60, max: 140 }), steps: fc.array(step([1, 1, 0], openClose), { maxLength: 4 }), probe: step([0, -7], openClose),
    })
    fc.assert(fc.property(cases, (given) => {
      expectAgreement(answer({ instrument: {}, account: { profile }, priceScale: 0, mark: given.bid, ...given }))
    }), runs)
  })

  test('prediction contracts, by their stake', () => {
    const cases = fc.record({
      balance: fc.integer({ min: 1, max: 40 }), bid: fc.integer({ min: 30, max: 70 }), steps: fc.array(step([1, 1, 0, -5]), { maxLength: 4 }), probe: step([0, -7, -25]),
    })
    fc.assert(fc.property(cases, (given) => {
      expectAgreement(answer({ instrument: {}, account: { predictions: new Set([1]) }, priceScale: 2, mark: given.bid, ...given }))
    }), runs)
  })

  test.each([['with margin', CROSS.profile], ['without', { ...CROSS.profile, kind: 'options' as const, margin: undefined }]])('options bought, %s: by their premium', (_name, given) => {
    const { margin, ...rest } = given
    const profile = margin === undefined ? rest : { ...rest, margin: { ...margin, shortOptions: { initialRate: '0.15', minimumInitialRate: '0.1', maintenanceRate: '0.075' } } }
    const cases = fc.record({
      balance: fc.integer({ min: 1, max: 3000 }), bid: fc.integer({ min: 5, max: 40 }), steps: fc.array(step([1, 1, 0, -3]), { maxLength: 4 }), probe: step([0, -4]),
    })
    fc.assert(fc.property(cases, (drawn) => {
      const probe = { ...drawn.probe, side: 'BID' as const }
      expectAgreement(answer({ instrument: { type: 'call', strikePrice: '30', expiry: '2030-01-01T00:00:00Z' }, account: { profile }, priceScale: 0, mark: drawn.bid, ...drawn, probe }))
    }), runs)
  })
})
