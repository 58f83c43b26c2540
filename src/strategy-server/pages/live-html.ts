import { policyHeader } from '../../web/answer-headers.js'
import type { TextReply } from '../../web/rest/rest-reply.js'
import { LIVE_STYLE } from './live-style.js'

/** Script and style are files of this server; nothing is loaded from elsewhere, and it talks to its server alone. */
const POLICY = 'default-src \'none\'; script-src \'self\'; style-src \'self\'; connect-src \'self\'; img-src data:; ' +
  'base-uri \'none\'; form-action \'none\''

const HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Strategies</title>
<link rel="stylesheet" href="/live/style.css">
</head>
<body>
<noscript>This page needs its script.</noscript>
<div id="live"><p class="wait">Connecting ...</p></div>
<script src="/live/script.js"></script>
</body>
</html>
`

/** The page of the live view. */
export const livePage: TextReply = {
  kind: 'text', status: 200, media: 'text/html', text: HTML, headers: policyHeader(POLICY),
}

/** Its style. */
export const liveStyle: TextReply = { kind: 'text', status: 200, media: 'text/css', text: LIVE_STYLE }

/** Its script. */
export function liveScript(text: string): TextReply {
  return { kind: 'text', status: 200, media: 'text/javascript', text }
}
