import { shapeFromInstrument } from '../export/export-kind.js'
import { BacktapeError } from '../model/error.js'
import { instrumentName } from '../model/instrument.js'
import type { StopSignal } from '../model/stop-signal.js'
import { dayText } from '../model/time.js'
import { isSkippedMember, openSources } from '../tickfile/archive/source-reader.js'
import type { TickSource } from '../tickfile/archive/tick-source.js'
import { readTickFile } from '../tickfile/tick-file-reader.js'
import type { MasterData } from '../tickfile/lines/master-data.js'
import type { FileFacts, FileStamp, TickFacts, TickInstrument } from './catalog-file.js'

/** A date from this year on means none (spec 4, section 2). */
const FAR_YEAR = 2100

/** Prediction contracts are recorded as perpetuals; a perpetual that expires is one. */
function classOf({ type, expiry }: MasterData['instrument']): string {
  const expires = expiry !== null && Number(/^\d{4}/.exec(expiry)?.[0] ?? FAR_YEAR) < FAR_YEAR
  return type === 'perpetual' && expires ? 'prediction' : type
}

function instrumentOf({ instrument, underlyings }: Pick<MasterData, 'instrument' | 'underlyings'>): TickInstrument {
  const { id, code, exchangeCode, state, baseUnderlyingId, counterUnderlyingId } = instrument
  const codeOf = (wanted: number | null): string | null =>
    underlyings.find((underlying) => underlying.id === wanted)?.code ?? null
  return {
    id, name: instrumentName(instrument), shape: shapeFromInstrument(instrument), exchangeCode, code,
    type: classOf(instrument), state, base: codeOf(baseUnderlyingId), counter: codeOf(counterUnderlyingId),
  }
}

async function factsOf(source: TickSource, signal: StopSignal | undefined): Promise<TickFacts> {
  const reading = await readTickFile(source, signal === undefined ? {} : { signal })
  await reading.close()
  const { day } = reading
  return {
    name: source.name, fileName: source.fileName, sizeBytes: source.sizeBytes ?? 0,
    fromByte: source.fromByte ?? null, instrument: instrumentOf(reading),
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
