import { describe, expect, test } from 'vitest'
import type { Sent } from '../../../src/protocol/shop/shop-schemas.js'
import { receiptPdf } from '../../../src/shop/pages/receipt-pdf.js'
import { textPdf } from '../../../src/shop/pages/text-pdf.js'
import { pdfObjects, textLines } from '../../support/pdf-lines.ts'

const latin1 = (bytes: string | Uint8Array): string => Buffer.from(bytes).toString('latin1')
const ITEM: Sent<'OrderItem'> = { instrument_id: 5, code: 'BTCUSDT', exchange_code: 'a_spot', type: 'spot', date: '2024-08-01', kind: 'tick', bytes: 10, price_cents: 100 }
const ORDER: Sent<'Order'> = { order_id: 'ord_1', status: 'paid', paid_at: '2024-08-10T12:00:00Z', currency: 'EUR', total_cents: 123_456_789, item_count: 1, items: [ITEM] }

function pdfOf(order: Partial<Sent<'Order'>> = {}): string {
  const reply = receiptPdf({ ...ORDER, ...order })
  return reply.kind === 'text' ? latin1(reply.text) : ''
}

describe('the receipt', () => {
  test('line by line, prices exact', () => {
    expect(textLines(pdfOf({ items: [ITEM, { ...ITEM, code: 'BTC-OPTIONS', kind: 'series_day', price_cents: 5 }] }))).toEqual([
      'Backtape shop: receipt', '', 'Order   ord_1', 'Paid    2024-08-10 12:00:00 UTC', 'Items   2 items', '',
      `Day         Instrument${' '.repeat(55)}Price`, '-'.repeat(82),
      `2024-08-01  BTCUSDT (a_spot)${' '.repeat(46)}1.00 EUR`, `2024-08-01  BTC-OPTIONS (a_spot), bundle${' '.repeat(34)}0.05 EUR`,
      '-'.repeat(82), `Total       tax included${' '.repeat(42)}1,234,567.89 EUR`, '', 'No money has moved.',
    ])
  })

  test('of a refunded order says so, and other orders have other bytes', () => {
    expect(textLines(pdfOf({ status: 'refunded' }))).toContain('        This order was refunded.')
    expect([pdfOf() === pdfOf(), pdfOf() === pdfOf({ order_id: 'ord_2' })]).toEqual([true, false])
  })

  test('a long name goes on below, a year takes pages', () => {
    const code = `${'x'.repeat(53)}${'y'.repeat(54)}`
    expect(textLines(pdfOf({ items: [{ ...ITEM, code }] })).slice(8, 11)).toEqual([`2024-08-01  ${'x'.repeat(53)}y${' '.repeat(8)}1.00 EUR`, `${' '.repeat(12)}${'y'.repeat(53)} `, `${' '.repeat(12)}(a_spot)`])
    const file = pdfOf({ items: Array.from({ length: 365 }, () => ITEM) })
    expect([textLines(file).length, pdfObjects(file).length]).toEqual([377, 3 + 2 * 8])
  })
})

describe('text', () => {
  test.each([
    ['brackets and backslashes', 'a(b)c\\d) Tj ET \\', 'a(b)c\\d) Tj ET \\'], ['Latin-1', 'Zürich ÿ\u00a0', 'Zürich ÿ\u00a0'],
    ['what is no Latin-1', '中\u{1f600}\u2028é', '???é'], ['control characters', 'a\n) endstream\r\0\u0085\u007f', 'a?) endstream????'],
  ])('%s', (_name, given, shown) => {
    expect(textLines(latin1(textPdf([given])))).toEqual([shown])
  })

  test('pages', () => {
    for (const count of [1, 53, 54, 106, 107]) {
      const lines = Array.from({ length: count }, (_none, at) => `line ${at}`)
      const file = latin1(textPdf(lines))
      expect([textLines(file), pdfObjects(file).length]).toEqual([lines, 3 + 2 * Math.ceil(count / 53)])
    }
  })
})
