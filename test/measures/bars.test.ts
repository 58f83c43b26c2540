import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BarBuilder } from '../../src/measures/bars/bar-builder.js'
import { barRule, type BarSpan } from '../../src/measures/bars/bar-span.js'
import { BarSum } from '../../src/measures/bars/bar-sum.js'
import { figuresOf, type Bar } from '../../src/measures/bars/bar.js'
import { Decimal } from '../../src/model/decimal.js'
import { Quantity } from '../../src/model/fixed-decimal.js'
import type { Instrument } from '../../src/model/instrument.js'
import { fakeEntry } from '../support/fake-market.js'

/** A trade as a tape has it: at a time, decimals as texts at scales that may differ from trade to trade. */
interface Trade { readonly timeNs: number, readonly side: number, readonly price: number, readonly priceScale: number, readonly quantity: number, readonly quantityScale: number }

const LINEAR = fakeEntry({ multiplier: '0.01', contractValue: null }).instrument
const INVERSE = fakeEntry({ isInverse: true, contractValue: '100' }).instrument
const QUANTO = fakeEntry({ isQuanto: true, multiplier: '0.5', contractValue: '0.001' }).instrument

const trades = fc.array(fc.record({
  step: fc.integer({ min: 0, max: 12 }), side: fc.integer({ min: 0, max: 1 }), price: fc.integer({ min: 1, max: 90_000_000 }), priceScale: fc.integer({ min: 0, max: 3 }),
  quantity: fc.integer({ min: 1, max: 900_000_000 }), quantityScale: fc.integer({ min: 0, max: 4 }),
}), { maxLength: 60 }).map((steps) => {
  let timeNs = 3
  return steps.map(({ step, ...trade }): Trade => ({ ...trade, timeNs: timeNs += step }))
})

const value = (integer: number, scale: number): Decimal => new Decimal(integer).div(new Decimal(10).pow(scale))

/** A bar worked out anew from its trades, in words. */
function naiveBar(startNs: number, endNs: number, tape: readonly Trade[], before: Decimal | null, instrument: Instrument): string {
  const prices = tape.map((trade) => value(trade.price, trade.priceScale))
  const quantities = tape.map((trade) => value(trade.quantity, trade.quantityScale))
  const sum = (values: readonly Decimal[]): Decimal => values.reduce((total, one) => total.plus(one), new Decimal(0))
  const of = (side: number): Decimal => sum(quantities.filter((_, at) => tape[at]!.side === side))
  const last = prices.at(-1) ?? before!
  const contract = new Decimal(instrument.contractValue ?? 1)
  const multiplier = new Decimal(instrument.multiplier ?? 1)
  const products = sum(prices.map((price, at) => price.times(quantities[at]!)))
  const turnover = instrument.isInverse ? sum(quantities).times(contract) : products.times(multiplier).times(instrument.isQuanto ? contract : 1)
  const fixed = (one: Decimal): string => one.toFixed()
  return [startNs, endNs, prices[0] ?? last, Decimal.max(last, ...prices), Decimal.min(last, ...prices), last, tape.length, sum(quantities), of(0), of(1), turnover]
    .map((one) => (one instanceof Decimal ? fixed(one) : String(one))).join(' ')
}

const wordsOf = (bar: Bar): string => [bar.startNs, bar.endNs, bar.open, bar.high, bar.low, bar.close, bar.count, bar.volume, bar.buyVolume, bar.sellVolume, bar.turnover.toFixed()].map(String).join(' ')

function naiveVwap(tape: readonly Trade[], isInverse: boolean): number | null {
  if (tape.length === 0) return null
  const prices = tape.map((trade) => value(trade.price, trade.priceScale))
  const quantities = tape.map((trade) => value(trade.quantity, trade.quantityScale))
  const total = (of: (at: number) => Decimal): Decimal => tape.reduce((sum, _, at) => sum.plus(of(at)), new Decimal(0))
  const quantity = total((at) => quantities[at]!)
  return (isInverse ? quantity.div(total((at) => quantities[at]!.div(prices[at]!))) : total((at) => quantities[at]!.times(prices[at]!)).div(quantity)).toNumber()
}

