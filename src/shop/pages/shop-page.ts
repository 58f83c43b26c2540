import { createHash } from 'node:crypto'
import { policyHeader } from '../../web/answer-headers.js'
import { html, Markup, type MarkupValue } from '../../web/page-markup.js'
import type { TextReply } from '../../web/rest/rest-reply.js'
import { SHOP_STYLE } from './shop-style.js'

/** The parts of a page that differ. */
interface PageParts {
  readonly title: string
  readonly content: MarkupValue
  /** The entry of the menu that this page is. */
  readonly here?: 'catalogue' | 'account'
  /** Default 200. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

const STYLE_DIGEST = createHash('sha256').update(SHOP_STYLE).digest('base64')

/** Nothing is loaded from anywhere, no script runs, and forms go to this server alone. */
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_DIGEST}'; img-src data:; form-action 'self'; ` +
  'base-uri \'none\''

/**
 * Headers of a page with forms. A browser sends its `Origin` with a form only where the page states where it is from:
 * so a page shows that to its own server alone.
 */
const PAGE_HEADERS: Readonly<Record<string, string>> = { ...policyHeader(POLICY), 'referrer-policy': 'same-origin' }

/** A page of the shop. */
export function shopPage({ title, content, here, status = 200, headers = {} }: PageParts): TextReply {
  const current = (name: PageParts['here']): MarkupValue => name === here && html` aria-current="page"`
  const page = html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<link rel="icon" href="data:,">
<title>${title} · Backtape shop</title>
<style>${new Markup(SHOP_STYLE)}</style>
<a class="skip" href="#main">To the content</a>
<header><a class="brand" href="/shop">Backtape shop</a>
<nav aria-label="Shop"><a href="/shop"${current('catalogue')}>Catalogue</a>
<a href="/account"${current('account')}>Account</a></nav></header>
<hr class="rule">
<main id="main">
${content}
</main>
<hr class="rule">
<footer>A local shop over your own files. No money moves here. <a href="/llms.txt">For programs</a></footer>
</html>
`
  return { kind: 'text', status, media: 'text/html', text: page.text, headers: { ...PAGE_HEADERS, ...headers } }
}

/** The page of a refusal: its sentence, and the way back. */
export function refusalPage(status: number, sentence: string): TextReply {
  return shopPage({
    title: String(status), status,
    content: html`<h1>${sentence}</h1>
<p class="faint">Status ${status}</p>
<p class="buttons"><a class="button" href="/shop">To the catalogue</a></p>`,
  })
}
