import { BacktapeError } from '../../model/error.js'
import type { EventBatch } from '../../model/event-batch.js'
import type { StitchReport } from './stitching-report.js'
import { trimToDay, type StitchInput } from './stitching.js'

/**
 * The minutes of its neighbours that a file carries around its UTC day. `trim`: rows of the day alone, opened by the
 * book of 00:00 as one made snapshot. `keep`: the file as it stands. A file whose day is unknown is always kept.
 */
export type Margins = 'trim' | 'keep'

/** Every value of {@link Margins}. */
const MARGINS: readonly Margins[] = ['trim', 'keep']

/** The given margins, `trim` where none are. Throws OPTION_INVALID for another word. */
export function checkedMargins(margins: Margins | undefined): Margins {
  const given: unknown = margins ?? 'trim'
  const known = MARGINS.find((word) => word === given)
  if (known !== undefined) return known
  const found = JSON.stringify(given)
  throw new BacktapeError('OPTION_INVALID', `Cannot read a file: margins must be trim or keep, found ${found}`, {
    field: 'margins', expected: 'trim, keep', found,
  })
}

/** The rows of one file, by its margins. */
export interface FileRows {
  /** In force: `keep` also where the day of the file is unknown. */
  readonly margins: Margins
  /** Of `trim`: what was left out, and the opening snapshot; null for `keep`. */
  readonly report: StitchReport | null
  /** The events, once; batches as those of a reading. */
  batches(): AsyncIterableIterator<EventBatch>
}

/**
 * The rows of one file: a function of that file and its day alone. The batches throw OPTION_INVALID for a file of
 * another day.
 */
export function fileRows(reading: StitchInput, margins: Margins): FileRows {
  if (margins === 'keep' || reading.day === null)
    return { margins: 'keep', report: null, batches: () => reading.batches() }
  const { report, batches } = trimToDay(reading)
  return { margins, report, batches }
}
