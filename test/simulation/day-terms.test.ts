import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import type { Checkpoint } from '../../src/backtest/checkpoint-state.js'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { Price, Quantity } from '../../src/model/fixed-decimal.js'
import type { Instrument } from '../../src/model/instrument.js'
import type { Order } from '../../src/strategy/order.js'
import { Parameter } from '../../src/strategy/parameter.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { TradingInstrument } from '../../src/strategy/trading-instrument.js'
import { MADE_EPOCH_DAY, marketDay, type MadeDay } from '../support/made-market-file.ts'
import type { MarketLine } from '../support/market-lines.ts'
import { isNight } from '../support/repetitions.ts'
import { RunFolder } from '../support/run-folder.ts'
import type { BacktestResult } from '../../src/results/backtest-result.js'

const folder = new RunFolder()
afterAll(() => { folder.remove() })

const S = 1_000_000_000
const DAY = 86_400 * S
/** The first midnight between two days, in nanoseconds since that of the first. */
const M = DAY

/** Lines around both ends of a day; prices in tenths, quantities in tenths. */
function linesOf(bid = 980): MarketLine[] {
  const near = (timeNs: number): MarketLine[] => [0, 2, 4, 6, 8].map((s) => ({ kind: 'snapshot', timeNs: timeNs + s * S, rows: [[0, bid, 50], [0, 900, 50], [1, 1020, 50], [1, 1100, 50]] }))
  return [...near(S), ...near(DAY - 10 * S)]
}

/** A file of a day of July 2026 with its master data. */
function dayFile(set: string, day: number, made: MadeDay, lines: readonly MarketLine[] = linesOf()): string {
  const path = join(folder.path, set, `test-TEST1-2026-07-0${day}.txt.zst`)
  folder.write(`${set}/made`, '')
  writeFileSync(path, marketDay([{ lines, priceScale: 1, quantityScale: 1 }], { ...made, epochDay: MADE_EPOCH_DAY + day - 1 }))
  return path
}

interface Entry { readonly id: string, readonly atNs: number, readonly side?: 'BID' | 'ASK', readonly price?: string, readonly quantity?: string, readonly more?: object, readonly cancel?: string }

/** Places what its test plans, and keeps what it was told. */
class Acting extends Strategy {
  static plan: readonly Entry[] = []
  static seen: string[] = []
  declare instrument: TradingInstrument
  private readonly orders: Map<string, Order> = new Map()

  override onStart(): void {
    for (const entry of Acting.plan) this.after((entry.atNs - BEGIN) / 1e6, () => { this.act(entry) }, { name: entry.id })
  }

  override saveState(): unknown { return [...this.orders].map(([id, { ownOrderId }]) => [id, ownOrderId]) }
  override restoreState(): void {}

  override onOrderUpdate(order: Order): void {
    if (order.state !== 'CONFIRMED') Acting.seen.push(`${order.price?.toString() ?? '-'} x ${order.totalQuantity.toString()} ${order.state} ${order.lastError?.type ?? ''}`.trim())
  }

  override onOrderError(order: Order): void {
    Acting.seen.push(`${order.price?.toString() ?? '-'} x ${order.totalQuantity.toString()} ${order.lastError?.type ?? ''} ${order.lastError?.source ?? ''}`)
  }

  private act({ id, side, price, quantity, more, cancel }: Entry): void {
    const { instrument } = this
    if (cancel !== undefined) return this.orders.get(cancel)?.cancel()
    if (price === undefined || quantity === undefined || side === undefined) return void Acting.seen.push(`tick ${instrument.master.tickSize} lot ${instrument.master.lotSize} ${instrument.roundPrice(instrument.price('98.57'), 'down').toString()}`)
    const order = instrument.placeOrder({ side, price: instrument.price(price), quantity: instrument.quantity(quantity), ...more })
    if (order.isDiscarded) Acting.seen.push(`${price} x ${quantity} ${order.discardReason}`)
    this.orders.set(id, order)
  }
}
Parameter(TradingInstrument)(Acting.prototype, 'instrument')

const BEGIN = M - 10 * S
const buy = (id: string, atNs: number, price: string, quantity = '2', more: object = {}): Entry => ({ id, atNs, side: 'BID', price, quantity, more })
const sell = (id: string, atNs: number, price: string, quantity = '2', more: object = {}): Entry => ({ id, atNs, side: 'ASK', price, quantity, more })

const FINE: Partial<Instrument> = { tickSize: '0.5', lotSize: '0.5' }

interface Seen { readonly seen: readonly string[], readonly result: BacktestResult, readonly journal: readonly string[] }

