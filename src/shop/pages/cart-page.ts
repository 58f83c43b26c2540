import type { Fault } from '../../model/fault.js'
import { buyLinkDays } from '../../protocol/shop/shop-requests.js'
import type { Sent } from '../../protocol/shop/shop-schemas.js'
import { SHOP } from '../../protocol/shop/shop-tables.js'
import { html, type Markup } from '../../web/page-markup.js'
import type { RefusalReply, ShopReply } from '../server/shop-reply.js'
import { countOf, euroText, reasonText } from './page-words.js'
import { PageRefusal, type RouteAnswers } from './route-answers.js'
import { shopPage } from './shop-page.js'

/** The thing of a cart: an instrument, or a series. */
export interface CartGood {
  readonly kind: 'tick' | 'series_day'
  /** The id of the instrument, or of the bundle. */
  readonly id: number
  readonly title: string
  /** Venue and class, or the kind of the series. */
  readonly lead: string
  /** The price of a day. */
  readonly priceCents: number | null
  /** Its page, with the calendar: `/shop?i=5`. */
  readonly href: string
  readonly field: readonly [name: 'i' | 'bundle', value: string | number]
}

/** A cart: what is sold of the days of a link. */
export interface Cart {
  readonly good: CartGood
  /** Ascending. */
  readonly days: readonly string[]
  readonly missing: readonly { readonly date: string, readonly reason: string }[]
  readonly totalCents: number
  /** Of a day. */
  readonly price: string
  /** The note of the quote. */
  readonly vatNote: string
}

/** The refusal of bad input on a page. */
function badInput({ path, expected, found }: Fault): RefusalReply {
  const message = `${path} must be ${expected}, found ${found}`
  return { kind: 'refusal', error: 'invalidInput', message, details: { field: path, expected, found } }
}

/** The instrument of a cart; null: it is not shown. */
export async function instrumentGood(answers: RouteAnswers, id: number): Promise<CartGood | null> {
  const { results } = await answers.of('search', { query: { q: String(id), limit: SEARCHED } })
  const found = results.find((one) => one.instrument_id === id)
  return found === undefined ? null : {
    kind: 'tick', id, title: found.code, lead: `${found.exchange.name}, ${found.type}`, priceCents: null,
    href: `/shop?i=${id}`, field: ['i', id],
  }
}

/** An id may be a word of other instruments too. */
const SEARCHED = 100

/** The series of a cart; null: it is not shown. */
export async function seriesGood(answers: RouteAnswers, key: string): Promise<CartGood | null> {
  const { bundles } = await answers.of('bundles', {})
  const found = bundles.find((one) => one.series_key === key)
  return found === undefined ? null : {
    kind: 'series_day', id: found.bundle_id, title: key, lead: found.kind.replaceAll('_', ' '),
    priceCents: found.price_cents, href: `/shop/bundles?bundle=${encodeURIComponent(key)}`, field: ['bundle', key],
  }
}

/** The cart of the days of a link, priced by quotes. Throws {@link PageRefusal} for days that are none. */
export async function cartOf(answers: RouteAnswers, good: CartGood, text: string): Promise<Cart> {
  const dates = buyLinkDays(text)
  if ('path' in dates) throw new PageRefusal(badInput(dates))
  const lines = SHOP.limits.linkLines.value
  if (dates.length > lines)
    throw new PageRefusal(badInput({ path: 'd', expected: `at most ${lines} days`, found: String(dates.length) }))
  const quotes: Sent<'Quote'>[] = []
  for (let at = 0; at < dates.length; at += SHOP.limits.quoteItems.value) {
    const items = dates.slice(at, at + SHOP.limits.quoteItems.value).map((date) => itemOf(good, date))
    quotes.push(await answers.of('quote', { body: { items } }))
  }
  const [first] = quotes
  return {
    good, days: quotes.flatMap(({ available }) => available.map(({ date }) => date)),
    missing: quotes.flatMap(({ missing }) => missing),
    totalCents: quotes.reduce((sum, one) => sum + one.total_cents, 0),
    price: good.priceCents === null ? `${first?.price_eur_per_day ?? ''} EUR` : euroText(good.priceCents),
    vatNote: first?.vat_note ?? '',
  }
}

/** A day of a good as baskets have it. */
export function itemOf({ id, kind }: CartGood, date: string): Sent<'QuoteItem'> {
  return { instrument_id: id, date, kind }
}

/** The page of a cart. `token` is that of its form. */
export function cartPage(cart: Cart, { token, account, problem }: {
  readonly token: string, readonly account: string | null, readonly problem?: { status: number, words: Markup },
}): ShopReply {
  const { good, days, missing } = cart
  const sold = html`${lineTable(cart)}${buyForm(cart, token, account)}`
  const content = html`<h1>Cart</h1>
<p class="lead"><a href="${good.href}">${good.title}</a> (${good.lead})</p>
${problem !== undefined && html`<div class="note" role="alert">${problem.words}</div>`}
${missing.length > 0 && missingNote(missing)}
${days.length === 0 ? html`<p class="note">None of these days is sold.</p>` : sold}
<p class="buttons"><a class="button" href="${good.href}">Other days</a></p>`
  return shopPage({ title: 'Cart', here: 'catalogue', content, status: problem?.status ?? 200 })
}

function missingNote(missing: Cart['missing']): Markup {
  return html`<div class="note"><p>${missing.length === 1 ? 'One day is' : `${countOf(missing.length, 'day')} are`} not
sold, and not in this cart:</p>
<ul>${missing.map(({ date, reason }) => html`<li>${date}: ${reasonText(reason)}</li>`)}</ul></div>`
}

function lineTable({ good, days, totalCents, price, vatNote }: Cart): Markup {
  const isOpen = days.length <= LINES_OPEN
  const table = html`<div class="scroll"><table><thead><tr><th scope="col">Day</th><th scope="col">Instrument</th>
<th scope="col" class="number">Price</th></tr></thead>
<tbody>${days.map((date) => html`<tr><td class="day">${date}</td><td>${good.title}</td>
<td class="number">${price}</td></tr>`)}</tbody></table></div>`
  return html`<details${isOpen && html` open`}><summary>${countOf(days.length, 'day')}</summary>${table}</details>
<p class="total">${euroText(totalCents)}</p><p class="faint">${vatNote}</p>`
}

/** Longer lists are closed at first. */
const LINES_OPEN = 31

function buyForm({ good, days }: Cart, token: string, account: string | null): Markup {
  const { field: [name, value], href } = good
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
