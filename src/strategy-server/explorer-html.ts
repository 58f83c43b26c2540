import { html } from '../web/page-markup.js'
import { PAGE_COLOURS, pageStyle } from '../web/page-style.js'

/** The policy of the page: nothing from elsewhere, no script and no style within it. */
export const EXPLORER_POLICY: string = [
  'default-src \'none\'', 'script-src \'self\'', 'style-src \'self\'', 'img-src \'self\' data:', 'connect-src \'self\'',
  'font-src data:', 'base-uri \'none\'', 'form-action \'none\'',
].join('; ')

/** The page of the explorer: a bar on top, and the place of Swagger UI below. `links` are those of the bar. */
export function explorerHtml(links: readonly (readonly [path: string, words: string])[]): string {
  const { text } = html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Strategy server</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/explorer/swagger-ui.css">
<link rel="stylesheet" href="/explorer/explorer.css">
<script src="/explorer/swagger-ui-bundle.js" defer></script>
<script src="/explorer/explorer.js" defer></script>
</head>
<body>
<header><strong>Strategy server</strong><nav aria-label="Pages">${links.map(([path, words]) => html`
<a href="${path}">${words}</a>`)}</nav></header>
<main id="explorer"><noscript>The explorer needs JavaScript; /openapi.json describes the interface.</noscript></main>
</body>
</html>
`
  return `<!doctype html>\n${text}`
}

/** The style of the bar, and of what Swagger UI shows too faint to be read. */
export const EXPLORER_STYLE: string = `${pageStyle(PAGE_COLOURS, { size: '15px/1.5' })}
:root{color-scheme:light}
html{background:#fff;color:#1f2328}
header{display:flex;gap:1.5rem;align-items:center;padding:.6rem 1.2rem;background:#1d232a;color:#fff}
header nav{display:flex;gap:1rem}
header a{color:#9fd3f5}
.swagger-ui .opblock .opblock-summary-description,.swagger-ui .response-col_links,
.swagger-ui .parameter__type,.swagger-ui .parameter__in,.swagger-ui .prop-format,.swagger-ui .info .link,
.swagger-ui .opblock-tag small,.swagger-ui .info .base-url,.swagger-ui .property.primitive{color:#3b4151;opacity:1}
.swagger-ui .response-control-media-type__accept-message{color:#0b6b00}
.swagger-ui .btn.authorize{color:#1b6b42;border-color:#1b6b42}
.swagger-ui .btn.authorize span{color:#1b6b42}
.swagger-ui .opblock.opblock-get .opblock-summary-method{background:#0b5ea8;text-shadow:none}
.swagger-ui .opblock.opblock-post .opblock-summary-method{background:#1b6b42;text-shadow:none}
.swagger-ui .btn.cancel,.swagger-ui .try-out__btn.cancel{color:#a40e26;border-color:#a40e26}
.swagger-ui .btn.execute{background:#0b5ea8;border-color:#0b5ea8}
.swagger-ui .highlight-code .download-contents{background:#3b4151;color:#fff}
.swagger-ui .info .title small,.swagger-ui .info .title small.version-stamp{background:#3b4151}
.swagger-ui .info .title small pre{color:#fff}
.swagger-ui .parameter__name.required::after,.swagger-ui .parameter__name.required span{color:#b00020}
`

/** The script of the page: it shows the description; examples name the first instance and strategy that are there. */
export const EXPLORER_SCRIPT = `'use strict'
const read = async (path) => {
  const response = await fetch(path)
  return response.ok ? response.json() : []
}
// What Swagger UI gives no name, and no key reaches.
const LABELS = [
  ['textarea', 'aria-label', 'Request body'], ['select', 'aria-label', 'Choice'], ['input', 'aria-label', 'Value'],
  ['.microlight', 'tabindex', '0'],
]
const label = () => {
  for (const [selector, name, value] of LABELS)
    for (const one of document.querySelectorAll('#explorer ' + selector + ':not([' + name + '])'))
      one.setAttribute(name, value)
}
new MutationObserver(label).observe(document.getElementById('explorer'), { childList: true, subtree: true })
const show = async () => {
  const [spec, strategies, instances] = await Promise.all(
    ['/openapi.json', '/api/v1/strategy', '/api/v1/strategy/instance'].map(read))
  const strategy = strategies.find((one) => one.strategyName !== undefined)
  const [instance] = instances
  for (const operation of Object.values(spec.paths).flatMap((path) => Object.values(path))) {
    for (const parameter of operation.parameters ?? [])
      if (parameter.name === 'instanceId' && instance !== undefined) parameter.example = instance.instanceId
    for (const media of Object.values(operation.requestBody?.content ?? {})) {
      const { example } = media
      if (example?.instanceIds !== undefined && instance !== undefined) example.instanceIds = [instance.instanceId]
      if (example?.strategyName === undefined || strategy === undefined) continue
      example.strategyName = strategy.strategyName
      const needed = strategy.parameters.filter((one) => !one.optional)
      example.parameters = Object.fromEntries(
        needed.map((one) => [one.name, example.parameters[one.name] ?? exampleOf(one)]))
    }
  }
  globalThis.SwaggerUIBundle({
    spec, dom_id: '#explorer', deepLinking: false, validatorUrl: null, tryItOutEnabled: true, docExpansion: 'list',
    defaultModelsExpandDepth: 0, syntaxHighlight: false,
  })
}
const exampleOf = ({ type, min, parameters }) => {
  if (parameters !== undefined) return Object.fromEntries(parameters.map((one) => [one.name, exampleOf(one)]))
  if (/^List/.test(type)) return []
  if (/^(?:Integer|Long|Float|Double)$/.test(type)) return Number(min ?? 1)
  if (type === 'Boolean') return true
  if (/^(?:BigDecimal|Price|Quantity)$/.test(type)) return min ?? '1'
  return /Instrument$/.test(type) ? 'BTCUSDT' : 'account'
}
void show()
`
