import { inspect } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import { DayBook } from '../../src/day/day-book.js'
import { BacktapeError } from '../../src/model/error.js'
import { cellText, htmlText, shownFacts, shownTable } from '../../src/model/display-table.js'
import { showAs } from '../../src/model/display.js'
import { Price } from '../../src/model/fixed-decimal.js'
import { createTable } from '../../src/tables/table.js'

const EVIL = '<script>alert("1")</script>\u001b[31m\u202e\n'
const scope = globalThis as { __tslab__?: unknown }

/** Runs as in a notebook of tslab; gives the HTML that was sent. */
function inTslab(work: () => void): string[] {
  const sent: string[] = []
  scope.__tslab__ = { require: () => ({ display: { html: (text: string) => void sent.push(text) } }) }
  work()
  return sent
}

afterEach(() => {
  delete scope.__tslab__
})

const numbers = (count: number): ReturnType<typeof createTable> => createTable([
  { name: 'ts', type: { form: 'timestamp' }, nullable: false, values: Array.from({ length: count }, (_, index) => BigInt(index) * 1_500_000_000n) },
  { name: EVIL, type: { form: 'text' }, nullable: true, values: Array.from({ length: count }, (_, index) => index === 1 ? null : EVIL) },
])

describe('a table', () => {
  test.each([[0, 0, '0 rows'], [1, 1, '1 row'], [20, 20, '20 rows'], [21, 21, '21 rows'], [1_234, 21, '1,234 rows']])('of %i rows shows %i lines', (count, lines, words) => {
    const text = inspect(numbers(count))
    expect(text.split('\n').length).toBe(lines + 2)
    expect(text).toContain(words)
    expect(text).not.toContain('[Array]')
  })

  test('shows its first and its last ten rows, and dots between them', () => {
    const lines = inspect(numbers(100)).split('\n').slice(2)
    expect(lines[0]).toMatch(/^ *1970-01-01T00:00:00Z/)
    expect(lines[1]).toMatch(/^ *1970-01-01T00:00:01.5Z *$/)
    expect(lines[10]).toMatch(/^ +… {2}…$/)
    expect(lines[20]).toMatch(/1970-01-01T00:02:28.5Z/)
  })

  test('shows texts of files as texts', () => {
    const html = inTslab(() => inspect(numbers(3))).join('')
    expect(html).toContain('&lt;script&gt;alert(&quot;1&quot;)')
    expect(html).not.toMatch(/<script|[\u001b\u202e]/)
    delete scope.__tslab__
    expect(inspect(numbers(3))).not.toMatch(/[\u001b\u202e]/)
  })

  test('is a line inside another value, and sends no HTML then', () => {
    let text = ''
    expect(inTslab(() => { text = inspect({ one: numbers(30), more: [numbers(2)] }, { breakLength: 120 }) })).toEqual([])
    expect(text).toBe('{ one: [Table: 30 rows, 2 columns], more: [ [Table: 2 rows, 2 columns] ] }')
  })

  test('gives Deno\'s kernel both forms', () => {
    const shown = (numbers(2) as unknown as Record<symbol, () => Record<string, string>>)[Symbol.for('Jupyter.display')]!()
    expect(Object.keys(shown)).toEqual(['text/plain', 'text/html'])
    expect(shown['text/html']).toMatch(/^<table class="bt-table">.*<\/table>$/s)
  })
})

test('in tslab a value sends its HTML and prints a line; a kernel that cannot show takes the text', () => {
  const value = showAs({ a: 1 }, () => ({ line: 'line', text: 'text', html: '<b>html</b>' }))
  let text = ''
  expect(inTslab(() => { text = inspect(value) })).toEqual(['<b>html</b>'])
  expect(text).toBe('line')
  for (const kernel of [{}, { require: () => ({}) }, { require: () => { throw new Error('none') } }]) {
    scope.__tslab__ = kernel
    expect(inspect(value)).toBe('text')
  }
  expect(JSON.stringify(value)).toBe('{"a":1}')
  expect({ ...value }).toStrictEqual({ a: 1 })
})

test('an error prints its sentence in tslab, and as ever elsewhere', () => {
  const error = new BacktapeError('NOT_ZSTD', 'Cannot read \u001b[31ma.zst:\nno zstd')
  expect(inspect(error)).toContain('    at ')
  scope.__tslab__ = {}
  expect(inspect(error)).toBe('Cannot read \ufffd[31ma.zst:\nno zstd (NOT_ZSTD)')
})

test('a book shows ten levels of each side', () => {
  const side = (name: string) => (level: number): number => name === 'BID' ? 1_000 - level : 1_001 + level
  const view = {
    suspect: false, bidLevelCount: 12, askLevelCount: 3, priceScale: 2, quantityScale: 0,
    copyLevels(name: string, count: number, prices: Float64Array, quantities: Float64Array) {
      for (let level = 0; level < count; level++) [prices[level], quantities[level]] = [side(name)(level), level + 1]
      return count
    },
  }
  const book = new DayBook(view as never, 0n)
  const lines = inspect(book).split('\n')
  expect(lines.slice(0, 3)).toEqual([
    'Book at 1970-01-01T00:00:00.000000000Z: 12 bids, 3 asks', 'bid quantity  bid price  ask price  ask quantity',
    '           1         10      10.01             1',
  ])
  expect(lines.length).toBe(12)
  expect(inspect(book.bids.slice(0, 1))).toBe('[ { price: 10, quantity: 1 } ]')
})

test('an exact decimal prints as its text', () => {
  expect(inspect({ price: Price.from('0.10') })).toBe('{ price: 0.1 }')
})

test.each([['a\tb\r\n', 'a\ufffdb\ufffd\ufffd'], ['x'.repeat(61), `${'x'.repeat(59)}…`], ['\ud83d\ude00\ud83d', '\ud83d\ude00\ufffd']])('the cell of %j', (text, expected) => {
  expect(cellText(text)).toBe(expected)
})

test('facts and tables of nothing are still shown', () => {
  expect(shownFacts('none', [])).toEqual({ line: 'none', text: 'none', html: '<table class="bt-table"><caption style="text-align:left">none</caption><tbody></tbody></table>' })
  expect(shownTable({ title: 'none', columns: [], rowCount: 0, rowAt: () => [] }).text).toBe('none\n')
  expect(htmlText('a\n<&>"\'\u0000')).toBe('a\n&lt;&amp;&gt;&quot;&#39;\ufffd')
})
