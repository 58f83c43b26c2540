import { BacktapeError } from '../../model/error.js'
import type { ShopFields } from '../../shop/client/shop-fields.js'
import { CsvCells } from '../../tables/reading/csv-row-reader.js'
import { kebab, type Arguments } from '../terminal/arguments.js'
import type { Output } from '../terminal/output.js'
import { alignedLines, byteText, counted } from '../terminal/text-table.js'
import { goodsOf, refused } from './goods-choice.js'
import { shopOf } from './shop-access-reader.js'

type Coverage = ShopFields<'Coverage'>

function given(args: Arguments, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => {
    const value = args.text(name)
    return value === undefined ? [] : [[name, value]]
  }))
}

/** Prints a table with its header, or the values as one text of JSON. */
async function table(
  args: Arguments, output: Output, header: readonly string[], rows: readonly (readonly string[])[], value: unknown,
  right: readonly number[] = [],
): Promise<void> {
  if (args.flag('json')) return output.line(JSON.stringify(value, null, 2))
  for (const line of alignedLines([header, ...rows], new Set(right), output.width)) await output.line(line)
}

/** The work of `backtape shop search`. */
export async function runSearch(args: Arguments, output: Output): Promise<number> {
  const limit = args.count('limit')
  const words = args.words.join(' ')
  const answer = await shopOf(args, output).search({
    ...(words === '' ? {} : { q: words }), ...given(args, ['venue', 'class', 'base']),
    ...(limit === undefined ? {} : { limit }),
  }, { signal: args.signal })
  const { results, total, interpretation, didYouMean } = answer
  const header = ['id', 'instrument', 'type', 'state', 'days', 'first', 'last', 'size']
  await table(args, output, header, results.map((hit) => [
    String(hit.instrumentId), `${hit.exchange.code}:${hit.code}`, hit.type, hit.state, String(hit.data.days),
    hit.data.firstDay ?? '-', hit.data.lastDay ?? '-', byteText(hit.data.totalBytes),
  ]), answer, [0, 4, 7])
  if (args.flag('json')) return 0
  if (interpretation !== undefined) output.note(`Understood: ${factsText(interpretation)}`)
  if (didYouMean !== undefined) for (const sentence of hintLines(didYouMean)) output.note(sentence)
  output.note(`${counted(results.length, 'instrument')} of ${String(total)}`)
  return 0
}

/** The fields of an object in a line: `class perpetual, rest btc`. */
function factsText(facts: object): string {
  return Object.entries(facts).map(([name, value]) => (
    `${kebab(name).replaceAll('-', ' ')} ${Array.isArray(value) ? value.join(' or ') : String(value)}`)).join(', ')
}

/** The sentences about a search that found nothing. */
function hintLines({ venues, drop, ...more }: Readonly<Record<string, unknown>>): string[] {
  const list = (value: unknown): readonly unknown[] => [value ?? []].flat()
  const lines = [['Nearest venues', list(venues)], ['Try it without', list(drop)]] as const
  const others = factsText(more)
  return [
    ...lines.flatMap(([head, words]) => words.length === 0 ? [] : [`${head}: ${words.map(String).join(', ')}`]),
    ...others === '' ? [] : [`Did you mean: ${others}`],
  ]
}

/** The work of `backtape shop days`. */
export async function runDays(args: Arguments, output: Output): Promise<number> {
  const shop = shopOf(args, output)
  const [most, before] = [args.count('limit'), args.text('before')]
  const { id, kind, name } = await goodsOf(shop, args.words[0] ?? '', { signal: args.signal })
  const options = { signal: args.signal, ...(before === undefined ? {} : { before }) }
  const days: ShopFields<'DaySize'>[] = []
  for await (const day of kind === 'tick' ? shop.days(id, options) : shop.bundleDays(name, options)) {
    days.push(day)
    if (most !== undefined && days.length >= most) break
  }
  const rows = days.map(({ date, size }) => [date, String(size), byteText(size)])
  await table(args, output, ['day', 'bytes', 'size'], rows, { name, days }, [1, 2])
  return 0
}

/** The work of `backtape shop coverage`. */
export async function runCoverage(args: Arguments, output: Output): Promise<number> {
  const shop = shopOf(args, output)
  const { id, kind, name } = await goodsOf(shop, args.words[0] ?? '', { signal: args.signal })
  if (kind === 'series_day') throw refused(name, 'an instrument: `shop bundles` has the coverage of series', 'a series')
  const coverage = await shop.coverage(id, { signal: args.signal })
  if (args.flag('json')) await output.line(JSON.stringify({ name, ...coverage }, null, 2))
  else for (const line of coverageLines(name, coverage)) await output.line(line)
  return 0
}

