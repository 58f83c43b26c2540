import type { Sent } from '../../protocol/shop/shop-schemas.js'
import type { ShopReply } from '../server/shop-reply.js'
import { countOf, euroText, timeText } from './page-words.js'
import { PDF_COLUMNS, textPdf } from './text-pdf.js'

const DATE_COLUMNS = 12
const PRICE_COLUMNS = 16
const NAME_COLUMNS = PDF_COLUMNS - DATE_COLUMNS - PRICE_COLUMNS

/** The receipt of an order as PDF: equal bytes for an equal order. It has no token. */
export function receiptPdf(order: Sent<'Order'>): ShopReply {
  const { order_id: id, status, paid_at: paidAt, total_cents: cents, items } = order
  const lines = [
    'Backtape shop: receipt', '', `Order   ${id}`, `Paid    ${timeText(paidAt)}`,
    ...status === 'refunded' ? ['        This order was refunded.'] : [],
    `Items   ${countOf(items.length, 'item')}`, '', ...cells('Day', 'Instrument', 'Price'), '-'.repeat(PDF_COLUMNS),
    ...items.flatMap(({ date, code, exchange_code: exchange, kind, price_cents: price }) => (
      cells(date, `${code} (${exchange})${kind === 'series_day' ? ', bundle' : ''}`, euroText(price)))),
    '-'.repeat(PDF_COLUMNS), ...cells('Total', 'tax included', euroText(cents)), '', 'No money has moved.',
  ]
  return {
    kind: 'text', status: 200, media: 'application/pdf', text: textPdf(lines),
    headers: { 'content-disposition': 'inline; filename="receipt.pdf"' },
  }
}

/** A row of three columns; a long name goes on below. */
function cells(date: string, name: string, price: string): string[] {
  const [first = '', ...more] = name.match(new RegExp(`.{1,${NAME_COLUMNS}}`, 'gsu')) ?? []
  const row = date.padEnd(DATE_COLUMNS) + first.padEnd(NAME_COLUMNS) + price.padStart(PRICE_COLUMNS)
  return [row, ...more.map((part) => ' '.repeat(DATE_COLUMNS) + part)]
}
