import { BacktapeError } from '../model/error.js'
import type { EventBatch } from '../model/event-batch.js'
import { instrumentName, type Instrument } from '../model/instrument.js'
import { lineNumberOf } from '../model/line-numbers.js'
import { isoFromTime } from '../model/time.js'
import type { Misfit } from './held-numbers.js'

/** The files of an instrument, by the days that they are of. */
export interface UnfitSource {
  readonly instrument: Instrument
  readonly days: readonly number[]
  readonly names: readonly string[]
}

/** From when on an instrument is closed, and why. */
interface Closing {
  readonly error: BacktapeError
  /** Nanoseconds since the run's first midnight. */
  readonly timeNs: number
}

/** Instruments with a line whose numbers do not fit beside the others (exchange rules 1.8). */
export class UnfitInstruments {
  readonly #closings: Map<number, Closing> = new Map()
  /** True for an instrument that may be traded: its line ends the run. Default: none does, as on a served day. */
  isTraded: (instrumentId: number) => boolean = () => false

  note(instrumentId: number, closing: Closing): void {
    this.#closings.set(instrumentId, closing)
  }

  /** The closing of an instrument as far as its lines have been read; undefined where there is none. */
  of(instrumentId: number): Closing | undefined {
    return this.#closings.get(instrumentId)
  }

  /** A sentence for an instrument that was closed before a time; null where it was not. `name` is for people. */
  sentenceOf(
    { instrumentId, name }: { readonly instrumentId: number, readonly name: string },
    { beforeNs, epochDay }: { readonly beforeNs: number, readonly epochDay: number },
  ): string | null {
    const closing = this.#closings.get(instrumentId)
    if (closing === undefined || closing.timeNs >= beforeNs) return null
    const since = isoFromTime(closing.timeNs, epochDay)
    return `${name} has no books and trades from ${since} on, and its state is ERROR: ${closing.error.message}`
  }

  /** The line of an instrument has come: VALUE_INEXACT with file, line and field where it may be traded. */
  reached(instrumentId: number): void {
    const closing = this.#closings.get(instrumentId)
    if (closing === undefined || !this.isTraded(instrumentId)) return
    const { message, place } = closing.error
    throw new BacktapeError('VALUE_INEXACT', `${message}; ${WAYS_OUT}`, place)
  }
}

const WAYS_OUT =
  'end the run before that line (to), begin it when the number is gone (from), read the instrument without trading ' +
  'it, or correct the number in the file'

/** The error of a number that a run cannot hold. */
export function unfitError({ instrument, days, names }: UnfitSource, batch: EventBatch, misfit: Misfit): BacktapeError {
  const { field, expected, found } = misfit
  const file = names[Math.max(0, days.indexOf(batch.epochDay))] ?? instrumentName(instrument)
  const line = lineNumberOf(batch.lines, misfit.index)
  const at = line === null ? `event ${String(batch.firstEventIndex + misfit.index)}` : `line ${String(line)}`
  return new BacktapeError(
    'VALUE_INEXACT',
    `Cannot trade ${instrumentName(instrument)} on ${at} of ${file}: ${field} must be ${expected}, found ${found}`,
    { file, ...(line === null ? {} : { line }), field, expected, found },
  )
}
