import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { readPageScript } from '../../../src/report/view/page-script-reader.js'
import type { StretchColumns } from '../../../src/panels/stretch-columns.js'
import { stretchHtml } from '../../../src/report/view/stretch-html.js'
import { packedStretch, unpackedStretch } from '../../../src/report/view/stretch-packing.js'

const MARKUP = '</script><script>alert(1)</script><img src=x onerror=alert(2)>'

const STRETCH: StretchColumns = {
  format: 'backtape-stretch/1', name: MARKUP, facts: [['parameters', MARKUP]], fromEpochNs: '1782950280000000001', levelCount: 5, unseenCount: 2,
  events: { kind: [0, 2, 9, 1], timeNs: [0, 5, 5, 1_000], instrument: [-1, 0, -1, -1] },
  instruments: [{
    name: `test:${MARKUP}`, priceScale: 2, quantityScale: 0, levels: { event: [0, 0, 1], side: [0, 1, 1], price: [100, 101, 101], quantity: [5, 7, 0] },
    trades: { event: [], side: [], price: [], quantity: [] }, states: { event: [0], state: ['READY'] },
  }],
  orders: [], orderRows: { event: [], order: [], state: [], price: [], total: [], executed: [], ahead: [] },
  fills: { order: [], event: [], receipt: [], price: [], quantity: [], cause: [], ahead: [], isMaker: [], fee: [], position: [] },
  positions: [], lines: { event: [2], text: [`{"kind":"log","text":"${MARKUP}"}`] },
}

describe('the page of a stretch', () => {
  test('packed columns come back as they were', () => {
    const fills = { ...STRETCH.fills, order: [0, 0, 0], event: [7, -1, 3], receipt: [9, 4, -1] }
    expect(unpackedStretch(packedStretch({ ...STRETCH, fills }))).toEqual({ ...STRETCH, fills })
  })

  test('names, log lines and codes are text in it, never markup', async () => {
    const html = stretchHtml(STRETCH, await readPageScript())
    expect(html).not.toMatch(/<script>alert|<img/)
    expect(html.match(/<script/g)).toHaveLength(2)
    expect(html).toContain('<title>&#60;/script&#62;&#60;script&#62;')
    const data = /id="stretch">([A-Za-z0-9+/=]+)<\/script>/.exec(html)?.[1] ?? ''
    expect(unpackedStretch(gunzipSync(Buffer.from(data, 'base64')).toString())).toEqual(STRETCH)
  })

  test('absolute paths are cut and secrets are left out, in packed lines too; numbers stay', async () => {
    const text = JSON.stringify({ kind: 'log', text: '/home/ann/key.pem C:\\Users\\ann\\x.txt Bearer abcdef0123456789abcdef0123456789' }).replace('{', '{"at":12345678901234567890,')
    const secret: StretchColumns = { ...STRETCH, facts: [['apiKey', 'abc'], ['data', '/home/ann/days/x.zst']], lines: { event: [2], text: [text] } }
    const data = /id="stretch">([A-Za-z0-9+/=]+)<\/script>/.exec(stretchHtml(secret, await readPageScript()))?.[1] ?? ''
    const shown = unpackedStretch(gunzipSync(Buffer.from(data, 'base64')).toString())
    expect(JSON.stringify(shown)).not.toMatch(/ann|abcdef|abc"/)
    expect(shown.lines.text).toEqual(['{"at":12345678901234567890,"kind":"log","text":"x.txt Bearer (left out)"}'])
    expect(shown.facts).toEqual([['apiKey', '(left out)'], ['data', 'x.zst']])
  })

  test('allows its own script and style by their digests, and nothing of any network', async () => {
    const script = await readPageScript()
    const html = stretchHtml(STRETCH, script)
    const policy = /Content-Security-Policy" content="([^"]+)"/.exec(html)?.[1] ?? ''
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; img-src data:; base-uri 'none'; form-action 'none'$/)
    expect(script).not.toMatch(/\beval\(|new Function|https?:|innerHTML|insertAdjacentHTML|document\.write/)
    expect(html).not.toMatch(/ (?:style|on[a-z]+)="/)
    expect(stretchHtml(STRETCH, script)).toBe(html)
  })
})
