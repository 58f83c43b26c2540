import { callPath } from '../../protocol/shop/shop-requests.js'
import type { Sent } from '../../protocol/shop/shop-schemas.js'
import { html, type Markup } from '../../web/page-markup.js'
import type { ShopReply } from '../server/shop-reply.js'
import { countOf, euroText, sizeText, timeText } from './page-words.js'
import { shopPage } from './shop-page.js'

/** The receipt of an order, with its files. `token` is its download token. */
export function receiptPage(order: Sent<'Order'>, token: string): ShopReply {
  const { order_id: id, status, paid_at: paidAt, total_cents: cents, items, item_count: count } = order
  const bytes = items.reduce((sum, item) => sum + item.bytes, 0)
  const rows = items.map((item) => html`<tr>
<td class="day"><a href="${fileHref(id, item, token)}" download>${item.date}</a></td><td>${item.code}</td>
<td class="wide">${item.exchange_code}</td><td class="number wide">${sizeText(item.bytes)}</td>
<td class="number">${euroText(item.price_cents)}</td></tr>`)
  const content = html`<h1>Receipt</h1>
${status === 'refunded' && html`<p class="note">This order was refunded. Its files are no longer served.</p>`}
<dl><dt>Order</dt><dd><code>${id}</code></dd><dt>Paid</dt><dd>${timeText(paidAt)}</dd>
<dt>Items</dt><dd>${countOf(count, 'item')}, ${sizeText(bytes)}</dd>
<dt>Total</dt><dd>${euroText(cents)}, tax included. No money has moved.
<a href="${callPath('receiptPdf', { order_id: id }, { t: token })}">As PDF</a></dd></dl>
<h2>Files</h2>
<div class="scroll"><table><thead><tr><th scope="col">Day</th><th scope="col">Instrument</th>
<th scope="col" class="wide">Venue</th><th scope="col" class="number wide">Size</th>
<th scope="col" class="number">Price</th></tr></thead><tbody>${rows}</tbody>
<tfoot><tr><td colspan="2">Total</td><td class="wide"></td><td class="wide"></td>
<td class="number">${euroText(cents)}</td></tr></tfoot></table></div>
${tokenDetails(token)}`
  return shopPage({ title: `Receipt ${id}`, content })
}

function fileHref(orderId: string, { instrument_id: id, date, kind }: Sent<'OrderItem'>, token: string): string {
  const query = kind === 'series_day' ? { kind, zip: '1', t: token } : { t: token }
  return callPath('download', { order_id: orderId, instrument_id: id, date }, query)
}

function tokenDetails(token: string): Markup {
  return html`<details><summary>Download token</summary>
<p><code>${token}</code></p><p class="faint">Whoever has it has the files. Treat it as a password.</p></details>`
}
