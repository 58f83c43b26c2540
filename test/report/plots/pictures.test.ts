import { readFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Picture } from '../../../src/report/plots/picture.js'
import { pictures } from '../../../src/report/plots/pictures.js'
import { durationText, timeTicks } from '../../../src/report/plots/time-ticks.js'
import { escapeText, shortText } from '../../../src/report/plots/svg-text.js'

const EVIL = '</title><script>alert("1")</script>&\u0000\ud800'
const floats = (...values: number[]): Float64Array => Float64Array.from(values)
const times = floats(1_721_347_200_000, 1_721_347_260_000, 1_721_347_320_000)
const START = 1_721_347_200_000

/** Each picture of three rows of values, its texts being `name`. */
const KINDS: Record<string, (values: Float64Array, name: string) => Picture> = {
  line: (values, name) => pictures.line([{ name, epochMs: times, values }, { name: 'two', epochMs: times, values }], { unit: name, label: name }),
  price: (values, name) => pictures.price({ trades: { epochMs: times, prices: values }, quotes: { epochMs: times, bids: values, asks: values }, fills: { epochMs: times, prices: values, sides: Uint8Array.of(0, 1, 0) } }, { title: name, unit: name }),
  book: (values, name) => pictures.book({
    book: { epochMs: times, rowStarts: Uint32Array.of(0, 1, 2, 3), prices: values, quantities: values },
    orders: { fromMs: times, toMs: times, prices: values, sides: Uint8Array.of(0, 1, 0) }, fills: { epochMs: times, prices: values, sides: Uint8Array.of(0, 1, 0) },
  }, { title: name, unit: name, quantityUnit: name }),
  depth: (values, name) => pictures.depth({ bidPrices: values, bidQuantities: values, askPrices: values, askQuantities: values }, { title: name, unit: name, quantityUnit: name }),
  spread: (values, name) => pictures.spread({ epochMs: times, spreads: values, bidDepths: values, askDepths: values }, { title: name, unit: name, depthUnit: name }),
  equity: (values, name) => pictures.equity({ epochMs: times, equity: values }, { title: name, unit: name }),
  markOuts: (values, name) => pictures.markOuts([{ name, horizonsMs: floats(100, 1_000, 60_000), means: values }], { unit: name }),
  latency: (values, name) => pictures.latency([{ name, latenciesMs: values }, { name: 'two', latenciesMs: floats(1, 2, 3), shares: values }], { title: name }),
  coverage: (values, name) => pictures.coverage({ names: values.some(Number.isFinite) ? [name] : [], nameIndices: Uint32Array.of(0, 0, 9), epochDays: Int32Array.of(19_900, 19_901, 19_904), shares: values, damaged: Uint8Array.of(0, 1, 0) }, { title: name }),
  smile: (values, name) => pictures.smile([{ name, strikes: floats(1, 2, 3), volatilities: values }], { unit: name, underlyingPrice: 2 }),
  pairs: (values, name) => pictures.pairs({ columns: [name, 'b', 'c'], rows: [name], values }, { columnLabel: name, rowLabel: name, unit: name, note: name, framed: 1 }),
  histogram: (values, name) => pictures.histogram(values, { label: name, unit: name }),
}

const kinds = Object.entries(KINDS)

test('every picture is tried', () => {
  expect(Object.keys(KINDS).sort()).toEqual(Object.keys(pictures).sort())
})

describe.each(kinds)('the picture %s', (_, draw) => {
  test('has the same bytes for the same input', () => {
    expect(draw(floats(3, 1, 2), 'one').svg).toBe(draw(floats(3, 1, 2), 'one').svg)
  })

  test('shows texts as texts, and loads nothing', () => {
    const { svg } = draw(floats(3, 1, 2), EVIL)
    expect(svg).not.toMatch(/<script|<\/title><(?!style>)|\u0000|[\ud800-\udfff]/iu)
    expect(svg).toMatch(/^<svg [^<]*<title>[^<]*<\/title><style>[^<]*<\/style><rect /)
    expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|url\(|href|@import|NaN|Infinity|undefined|\son\w+=/)
    expect(svg.match(/<[a-z]+/g)!.every((tag) => /^<(svg|title|style|g|path|line|rect|text|tspan)$/.test(tag))).toBe(true)
  })

  test.each([
    ['one value', floats(5, 5, 5)], ['zeros', floats(0, 0, 0)], ['a gap', floats(1, NaN, 2)], ['huge values', floats(-1e300, 1e300, 0)],
    ['tiny values', floats(1e-12, 2e-12, 0)], ['infinite values', floats(Infinity, -Infinity, 1)],
  ])('draws %s', (__, values) => {
    const { svg } = draw(values, 'one')
    expect(svg).not.toMatch(/NaN|Infinity|undefined/)
    expect(svg).not.toContain('>no data<')
  })

  test.each([['nothing', floats()], ['no finite value', floats(NaN, Infinity, NaN)]])('says no data for %s', (__, values) => {
    const { svg } = draw(values, 'one')
    expect(svg).toContain('>no data<')
    expect(svg).not.toMatch(/NaN|Infinity|undefined/)
  })
})

