import type { World } from '../exchange/world.js'
import { isoFromTime, NS_PER_DAY } from '../model/time.js'
import type { InstrumentFeed } from '../replay/instrument-feed.js'
import type { Replay } from '../simulation/replay.js'

/** Times of a run as people write them: clock times where all of it lies in one day, else with their day. */
function shortTimes({ clock: { epochDay }, lastEpochDay }: Replay, endNs: number): (timeNs: number) => string {
  const isOneDay = lastEpochDay === epochDay && endNs <= NS_PER_DAY
  return (timeNs) => {
    if (isOneDay && timeNs === NS_PER_DAY) return '24:00'
    const [day = '', time = ''] = isoFromTime(timeNs, epochDay).split('T')
    const clockText = time.endsWith(':00.000000000Z') ? time.slice(0, 5) : time.slice(0, 8)
    return isOneDay ? clockText : `${day} ${clockText}`
  }
}

const least = (values: readonly number[]): number => values.reduce((found, value) => Math.min(found, value), Infinity)
const greatest = (values: readonly number[]): number =>
  values.reduce((found, value) => Math.max(found, value), -Infinity)

/** Where the data of a window lie that holds none of them. */
function whereabouts(feeds: readonly InstrumentFeed[], fromNs: number, shortTime: (timeNs: number) => string): string {
  const nextNs = least(feeds.map(({ firstInWindowNs }) => firstInWindowNs))
  const firstNs = least(feeds.map(({ firstRecordedNs }) => firstRecordedNs))
  if (firstNs === Infinity) return 'the data hold none'
  if (nextNs === Infinity)
    return `the data end at ${shortTime(greatest(feeds.map(({ lastRecordedNs }) => lastRecordedNs)))}`
  return `the data ${firstNs < fromNs ? 'go on' : 'begin'} at ${shortTime(nextNs)}`
}

/**
 * The notes on a world whose window holds no recorded event of the instruments that it asked for (of all files where it
 * asked for none), as sentences: `no event between 00:00 and 00:05: the data begin at 23:57:02`. `endNs` is the last
 * instant that it saw.
 */
export function windowNotes(
  replay: Replay, { hasEnded }: World, askedIds: readonly number[], fromNs: number, endNs: number,
): string[] {
  const feeds = replay.instruments.flatMap(({ feed }) =>
    askedIds.length === 0 || askedIds.includes(feed.instrumentId) ? [feed] : [],
  )
  // The instant of `to` is not played, that of the last event is.
  const isHeld = ({ firstInWindowNs }: InstrumentFeed): boolean =>
    hasEnded ? firstInWindowNs <= endNs : firstInWindowNs < endNs
  if (feeds.some(isHeld)) return []
  const shortTime = shortTimes(replay, endNs)
  const window = hasEnded ? `at or after ${shortTime(fromNs)}` : `between ${shortTime(fromNs)} and ${shortTime(endNs)}`
  return [`no event ${window}: ${whereabouts(feeds, fromNs, shortTime)}`]
}
