import type { Fault } from '../../model/fault.js'
import { buyLinkDays, callPath } from '../../protocol/shop/shop-requests.js'
import type { Sent } from '../../protocol/shop/shop-schemas.js'
import { SHOP } from '../../protocol/shop/shop-tables.js'
import { html, type Markup } from '../../web/page-markup.js'
import type { RefusalReply, ShopReply } from '../server/shop-reply.js'
import { basketOf, type Basket } from '../server/basket.js'
import type { Shelf } from '../server/shelf.js'
import type { GoodsDay } from '../server/shop-goods.js'
import { countOf, euroText, reasonText, sizeText } from './page-words.js'
import { shopPage } from './shop-page.js'

/** The thing of a cart: an instrument, or a series. */
export interface CartGood {
  readonly kind: 'tick' | 'series_day'
  /** The id of the instrument, or of the bundle. */
  readonly id: number
  readonly title: string
  /** Venue and class, or the kind of the series. */
  readonly lead: string
  /** Its page, with the calendar: `/shop?i=5`. */
  readonly href: string
  readonly field: readonly [name: 'i' | 'bundle', value: string | number]
  /** The days that are sold, ascending. */
  readonly days: readonly GoodsDay[]
}

/** A cart: what is sold of the days of a link. */
export interface Cart extends Basket {
  readonly good: CartGood
}

/** The refusal of bad input on a page. */
function badInput({ path, expected, found }: Fault): RefusalReply {
  const message = `${path} must be ${expected}, found ${found}`
  return { kind: 'refusal', error: 'invalidInput', message, details: { field: path, expected, found } }
}

/** The instrument of a cart; null: it is not shown. */
export function instrumentGood(shelf: Shelf, id: number): CartGood | null {
  const found = shelf.instrument(id)
  return found === null ? null : {
    kind: 'tick', id, title: found.code, lead: `${found.exchangeName}, ${found.type}`, days: found.days,
    href: callPath('cart', {}, { i: id }), field: ['i', id],
  }
}

/** The series of a cart; null: it is not shown. */
export function seriesGood(shelf: Shelf, key: string): CartGood | null {
  const found = shelf.series.get(key)
  return found === undefined ? null : {
    kind: 'series_day', id: found.bundleId, title: key, lead: found.kind.replaceAll('_', ' '),
    href: callPath('bundleCart', {}, { bundle: key }), field: ['bundle', key], days: found.days,
  }
}

/** The cart of the days of a link; or why there is none. */
export function cartOf(shelf: Shelf, good: CartGood, text: string): Cart | RefusalReply {
  const dates = buyLinkDays(text)
  if ('path' in dates) return badInput(dates)
  const most = SHOP.limits.linkLines.value
  if (dates.length > most) return badInput({ path: 'd', expected: `at most ${most} days`, found: String(dates.length) })
  return { good, ...basketOf(shelf, dates.map((date) => dayOf(good, date))) }
}

/** A day of a good as baskets have it. */
export function dayOf({ id, kind }: CartGood, date: string): Sent<'QuoteItem'> {
  return { instrument_id: id, date, kind }
}

/** The reason why a cart cannot be bought as it is. */
export interface CartProblem {
  readonly status: number
  readonly words: Markup
}

/** The page of a cart. `token` is that of its form, `account` the name of who is signed in. */
export function cartPage(cart: Cart, { token, account, problem }: {
  readonly token: string, readonly account: string | null, readonly problem?: CartProblem,
}): ShopReply {
  const { good, lines, missing } = cart
  const sold = html`${lineTable(cart)}${buyForm(cart, token, account)}`
  const content = html`<h1>Cart</h1>
<p class="lead"><a href="${good.href}">${good.title}</a> (${good.lead})</p>
${problem !== undefined && html`<div class="note" role="alert">${problem.words}</div>`}
${missing.length > 0 && missingNote(missing)}
${lines.length === 0 ? html`<p class="note">None of these days is sold.</p>` : sold}
<p class="buttons"><a class="button" href="${good.href}">Other days</a></p>`
  return shopPage({ title: 'Cart', here: 'catalogue', content, status: problem?.status ?? 200 })
}

function missingNote(missing: Cart['missing']): Markup {
  return html`<div class="note"><p>${missing.length === 1 ? 'One day is' : `${countOf(missing.length, 'day')} are`} not
sold, and not in this cart:</p>
<ul>${missing.map(({ date, reason }) => html`<li>${date}: ${reasonText(reason)}</li>`)}</ul></div>`
}

function lineTable({ lines, totalCents }: Cart): Markup {
  const isOpen = lines.length <= LINES_OPEN
  const table = html`<div class="scroll"><table><thead><tr><th scope="col">Day</th><th scope="col">Instrument</th>
<th scope="col" class="number wide">Size</th><th scope="col" class="number">Price</th></tr></thead>
<tbody>${lines.map(({ date, code, bytes, priceCents }) => html`<tr><td class="day">${date}</td><td>${code}</td>
<td class="number wide">${sizeText(bytes)}</td><td class="number">${euroText(priceCents)}</td></tr>`)}</tbody>
</table></div>`
  return html`<details${isOpen && html` open`}><summary>${countOf(lines.length, 'day')}</summary>${table}</details>
<p class="total">${euroText(totalCents)}</p><p class="faint">Tax is included. No money moves.</p>`
}

/** Longer lists are closed at first. */
const LINES_OPEN = 31

function buyForm({ good, lines }: Cart, token: string, account: string | null): Markup {
  const { field: [name, value], href } = good
  const days = lines.map(({ date }) => date)
  const most = SHOP.limits.quoteItems.value
  if (days.length > most) {
    const parts = [days.slice(0, most), days.slice(most)]
    const links = parts.map((part, at) => (
      html`${at > 0 && ' and '}<a href="${href}&d=${rangesOf(part)}">${countOf(part.length, 'day')}</a>`))
    return html`<p class="note">A checkout takes ${most} days at most: buy ${links}.</p>`
  }
  return html`<form class="box" method="post" action="/shop/checkout">
<input type="hidden" name="${name}" value="${value}"><input type="hidden" name="d" value="${days.join(',')}">
<input type="hidden" name="csrf" value="${token}">
<label><span>Email address for the receipt</span>
<input type="email" name="email" required maxlength="254" autocomplete="email"></label>
<p class="buttons"><button class="main">To the payment</button></p>
<p class="faint">${account === null ? 'No account is needed.' : `You are signed in as ${account}.`}</p></form>`
}

/** Days as a link has them. */
function rangesOf(days: readonly string[]): string {
  return `${days[0] ?? ''}..${days.at(-1) ?? ''}`
}
