import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EventBatch } from '../../src/model/event-batch.js'
import { tradeRows, type RowColumns } from '../../src/model/event-rows.js'
import { HeldLine } from '../../src/strategy/held-line.js'
import { lineBatch, madeInstrument, type MarketLine } from '../support/market-lines.ts'

/** Trades with ids of their own, some of them null, between lines that are none. */
function batchOf(lines: readonly MarketLine[], ids: readonly (string | null)[]): EventBatch {
  const batch = lineBatch(lines, { instrument: madeInstrument(), priceScale: 1, quantityScale: 2 })
  const texts = ids.map((id) => new TextEncoder().encode(id ?? ''))
  let end = 0
  const start = Uint32Array.from([0, ...texts.map((text) => (end += text.length))])
  return { ...batch, tradeId: { start, bytes: Uint8Array.from(texts.flatMap((text) => [...text])), isNull: Uint8Array.from(ids, (id) => (id === null ? 1 : 0)) } }
}

const row = fc.tuple(fc.constantFrom(0, 1), fc.integer({ min: 1, max: 99 }), fc.integer({ min: 1, max: 99 }), fc.nat(50))
const trades = fc.array(row, { maxLength: 20 }).map((rows): MarketLine => ({ kind: 'trades', timeNs: 1, rows }))
const update = fc.array(row, { maxLength: 3 }).map((rows): MarketLine => ({ kind: 'update', timeNs: 1, rows }))
const id = fc.oneof(fc.constant(null), fc.string({ maxLength: 30 }))

test('a held line of trades reads as the batch did, wherever it stood, also when the batch is written over', () => {
  fc.assert(fc.property(fc.array(fc.oneof(trades, update), { minLength: 1, maxLength: 6 }), fc.array(id, { minLength: 120, maxLength: 120 }), (lines, ids) => {
    const held = new HeldLine<readonly unknown[]>([], tradeRows)
    const count = lines.reduce((sum, line) => sum + (line.kind === 'trades' ? line.rows!.length : 0), 0)
    const batch = batchOf(lines, ids.slice(0, count))
    for (const [index, line] of lines.entries()) {
      if (line.kind !== 'trades') continue
      const expected = tradeRows(batch, index)
      const again = batchOf(lines, ids.slice(0, count))
      held.hold(again, index)
      held.keep()
      again.price.fill(0)
      again.tradeId.bytes.fill(0)
      expect(held.get()).toEqual(expected)
      expect(held.get()).toBe(held.get())
    }
  }))
})

/** The values of a line with their scales, as text. */
function valuesOf({ valueStart, values, valueScale, epochDay, priceScale }: RowColumns, index: number): string {
  const [from, to] = [valueStart[index], valueStart[index + 1]]
  return `${[...values.slice(from, to)].join(' ')} at ${[...valueScale.slice(from, to)].join(' ')} of day ${epochDay} by ${priceScale}`
}

test.each([false, true])('nothing until something is held; what is put counts from then on; the last line held wins; its batch given back: %s', (isKept) => {
  const held = new HeldLine<string | null>(null, valuesOf)
  expect(held.get()).toBeNull()
  const lines: MarketLine[] = [
    { kind: 'mark', timeNs: 1, value: 7 }, { kind: 'funding', timeNs: 2, value: 5, valueScale: 4, nextFundingNs: 9 }, { kind: 'funding', timeNs: 3, value: -6, valueScale: 3, nextFundingNs: 10 },
  ]
  const batch = { ...lineBatch(lines, { instrument: madeInstrument(), priceScale: 2 }), epochDay: 20_000 }
  held.hold(batch, 1)
  held.hold(batch, 2)
  if (isKept) held.keep()
  expect(held.get()).toBe('-6 10 at 3 0 of day 20000 by 2')
  held.hold(batch, 1)
  held.put(null)
  if (isKept) held.keep()
  expect(held.get()).toBeNull()
  held.hold(batch, 0)
  if (isKept) held.keep()
  expect(held.get()).toBe('7 at 0 of day 20000 by 2')
})
