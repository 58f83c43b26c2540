import { shownFacts, type Shown } from '../model/display-table.js'
import { instrumentName, type Instrument, type Underlying } from '../model/instrument.js'
import { instrumentFacts } from '../model/instrument-display.js'

/** The parts of an opened day that are shown. */
export interface DayParts {
  readonly day: string | null
  readonly fileName: string
  readonly instrument: Instrument
  readonly underlyings: readonly Underlying[]
}

/** An opened day as it is shown: its file and the facts of its instrument; nothing is read for it. */
export function shownDay(day: DayParts): Shown {
  const { instrument, fileName, underlyings } = day
  return shownFacts(`Day ${day.day ?? 'unknown'} of ${instrumentName(instrument)}`, [
    ['file', fileName], ...instrumentFacts(instrument), ['underlyings', underlyings.map(({ code }) => code).join(', ')],
  ])
}
