import { rateOfData, type UsdRate } from '../model/usd-rate.js'
import { BacktapeError } from '../model/error.js'
import { instrumentName, type Instrument, type Underlying } from '../model/instrument.js'
import { dayText, NS_PER_DAY } from '../model/time.js'
import type { Writable } from '../model/writable.js'
import { scalesOfInstrument, type Scales } from '../tickfile/lines/master-data.js'
import { termChanges, type DayTerms } from '../tickfile/lines/term-changes.js'
import type { InstrumentEntry, UnderlyingDirectory } from '../venue/venue.js'
import type { InstrumentTerms } from '../tickfile/lines/instrument-terms.js'

/** Master data of one file of an instrument. */
export interface FileTerms extends DayTerms {
  /** Days since 1970-01-01. */
  readonly day: number
  /** As the user named the file. */
  readonly name: string
}

/** Two files that state money terms differently. */
export function refuseMoneyChanges(files: readonly FileTerms[]): void {
  for (const [i, later] of files.entries()) {
    const earlier = files[i - 1]
    const money = earlier === undefined ? [] : termChanges(earlier, later).filter(({ kind }) => kind === 'money')
    const [first] = money
    if (earlier === undefined || first === undefined) continue
    const words = money
      .map((change) => `${change.field} is ${change.earlier} in ${earlier.name} and ${change.later} in ${later.name}`)
      .join('; ')
    throw new BacktapeError(
      'MASTER_DATA_CHANGED',
      `Cannot run ${instrumentName(later.instrument)} over days whose money terms differ: ${words}; ` +
        'run the days apart, or with masterChanges "accept", which keeps the first day\'s',
      {
        file: later.name, field: first.field, expected: first.earlier, found: first.later,
      },
    )
  }
}

/** Terms that hold from the second file on, one a file that changes anything. */
function laterTerms(files: readonly FileTerms[], runEpochDay: number): InstrumentTerms[] {
  const [first, ...others] = files
  if (first === undefined) return []
  const steps: InstrumentTerms[] = []
  let before: DayTerms = first
  for (const file of others) {
    const changes = termChanges(before, file)
    const kept = Object.fromEntries(
      changes
        .filter(({ kind }) => kind === 'money')
        .map(({ field }) => [field, before.instrument[field as keyof Instrument]]),
    )
    // A name is one all through a run, in its tables too.
    const { code, exchangeCode } = first.instrument
    const instrument: Instrument = { ...file.instrument, ...kept, code, exchangeCode }
    before = { instrument: { ...file.instrument, ...kept }, underlyings: file.underlyings }
    if (changes.length > 0)
      steps.push({
        instrumentId: instrument.id, day: dayText(file.day), timeNs: (file.day - runEpochDay) * NS_PER_DAY, instrument,
        changes,
      })
  }
  return steps
}

/** Scales that hold the grid of every day: orders, fills and positions are stated at them all through a run. */
export function scalesOfDays(first: Scales, files: readonly FileTerms[]): Scales {
  const all = [first, ...files.map(({ instrument }) => scalesOfInstrument(instrument))]
  return {
    price: Math.max(...all.map(({ price }) => price)), quantity: Math.max(...all.map(({ quantity }) => quantity)),
  }
}

/** Underlyings of a pass, the first statement of each, with rates that the days of a run replace. */
export class ReplayUnderlyings implements UnderlyingDirectory {
  readonly #byId: Map<number, Underlying> = new Map()

  constructor(all: readonly Underlying[]) {
    for (const underlying of all) if (!this.#byId.has(underlying.id)) this.#byId.set(underlying.id, underlying)
  }

  get entries(): readonly Underlying[] {
    return [...this.#byId.values()]
  }

  get(underlyingId: number): Underlying | undefined {
    return this.#byId.get(underlyingId)
  }

  /** Takes over the rate of a later file; false where it is the one known. */
  rate({ id, fxRate, fxTime }: Underlying): boolean {
    const known = this.#byId.get(id)
    if (known === undefined || fxRate === null || known.fxRate === fxRate) return false
    this.#byId.set(id, { ...known, fxRate, fxTime })
    return true
  }
}

interface DayRates {
  readonly timeNs: number
  readonly underlyings: readonly Underlying[]
}

/**
 * The terms of instruments and rates that the files of later days state, by the midnight from which on they hold
 * (exchange rules 1.7). The directory of a pass follows it: whoever reads an entry reads the terms of the day.
 */
export class TermsSchedule {
  readonly steps: readonly InstrumentTerms[]
  readonly #rates: readonly DayRates[]
  readonly #entries: ReadonlyMap<number, Writable<InstrumentEntry>>
  /** Everything before this time has been taken over. */
  #takenNs = -Infinity

  constructor(
    instruments: readonly (readonly FileTerms[])[],
    entries: readonly Writable<InstrumentEntry>[],
    private readonly underlyings: ReplayUnderlyings,
    runEpochDay: number,
  ) {
    this.steps = instruments
      .flatMap((files) => laterTerms(files, runEpochDay))
      .sort((a, b) => a.timeNs - b.timeNs || a.instrumentId - b.instrumentId)
    const byDay = new Map<number, Underlying[]>()
    // Of several files of a day the first by instrument id says a rate, as on the first day.
    for (const files of instruments)
      for (const file of files.slice(1)) byDay.set(file.day, [...(byDay.get(file.day) ?? []), ...file.underlyings])
    this.#rates = [...byDay]
      .sort(([a], [b]) => a - b)
      .map(([day, all]) => ({
        timeNs: (day - runEpochDay) * NS_PER_DAY, underlyings: new ReplayUnderlyings(all).entries,
      }))
    this.#entries = new Map(entries.map((entry) => [entry.instrument.id, entry]))
  }

  /** The next midnight with terms of its own; Infinity where none is left. */
  get nextNs(): number {
    const due = [...this.steps, ...this.#rates].map(({ timeNs }) => timeNs).filter((timeNs) => timeNs > this.#takenNs)
    return Math.min(Infinity, ...due)
  }

  /**
   * Takes over everything that holds from a time or sooner; returns the terms that changed, by time and instrument.
   * `usdRates` are the run's: those of the data follow.
   */
  take(untilNs: number, usdRates: Map<number, UsdRate>): InstrumentTerms[] {
    const isDue = ({ timeNs }: { readonly timeNs: number }): boolean => timeNs > this.#takenNs && timeNs <= untilNs
    for (const { underlyings } of this.#rates.filter(isDue)) {
      for (const underlying of underlyings) {
        const rate = this.underlyings.rate(underlying) ? rateOfData(underlying) : null
        if (rate !== null && usdRates.get(underlying.id)?.declaredBy !== 'run') usdRates.set(underlying.id, rate)
      }
    }
    const due = this.steps.filter(isDue)
    for (const { instrumentId, instrument, timeNs } of due) {
      const entry = this.#entries.get(instrumentId)
      if (entry !== undefined) Object.assign(entry, { instrument, termsFromNs: timeNs })
    }
    this.#takenNs = Math.max(this.#takenNs, untilNs)
    return due
  }
}
