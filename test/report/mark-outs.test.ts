import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Decimal, textFromScaled } from '../../src/model/decimal.js'
import { FillTable } from '../../src/orders/fill-table.js'
import { FillRows, MARK_OUT_HORIZONS_NS } from '../../src/report/fill-rows.js'
import { MarkOuts, type TwiceMid } from '../../src/report/mark-outs.js'
import { RowStore } from '../../src/rows/row-store.js'
import { throughJson } from '../support/through-json.ts'

/** Fills of an instrument at 2 decimals of prices and 3 of quantities. */
function rowOf({ fills, markOuts }: FillRows, price: number, sign: number, quantity: number): number {
  const row = fills.rows.add()
  fills.instrumentId.set(row, 1)
  fills.isBuy.set(row, sign > 0 ? 1 : 0)
  fills.price.set(row, price)
  fills.priceScale.set(row, 2)
  fills.quantity.set(row, quantity)
  fills.quantityScale.set(row, 3)
  for (const column of markOuts) column.set(row, NaN)
  return row
}

const textOf = ({ markOuts, markOutScales }: FillRows, row: number, horizon: number): string | null => {
  const value = markOuts[horizon]!.at(row)
  return Number.isNaN(value) ? null : textFromScaled(value, markOutScales[horizon]!.at(row))
}

/** The market at a time: its mid jumps every 50 ms, and now and then there is none; its digits are another in the second half. */
const midAt = (timeNs: number): TwiceMid => {
  const step = Math.floor(timeNs / 50_000_000)
  return { value: step % 7 === 3 ? NaN : 20_000 + ((step * 37) % 101), scale: step < 600 ? 2 : 3 }
}

function naive(fill: { readonly price: number, readonly sign: number }, mid: TwiceMid): string | null {
  if (Number.isNaN(mid.value)) return null
  return new Decimal(mid.value).div(new Decimal(10).pow(mid.scale)).div(2).minus(new Decimal(fill.price).div(100)).times(fill.sign).toFixed()
}

const steps = fc.array(fc.record({ waitNs: fc.oneof(fc.constant(0), fc.nat(3_000_000), fc.nat(400_000_000), fc.nat(30_000_000_000)), count: fc.integer({ min: 1, max: 40 }), sign: fc.constantFrom(1, -1), price: fc.integer({ min: 1, max: 20_000 }) }), { minLength: 1, maxLength: 60 })

test('every fill is measured when it is due by the market of that instant, however many wait; a state goes on', () => {
  fc.assert(fc.property(steps, fc.nat(80), (all, savedAfter) => {
    const due: { horizon: number; timeNs: number }[] = []
    const wake = (horizon: number, timeNs: number): void => void due.push({ horizon, timeNs })
    const store = new RowStore()
    let rows = new FillRows(new FillTable(store))
    let markOuts = new MarkOuts(rows, wake)
    const fills: { readonly price: number, readonly sign: number, readonly quantity: number }[] = []
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
        fills.push({ price: price + i, sign, quantity: i + 1 })
        receivedNs.push(nowNs)
        markOuts.await(rowOf(rows, price + i, sign, i + 1), nowNs)
      }
      if (index !== savedAfter) return
      const state = throughJson([rows.fills.rows.state(), markOuts.state()] as const)
      rows = new FillRows(new FillTable(store))
      rows.fills.rows.restore(state[0])
      markOuts = new MarkOuts(rows, wake)
      markOuts.restore(state[1])
      expect(throughJson([rows.fills.rows.state(), markOuts.state()])).toEqual(state)
    })
    runTo(Infinity)
    expect(due).toEqual([])
    const expected = fills.map((fill, index) => MARK_OUT_HORIZONS_NS.map((horizonNs) => naive(fill, midAt((receivedNs[index] ?? 0) + horizonNs))))
    expect(fills.map((_fill, row) => MARK_OUT_HORIZONS_NS.map((_, horizon) => textOf(rows, row, horizon)))).toEqual(expected)
    MARK_OUT_HORIZONS_NS.forEach((_, horizon) => {
      const measured = fills.flatMap((fill, row) => {
        const text = textOf(rows, row, horizon)
        return text === null ? [] : [{ ...fill, text }]
      })
      const sums = markOuts.sums.get(1)?.[horizon]
      const quantity = measured.reduce((sum, fill) => sum + fill.quantity, 0)
      const weighted = measured.reduce((sum, fill) => sum.plus(new Decimal(fill.text).times(fill.quantity)), new Decimal(0))
      expect([sums?.measuredCount ?? 0, sums?.quantity.toFixed() ?? '0', sums?.weighted.toFixed() ?? '0']).toEqual([measured.length, new Decimal(quantity).div(1000).toFixed(), weighted.div(1000).toFixed()])
    })
  }), { numRuns: 100 })
})

test('a mark-out that is not exact is refused', () => {
  const rows = new FillRows(new FillTable(new RowStore()))
  const markOuts = new MarkOuts(rows, () => undefined)
  markOuts.await(rowOf(rows, 9_007_199_254_740_991, 1, 1), 0)
  expect(() => markOuts.measure(0, 100_000_000, () => ({ value: 1, scale: 0 }))).toThrow('more digits than are exact')
})
