import type { StopSignal } from '../model/stop-signal.js'
import type { InstrumentDays } from '../tickfile/data-input.js'
import { selectedSources } from '../tickfile/data-selection-reader.js'
import type { MasterData } from '../tickfile/lines/master-data.js'
import { readTickFile } from '../tickfile/tick-file-reader.js'

/**
 * The terms of instruments by id, from line 1 of tick files; of several files of an instrument those of the last day.
 * Throws FILE_NOT_FOUND where nothing is selected, and what reading line 1 throws.
 */
export async function knownTerms(
  files: readonly (string | InstrumentDays)[], signal: StopSignal | undefined,
): Promise<ReadonlyMap<number, MasterData>> {
  const known = new Map<number, MasterData & { readonly day: number }>()
  for (const input of files) {
    for await (const source of selectedSources(input, signal === undefined ? {} : { signal })) {
      if ('error' in source) throw source.error
      const reading = await readTickFile(source)
      const { instrument, underlyings, masterDataText: text, day } = reading
      await reading.close()
      const earlier = known.get(instrument.id)
      const epochDay = day ?? -Infinity
      if (earlier === undefined || earlier.day <= epochDay)
        known.set(instrument.id, { instrument, underlyings, text, day: epochDay })
    }
  }
  return known
}
