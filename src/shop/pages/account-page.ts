import { html, type Markup } from '../../web/page-markup.js'
import type { ShopReply } from '../server/shop-reply.js'
import type { ShopRealtimeDays } from '../server/shop-settings.js'
import { shopPage } from './shop-page.js'

/** The page that asks for the token of an account; `isWrong`: the one given is of none. */
export function signInPage(token: string, isWrong: boolean): ShopReply {
  const content = html`<h1>Account</h1>
<p class="lead">Nothing in this shop needs one. An account has the realtime key, and keeps what it bought.</p>
${isWrong && html`<p class="note" role="alert">This token is of no account.</p>`}
<form class="box" method="post" action="/account/sign-in"><input type="hidden" name="csrf" value="${token}">
<label><span>Token of the account</span>
<input type="password" name="token" required maxlength="500" autocomplete="current-password"></label>
<p class="buttons"><button class="main">Sign in</button></p>
<p class="faint">Accounts stand in the configuration of the server, as <code>shop.accounts</code>.</p></form>`
  return shopPage({ title: 'Account', here: 'account', content, status: isWrong ? 404 : 200 })
}

/** An account as its page shows it. */
export interface AccountView {
  readonly name: string
  /** Null: it has none yet. */
  readonly realtimeKey: string | null
  readonly realtimeDays: readonly ShopRealtimeDays[]
}

/** The page of an account. `token` is that of its forms. */
export function accountPage({ name, realtimeKey, realtimeDays }: AccountView, token: string): ShopReply {
  const days = realtimeDays.length === 0 ? html`<p>It has no realtime days.</p>` : daysTable(realtimeDays)
  const csrf = html`<input type="hidden" name="csrf" value="${token}">`
  const content = html`<h1>${name}</h1>
<p class="lead">You are signed in.</p>
<section class="box"><h2>Realtime key</h2>
${realtimeKey === null ? html`<p>The first realtime day makes it.</p>` : html`<p><code>${realtimeKey}</code></p>
<form method="post" action="/account">${csrf}
<p class="buttons"><button>Make a new one</button></p>
<p class="faint">The old key ends at its next login. Bought days stay.</p></form>`}</section>
<h2>Realtime days</h2>
${days}
<p class="faint">A paid day opens at the next UTC midnight; the rest of the day of purchase is free. Realtime days cost
49 EUR an instrument or 99 EUR a market. The interface shows no route to buy them, so none can be bought here.</p>
<form method="post" action="/account/sign-out">${csrf}<p class="buttons"><button>Sign out</button></p></form>`
  return shopPage({ title: 'Account', here: 'account', content })
}

/** A row for each purchase. */
function daysTable(purchases: readonly ShopRealtimeDays[]): Markup {
  const rows = purchases.map(({ bought, markets = [], instruments = [], days }) => html`<tr>
<td class="day">${bought}</td><td>${[...markets, ...instruments].join(', ')}</td><td>${days.join(', ')}</td></tr>`)
  return html`<div class="scroll"><table><thead><tr><th scope="col">Bought</th>
<th scope="col">Market or instrument</th><th scope="col">Days</th></tr></thead><tbody>${rows}</tbody></table></div>`
}
