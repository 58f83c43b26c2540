import { html, type Markup, type MarkupValue } from '../../web/page-markup.js'
import type { ShopReply } from '../server/shop-reply.js'
import type { StoredItem, StoredSession } from '../store/stored-rows.js'
import { countOf, euroText } from './page-words.js'
import { shopPage } from './shop-page.js'

/** Longer lists are closed at first. */
const LINES_OPEN = 12

/** The parts of the page on which a person pays. */
export interface PayParts {
  readonly session: StoredSession
  readonly items: readonly StoredItem[]
  /** The page of the receipt, where it is paid. */
  readonly receiptUrl: string
  /** The token of its form. */
  readonly token: string
  /** The days that its account has already, where it is pending. */
  readonly owned: readonly StoredItem[]
  readonly status: number
}

/** The page on which a person pays, in play: no money moves. */
export function payPage({ session, items, receiptUrl, token, owned, status }: PayParts): ShopReply {
  const { sessionId, totalCents, email, record: { state } } = session
  const content = html`<h1>${TITLES[state]}</h1>
<p class="lead">${countOf(items.length, 'day')} for ${email}</p>
<p class="total">${euroText(totalCents)}</p>
${owned.length > 0 && html`<p class="note">Your account has some of it already, and is not charged for it again:
${owned.map(({ code, date }) => `${code} ${date}`).join(', ')}. Begin a checkout without it.</p>`}
${state === 'pending' && owned.length === 0 && payForm(sessionId, token)}
${state === 'paid' && html`<p class="note well">It is paid. No money has moved: this is a local shop.</p>
<p class="buttons"><a class="button main" href="${receiptUrl}">To the receipt and the files</a></p>`}
${state === 'expired' && html`<p class="note">This checkout was not paid in time. Begin a new one.</p>`}
${linesDetails(items)}`
  return shopPage({ title: TITLES[state], content, status })
}

const TITLES: Readonly<Record<StoredSession['record']['state'], string>> = {
  pending: 'Payment', paid: 'Paid', expired: 'Expired',
}

function payForm(sessionId: string, token: string): Markup {
  return html`<form class="box" method="post" action="/shop/pay/${encodeURIComponent(sessionId)}">
<input type="hidden" name="csrf" value="${token}">
<p><strong>No money moves.</strong> This is a local shop: it asks for no card, and "Pay" only marks the order as
paid.</p>
<p class="buttons"><button class="main" name="action" value="pay">Pay</button>
<button name="action" value="decline">Decline</button>
<button name="action" value="leave">Leave</button></p>
<p class="faint">"Decline" is a card that is refused, "Leave" a person who turns back. Both keep the checkout open.</p>
</form>`
}

function linesDetails(lines: readonly StoredItem[]): MarkupValue {
  const rows = lines.map(({ code, exchangeCode, date, kind, priceCents }) => html`<tr><td class="day">${date}</td>
<td>${code}${kind === 'series_day' && html` <span class="faint">bundle</span>`}</td>
<td class="wide">${exchangeCode}</td><td class="number">${euroText(priceCents)}</td></tr>`)
  return html`<details${lines.length <= LINES_OPEN && html` open`}><summary>Items</summary>
<div class="scroll"><table><thead><tr><th scope="col">Day</th><th scope="col">Instrument</th>
<th scope="col" class="wide">Venue</th><th scope="col" class="number">Price</th></tr></thead>
<tbody>${rows}</tbody></table></div></details>`
}