/** Runs begin ten seconds before the first midnight, and end twenty after the last: a day has a sample each second. */
async function played(data: readonly string[], plan: readonly Entry[], more: Partial<Omit<BacktestOptions, 'parameters'>> = {}): Promise<Seen> {
  Acting.plan = plan
  Acting.seen = []
  const journal: string[] = []
  const result = await runBacktest({
    strategy: Acting, data, from: '23:59:50', to: `2026-07-0${/-0(\d)\.txt/.exec(data.toSorted().at(-1)!)![1]}T00:00:20Z`, parameters: { instrument: 'TEST1' }, account: { balances: { CASH: '100000' }, fees: { maker: '0.0001', taker: '0.0005' } },
    assumptions: { requestLatency: '0ns', responseLatency: '0ns' }, journal: () => ({ write: (line: string) => { journal.push(line) } }), ...more,
  })
  return { seen: [...Acting.seen], result, journal }
}

function twoDays(set: string, first: Partial<Instrument>, second: Partial<Instrument>): string[] {
  return [dayFile(set, 1, { master: first }), dayFile(set, 2, { master: second })]
}

const LAST = M - 1

describe('what a change of the grid does from its midnight on', () => {
  test.each<[field: string, from: Partial<Instrument>, to: Partial<Instrument>, plan: readonly Entry[], seen: readonly string[]]>([
    ['a coarser tick cancels what is off it, and takes no more of it', FINE, { ...FINE, tickSize: '1' }, [
      buy('open', M - 5 * S, '95.5'), buy('kept', M - 5 * S, '95'), buy('last', LAST, '94.5'), { id: 'grid', atNs: LAST }, buy('first', M, '94.5'), buy('whole', M, '94'), { id: 'then', atNs: M },
    ], ['tick 0.5 lot 0.5 98.5', '95.5 x 2 CANCELED TERMS_CHANGED', '94.5 x 2 CANCELED TERMS_CHANGED', '94.5 x 2 PRICE_OFF_TICK', 'tick 1 lot 0.5 98']],
    ['a finer tick is there at once, and not before', { tickSize: '1', lotSize: '1' }, { tickSize: '0.05', lotSize: '1' }, [
      buy('open', M - 5 * S, '95'), buy('last', LAST, '94.55'), buy('first', M, '94.55'), { id: 'end', atNs: M + S },
    ], ['94.55 x 2 PRICE_OFF_TICK', 'tick 0.05 lot 1 98.55']],
    ['a tick table takes the place of the tick size', FINE, { ...FINE, tickBands: [{ floor: '0', tickSize: '0.5' }, { floor: '96', tickSize: '2' }] }, [
      buy('low', M - 5 * S, '95.5'), buy('high', M - 5 * S, '97'), buy('first', M, '97'), buy('on', M, '96'),
    ], ['97 x 2 CANCELED TERMS_CHANGED', '97 x 2 PRICE_OFF_TICK']],
    ['a coarser lot cancels what is no whole one', FINE, { ...FINE, lotSize: '1' }, [
      buy('odd', M - 5 * S, '95', '2.5'), buy('even', M - 5 * S, '95', '3'), buy('first', M, '95', '1.5'), { id: 'then', atNs: M },
    ], ['95 x 2.5 CANCELED TERMS_CHANGED', '95 x 1.5 QUANTITY_OFF_LOT', 'tick 0.5 lot 1 98.5']],
    ['a finer lot', { tickSize: '1', lotSize: '1' }, { tickSize: '1', lotSize: '0.1' }, [buy('last', LAST, '95', '1.1'), buy('first', M, '95', '1.1')], ['95 x 1.1 QUANTITY_OFF_LOT']],
    ['a part that is left of an order is judged by the new lot', FINE, { ...FINE, lotSize: '2' }, [
      sell('part', M - 5 * S, '99', '4', { postOnly: true }), sell('whole', M - 5 * S, '100', '4'),
    ], ['99 x 4 CANCELED TERMS_CHANGED']],
    ['triggers and shown parts lie on it too', FINE, { tickSize: '1', lotSize: '1' }, [
      { ...sell('stop', M - 5 * S, '90'), more: { type: 'STOP_LIMIT', triggerPrice: null, postOnly: false } }, sell('shown', M - 5 * S, '106', '3', { displayQuantity: null }),
    ], ['90 x 2 CANCELED TERMS_CHANGED', '106 x 3 CANCELED TERMS_CHANGED']],
    ['the smallest order', { ...FINE, minOrder: '1' }, { ...FINE, minOrder: '3' }, [buy('open', M - 5 * S, '95'), buy('last', LAST, '95'), buy('first', M, '95'), buy('enough', M, '95', '3')], ['95 x 2 MIN_ORDER_SIZE']],
    ['the largest order', FINE, { ...FINE, maxOrder: '3' }, [buy('last', LAST, '95', '4'), buy('first', M, '95', '4'), buy('enough', M, '95', '3')], ['95 x 4 QUANTITY_TOO_LARGE EXCHANGE']],
    ['the least value', FINE, { ...FINE, minValue: '250' }, [buy('last', LAST, '95'), buy('first', M, '95'), buy('enough', M, '95', '3')], ['95 x 2 VALUE_TOO_SMALL EXCHANGE']],
    ['a state other than open refuses new orders, cancels pass', { ...FINE, state: 'open' }, { ...FINE, state: 'paused' }, [
      buy('open', M - 5 * S, '95'), buy('last', LAST, '94'), buy('first', M, '93'), { id: 'cancel', atNs: M + S, cancel: 'open' },
    ], ['93 x 2 INSTRUMENT_NOT_OPEN EXCHANGE', '95 x 2 CANCELED']],
    ['open again', { ...FINE, state: 'paused' }, { ...FINE, state: 'open' }, [buy('last', LAST, '94'), buy('first', M, '93')], ['94 x 2 INSTRUMENT_NOT_OPEN EXCHANGE']],
    ['a code, an alias, a funding interval and a later expiry are noted and nothing else', { ...FINE, expiry: '2026-12-25T08:00:00Z' }, { ...FINE, codeAlias: 'ALIAS', fundingIntervalSeconds: 3600, expiry: '2027-03-25T08:00:00Z' }, [
      buy('open', M - 5 * S, '95'), buy('first', M, '95.5'),
    ], []],
  ])('%s', async (name, from, to, plan, expected) => {
    const lines = name.startsWith('a part') ? [linesOf(), [...linesOf(), { kind: 'trades', timeNs: DAY - 3 * S, rows: [[0, 990, 15]] } satisfies MarketLine].sort((a, b) => a.timeNs - b.timeNs)] : [linesOf(), linesOf()]
    const files = [dayFile(name.slice(0, 20), 1, { master: from }, lines[1]), dayFile(name.slice(0, 20), 2, { master: to }, lines[0])]
    const own = plan.map((entry) => ({ ...entry, more: withDecimals(entry.more) }))
    const { seen, journal, result } = await played(files, own)
    expect(seen).toEqual(expected)
    const terms = termLines(journal)
    expect(terms.map(({ time, day }) => [time, day])).toEqual([[String(BigInt(MADE_EPOCH_DAY + 1) * BigInt(DAY)), '2026-07-02']])
    expect(result.summary.termChanges).toEqual(terms[0]!.changes.map((change) => ({ instrument: 'test:TEST1', day: '2026-07-02', ...change })))
  })
})

