import { textFromScaled } from '../model/decimal.js'
import { dayText, isoFromEpochNs, NS_PER_MINUTE } from '../model/time.js'
import { daysFromRate } from '../model/usd-rate.js'
import type { Column, ColumnType } from '../tables/column.js'
import type { MinuteRow, MinuteStatistics } from '../measures/minutes.js'
import type { MinuteUsdRate } from '../measures/minutes-units.js'
import { createTable, type Table } from '../tables/table.js'
import { pointed } from '../tables/text-encoder.js'

/** Name of a column. */
export type MinuteColumn = keyof MinuteRow

/** Which columns a table has: the 22 of the shop, or those and the base volume by aggressor. */
export type MinuteColumns = 'shop' | 'all'

/** The columns of a table of minutes. */
export interface MinuteColumnOptions {
  /** Without a word those of the shop for minutes, all for other spans. */
  readonly columns?: MinuteColumns
}

/** The 22 columns in their order (spec 4, section 6), each with its short key in JSON. */
export const MINUTE_COLUMNS: readonly (readonly [name: MinuteColumn, key: string])[] = [
  ['time', 't'],
  ['open', 'o'],
  ['high', 'h'],
  ['low', 'l'],
  ['close', 'c'],
  ['vwap', 'vwap'],
  ['trades', 'trades'],
  ['trades_buy', 'trades_buy'],
  ['trades_sell', 'trades_sell'],
  ['trades_liquidation', 'trades_liquidation'],
  ['turnover_usd', 'usd'],
  ['turnover_buy_usd', 'usd_buy'],
  ['turnover_sell_usd', 'usd_sell'],
  ['spread_avg', 'spread_avg'],
  ['spread_bps', 'spread_bps'],
  ['spread_ticks', 'spread_ticks'],
  ['top1_bid_usd', 'top1_bid'],
  ['top1_ask_usd', 'top1_ask'],
  ['top20_bid_usd', 'top20_bid'],
  ['top20_ask_usd', 'top20_ask'],
  ['top1_bid_qty', 'top1_bid_qty'],
  ['top1_ask_qty', 'top1_ask_qty'],
]

const VOLUME_COLUMNS: typeof MINUTE_COLUMNS = [
  ['volume_buy', 'volume_buy'],
  ['volume_sell', 'volume_sell'],
]

function columnsOf({ spanNs }: MinuteStatistics, columns?: MinuteColumns): typeof MINUTE_COLUMNS {
  const isShop = (columns ?? (spanNs === NS_PER_MINUTE ? 'shop' : 'all')) === 'shop'
  return isShop ? MINUTE_COLUMNS : [...MINUTE_COLUMNS, ...VOLUME_COLUMNS]
}

function columnType(name: MinuteColumn): ColumnType {
  if (name === 'time') return { form: 'timestamp' }
  return name.startsWith('trades') ? { form: 'uint32' } : { form: 'decimal', precision: 38, scale: 18 }
}

/** The columns of a table of minutes: the 22 of the shop, or all 24. */
export function minuteColumns(columns: MinuteColumns): readonly Column[] {
  return (columns === 'shop' ? MINUTE_COLUMNS : [...MINUTE_COLUMNS, ...VOLUME_COLUMNS]).map(([name]) => ({
    name, type: columnType(name), nullable: columnType(name).form === 'decimal',
  }))
}

/**
 * The minutes as a table of 22 columns, other spans of 24 unless `columns` says another: times as bigint nanoseconds,
 * counts as numbers, decimals as exact texts, null where empty.
 */
export function minuteTable(
  statistics: MinuteStatistics, columns?: MinuteColumns, metadata?: ReadonlyMap<string, string>,
): Table {
  return createTable(
    columnsOf(statistics, columns).map(([name]) => ({
      name,
      type: columnType(name),
      nullable: columnType(name).form === 'decimal',
      values: statistics.rows.map((row) => row[name]),
    })),
    metadata,
  )
}

/** Start of a minute as the shop writes it: `2024-08-08T12:00:00Z`. */
function minuteText(epochNs: bigint): string {
  return `${isoFromEpochNs(epochNs).slice(0, 19)}Z`
}

/** Trades of the neighbouring days that are in no row, in words; none where there are none. */
export function leftOutTrades({ leftOutTradeCount: count }: Pick<MinuteStatistics, 'leftOutTradeCount'>): string[] {
  return count === 0 ? [] : [`${String(count)} ${count === 1 ? 'trade' : 'trades'} of the neighbouring days left out`]
}

/** The time in which the depth book was crossed with itself, in words; null where it never was. */
export function crossedWarning(
  { crossedNs, crossedTradeCount: count }: Pick<MinuteStatistics, 'crossedNs' | 'crossedTradeCount'>,
): string | null {
  if (crossedNs === 0) return null
  const trades = `${count === 0 ? 'no' : String(count)} ${count === 1 ? 'trade' : 'trades'}`
  return `the depth book was crossed (best bid above best ask) for ${textFromScaled(crossedNs, 9)} s, ${trades} inside`
}

