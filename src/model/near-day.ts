import { NS_PER_DAY, dayText, isoFromTime } from './time.js'
import { BacktapeError } from './error.js'

/** A file that reaches farther from its day is of another one: margins are minutes long. */
const FARTHEST_NS = NS_PER_DAY / 2

/**
 * Refuses a file with an event at a time, counted from the midnight of its day, that no margin reaches: whoever trims
 * it to its day would lose what it holds without a word.
 */
export function checkNearDay(name: string, epochDay: number, timeNs: number): void {
  if (!(timeNs < -FARTHEST_NS || timeNs > NS_PER_DAY + FARTHEST_NS)) return
  const [day, at] = [dayText(epochDay), isoFromTime(timeNs, epochDay)]
  const sentence = `Cannot read ${name}: it has an event of ${at}, and its name or an option says ${day}; ` +
    'correct the day there'
  throw new BacktapeError('OPTION_INVALID', sentence, {
    file: name, field: 'day', expected: `events of ${day} with margins of minutes`, found: at,
  })
}