/** The bars of a tape; saved and restored before each trade where a test wants it. */
function barsOf(span: BarSpan, tape: readonly Trade[], { instrument = LINEAR, sendsEmpty = false, isSaved = false, epochDay = 0 } = {}): { bars: Bar[], builder: BarBuilder } {
  const make = (): BarBuilder => new BarBuilder({ rule: barRule(span), instrument, epochDay, nowNs: 3, sendsEmpty })
  let builder = make()
  const sum = new BarSum(instrument.isInverse)
  const bars: Bar[] = []
  for (const { timeNs, side, price, quantity, priceScale, quantityScale } of tape) {
    if (isSaved) {
      const next = make()
      next.restore(JSON.parse(JSON.stringify(builder.save())) as ReturnType<BarBuilder['save']>)
      builder = next
    }
    while (builder.isDue(timeNs)) {
      const bar = builder.close(timeNs)
      if (bar !== null) bars.push(bar)
    }
    if (typeof span === 'string') {
      sum.addTrade(side, price, quantity, priceScale, quantityScale)
      builder.addSum(sum)
      sum.clear()
    } else if (builder.addTrade(side, price, quantity, priceScale, quantityScale)) bars.push(builder.closeFull(timeNs))
  }
  return { bars, builder }
}

describe('bars by time', () => {
  test.each([['linear', LINEAR], ['inverse', INVERSE], ['quanto', QUANTO]] as const)('are the sums of the trades of each span: %s', (_name, instrument) => {
    fc.assert(fc.property(trades, fc.integer({ min: 1, max: 20 }), (tape, spanNs) => {
      const { bars } = barsOf(`${spanNs}ns`, tape, { instrument })
      const starts = [...new Set(tape.map(({ timeNs }) => timeNs - (timeNs % spanNs)))].slice(0, -1)
      const wanted = starts.map((start) => tape.filter(({ timeNs }) => timeNs >= start && timeNs < start + spanNs))
      expect(bars.map(wordsOf)).toEqual(wanted.map((inside, at) => naiveBar(starts[at]!, starts[at]! + spanNs, inside, null, instrument)))
      bars.forEach(({ vwap }, at) => { expect(Math.abs(vwap! / naiveVwap(wanted[at]!, instrument.isInverse)! - 1)).toBeLessThan(1e-12) })
      expect(bars.map(({ isPartial }) => isPartial)).toEqual(starts.map((start) => start < 3))
    }))
  })

  test('spans without a trade are bars at the close before, where they are wanted, from the first trade on', () => {
    fc.assert(fc.property(trades, fc.integer({ min: 1, max: 9 }), (tape, spanNs) => {
      const { bars } = barsOf(`${spanNs}ns`, tape, { sendsEmpty: true })
      const wanted: string[] = []
      const first = tape[0]?.timeNs ?? 0
      const lastStart = tape.length === 0 ? -1 : tape.at(-1)!.timeNs - (tape.at(-1)!.timeNs % spanNs)
      for (let start = first - (first % spanNs); start < lastStart; start += spanNs) {
        const inside = tape.filter(({ timeNs }) => timeNs >= start && timeNs < start + spanNs)
        const before = tape.filter(({ timeNs }) => timeNs < start).at(-1)
        wanted.push(naiveBar(start, start + spanNs, inside, before === undefined ? null : value(before.price, before.priceScale), LINEAR))
      }
      expect(bars.map(wordsOf)).toEqual(wanted)
    }))
  })

  test.each([[0, '7s', 0], [1, '7s', -86_400 % 7], [20_000, '7s', -((20_000 * 86_400) % 7)], [20_000, '1h', 0]])('start at multiples of the span since 1970: day %i, %s', (epochDay, span, startSeconds) => {
    const { builder } = barsOf(span, [], { epochDay })
    expect(builder.save().figures.startNs / 1e9).toBeCloseTo(startSeconds, 9)
  })
})

