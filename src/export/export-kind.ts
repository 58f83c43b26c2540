import type { ExportFormat } from '../tables/output-format.js'
import { decimalScale } from '../model/decimal.js'
import type { Instrument } from '../model/instrument.js'
import type { Column, ColumnType } from '../tables/column.js'
import { dayText } from '../model/time.js'
import type { FileRows } from '../tickfile/days/margins.js'
import { readingMetadata } from '../model/clock-words.js'
import type { ReadingSummary } from '../tickfile/lines/reading.js'

/**
 * The tables that a tick file becomes.
 *
 * @example
 * ```ts
 * import { EXPORT_FORMATS, EXPORT_KINDS } from 'backtape'
 * if (!EXPORT_KINDS.includes('trades') || !EXPORT_FORMATS.includes('parquet')) throw new Error('trades as Parquet')
 * ```
 */
export const EXPORT_KINDS = ['trades', 'bbo', 'depth', 'mark', 'index', 'funding', 'liquidations', 'states'] as const

/** Metadata of every table that a run writes, with what made it: no table of a market has it, whatever it is called. */
export const RESULT_MARK = 'result_of'

/** The name of a table: part of its file name. */
export type ExportKind = (typeof EXPORT_KINDS)[number]

/** One file to write: a kind in a format. */
export interface ExportTarget {
  readonly kind: ExportKind
  readonly format: ExportFormat
}

/** The five derived exports of the shop, under their names. */
export const SHOP_EXPORTS: readonly ExportTarget[] = [
  { kind: 'trades', format: 'csv.gz' },
  { kind: 'bbo', format: 'csv.gz' },
  { kind: 'liquidations', format: 'csv.gz' },
  { kind: 'trades', format: 'parquet' },
  { kind: 'liquidations', format: 'parquet' },
]

/**
 * `BASE.KIND.FORMAT` of a source file name: `day.txt.zst` and trades as Parquet is `day.trades.parquet`.
 */
export function exportFileName(sourceFileName: string, target: ExportTarget): string {
  return `${sourceFileName.replace(/\.txt\.zst$|\.zst$/, '')}.${target.kind}.${target.format}`
}

/** The shape that the columns of a table need; it follows from the master data and grows where a file shows more. */
export interface TableShape {
  readonly priceScale: number
  readonly quantityScale: number
  /** Event ids are 64-bit decimals in most files; where one is not, the id columns of that table are text. */
  readonly idsAreText: boolean
  /** Form of prices and quantities that 2^53 does not hold at their scale; absent: 18 digits do. */
  readonly priceForm?: WideForm
  readonly quantityForm?: WideForm
  /** Decimals of marks, indexes and rates that need more than 18, or text; absent: 38 digits, 18 behind the point. */
  readonly valueForm?: ValueForm
}

/** Decimals of 38 digits, or plain text where those are too few. */
export type WideForm = 38 | 'text'

/** Digits behind the point of decimals of 38 digits, or plain text. */
export type ValueForm = number | 'text'

/** Digits behind the point of marks, indexes and rates, unless a file needs more. */
const VALUE_SCALE = 18

/** The scale of marks, indexes and rates of a table whose columns are decimals. */
export function valueScaleOf({ valueForm }: TableShape): number {
  return typeof valueForm === 'number' ? valueForm : VALUE_SCALE
}

/** The shape that an instrument's master data promises. */
export function shapeFromInstrument(instrument: Instrument): TableShape {
  const scales = [instrument.tickSize, ...instrument.tickBands.map((band) => band.tickSize)].map(
    (text) => decimalScale(text ?? '1') ?? 0,
  )
  return {
    priceScale: Math.max(...scales), quantityScale: decimalScale(instrument.lotSize ?? '1') ?? 0, idsAreText: false,
  }
}

const TIMESTAMP: ColumnType = { form: 'timestamp' }
const DOUBLE: ColumnType = { form: 'double' }
const TEXT: ColumnType = { form: 'text' }

const given = (name: string, type: ColumnType): Column => ({ name, type, nullable: false })
const optional = (name: string, type: ColumnType): Column => ({ name, type, nullable: true })

const BEGIN: readonly Column[] = [given('ts', TIMESTAMP), optional('exchange_ts', TIMESTAMP)]

