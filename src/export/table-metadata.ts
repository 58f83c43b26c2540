import type { Instrument } from '../model/instrument.js'
import { dayText } from '../model/time.js'
import type { FileRows } from '../tickfile/days/margins.js'
import { damageMetadata } from '../model/damage-words.js'
import type { ReadingSummary } from '../tickfile/lines/reading.js'
import type { ExportTarget } from './export-kind.js'

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
  return [...after, ...damageMetadata(summary)]
}
