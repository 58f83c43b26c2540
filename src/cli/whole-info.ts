import { readOverview, type DayOverview } from '../day/day-overview.js'
import { openTickFile } from '../day/tick-day.js'
import { EVENT_KIND_NAMES } from '../model/event-kind.js'
import type { Instrument, Underlying } from '../model/instrument.js'
import { dayText, isoFromEpochNs } from '../model/time.js'
import { clockWords } from '../model/clock-words.js'
import { damageWords } from '../model/damage-words.js'
import { checkClaim, readCachedDay } from '../tickfile/cache/day-cache-reader.js'
import type { TickSource } from '../tickfile/archive/tick-source.js'
import type { Arguments } from './terminal/arguments.js'
import type { FailedFile, FailedFiles } from './failed-files.js'
import { instrumentText, underlyingsText, unitsText } from './instrument-text.js'
import type { Output } from './terminal/output.js'
import type { ShownFile } from './quick-info.js'
import { eachSource } from './source-inputs.js'
import { alignedLines, byteText, counted, grouped } from './terminal/text-table.js'

/** The facts of a day that its first line and its name say. */
interface ShownDay {
  readonly name: string
  readonly instrument: Instrument
  readonly underlyings: readonly Underlying[]
  /** `2024-08-08`; null where nothing says it. */
  readonly day: string | null
}

function secondsText(ns: bigint): string {
  return `${(Math.round(Number(ns) / 1e6) / 1000).toFixed(3)} s`
}

/** Everything that a buyer would want to know before trusting the file, in words. */
function oddities({ chainGapCount, clockStepBackCount, summary, eventsByKind }: DayOverview, day: ShownDay): string[] {
  const odd: string[] = []
  if (day.day === null) odd.push('the name does not say the day (--day)')
  if (chainGapCount > 0) odd.push(counted(chainGapCount, 'chain gap'))
  if (clockStepBackCount > 0) odd.push(`${counted(clockStepBackCount, 'step')} back of the adapter clock`)
  for (const [type, count] of summary.unknownTypes)
    odd.push(`${counted(count, 'line')} of unknown type ${String(type)}`)
  odd.push(...damageWords(summary), ...clockWords(summary))
  if (eventsByKind.update > 0 && eventsByKind.snapshot === 0) odd.push('updates but no snapshot')
  return odd
}

function screen(day: ShownDay, overview: DayOverview): string[] {
  const { eventsByKind, rowsByKind, firstTimestampNs: first, lastTimestampNs: last, summary } = overview
  const counted = EVENT_KIND_NAMES.filter((name) => eventsByKind[name] > 0)
  const lines = alignedLines([
    ['file', day.name],
    ['instrument', instrumentText(day.instrument)],
    ['units', unitsText(day.instrument)],
    ['underlyings', underlyingsText(day.instrument, day.underlyings)],
    ['day', day.day ?? 'unknown'],
    ...(first === null || last === null
      ? [['coverage', 'no events']]
      : [['coverage', `${isoFromEpochNs(first)} to ${isoFromEpochNs(last)}, ${secondsText(last - first)}`]]),
    [
      'sizes',
      `${byteText(summary.compressedBytes)} compressed, ${byteText(summary.textBytes)} of text, ` +
        `${grouped(summary.lineCount)} lines`,
    ],
    ['events', grouped(summary.eventCount)],
  ])
  const rows = counted.map((name) => [
    '', name, grouped(eventsByKind[name]), rowsByKind[name] > 0 ? `${grouped(rowsByKind[name])} rows` : '',
  ])
  const odd = oddities(overview, day)
  return [
    ...lines, ...alignedLines(rows, new Set([2, 3])), `odd          ${odd.length === 0 ? 'nothing' : odd.join('; ')}`,
  ]
}

function record(day: ShownDay, overview: DayOverview): object {
  const { summary, firstTimestampNs, lastTimestampNs, ...counts } = overview
  const {
    eventCount, lineCount, compressedBytes, textBytes, unknownTypes, damagedLineCount, damages, cut, jumpedLineCount,
    clockJumps, farTimeCount,
  } = summary
  return {
    file: day.name,
    day: day.day,
    instrument: day.instrument,
    underlyings: day.underlyings,
    firstAdapterTimestampNs: firstTimestampNs === null ? null : String(firstTimestampNs),
    lastAdapterTimestampNs: lastTimestampNs === null ? null : String(lastTimestampNs),
    ...counts,
    eventCount,
    lineCount,
    compressedBytes,
    textBytes,
    unknownTypes: Object.fromEntries(unknownTypes),
    damagedLineCount,
    damages,
    ...(cut === null ? {} : { cut }),
    jumpedLineCount,
    clockJumps,
    farTimeCount,
    odd: oddities(overview, day),
  }
}

/** Days of a cache take no more room than those of a run. */
const CACHE_BYTES = 21_474_836_480

function shownFile(day: ShownDay, overview: DayOverview): ShownFile {
  return { lines: screen(day, overview), record: record(day, overview) }
}

/** A file read whole: from the cache where there is one and it keeps the day. */
async function readShown(source: TickSource, args: Arguments, output: Output): Promise<ShownFile> {
  const [folder, options] = [args.text('cache'), args.selectionOptions()]
  if (folder === undefined) {
    const day = await openTickFile(source, options)
    try {
      return shownFile(day, await readOverview(day))
    } finally {
      await day.close()
    }
  }
  const cache = { folder, limitBytes: CACHE_BYTES, onNote: (sentence: string) => { output.note(sentence) } }
  const { reading, claim } = await readCachedDay(source, options, cache)
  try {
    const overview = await readOverview(reading)
    await checkClaim(source, claim)
    const { name, instrument, underlyings, day } = reading
    return shownFile({ name, instrument, underlyings, day: day === null ? null : dayText(day) }, overview)
  } finally {
    await reading.close()
  }
}

/** The files of `info`, each read whole; one that cannot be read is a failure, and the others follow. */
export async function* wholeFiles(
  args: Arguments, output: Output, failed: FailedFiles,
): AsyncGenerator<ShownFile | FailedFile, void, undefined> {
  for await (const source of eachSource(args.data(), args.selectionOptions(), output, failed))
    yield 'error' in source
      ? source
      : await readShown(source, args, output).catch((error: unknown) => failed.add(source.name, error))
}