interface TermLine { readonly kind: string, readonly time: string, readonly day: string, readonly changes: readonly { readonly field: string, readonly kind: string, readonly earlier: string, readonly later: string }[] }

function termLines(journal: readonly string[]): TermLine[] {
  return journal.map((line) => JSON.parse(line) as TermLine).filter(({ kind }) => kind === 'terms')
}

/** Decimals that a table writes as texts. */
function withDecimals(more: object | undefined): object {
  const given = { ...more } as Record<string, unknown>
  if ('triggerPrice' in given) given['triggerPrice'] = Price.from('95.5')
  if ('displayQuantity' in given) given['displayQuantity'] = Quantity.from('0.5')
  return given
}

describe('at the exchange in exchange time, at the strategy in local time', () => {
  test('what was sent under the old terms and arrives under the new ones is refused by the exchange', async () => {
    const files = twoDays('late', FINE, { ...FINE, tickSize: '1', state: 'open' })
    const assumptions = { requestLatency: '100ns', responseLatency: '50ns' }
    const plan = [buy('early', M - 101, '95.5'), buy('exact', M - 100, '94.5'), buy('later', M - 1, '93.5'), buy('fits', M - 1, '93')]
    const { seen } = await played(files, plan, { assumptions })
    expect(seen).toEqual(['95.5 x 2 CANCELED TERMS_CHANGED', '94.5 x 2 INVALID_PRICE EXCHANGE', '93.5 x 2 INVALID_PRICE EXCHANGE'])
  })

  test('orders, fills and positions at a finer grid are exact, and what was before is stated as it was', async () => {
    const files = twoDays('finer', { tickSize: '1', lotSize: '1' }, { tickSize: '0.01', lotSize: '0.001' })
    const plan = [
      buy('before', M - 5 * S, '102', '3', { postOnly: false, timeInForce: 'IMMEDIATE_OR_CANCEL' }), buy('after', M + 3 * S, '103.25', '1.125', { postOnly: false, timeInForce: 'IMMEDIATE_OR_CANCEL' }),
      buy('rests', M + 3 * S, '97.77', '0.003'),
    ]
    const { seen, result } = await played(files, plan)
    expect(result.fills.rows.map(({ price, qty, position }) => [price, qty, position])).toEqual([['102', '3', '3'], ['102', '1.125', '4.125']])
    expect(result.orders.rows.map(({ price, qty, state }) => [price, qty, state])).toEqual([['102', '3', 'FILLED'], ['103.25', '1.125', 'FILLED'], ['97.77', '0.003', 'CONFIRMED']])
    expect(seen.filter((one) => !one.endsWith('FILLED'))).toEqual([])
  })

  test('a strategy does not learn them early: up to midnight the journal is that of the first day alone', async () => {
    const files = twoDays('early', FINE, { tickSize: '0.001', lotSize: '5' })
    const plan = [buy('open', M - 5 * S, '95.5'), { id: 'grid', atNs: LAST }, buy('first', M, '94.5')]
    const both = await played(files, plan)
    const one = await played(files.slice(0, 1), plan, { to: '24:00' })
    const midnight = BigInt(MADE_EPOCH_DAY + 1) * BigInt(DAY)
    const before = ({ journal }: Seen): string[] => journal.filter((line) => BigInt((JSON.parse(line) as { time: string }).time) < midnight)
    expect(before(both)).toEqual(before(one))
    expect(before(one).length).toBeGreaterThan(3)
  })
})

