import type { Sent } from '../../protocol/shop/shop-schemas.js'
import { SHOP } from '../../protocol/shop/shop-tables.js'
import { html, type Markup, type MarkupValue } from '../../web/page-markup.js'
import type { ShopReply } from '../server/shop-reply.js'
import { bytesOfDays } from '../server/sold-days.js'
import type { CartGood } from './cart-page.js'
import { dayCalendar, monthsOf } from './day-calendar.js'
import { countOf, countText, euroText, sizeText } from './page-words.js'
import type { RouteAnswers } from './route-answers.js'
import { shopPage } from './shop-page.js'

/** Instruments of the catalogue on one page. */
const SHOWN_MAX = 100

/** The catalogue: instruments by words. */
export async function cataloguePage(answers: RouteAnswers, words: string): Promise<ShopReply> {
  const q = words.trim()
  const found = await answers.of('search', { query: { limit: SHOWN_MAX, ...q === '' ? {} : { q } } })
  const content = html`<h1>Catalogue</h1>
<p class="lead">Tick data by instrument and UTC day. <a href="/shop/bundles">Bundles</a> hold the days of many
contracts.</p>
<form class="line" action="/shop" role="search"><label><span>Ticker, pair, base asset or number</span>
<input type="search" name="q" value="${q}" maxlength="200" placeholder="btc perp"></label>
<button class="main">Search</button></form>
${understoodWords(found)}
${found.results.length === 0 ? nothingFound(found) : resultTable(found)}`
  return shopPage({ title: q === '' ? 'Catalogue' : q, here: 'catalogue', content })
}

function understoodWords({ interpretation }: Sent<'Search'>): MarkupValue {
  const { venue, class: classes } = interpretation ?? {}
  const words = [
    typeof venue === 'string' ? `venue ${venue}` : '', Array.isArray(classes) ? `class ${classes.join(' or ')}` : '',
  ].filter((one) => one !== '')
  return words.length > 0 && html`<p class="faint">Understood: ${words.join(', ')}.</p>`
}

function nothingFound({ did_you_mean: hints }: Sent<'Search'>): Markup {
  const { venues, drop } = hints ?? {}
  const list = (title: string, words: unknown): MarkupValue => Array.isArray(words) && words.length > 0 &&
    html`<p>${title}: ${words.map((word, at) => [at > 0 && ', ', html`<code>${String(word)}</code>`])}</p>`
  return html`<p class="note">Nothing was found.</p>
${list('Venues with a like name', venues)}
${list('There are hits without', drop)}`
}

function resultTable({ results, total }: Sent<'Search'>): Markup {
  const more = total > results.length && html` The first ${countText(results.length)} are shown: more words find less.`
  return html`<p class="faint">${countOf(total, 'instrument')}.${more}</p>
<div class="scroll"><table><thead><tr><th scope="col">Instrument</th><th scope="col">Venue</th>
<th scope="col" class="wide">Class</th><th scope="col" class="number">Days</th>
<th scope="col" class="wide">From, to</th><th scope="col" class="number wide">Size</th></tr></thead>
<tbody>${results.map(({ instrument_id: id, code, type, exchange, data }) => html`<tr>
<td><a href="/shop?i=${id}">${code}</a></td><td>${exchange.name}</td><td class="wide">${type}</td>
<td class="number">${countText(data.days)}</td>
<td class="wide">${data.first_day ?? ''}${data.first_day !== null && ' to '}${data.last_day ?? ''}</td>
<td class="number wide">${sizeText(data.total_bytes)}</td></tr>`)}</tbody></table></div>`
}

/** Every series that is sold. */
export async function bundlesPage(answers: RouteAnswers): Promise<ShopReply> {
  const { bundles } = await answers.of('bundles', {})
  const rows = bundles.map(({ series_key: key, kind, price_cents: cents, coverage }) => html`<tr>
<td><a href="/shop/bundles?bundle=${encodeURIComponent(key)}">${key}</a></td>
<td class="wide">${kind.replaceAll('_', ' ')}</td><td class="number">${countText(coverage.days_with_data)}</td>
<td class="wide">${coverage.first_day ?? ''}${coverage.first_day !== null && ' to '}${coverage.last_day ?? ''}</td>
<td class="number">${euroText(cents)}</td></tr>`)
  const table = html`<div class="scroll"><table><thead><tr><th scope="col">Series</th><th scope="col" class="wide">Kind
</th><th scope="col" class="number">Days</th><th scope="col" class="wide">From, to</th>
<th scope="col" class="number">Price of a day</th></tr></thead><tbody>${rows}</tbody></table></div>`
  return shopPage({
    title: 'Bundles', here: 'catalogue', content: html`<h1>Bundles</h1>
<p class="lead">A bundle day has every contract of its series, in one archive.</p>
${bundles.length === 0 ? html`<p class="note">There are none.</p>` : table}
<p><a href="/shop">Instruments</a></p>`,
  })
}

/** The days of an instrument or a series, to be chosen. */
export function calendarPage({ title, lead, kind, field: [name, value], days }: CartGood): ShopReply {
  const months = monthsOf(days)
  const years = [...new Set(months.map((month) => month.slice(0, 4)))]
  const [oldest] = days
  const newest = days.at(-1)
  const calendar = years.map((year, at) => html`<details${at === 0 && html` open`}><summary>${year}</summary>
${dayCalendar(days, months.filter((month) => month.startsWith(year)))}</details>
`)
  const { path } = SHOP.routes[kind === 'tick' ? 'cart' : 'bundleCart']
  const form = html`<form action="${path}"><input type="hidden" name="${name}" value="${value}">
<div class="line"><label><span>Days: tick them below, or write them here</span>
<input name="d" maxlength="${SHOP.schemas.CartQuery.properties.d.maxLength}" autocomplete="off"
 placeholder="${oldest?.date ?? ''}..${newest?.date ?? ''}"></label>
<button class="main">To the cart</button></div>
${calendar}
<p class="buttons"><button class="main">To the cart</button></p></form>`
  const ends = `${oldest?.date ?? ''} to ${newest?.date ?? ''}`
  return shopPage({
    title, here: 'catalogue', content: html`<h1>${title}</h1>
<p class="lead">${lead}</p>
<p>${days.length > 0 && `${countOf(days.length, 'day')}, ${ends}, ${sizeText(bytesOfDays(days))}`}</p>
${days.length === 0 ? html`<p class="note">No day of it is sold yet.</p>` : form}`,
  })
}
