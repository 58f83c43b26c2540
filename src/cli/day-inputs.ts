import { readOverview } from '../day/day-overview.js'
import type { TickDay } from '../day/tick-day.js'
import { spanWords } from '../day/window-words.js'

/**
 * `: the data begin 23:57:02 and end 00:05:10`, by reading the file once more; empty for a stream, which cannot be read
 * twice.
 */
export async function dataWords(day: TickDay): Promise<string> {
  if (!day.isRepeatable) return ''
  const { firstTimestampNs: first, lastTimestampNs: last } = await readOverview(day)
  return `: ${spanWords({ first, last, isWhole: true }, day.epochDay)}`
}