const MONEY: readonly (readonly [field: string, from: Partial<Instrument>, to: Partial<Instrument>])[] = [
  ['contractValue', { contractValue: '1' }, { contractValue: '10' }],
  ['multiplier', { multiplier: '1' }, { multiplier: '10' }],
  ['isInverse', {}, { isInverse: true }],
  ['isQuanto', {}, { isQuanto: true }],
  ['type', {}, { type: 'future' }],
  ['strikePrice', {}, { strikePrice: '100' }],
  ['baseUnderlyingId', {}, { baseUnderlyingId: 2 }],
  ['counterUnderlyingId', {}, { counterUnderlyingId: 1 }],
  ['valuationUnderlyingId', {}, { valuationUnderlyingId: 1 }],
  ['feeUnderlyingId', {}, { feeUnderlyingId: 1 }],
  ['expiry', { expiry: '2026-12-25T08:00:00Z' }, { expiry: '2026-09-25T08:00:00Z' }],
  ['expiry', {}, { expiry: '2026-07-02T08:00:00Z' }],
]

describe('what money means', () => {
  test.each(MONEY)('another %s is refused with both values and files, and kept where that is accepted', async (field, from, to) => {
    const set = `money ${field} ${JSON.stringify(from).length}`
    const files = twoDays(set, { ...FINE, ...from }, { ...FINE, ...to })
    const plan = [buy('buy', M - 5 * S, '102', '2', { postOnly: false, timeInForce: 'IMMEDIATE_OR_CANCEL' }), buy('again', M + 3 * S, '102', '2', { postOnly: false, timeInForce: 'IMMEDIATE_OR_CANCEL' })]
    await expect(played(files, plan)).rejects.toMatchObject({ code: 'MASTER_DATA_CHANGED', place: { file: files[1], field } })
    await expect(played([...files].reverse(), plan, { masterChanges: 'refuse' })).rejects.toThrow(new RegExp(`^Cannot run test:TEST1 .*${field} is .* in .*07-01.txt.zst and .* in .*07-02.txt.zst; run the days apart`))
    const { result, journal } = await played(files, plan, { masterChanges: 'accept' })
    const own = await played(twoDays(`${set} as before`, { ...FINE, ...from }, { ...FINE, ...from }), plan)
    expect(result.fills.rows).toEqual(own.result.fills.rows)
    expect(result.fills.rows.length).toBe(2)
    expect(result.summary.warnings[0]).toMatch(new RegExp(`^test:TEST1: ${field} is .* in the file of 2026-07-02, and the run kept .* \\(masterChanges "accept"\\)$`))
    expect(termLines(journal)[0]!.changes).toMatchObject([{ field, kind: 'money' }])
    expect(result.configDigest).not.toBe(own.result.configDigest)
  })

  test('rates in USD are those of the day, unless the run declares its own', async () => {
    const rate = (fxRate: string): MadeDay['underlyings'] => [{ id: 2, fxRate }]
    const files = ['1', '2'].map((fxRate, i) => dayFile('rates', i + 1, { master: FINE, underlyings: rate(fxRate)! }))
    const take = { postOnly: false, timeInForce: 'IMMEDIATE_OR_CANCEL' }
    const plan = [buy('one', M - 5 * S, '102', '2', take), buy('two', M + 3 * S, '102', '2', take)]
    const turnovers = ({ journal }: Seen): unknown[] => journal.filter((line) => line.includes('"kind":"fill"')).map((line) => /"usdTurnover":"(\d+)"/.exec(line)?.[1])
    expect(turnovers(await played(files, plan))).toEqual(['204', '408'])
    expect(turnovers(await played(files, plan, { rates: { 'CASH/USD': '3' } }))).toEqual(['612', '612'])
  })
})