/** The columns of a table: those of spec 4, section 7 first, ours after. */
export function tableColumns(kind: ExportKind, shape: TableShape): Column[] {
  const decimal = (form: WideForm | 18, scale: number): ColumnType =>
    form === 'text' ? TEXT : { form: 'decimal', precision: form, scale }
  const price = decimal(shape.priceForm ?? 18, shape.priceScale)
  const quantity = decimal(shape.quantityForm ?? 18, shape.quantityScale)
  const value = decimal(shape.valueForm === 'text' ? 'text' : 38, valueScaleOf(shape))
  const id: ColumnType = shape.idsAreText ? TEXT : { form: 'uint64' }
  const index = given('event_index', { form: 'uint32' })
  const end = [index, optional('event_id', id), optional('previous_event_id', id)]
  const row = [given('side', { form: 'side' }), given('price', price), given('qty', quantity)]
  const greeks = ['delta', 'gamma', 'vega', 'theta', 'mark_vol', 'bid_vol', 'ask_vol']
  const columns: Readonly<Record<ExportKind, Column[]>> = {
    trades: [...BEGIN, ...row, optional('trade_id', TEXT), optional('trade_ts', TIMESTAMP), ...end],
    bbo: [
      ...BEGIN, optional('bid_price', price), optional('bid_qty', quantity), optional('ask_price', price),
      optional('ask_qty', quantity), ...end,
    ],
    depth: [...BEGIN, ...row, given('is_snapshot', { form: 'boolean' }), ...end],
    liquidations: [...BEGIN, ...row, optional('liquidation_ts', TIMESTAMP), ...end],
    mark: [...BEGIN, given('price', value), ...greeks.map((name) => optional(name, DOUBLE)), ...end],
    index: [...BEGIN, given('price', value), ...end],
    funding: [
      ...BEGIN, given('rate', value), optional('next_funding_ts', TIMESTAMP), optional('predicted_rate', value), ...end,
    ],
    states: [given('ts', TIMESTAMP), given('state', TEXT), optional('text', TEXT), index],
  }
  return columns[kind]
}

/** Names of the columns that have one value an event, in tables with several rows an event. */
const EVENT_COLUMNS: ReadonlySet<string> = new Set([
  'ts', 'exchange_ts', 'is_snapshot', 'event_index', 'event_id', 'previous_event_id',
])

/** True where a column holds one value per event and not one per row. */
export function isPerEvent(column: Column): boolean {
  return EVENT_COLUMNS.has(column.name)
}

/** The metadata of a file about the shape of its columns. */
export function shapeMetadata(shape: TableShape): [string, string][] {
  return [
    ['price_scale', String(shape.priceScale)],
    ['quantity_scale', String(shape.quantityScale)],
    ['event_ids', shape.idsAreText ? 'text' : 'uint64'],
    ...SHAPE_FORMS.flatMap(([name, form]): [string, string][] =>
      shape[form] === undefined ? [] : [[name, String(shape[form])]]),
  ]
}

/** Names of the forms of columns in the metadata of a file. */
const SHAPE_FORMS = [
  ['price_form', 'priceForm'], ['quantity_form', 'quantityForm'], ['value_form', 'valueForm'],
] as const

/** Metadata of a table that its instrument and its kind give. */
export function metadataOf(instrument: Instrument, target: ExportTarget): (readonly [string, string])[] {
  return [
    ['table', target.kind],
    ['instrument_id', String(instrument.id)],
    ['instrument_code', instrument.code],
    ['exchange_code', instrument.exchangeCode],
    ['instrument_type', instrument.type],
    ['is_inverse', String(instrument.isInverse)],
    ['contract_value', instrument.contractValue ?? ''],
    ['multiplier', instrument.multiplier ?? ''],
    ['tick_size', instrument.tickSize ?? ''],
    ['lot_size', instrument.lotSize ?? ''],
    ['timestamps', 'nanoseconds since 1970-01-01T00:00:00 UTC'],
  ]
}

/** Metadata on the margins of a file, known with the first batch; `day` counts from 1970-01-01. */
export function marginMetadata(rows: FileRows, day: number | null): (readonly [string, string])[] {
  const { margins, report } = rows
  if (report === null) return [['day', day === null ? 'unknown' : dayText(day)], ['margins', margins]]
  return [
    ['day', dayText(day ?? 0)],
    ['margins', margins],
    ['opening_snapshot', report.openingSnapshot],
    ...(report.isOpeningSuspect ? [['opening_snapshot_suspect', 'true'] as const] : []),
    ['events_left_out_before', String(report.leftOut.before)],
  ]
}

/** Metadata that is known at the end alone: formats with metadata there state it, the manifest states it for all. */
export function lateMetadata({ report }: FileRows, summary: ReadingSummary): (readonly [string, string])[] {
  const after = report === null ? [] : [['events_left_out_after', String(report.leftOut.after)] as const]
  return [...after, ...readingMetadata(summary)]
}