describe('bars that their trades end', () => {
  const fullBy: readonly (readonly [name: string, span: (limit: number) => BarSpan, isFull: (tape: readonly Trade[], limit: number, instrument: Instrument) => boolean])[] = [
    ['trades', (limit) => ({ trades: limit }), (tape, limit) => tape.length >= limit],
    ['volume', (limit) => ({ volume: `${limit}.5` }), (tape, limit) => sumOf(tape).gte(limit + 0.5)],
    ['imbalance', (limit) => ({ imbalance: `${limit}000.25` }), (tape, limit) => sumOf(tape, (side) => (side === 0 ? 1 : -1)).abs().gte(`${limit}000.25`)],
    ['turnover', (limit) => ({ turnover: `${limit}00000000.125` }), (tape, limit, instrument) => new Decimal(naiveBar(0, 0, tape, null, instrument).split(' ').at(-1)!).gte(`${limit}00000000.125`)],
  ]
  const sumOf = (tape: readonly Trade[], sign: (side: number) => number = () => 1): Decimal =>
    tape.reduce((sum, trade) => sum.plus(value(trade.quantity, trade.quantityScale).times(sign(trade.side))), new Decimal(0))

  test.each(fullBy.flatMap(([name, span, isFull]) => [LINEAR, INVERSE, QUANTO].map((instrument) => [name, instrument.isInverse ? 'inverse' : instrument.isQuanto ? 'quanto' : 'linear', span, isFull, instrument] as const)))('%s, %s', (_name, _kind, span, isFull, instrument) => {
    fc.assert(fc.property(trades, fc.integer({ min: 1, max: 9 }), (tape, limit) => {
      const wanted: string[] = []
      let inside: Trade[] = []
      let startNs = 3
      for (const trade of tape) {
        inside.push(trade)
        if (!isFull(inside, limit, instrument)) continue
        wanted.push(naiveBar(startNs, trade.timeNs, inside, null, instrument))
        inside = []
        startNs = trade.timeNs
      }
      expect(barsOf(span(limit), tape, { instrument }).bars.map(wordsOf)).toEqual(wanted)
    }))
  })
})

test('a builder that is saved and restored before each trade makes the same bars', () => {
  const spans = fc.constantFrom<BarSpan>('5ns', '17ns', { trades: 3 }, { volume: '1000' }, { turnover: '1000000' }, { imbalance: '50000' })
  fc.assert(fc.property(trades, spans, fc.constantFrom(LINEAR, INVERSE, QUANTO), fc.boolean(), (tape, span, instrument, sendsEmpty) => {
    const figures = (isSaved: boolean): unknown => barsOf(span, tape, { instrument, sendsEmpty, isSaved }).bars.map(figuresOf)
    expect(figures(true)).toEqual(figures(false))
  }))
})

test('a sum of sums is the sum of all', () => {
  fc.assert(fc.property(trades, fc.array(fc.nat(60)), fc.constantFrom(LINEAR, INVERSE), (tape, cuts, instrument) => {
    const [whole, merged, part] = [new BarSum(instrument.isInverse), new BarSum(instrument.isInverse), new BarSum(instrument.isInverse)]
    tape.forEach(({ side, price, quantity, priceScale, quantityScale }, at) => {
      for (const sum of [whole, part]) sum.addTrade(side, price, quantity, priceScale, quantityScale)
      if (!cuts.includes(at) && at < tape.length - 1) return
      merged.addSum(part)
      part.clear()
    })
    // Sums of quotients are cut off behind 48 decimals, once for each scale and denominator; quantities at up to 4 decimals
    // more make what was cut off before 10^4 times as much.
    const [found, wanted] = [merged.state(), whole.state()]
    expect({ ...found, base: null }).toEqual({ ...wanted, base: null })
    if (instrument.isInverse) expect(Math.abs(Number(BigInt(found.base!) - BigInt(wanted.base!)))).toBeLessThan(1000 * 10 ** 4)
  }))
})

