import { readOverview, type DayOverview } from '../day/day-overview.js'
import type { TickDay } from '../day/tick-day.js'
import { EVENT_KIND_NAMES } from '../model/event-kind.js'
import { instrumentName, type Instrument, type Underlying } from '../model/instrument.js'
import { isoFromEpochNs } from '../model/time.js'
import { damageWords } from '../model/damage-words.js'
import type { Arguments } from './arguments.js'
import { eachDay } from './day-inputs.js'
import type { Output } from './output.js'
import { alignedLines, byteText, counted, grouped } from './text-table.js'

function secondsText(ns: bigint): string {
  return `${(Math.round(Number(ns) / 1e6) / 1000).toFixed(3)} s`
}

function instrumentText(instrument: Instrument): string {
  const { type, isInverse, isQuanto, id } = instrument
  return `${instrumentName(instrument)} (${String(id)}), ` +
    [isInverse ? 'inverse' : '', isQuanto ? 'quanto' : '', type].filter((word) => word !== '').join(' ')
}

function unitsText({ tickSize, tickBands, lotSize, contractValue, multiplier }: Instrument): string {
  const tick =
    tickBands.length > 0
      ? `tick ${String(tickBands.length)} bands from ${tickBands[0]?.tickSize ?? ''}`
      : `tick ${tickSize ?? 'unknown'}`
  const parts = [tick, `lot ${lotSize ?? 'unknown'}`]
  if (contractValue !== null) parts.push(`contract value ${contractValue}`)
  if (multiplier !== null && multiplier !== '1') parts.push(`multiplier ${multiplier}`)
  return parts.join(', ')
}

function underlyingsText(instrument: Instrument, underlyings: readonly Underlying[]): string {
  const code = (id: number | null): string => underlyings.find((underlying) => underlying.id === id)?.code ?? '?'
  const { baseUnderlyingId, counterUnderlyingId, valuationUnderlyingId } = instrument
  return `${code(baseUnderlyingId)} in ${code(counterUnderlyingId)}, valued in ${code(valuationUnderlyingId)}`
}

/** Everything that a buyer would want to know before trusting the file, in words. */
function oddities({ chainGapCount, clockStepBackCount, summary, eventsByKind }: DayOverview, day: TickDay): string[] {
  const odd: string[] = []
  if (day.day === null) odd.push('the name does not say the day (--day)')
  if (chainGapCount > 0) odd.push(counted(chainGapCount, 'chain gap'))
  if (clockStepBackCount > 0) odd.push(`${counted(clockStepBackCount, 'step')} back of the adapter clock`)
  for (const [type, count] of summary.unknownTypes)
    odd.push(`${counted(count, 'line')} of unknown type ${String(type)}`)
  odd.push(...damageWords(summary))
  if (eventsByKind.update > 0 && eventsByKind.snapshot === 0) odd.push('updates but no snapshot')
  return odd
}

function screen(day: TickDay, overview: DayOverview): string[] {
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

function record(day: TickDay, overview: DayOverview): object {
  const { summary, firstTimestampNs, lastTimestampNs, ...counts } = overview
  const { eventCount, lineCount, compressedBytes, textBytes, unknownTypes, damagedLineCount, damages, cut } = summary
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
    odd: oddities(overview, day),
  }
}

/** The work of `backtape info`. */
export async function runInfo(args: Arguments, output: Output): Promise<number> {
  let shown = 0
  const json = args.flag('json')
  for await (const day of eachDay(args.data(), args.selectionOptions(), output)) {
    const overview = await readOverview(day)
    if (json) await output.text(`${shown === 0 ? '[' : ','}\n${JSON.stringify(record(day, overview))}`)
    else await output.text(`${shown === 0 ? '' : '\n'}${screen(day, overview).join('\n')}\n`)
    await output.flush()
    shown++
  }
  if (json) await output.text(shown === 0 ? '[]\n' : '\n]\n')
  return 0
}
