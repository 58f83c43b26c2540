import { createHash } from 'node:crypto'
import { html, Markup } from '../../web/page-markup.js'
import { PAGE_SCRIPT } from './page-script.js'
import { PAGE_STYLE } from './page-style.js'

/** A section of a page; its id is the anchor of the list of contents. */
export interface PageSection {
  readonly id: string
  readonly title: string
  readonly content: Markup
}

/** A page as its parts. */
export interface PageParts {
  readonly title: string
  readonly lead: Markup
  readonly sections: readonly PageSection[]
  readonly footer: Markup
}

/** Nothing of a page may ask for anything: only its own style and its one script, known by its digest, are allowed. */
function policy(): string {
  const digest = createHash('sha256').update(PAGE_SCRIPT).digest('base64')
  return `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${digest}'; img-src data:; ` +
    `base-uri 'none'; form-action 'none'`
}

/** A whole page of HTML: one file that asks for nothing else. */
export function pageText({ title, lead, sections, footer }: PageParts): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy()}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${new Markup(PAGE_STYLE)}</style>
</head>
<body>
<div class="page">
<header>${lead}</header>
<nav aria-label="Contents"><ul>${sections.map(({ id, title: name }) => html`<li><a href="#${id}">${name}</a></li>
`)}</ul></nav>
<main>${sections.map(({ id, title: name, content }) => html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${name}</h2>
${content}
</section>
`)}
<footer>${footer}</footer>
</main>
</div>
<script>${new Markup(PAGE_SCRIPT)}</script>
</body>
</html>
`.text
}