describe('over more days', () => {
  const plan = [buy('a', M - 5 * S, '95.5'), buy('b', M + 2 * S, '96'), buy('c', 2 * M + 2 * S, '94.5'), { id: 'grid', atNs: 2 * M + 3 * S }]

  test('a change that goes back holds for its day alone', async () => {
    const files = [FINE, { ...FINE, tickSize: '1' }, FINE].map((master, i) => dayFile('back', i + 1, { master }))
    const { seen, journal, result } = await played(files, plan)
    expect(seen).toEqual(['95.5 x 2 CANCELED TERMS_CHANGED', 'tick 0.5 lot 0.5 98.5'])
    expect(termLines(journal).map(({ day, changes }) => [day, changes.map(({ earlier, later }) => [earlier, later])])).toEqual([['2026-07-02', [['"0.5"', '"1"']]], ['2026-07-03', [['"1"', '"0.5"']]]])
    expect(result.summary.termChanges).toHaveLength(2)
  })

  test('a day without a file keeps the terms before it', async () => {
    const files = [dayFile('missing', 1, { master: FINE }), dayFile('missing', 3, { master: { ...FINE, tickSize: '1' } })]
    const { seen, journal } = await played(files, [buy('a', M - 5 * S, '95.5', '2', { postOnly: false }), { id: 'grid', atNs: M + S }, { id: 'then', atNs: 2 * M }])
    expect(seen).toEqual(['tick 0.5 lot 0.5 98.5', '95.5 x 2 CANCELED TERMS_CHANGED', 'tick 1 lot 0.5 98'])
    expect(termLines(journal).map(({ day }) => day)).toEqual(['2026-07-03'])
  })

  test('a run that begins on the later day has its terms from the start, and no line of them', async () => {
    const files = twoDays('begin', FINE, { ...FINE, tickSize: '1' })
    Acting.plan = [{ ...buy('a', BEGIN + S, '95.5') }]
    const { seen, journal, result } = await played(files, Acting.plan, { from: '2026-07-02T00:00:00Z' })
    expect([seen, termLines(journal), result.summary.termChanges]).toEqual([['95.5 x 2 PRICE_OFF_TICK'], [], undefined])
  })

  test('a run that goes on from a checkpoint, before a midnight or after it, ends as an undisturbed one', async () => {
    const files = [FINE, { ...FINE, tickSize: '1', lotSize: '1' }, { ...FINE, tickSize: '0.05' }].map((master, i) => dayFile('resumed', i + 1, { master }))
    const whole = await played(files, plan)
    let taken = 0
    for (let everySteps = 1; everySteps < 400; everySteps += isNight ? 4 : 29) {
      let text: string | null = null
      await played(files, plan, { checkpoints: { everySteps, take: (checkpoint) => {
        text = JSON.stringify(checkpoint)
        return false
      } } })
      if (text === null) break
      taken++
      const { result } = await played(files, plan, { resume: JSON.parse(text) as Checkpoint })
      expect([result.fingerprint, result.orders.rows, result.summary.termChanges], `after ${everySteps} steps`).toEqual([whole.result.fingerprint, whole.result.orders.rows, whole.result.summary.termChanges])
    }
    expect(taken).toBeGreaterThan(isNight ? 10 : 3)
    for (const every of isNight ? ['6h', '24h'] : ['24h']) {
      const texts: string[] = []
      await played(files, plan, { checkpoints: { every, take: (checkpoint) => { texts.push(JSON.stringify(checkpoint)) } } })
      for (const text of [texts[0], texts.at(-1)]) {
        const { result } = await played(files, plan, { resume: JSON.parse(text!) as Checkpoint })
        expect(result.fingerprint).toBe(whole.result.fingerprint)
      }
    }
  })
})