/**
 * A note on the columns: the source of the book, the time left out of the averages, the time in which it was crossed,
 * the rate behind USD, the trades left out, the data left out as damage.
 */
export function minutesNote(statistics: MinuteStatistics): string {
  const { suspectNs, usdRate, damage = [] } = statistics
  const leftOut = suspectNs === 0 ? '' : `, ${textFromScaled(suspectNs, 9)} s of suspect book left out`
  const usd = usdRate === null ? 'empty, the file has no rate' : rateText(usdRate)
  const book = `book columns: depth book on the adapter clock${leftOut}`
  const crossed = crossedWarning(statistics)
  const books = crossed === null ? [book] : [book, crossed]
  return [...books, `USD columns: ${usd}`, ...leftOutTrades(statistics), ...damage].join('; ')
}

function rateText({ code, rate, sampledAt }: MinuteUsdRate): string {
  return `1 ${code} = ${rate} USD${sampledAt === null ? ', of an unknown time' : ` of ${sampledAt}`}`
}

/** A warning where the rate behind the columns in USD was sampled more than a day from the file's day; else null. */
export function farRateWarning({ usdRate }: MinuteStatistics, epochDay: number | null): string | null {
  if (usdRate === null || usdRate.code === 'USD' || usdRate.sampledAt === null || epochDay === null) return null
  const days = daysFromRate(usdRate.sampledAt, epochDay)
  if (days === null || days <= 1) return null
  const rate = rateText(usdRate)
  return `the columns in USD take ${rate}, ${days} days from ${dayText(epochDay)}: it is the file's only rate`
}

/**
 * The minutes in the shop's CSV form: the header, CRLF line ends, an empty cell for null, every decimal with its point.
 * With a `source`, a `#` line above the header states it and the time left out; line breaks in it become spaces.
 *
 * @example
 * ```ts
 * import { minutesCsv, minutesJson, openTickFile, readMinutes } from 'backtape'
 * import { minuteTable } from 'backtape/columns'
 * const day = await openTickFile('datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
 * const statistics = await readMinutes(day)
 * if (minuteTable(statistics).rowCount !== statistics.rows.length) throw new Error('a row a minute')
 * console.log(minutesCsv(statistics, day.name))
 * const [start, end] = [1_782_864_000_000_000_000n, 1_782_950_400_000_000_000n]
 * const period = { start, end, generatedAt: '2026-07-02T00:00:00Z' }
 * console.log(minutesJson(statistics, { instrumentId: day.instrument.id, ...period }))
 * ```
 */
export function minutesCsv(statistics: MinuteStatistics, source?: string, columns?: MinuteColumns): string {
  const names = columnsOf(statistics, columns).map(([name]) => name)
  const cell = (row: MinuteRow, name: MinuteColumn): string => {
    const value = row[name]
    if (value === null) return ''
    if (name === 'time') return minuteText(row.time)
    return columnType(name).form === 'decimal' ? pointed(String(value)) : String(value)
  }
  const lines = [
    ...(source === undefined ? [] : [`# source: ${source.replace(/[\r\n]+/g, ' ')}; ${minutesNote(statistics)}`]),
    names.join(','),
    ...statistics.rows.map((row) => names.map((name) => cell(row, name)).join(',')),
  ]
  return lines.map((line) => `${line}\r\n`).join('')
}

/** The head of the JSON form, beside the minutes. */
export interface MinutesJsonOptions extends MinuteColumnOptions {
  /** Id of the instrument. */
  readonly instrumentId: number
  /** Epoch nanoseconds of the period: start inclusive, end exclusive. */
  readonly start: bigint
  /** End of the period, epoch nanoseconds, exclusive. */
  readonly end: bigint
  /** When the statistics were made, ISO-8601. */
  readonly generatedAt: string
}

/**
 * The minutes in the shop's JSON form with short keys. Decimals are JSON numbers with all their digits: take the
 * digits, not a double, where exactness matters.
 */
export function minutesJson(statistics: MinuteStatistics, options: MinutesJsonOptions): string {
  const value = (row: MinuteRow, name: MinuteColumn): string =>
    name === 'time' ? `"${minuteText(row.time)}"` : String(row[name])
  const columns = columnsOf(statistics, options.columns)
  const minutes = statistics.rows.map(
    (row) => `{${columns.map(([name, key]) => `"${key}":${value(row, name)}`).join(',')}}`,
  )
  const fields = [
    `"instrument_id":${String(options.instrumentId)}`,
    `"start":"${minuteText(options.start)}"`,
    `"end":"${minuteText(options.end)}"`,
    `"minutes":[${minutes.map((minute) => `\n${minute}`).join(',')}\n]`,
    '"needs_upstream":false',
    `"note":${JSON.stringify(minutesNote(statistics))}`,
    `"generated_at":${JSON.stringify(options.generatedAt)}`,
  ]
  return `{${fields.join(',')}}\n`
}
