import { instrumentName, type Instrument, type Underlying } from '../../model/instrument.js'
import { dayText } from '../../model/time.js'
import { termChanges, type DayTerms, type TermChange } from '../lines/term-changes.js'
import { keptValue } from '../../model/kept-value.js'

/** The terms that two audited files of one instrument, neighbours by their days, state differently. */
export interface ChangedTerms {
  readonly instrumentId: number
  /** `EXCHANGE:CODE` as the later file states it. */
  readonly instrument: string
  /** The two files as the user named them, and their days, `YYYY-MM-DD`. */
  readonly earlier: string
  readonly earlierDay: string
  readonly later: string
  readonly laterDay: string
  readonly changes: readonly TermChange[]
}

interface AuditedTerms extends DayTerms {
  readonly name: string
  readonly day: number
}

/** Line 1 of an opened file. */
interface OpenedFile {
  readonly name: string
  /** Days since 1970-01-01; null where unknown: such a file is compared with none. */
  readonly day: number | null
  readonly instrument: Instrument
  readonly underlyings: readonly Underlying[]
}

/**
 * Master data of the files of one audit, compared along the days of each instrument; the order of the files never
 * counts.
 */
export class TermAudit {
  readonly #byInstrument: Map<number, AuditedTerms[]> = new Map()

  add({ name, day, instrument, underlyings }: OpenedFile): void {
    if (day === null) return
    keptValue(this.#byInstrument, instrument.id, () => []).push({ name, day, instrument, underlyings })
  }

  /** Every change, by instrument id and day. */
  report(): ChangedTerms[] {
    return [...this.#byInstrument].sort(([a], [b]) => a - b).flatMap(([instrumentId, files]) => {
      const days = files.toSorted((a, b) => a.day - b.day || (a.name < b.name ? -1 : 1))
      return days.slice(1).flatMap((later, i) => changedTerms(instrumentId, days[i] as AuditedTerms, later))
    })
  }
}

function changedTerms(instrumentId: number, earlier: AuditedTerms, later: AuditedTerms): ChangedTerms[] {
  const changes = termChanges(earlier, later)
  if (changes.length === 0) return []
  const instrument = instrumentName(later.instrument)
  return [
    {
      instrumentId, instrument, earlier: earlier.name, earlierDay: dayText(earlier.day), later: later.name,
      laterDay: dayText(later.day), changes,
    },
  ]
}

/** A change in words: what two files state, and what a run does about it where it refuses. */
export function changedTermsText({ instrument, earlier, earlierDay, later, laterDay, changes }: ChangedTerms): string {
  const heading = `${instrument}: master data change between ${earlierDay} (${earlier}) and ${laterDay} (${later})`
  const lines = changes.map(({ field, kind, earlier: one, later: other }) => {
    const refused = kind === 'money' ? '; a run over both days is refused, as money would change its meaning' : ''
    return `  -  ${field}: ${one}, then ${other}${refused}`
  })
  return `${[heading, ...lines].join('\n')}\n`
}

/** Changes as one object of the audit's JSON array: a finding, so `ok` is true. */
export function changedTermsJson(changed: readonly ChangedTerms[]): object {
  return { termChanges: changed, ok: true, reasons: [] }
}
