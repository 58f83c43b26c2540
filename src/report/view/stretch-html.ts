import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { isSecretName, LEFT_OUT, redactedJson, redactedText } from '../redaction.js'
import { PAGE_STYLE } from '../../panels/page-style.js'
import type { StretchColumns } from '../../panels/stretch-columns.js'
import { packedStretch } from './stretch-packing.js'

/** A text as HTML shows it. */
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`)
}

function sourceOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

/** The policy of the page: its own script and its own style, known by their digests, and nothing of any network. */
export function pagePolicy(script: string): string {
  return [
    'default-src \'none\'', `script-src ${sourceOf(script)}`, `style-src ${sourceOf(PAGE_STYLE)}`, 'img-src data:',
    'base-uri \'none\'', 'form-action \'none\'',
  ].join('; ')
}

/** The columns as they may be handed on: without absolute paths and secrets. */
function shareable(columns: StretchColumns): StretchColumns {
  const { name, facts, lines } = columns
  return {
    ...columns, name: redactedText(name),
    facts: facts.map(([word, value]) => [word, isSecretName(word) ? LEFT_OUT : redactedText(value)] as const),
    lines: { ...lines, text: lines.text.map(redactedJson) },
  }
}

/**
 * The page of a stretch: one file of HTML with everything in it, that opens from a folder and asks no network for
 * anything. Absolute paths are cut to their last name, and secrets are left out. `script` is the built script of the
 * viewer. Names, log lines and codes are text in it, never markup. Equal columns give equal pages on one version of
 * Node, whose zlib decides the bytes.
 */
export function stretchHtml(given: StretchColumns, script: string): string {
  const columns = shareable(given)
  const data = gzipSync(packedStretch(columns), { level: 9 }).toString('base64')
  const title = escaped(`${columns.name} - a stretch of a run`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${pagePolicy(script)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>${title}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<noscript>This page needs its script, which is in the file itself.</noscript>
<div id="view"><p class="wait">Opening the stretch ...</p></div>
<script type="application/octet-stream" id="stretch">${data}</script>
<script>${script}</script>
</body>
</html>
`
}
