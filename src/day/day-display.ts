import { shownFacts, type Shown } from '../model/display-table.js'
import { instrumentName } from '../model/instrument.js'
import { instrumentFacts } from '../model/instrument-display.js'
import type { TickDay } from './tick-day.js'

/** An opened day as it is shown: its file and the facts of its instrument; nothing is read for it. */
export function shownDay(day: TickDay): Shown {
  const { instrument, fileName, underlyings } = day
  return shownFacts(`Day ${day.day ?? 'unknown'} of ${instrumentName(instrument)}`, [
    ['file', fileName], ...instrumentFacts(instrument), ['underlyings', underlyings.map(({ code }) => code).join(', ')],
  ])
}
