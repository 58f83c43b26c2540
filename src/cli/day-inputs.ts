import { openTickFile, type TickDay } from '../day/tick-day.js'
import type { ReadOptions } from '../tickfile/reading.js'
import { openSources } from '../tickfile/source-reader.js'
import type { Output } from './output.js'

/**
 * The tick files of the inputs, each opened when its turn comes and closed after it: paths, `bundle.tar#member`, whole bundles,
 * `-` for standard input. Members that are no tick files are named on standard error.
 */
export async function* eachDay(inputs: readonly string[], options: ReadOptions, output: Output): AsyncGenerator<TickDay, void, undefined> {
  for (const input of inputs) {
    for await (const source of openSources(input)) {
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