function coverageLines(name: string, coverage: Coverage): string[] {
  const { firstDay, lastDay, daysWithData, coveragePct, gaps, totalBytes } = coverage
  if (firstDay === null) return [`${name}: no day is sold`]
  return [
    `${name}: ${counted(daysWithData, 'day')} from ${firstDay} to ${lastDay ?? firstDay} (${String(coveragePct)} %), ` +
      byteText(totalBytes),
    ...gaps.map(({ from, to, days }) => `missing: ${from === to ? from : `${from}..${to}`} (${counted(days, 'day')})`),
  ]
}

/** The work of `backtape shop calendar`. */
export async function runCalendar(args: Arguments, output: Output): Promise<number> {
  const shop = shopOf(args, output)
  const [word = '', month = ''] = args.words
  if (!/^\d{4}-(?:0[1-9]|1[0-2])$/.test(month)) throw refused(month, 'a month, YYYY-MM', 'another word')
  const { id } = await goodsOf(shop, word, { signal: args.signal })
  const calendar = await shop.calendar(id, month, { signal: args.signal })
  await table(args, output, ['day', 'bytes', 'size'],
    calendar.days.map(({ date, size }) => [date, String(size), byteText(size)]), calendar, [1, 2])
  return 0
}

/** The work of `backtape shop bundles`. */
export async function runBundles(args: Arguments, output: Output): Promise<number> {
  const bundles: ShopFields<'Bundle'>[] = []
  for await (const bundle of shopOf(args, output).bundles({ signal: args.signal })) bundles.push(bundle)
  await table(args, output, ['id', 'series', 'kind', 'EUR a day', 'days', 'first', 'last'], bundles.map((bundle) => {
    const { firstDay, lastDay, daysWithData } = bundle.coverage ?? {}
    return [
      String(bundle.bundleId), bundle.seriesKey, bundle.kind ?? '-', eurText(bundle.priceCents),
      String(daysWithData ?? '-'), firstDay ?? '-', lastDay ?? '-',
    ]
  }), bundles, [0, 3, 4])
  return 0
}

/** Cents as EUR: `1.00`. */
export function eurText(cents: number): string {
  return `${String(Math.floor(cents / 100))}.${String(cents % 100).padStart(2, '0')}`
}

/** The work of `backtape shop samples`. */
export async function runSamples(args: Arguments, output: Output): Promise<number> {
  const samples: ShopFields<'Sample'>[] = []
  for await (const sample of shopOf(args, output).samples({ signal: args.signal })) samples.push(sample)
  await table(args, output, ['instrument', 'day', 'size', 'address'], samples.map((sample) => [
    sample.code ?? String(sample.instrumentId ?? '-'), sample.date ?? '-',
    sample.size === undefined ? '-' : byteText(sample.size), sample.href,
  ]), samples, [2])
  return 0
}

/** The work of `backtape shop stats`. */
export async function runStats(args: Arguments, output: Output): Promise<number> {
  const shop = shopOf(args, output)
  const { id } = await goodsOf(shop, args.words[0] ?? '', { signal: args.signal })
  const bytes = await shop.statistics(id, { signal: args.signal })
  if (args.flag('json')) await output.line(JSON.stringify(minutesOf(new TextDecoder().decode(bytes)), null, 2))
  else await output.bytes(bytes)
  return 0
}

/**
 * The CSV of minutes as objects of texts, null where a cell is empty; its line that begins with `#` apart. Throws
 * SHOP_ANSWER_INVALID for rows that are no CSV, or have other cells than the header.
 */
function minutesOf(csv: string): { readonly note: string, readonly minutes: readonly object[] } {
  const [, note = '', table = ''] = /^(?:#([^\n]*)\n)?([^]*)$/.exec(csv) ?? []
  const cells = new CsvCells(refuseRow)
  cells.push(table)
  cells.end()
  const [names = [], ...rows] = cells.take()
  const minutes = rows.map((row, at) => {
    if (row.length !== names.length) refuseRow(at + 1, `${String(names.length)} cells`, String(row.length))
    return Object.fromEntries(names.map((name, column) => [name ?? '', row[column] ?? null] as const))
  })
  return { note: note.trim(), minutes }
}

function refuseRow(row: number, expected: string, found: string): never {
  const sentence = `Cannot read the minutes of the shop: row ${String(row)} must have ${expected}, found ${found}`
  throw new BacktapeError('SHOP_ANSWER_INVALID', sentence, { field: `row ${String(row)}`, expected, found })
}
