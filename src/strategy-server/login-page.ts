import { createHash } from 'node:crypto'
import { policyHeader } from '../web/answer-headers.js'
import { html, Markup, type MarkupValue } from '../web/page-markup.js'
import { PAGE_COLOURS, pageStyle } from '../web/page-style.js'
import type { TextReply } from '../web/rest/rest-reply.js'

const STYLE = `${pageStyle(PAGE_COLOURS, { size: '16px/1.55' })}
main{max-width:30rem;margin:0 auto;padding:2.5rem 1.1rem}
h1{font-size:1.5rem;font-weight:650;margin:0 0 .8rem}
label span{display:block;margin-bottom:.2rem;color:var(--faint);font-size:.9rem}
input,button{padding:.5rem .7rem;border-color:var(--line);border-radius:.45rem;background:var(--ground)}
input{width:100%}
button{cursor:pointer;font-weight:550;margin-top:.9rem}
.faint{color:var(--faint);font-size:.9rem}
`
const STYLE_DIGEST = createHash('sha256').update(STYLE).digest('base64')
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_DIGEST}'; img-src data:; form-action 'self'; ` +
  'base-uri \'none\''
/** With a form a browser sends its `Origin` only where the page states where it is from. */
const HEADERS: Readonly<Record<string, string>> = { ...policyHeader(POLICY), 'referrer-policy': 'same-origin' }

function page(title: string, status: number, content: MarkupValue): TextReply {
  const { text } = html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<link rel="icon" href="data:,">
<title>${title} · Backtape strategy server</title>
<style>${new Markup(STYLE)}</style>
<main>
<h1>${title}</h1>
${content}
</main>
</html>
`
  return { kind: 'text', status, media: 'text/html', text, headers: HEADERS }
}

/** The page that asks for the token of the server; `to` is the path that the browser asked for. */
export function loginPage(to: string, { status = 200, isWrong = false }: {
  readonly status?: number, readonly isWrong?: boolean,
} = {}): TextReply {
  return page('Log in', status, html`${isWrong && html`<p role="alert">This is not the token of the server.</p>`}
<form method="post" action="/login"><input type="hidden" name="to" value="${to}">
<label><span>Token of the server</span>
<input type="password" name="token" required maxlength="200" autocomplete="current-password"></label>
<button>Log in</button></form>
<p class="faint">It stands in the file that the server was started with (<code>tokenFile</code>).</p>`)
}

/** The page of a browser that has logged in. */
export function loggedInPage(): TextReply {
  return page('You are logged in', 200, html`<form method="post" action="/logout"><button>Log out</button></form>`)
}

/** The page of another refusal. */
export function refusedPage(status: number, sentence: string): TextReply {
  return page(sentence, status, html`<p class="faint">Status ${status}</p>`)
}