test('long sums stay exact', () => {
  const tape = Array.from({ length: 1000 }, (_, at): Trade => ({ timeNs: 3 + at, side: at % 2, price: 9_007_199_254_740, priceScale: 8, quantity: 900_719_925_474, quantityScale: 4 }))
  const { bars } = barsOf({ trades: 1000 }, tape)
  expect(bars[0]!.turnover.toFixed()).toBe(new Decimal('9007199254740').times('900719925474').times(1000).times('0.01').div('1e12').toFixed())
})

test('a volume that no Quantity can hold is refused, not rounded', () => {
  const trade: Trade = { timeNs: 3, side: 0, price: 1, priceScale: 0, quantity: 2 ** 53 - 1, quantityScale: 0 }
  expect(() => barsOf('1h', [trade, trade])).toThrow('Cannot make a bar: its volume must be at most 2^53 - 1 without its point')
  expect(() => barsOf('1h', [{ ...trade, quantity: 1, price: 2 ** 53 - 1 }, { ...trade, quantity: 1, priceScale: 2 }])).toThrow('Cannot make a bar: its price must be at most 2^53 - 1')
})

test('prices that are no trades have no volume', () => {
  const builder = new BarBuilder({ rule: barRule('10ns'), instrument: LINEAR, epochDay: 0, nowNs: 0, sendsEmpty: false })
  const sum = new BarSum(false)
  for (const [price, scale] of [[1005, 1], [99, 0], [10_075, 2]] as const) sum.addPrice(price, scale)
  builder.addSum(sum)
  const bar = builder.close(10)!
  expect([bar.open, bar.high, bar.low, bar.close].map(String)).toEqual(['100.5', '100.75', '99', '100.75'])
  expect([bar.count, String(bar.volume), bar.turnover.toFixed(), bar.vwap]).toEqual([3, '0', '0', null])
  expect(bar.volume.equals(Quantity.ZERO)).toBe(true)
})

describe('spans', () => {
  test.each<readonly [given: unknown, expected: string]>([
    ['', 'a duration such as 10ms, 30s or 1h, found ""'],
    ['10 s', 'a duration without a space: write 10s'],
    ['0s', 'a duration from 1ns to 30d'],
    ['31d', 'a duration from 1ns to 30d'],
    [10, 'a duration such as \'10s\', { trades: 100 }'],
    [null, 'a duration such as \'10s\', { trades: 100 }'],
    [{}, 'a duration such as \'10s\', { trades: 100 }'],
    [{ trades: 1, volume: '1' }, 'a duration such as \'10s\', { trades: 100 }'],
    [{ ticks: 1 }, 'a duration such as \'10s\', { trades: 100 }'],
    [{ trades: 0 }, 'a whole number of trades from 1, found 0'],
    [{ trades: 1.5 }, 'a whole number of trades from 1, found 1.5'],
    [{ trades: '10' }, 'a whole number of trades from 1, found "10"'],
    [{ volume: 5 }, 'volume as a text with a decimal above 0, found 5'],
    [{ volume: '0' }, 'volume as a text with a decimal above 0, found "0"'],
    [{ turnover: '-1' }, 'turnover as a text with a decimal above 0, found "-1"'],
    [{ imbalance: 'much' }, 'imbalance as a text with a decimal above 0, found "much"'],
  ])('%j is refused', (given, expected) => {
    expect(() => barRule(given as BarSpan)).toThrow(`Cannot make bars: the span must be ${expected}`)
  })

  test.each<readonly [span: BarSpan, label: string]>([
    ['60s', '1min'], ['90s', '90s'], [{ trades: 100 }, '100 trades'], [{ volume: '1.5' }, '1.5 volume'], [{ turnover: '12000' }, '12000 turnover'],
  ])('%j is called %s', (span, label) => {
    expect(barRule(span).label).toBe(label)
  })
})
