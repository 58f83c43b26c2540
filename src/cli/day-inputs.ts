import { readOverview } from '../day/day-overview.js'
import { openTickFile, type TickDay } from '../day/tick-day.js'
import { spanWords } from '../day/window-words.js'
import { selectionLine, type SelectionOptions } from '../tickfile/data-selection-reader.js'
import { NamedSources } from '../tickfile/named-sources.js'
import type { Output } from './output.js'
import type { InstrumentDays } from '../tickfile/data-input.js'
import type { TickSource } from '../tickfile/archive/tick-source.js'
import type { ReadOptions } from '../tickfile/archive/read-options.js'

type Selection = ReadOptions & Pick<SelectionOptions, 'prefer'>

/**
 * The tick files of the inputs: paths, `bundle.tar#member`, whole bundles, folders, patterns, `-` for standard input.
 * What a folder or pattern matched, and members that are no tick files, are named on standard error.
 */
export async function* eachSource(
  inputs: readonly (string | InstrumentDays)[], options: Selection, output: Output,
): AsyncGenerator<TickSource, void, undefined> {
  const named = new NamedSources({ ...options, onSelection: (note) => { output.note(selectionLine(note)) } })
  for (const input of inputs) {
    for await (const source of named.open(input)) {
      if ('error' in source) throw source.error
      if ('skippedBecause' in source) output.note(`Skipped ${source.name}: ${source.skippedBecause}`)
      else yield source
    }
  }
}

/** The same, each opened when its turn comes and closed after it. */
export async function* eachDay(
  inputs: readonly (string | InstrumentDays)[], options: Selection, output: Output,
): AsyncGenerator<TickDay, void, undefined> {
  for await (const source of eachSource(inputs, options, output)) {
    const day = await openTickFile(source, options)
    try {
      yield day
    } finally {
      await day.close()
    }
  }
}

/**
 * `: the data begin 23:57:02 and end 00:05:10`, by reading the file once more; empty for a stream, which cannot be read
 * twice.
 */
export async function dataWords(day: TickDay): Promise<string> {
  if (!day.isRepeatable) return ''
  const { firstTimestampNs: first, lastTimestampNs: last } = await readOverview(day)
  return `: ${spanWords({ first, last, isWhole: true }, day.epochDay)}`
}
