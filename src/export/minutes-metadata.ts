import { shortDurationText } from '../model/duration.js'
import { instrumentName, type Instrument } from '../model/instrument.js'
import { dayText, NS_PER_MINUTE } from '../model/time.js'
import type { MinuteUsdRate } from '../measures/minutes-units.js'
import type { MinuteStatistics } from '../measures/minutes.js'
import { readingMetadata } from '../model/clock-words.js'
import type { ReadingSummary } from '../tickfile/lines/reading.js'
import { minutesNote } from './minutes-table.js'

/** A file as far as the metadata of its minutes name it. */
interface MinutesFile {
  readonly fileName: string
  readonly instrument: Instrument
  /** Days since 1970-01-01; null where unknown: then the minutes of all that stands in the file are there. */
  readonly epochDay?: number | null
  /** Of the reading that the minutes come from. */
  readonly summary: ReadingSummary
}

/** The rate behind the columns in USD, and its time. */
function usdFields({ code, rate, sampledAt }: MinuteUsdRate): readonly (readonly [string, string])[] {
  return [['usd_rate', `${rate} USD for 1 ${code}`], ['usd_rate_time', sampledAt ?? 'unknown']]
}

/** Metadata of a table of minutes: its file and instrument, its note, the rate behind USD, damage that was left out. */
export function minutesMetadata(
  { fileName, instrument, summary, epochDay = null }: MinutesFile, statistics: MinuteStatistics,
): ReadonlyMap<string, string> {
  const { exchangeCode, code, id } = instrument
  const { usdRate, spanNs } = statistics
  return new Map([
    ['table', 'minutes'],
    ['source', `backtape minutes of ${fileName}, ${instrumentName(instrument)} (${String(id)})`],
    ['instrument_id', String(id)],
    ['exchange_code', exchangeCode],
    ['code', code],
    ['day', epochDay === null ? 'unknown' : dayText(epochDay)],
    ['margins', epochDay === null ? 'keep' : 'trim'],
    ['note', minutesNote(statistics)],
    ...readingMetadata(summary),
    ...(spanNs === NS_PER_MINUTE ? [] : [['every', shortDurationText(spanNs)] as const]),
    ...(usdRate === null ? [] : usdFields(usdRate)),
  ])
}
