import { selectionLine, type SelectionOptions } from '../tickfile/data-selection-reader.js'
import { NamedSources } from '../tickfile/named-sources.js'
import type { FailedFile, FailedFiles } from './failed-files.js'
import type { Output } from './terminal/output.js'
import type { InstrumentDays } from '../tickfile/data-input.js'
import type { TickSource } from '../tickfile/archive/tick-source.js'
import type { ReadOptions } from '../tickfile/archive/read-options.js'

/** The way in which the inputs of a command are found and read. */
export type Selection = ReadOptions & Pick<SelectionOptions, 'prefer'>

/**
 * The tick files of the inputs: paths, `bundle.tar#member`, whole bundles, folders, patterns, `-` for standard input.
 * Members that are no tick files, and what a folder or pattern matched, are named on standard error. One that cannot be
 * opened comes as a failure; the others follow.
 */
export async function* eachSource(
  inputs: readonly (string | InstrumentDays)[], options: Selection, output: Output, failed: FailedFiles,
): AsyncGenerator<TickSource | FailedFile, void, undefined> {
  const named = new NamedSources({ ...options, onSelection: (note) => { output.note(selectionLine(note)) } })
  for (const input of inputs) {
    try {
      for await (const source of named.open(input)) {
        if ('error' in source) yield failed.add(source.name, source.error)
        else if ('skippedBecause' in source) output.note(`Skipped ${source.name}: ${source.skippedBecause}`)
        else yield source
      }
    } catch (error) {
      yield failed.add(typeof input === 'string' ? input : input.in, error)
    }
  }
}