describe('the themes', () => {
  const columns = { epochMs: times, equity: floats(1, 2, 1) }

  test('follow the reader unless one is fixed', () => {
    expect(pictures.equity(columns).svg).toContain('prefers-color-scheme:dark')
    const dark = pictures.equity(columns, { theme: 'dark' }).svg
    expect(dark).not.toContain('prefers-color-scheme')
    expect(dark).toContain('.bt-dark .bt-ground{fill:#15191e}')
  })

  test('have a PNG of the width that is asked for', () => {
    const picture = pictures.equity(columns)
    const png = picture.toPng({ width: 300 })
    expect(Buffer.from(png).readUInt32BE(16)).toBe(300)
    expect(png).not.toEqual(picture.toPng({ width: 300, theme: 'dark' }))
  })

  test.each([0, 15, 8_193, 1.5, NaN])('refuse a PNG of width %d', (width) => {
    expect(() => pictures.equity(columns).toPng({ width })).toThrow(/width must be a whole number from 16 to 8192/)
  })

  test('refuse a PNG without a font', () => {
    expect(() => pictures.equity(columns).toPng({ fontFiles: ['no-such-font.ttf'] })).toThrow(/no font found/)
  })
})

test('a picture is written whole as SVG or PNG, and over what exists only by force', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'backtape-pictures-'))
  try {
    const picture = pictures.histogram(floats(1, 2, 3))
    await picture.write(join(folder, 'a.svg'))
    expect(readFileSync(join(folder, 'a.svg'), 'utf8')).toBe(picture.svg)
    await expect(picture.write(join(folder, 'a.svg'))).rejects.toMatchObject({ code: 'OUTPUT_EXISTS' })
    await picture.write(join(folder, 'a.PNG'), { width: 200 })
    await picture.write(join(folder, 'a.svg'), { force: true })
    expect(readFileSync(join(folder, 'a.PNG')).subarray(1, 4).toString()).toBe('PNG')
    await expect(picture.write(join(folder, 'a.jpg'))).rejects.toMatchObject({ code: 'OPTION_INVALID' })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('captions say what was left out', () => {
  const many = Float64Array.from({ length: 5_000 }, (_, index) => START + index * 1_000)
  const values = many.map((_, index) => index % 17)
  expect(pictures.line([{ name: 'x', epochMs: many, values }]).caption).toBe('5,000 points, drawn as first, lowest, highest and last of each pixel column')
  expect(pictures.price({ fills: { epochMs: many, prices: values, sides: new Uint8Array(5_000) } }).caption).toMatch(/^[\d,]+ of 5,000 own fills drawn$/)
  expect(pictures.histogram(floats(1, 2, NaN)).caption).toMatch(/2 values.*; 1 that are no finite numbers left out/)
  expect(pictures.latency([{ name: 'x', latenciesMs: floats(0, -1, 5) }]).caption).toMatch(/2 of 0 or less/)
})

test('a point out of time order is drawn in its place', () => {
  const of = (epochMs: Float64Array, values: Float64Array): string => pictures.line([{ name: 'x', epochMs, values }]).svg
  expect(of(floats(START + 5, START, START + 9), floats(2, 1, 3))).toBe(of(floats(START, START + 5, START + 9), floats(1, 2, 3)))
})

describe('time marks', () => {
  test.each([
    [0, 300_000, 4, ['00:00\n1970-01-01', '00:02', '00:04']], [0, 300_000, 10, ['00:00:00\n1970-01-01', '00:00:30', '00:01:00']],
    [86_390_000, 86_420_000, 4, ['23:59:50\n1970-01-01', '00:00:00\n1970-01-02', '00:00:10']], [0, 4, 5, ['00:00:00.000\n1970-01-01', '00:00:00.001', '00:00:00.002']],
    [0, 3 * 86_400_000, 4, ['1970-01-01', '1970-01-02', '1970-01-03']], [0, 400 * 86_400_000, 8, ['1970-01', '1970-03', '1970-05']],
  ])('from %i to %i, at most %i', (from, to, most, expected) => {
    const { labels, epochMs } = timeTicks(from, to, most)
    expect(labels.slice(0, 3)).toEqual(expected)
    expect(epochMs.length).toBeLessThanOrEqual(most + 1)
  })

  test.each([[NaN, 1], [5, 1], [-9e15, 9e15], [0, Infinity]])('from %d to %d there are none', (from, to) => {
    expect(timeTicks(from, to, 5).epochMs).toEqual([])
  })

  test.each([[0, '0 ms'], [1, '1 ms'], [0.0125, '12.5 µs'], [0.000001, '1 ns'], [60_000, '1 min'], [-1_500, '-1.5 s'], [5_400_000, '1.5 h'], [172_800_000, '2 d']])('%d ms is %s', (ms, text) => {
    expect(durationText(ms)).toBe(text)
  })
})

test.each([['<a href="x">&\'', '&lt;a href=&quot;x&quot;&gt;&amp;&#39;'], ['\u0007\u0085\ud83d', '\ufffd\ufffd\ufffd'], ['\ud83d\ude00\t\n', '\ud83d\ude00\t\n']])('%j as text of a picture', (text, expected) => {
  expect(escapeText(text)).toBe(expected)
})

test('a long text ends in an ellipsis', () => {
  expect([shortText('a\nb  c', 5), shortText('abcdef', 5), shortText('\ud83d\ude00'.repeat(9), 3)]).toEqual(['a b c', 'abcd…', '\ud83d\ude00\ud83d\ude00…'])
})
