import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Decimal, textFromScaled } from '../../src/model/decimal.js'
import { MARK_OUT_HORIZONS_NS, MarkOuts, type MarkedFill, type TwiceMid } from '../../src/report/mark-outs.js'

const fillOf = (price: number, sign: number, quantity: number): MarkedFill => ({ instrumentId: 1, sign, price, priceScale: 2, quantity, quantityScale: 3, markOuts: MARK_OUT_HORIZONS_NS.map(() => null), markOutScales: MARK_OUT_HORIZONS_NS.map(() => null) })

const textOf = ({ markOuts, markOutScales }: MarkedFill, horizon: number): string | null => {
  const value = markOuts[horizon] ?? null
  return value === null ? null : textFromScaled(value, markOutScales[horizon] ?? NaN)
}

/** The market at a time: its mid jumps every 50 ms, and now and then there is none; its digits are another in the second half. */
const midAt = (timeNs: number): TwiceMid => {
  const step = Math.floor(timeNs / 50_000_000)
  return { value: step % 7 === 3 ? NaN : 20_000 + ((step * 37) % 101), scale: step < 600 ? 2 : 3 }
}

function naive(fill: MarkedFill, mid: TwiceMid): string | null {
  if (Number.isNaN(mid.value)) return null
  return new Decimal(mid.value).div(new Decimal(10).pow(mid.scale)).div(2).minus(new Decimal(fill.price).div(100)).times(fill.sign).toFixed()
}

const steps = fc.array(fc.record({ waitNs: fc.oneof(fc.constant(0), fc.nat(3_000_000), fc.nat(400_000_000), fc.nat(30_000_000_000)), count: fc.integer({ min: 1, max: 40 }), sign: fc.constantFrom(1, -1), price: fc.integer({ min: 1, max: 20_000 }) }), { minLength: 1, maxLength: 60 })

test('every fill is measured when it is due by the market of that instant, however many wait; a state goes on', () => {
  fc.assert(fc.property(steps, fc.nat(80), (all, savedAfter) => {
    const due: { horizon: number; timeNs: number }[] = []
    const wake = (horizon: number, timeNs: number): void => void due.push({ horizon, timeNs })
    const done: MarkedFill[] = []
    const take = (fill: MarkedFill): void => void done.push(fill)
    let markOuts = new MarkOuts(wake, take)
    const fills: MarkedFill[] = []
    const receivedNs: number[] = []
    let nowNs = 0
    const runTo = (timeNs: number): void => {
      for (;;) {
        due.sort((a, b) => a.timeNs - b.timeNs)
        const [next] = due
        if (next === undefined || next.timeNs > timeNs) break
        due.shift()
        markOuts.measure(next.horizon, next.timeNs, () => midAt(next.timeNs))
      }
    }
    all.forEach(({ waitNs, count, sign, price }, index) => {
      nowNs += waitNs
      runTo(nowNs)
      for (let i = 0; i < count; i++) {
        const fill = fillOf(price + i, sign, i + 1)
        fills.push(fill)
        receivedNs.push(nowNs)
        markOuts.await(fill, nowNs)
      }
      if (index !== savedAfter) return
      const state = JSON.parse(JSON.stringify(markOuts.state(fills))) as ReturnType<typeof markOuts.state>
      markOuts = new MarkOuts(wake, take)
      markOuts.restore(state, fills)
      expect(JSON.parse(JSON.stringify(markOuts.state(fills)))).toEqual(state)
    })
    runTo(Infinity)
    expect(markOuts.awaited()).toEqual([])
    expect(due).toEqual([])
    expect(done).toEqual(fills)
    const expected = fills.map((fill, index) => MARK_OUT_HORIZONS_NS.map((horizonNs) => naive(fill, midAt((receivedNs[index] ?? 0) + horizonNs))))
    expect(fills.map((fill) => MARK_OUT_HORIZONS_NS.map((_, horizon) => textOf(fill, horizon)))).toEqual(expected)
    MARK_OUT_HORIZONS_NS.forEach((_, horizon) => {
      const measured = fills.filter((fill) => fill.markOuts[horizon] !== null)
      const sums = markOuts.sums.get(1)?.[horizon]
      const quantity = measured.reduce((sum, fill) => sum + fill.quantity, 0)
      const weighted = measured.reduce((sum, fill) => sum.plus(new Decimal(textOf(fill, horizon) ?? 0).times(fill.quantity)), new Decimal(0))
      expect([sums?.measuredCount ?? 0, sums?.quantity.toFixed() ?? '0', sums?.weighted.toFixed() ?? '0']).toEqual([measured.length, new Decimal(quantity).div(1000).toFixed(), weighted.div(1000).toFixed()])
    })
  }), { numRuns: 100 })
})

test('a mark-out that is not exact is refused', () => {
  const markOuts = new MarkOuts(() => undefined)
  markOuts.await(fillOf(9_007_199_254_740_991, 1, 1), 0)
  expect(() => markOuts.measure(0, 100_000_000, () => ({ value: 1, scale: 0 }))).toThrow('more digits than are exact')
})
