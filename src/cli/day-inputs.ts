import { readOverview } from '../day/day-overview.js'
import { openTickFile, type TickDay } from '../day/tick-day.js'
import { spanWords } from '../day/window-words.js'
import type { Output } from './output.js'
import type { InstrumentDays } from '../tickfile/data-input.js'
import { eachSource, type Selection } from './source-inputs.js'

/** The tick files of the inputs, each opened when its turn comes and closed after it. */
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
