import { stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { gzipSync } from 'node:zlib'
import {
  crossedWarning, farRateWarning, leftOutTrades, minutesCsv, minutesJson, minuteTable, type MinuteColumns,
} from '../export/minutes-table.js'
import { minutesMetadata } from '../export/minutes-metadata.js'
import { barSpanFromText } from '../measures/bars/bar-span.js'
import { minuteSpanNs, type MinuteStatistics } from '../measures/minutes.js'
import type { TableForm } from '../tables/table-form.js'
import { writeTable, type TableTarget } from '../tables/table-stream.js'
import { readMinutes } from '../day/minutes-reader.js'
import { makeFolder } from '../files/folder-writer.js'
import { openTickFile, type TickDay } from '../day/tick-day.js'
import { shortDurationText } from '../model/duration.js'
import { epochNsFromTime, NS_PER_MINUTE } from '../model/time.js'
import { clockSentences } from '../model/clock-words.js'
import { damageSentences } from '../model/damage-words.js'
import type { TickSource } from '../tickfile/archive/tick-source.js'
import { optionError, type Arguments } from './terminal/arguments.js'
import { dataWords } from './day-inputs.js'
import { eachSource } from './source-inputs.js'
import { FailedFiles } from './failed-files.js'
import type { Output } from './terminal/output.js'
import { ReadProgress } from './read-progress.js'
import { tradeBarsOf } from './trade-bars.js'
import { chooseTableOutput, formOf, openTableOutput } from './table-output.js'

/** The columns that the command line names; undefined where it names none. */
function columnsOf(args: Arguments): MinuteColumns | undefined {
  const columns = args.text('columns')
  return columns === 'shop' || columns === 'all' ? columns : undefined
}

function jsonText(day: TickDay, statistics: MinuteStatistics, columns: MinuteColumns | undefined): string {
  const { rows } = statistics
  const first = rows[0]?.time ?? 0n
  const last = rows.at(-1)?.time
  const [start, end] =
    day.epochDay === null
      ? [first, last === undefined ? first : last + BigInt(statistics.spanNs)]
      : [epochNsFromTime(0, day.epochDay), epochNsFromTime(0, day.epochDay + 1)]
  return minutesJson(statistics, {
    instrumentId: day.instrument.id, start, end, generatedAt: new Date().toISOString(),
    ...(columns === undefined ? {} : { columns }),
  })
}

/** The form of a table, and which columns it has. */
type MinutesForm = TableForm & { readonly minuteColumns: MinuteColumns | undefined }

/** CSV and JSON are the shop's; the other formats hold the same columns with their types. */
async function writeMinutes(
  day: TickDay, statistics: MinuteStatistics, form: MinutesForm, target: TableTarget,
): Promise<void> {
  const { format, comment = false, minuteColumns } = form
  const metadata = minutesMetadata(day, statistics)
  const encoder = new TextEncoder()
  if (format === 'json') return target.write(encoder.encode(jsonText(day, statistics, minuteColumns)))
  if (format === 'csv' || format === 'csv.gz') {
    const text = encoder.encode(minutesCsv(statistics, comment ? metadata.get('source') : undefined, minuteColumns))
    return target.write(format === 'csv' ? text : gzipSync(text))
  }
  return writeTable(minuteTable(statistics, minuteColumns, metadata), form, target)
}

/** The file that holds a source: no output may replace it. */
function pathOf(source: TickSource | string): string {
  return typeof source === 'string' ? source : (source.name.split('#')[0] ?? source.name)
}

/** Writes the minutes of one file; true where there is any, and nothing was left out as damage. */
async function minutesOf(source: TickSource | string, args: Arguments, output: Output): Promise<boolean> {
  const every = args.text('every') ?? '1m'
  const bars = barSpanFromText(every)
  if (bars !== null) return tradeBarsOf(source, bars, [...args.words, pathOf(source)], args, output)
  const spanNs = minuteSpanNs(every)
  if (typeof spanNs === 'string') throw optionError('every', spanNs, every)
  const span = spanNs === NS_PER_MINUTE ? 'minutes' : shortDurationText(spanNs)
  const to = args.text('to') ?? (args.flag('json') ? 'json' : undefined)
  const progress = new ReadProgress(output)
  const isStream = typeof source === 'string'
  const day = await openTickFile(isStream ? source : progress.counted(source, 'summing up'), args.readOptions())
  const choice = await chooseTableOutput({ args, output }, to, `${day.fileName.replace(/(\.txt)?\.zst$/, '')}.${span}`)
  const form = formOf(args, choice.format, 'iso')
  const options = {
    force: args.flag('force'), inputs: [...args.words, pathOf(source)],
    ...(form.format === 'json' ? { describes: false } : {}),
  }
  const file = await openTableOutput(choice, form, output, options)
  try {
    const statistics = await readMinutes(day, { every }).finally(() => progress.end(day.fileName))
    await writeMinutes(day, statistics, { ...form, minuteColumns: columnsOf(args) }, file)
    await file.commit(minutesMetadata(day, statistics))
    const { rows } = statistics
    const [row, ofSpan] = span === 'minutes' ? ['minute', ''] : ['row', ` of ${span}`]
    const count = `${String(rows.length)} ${row}${rows.length === 1 ? '' : 's'}${ofSpan}`
    if (choice.place === 'file') output.note(`Wrote ${count} to ${file.path}`)
    const crossed = crossedWarning(statistics)
    for (const warning of [farRateWarning(statistics, day.epochDay), crossed && `${day.name}: ${crossed}`])
      if (warning !== null) output.note(`Warning: ${warning}`)
    for (const words of leftOutTrades(statistics)) output.note(`${day.name}: ${words}`)
    const damage = damageSentences(day.summary, day.name)
    for (const sentence of [...damage, ...clockSentences(day.summary, day.name)]) output.note(`Warning: ${sentence}`)
    if (rows.length > 0) return damage.length === 0
    output.note(
      `${day.name}: no ${row}${ofSpan}${day.day === null ? '' : ` of ${day.day}`} with a trade or a known ` +
        `book${await dataWords(day)}`,
    )
    return false
  } finally {
    await file.abort()
  }
}

/** Several files have a table each: in a folder, as one table would need their instrument in each row. */
async function sourcesOf(args: Arguments, output: Output, failed: FailedFiles): Promise<(TickSource | string)[]> {
  const sources: (TickSource | string)[] = []
  for (const word of args.data()) {
    // Standard input, a pipe or a device gives its bytes once.
    const found = typeof word !== 'string' || word === '-' ? null : await stat(word).catch(() => null)
    const isStream = word === '-' || (found !== null && !found.isFile() && !found.isDirectory())
    if (typeof word === 'string' && isStream) sources.push(word)
    else
      for await (const source of eachSource([word], args.selectionOptions(), output, failed))
        if (!('error' in source)) sources.push(source)
  }
  const out = args.text('out')
  if (sources.length + failed.count < 2) return sources
  const there = out === undefined ? null : await stat(out).catch(() => null)
  // A folder that is still to be made has a name without an ending.
  const isNew = out !== undefined && out !== '-' && there === null && (out.endsWith('/') || extname(out) === '')
  if (isNew) await makeFolder(out)
  else if (there?.isDirectory() !== true)
    throw optionError('out', `a folder, as ${String(sources.length)} files have a table each`, out ?? 'nothing')
  return sources
}

/** The work of `backtape minutes`: a file that fails does not stop the others. */
export async function runMinutes(args: Arguments, output: Output): Promise<number> {
  let isWhole = true
  const failed = new FailedFiles(output)
  const sources = await sourcesOf(args, output, failed)
  for (const source of sources) {
    const isWholeFile = minutesOf(source, args, output).catch((error: unknown) => {
      failed.add(typeof source === 'string' ? source : source.name, error)
      return true
    })
    isWhole = (await isWholeFile) && isWhole
  }
  return isWhole || !args.flag('strict') ? failed.exitCode : 1
}
