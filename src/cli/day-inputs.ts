import { readOverview } from '../day/day-overview.js'
import { openTickFile, type TickDay } from '../day/tick-day.js'
import { spanWords } from '../day/window-words.js'
import { NamedSources } from '../tickfile/archive/named-sources.js'
import type { Output } from './output.js'
import type { ReadOptions } from '../tickfile/archive/read-options.js'

/**
 * The tick files of the inputs, each opened when its turn comes and closed after it: paths, `bundle.tar#member`, whole
 * bundles, `-` for standard input. Members that are no tick files are named on standard error.
 */
export async function* eachDay(
  inputs: readonly string[], options: ReadOptions, output: Output,
): AsyncGenerator<TickDay, void, undefined> {
  const named = new NamedSources(options)
  for (const input of inputs) {
    for await (const source of named.open(input)) {
      if ('error' in source) throw source.error
      if ('skippedBecause' in source) {
        output.note(`Skipped ${source.name}: ${source.skippedBecause}`)
        continue
      }
      const day = await openTickFile(source, options)
      try {
        yield day
      } finally {
        await day.close()
      }
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
