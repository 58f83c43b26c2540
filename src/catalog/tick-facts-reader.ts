import { shapeFromInstrument } from '../export/export-kind.js'
import { BacktapeError } from '../model/error.js'
import { instrumentName } from '../model/instrument.js'
import type { StopSignal } from '../model/stop-signal.js'
import { dayText } from '../model/time.js'
import { isSkippedMember, openSources } from '../tickfile/archive/source-reader.js'
import type { TickSource } from '../tickfile/archive/tick-source.js'
import { readTickFile } from '../tickfile/tick-file-reader.js'
import type { FileFacts, FileStamp, TickFacts } from './catalog-file.js'

async function factsOf(source: TickSource, signal: StopSignal | undefined): Promise<TickFacts> {
  const reading = await readTickFile(source, signal === undefined ? {} : { signal })
  await reading.close()
  const { instrument, day } = reading
  return {
    name: source.name, fileName: source.fileName, sizeBytes: source.sizeBytes ?? 0,
    instrument: { id: instrument.id, name: instrumentName(instrument), shape: shapeFromInstrument(instrument) },
    day: day === null ? null : dayText(day),
  }
}

/** The sentence of an error that says a file is bad; everything else is thrown. */
function sentenceOf(error: unknown): string {
  if (error instanceof BacktapeError && error.code !== 'STOPPED') return error.message
  throw error
}

/**
 * Reads what a tick file or an archive of them holds, as far as line 1 of each says it. What cannot be read stands as
 * `problem`; the other members of an archive are there all the same. Throws STOPPED.
 */
export async function readTickFacts(stamp: FileStamp, signal: StopSignal | undefined): Promise<FileFacts> {
  const ticks: TickFacts[] = []
  let problem: string | null = null
  try {
    for await (const source of openSources(stamp.path)) {
      if (isSkippedMember(source)) continue
      try {
        ticks.push(await factsOf(source, signal))
      } catch (error) {
        problem ??= sentenceOf(error)
      }
    }
  } catch (error) {
    problem ??= sentenceOf(error)
  }
  return { stamp, ticks, table: null, problem }
}
