import { describe, expect, test } from 'vitest'
import { escapedText, html } from '../../src/web/page-markup.js'

describe('markup of a page', () => {
  test.each([
    ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'], ['<!--', '&lt;!--'], ['"\'&', '&quot;&#39;&amp;'], ['a\u0000b\u202e', 'a\ufffdb\ufffd'], ['&amp;', '&amp;amp;'],
  ])('%j is text', (text, expected) => {
    expect(escapedText(text)).toBe(expected)
    expect(html`<b title="${text}">${[text, [text]]}</b>`.text).toBe(`<b title="${expected}">${expected}${expected}</b>`)
  })

  test('nothing is nothing, 0 is 0, markup is markup', () => {
    expect(html`${null}${undefined}${false}${0}${html`<i>${'<'}</i>`}`.text).toBe('0<i>&lt;</i>')
  })
})
