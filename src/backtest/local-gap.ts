import type { UnknownBookReason } from '../exchange/market/unknown-book-time.js'
import { CROSSED_TEXT } from '../model/crossing.js'
import { SILENCE_TEXT } from '../model/silence.js'
import { GAP_TEXT } from '../venue/venue.js'
import type { RunSetup } from './run-setup.js'

/** A time with an unknown book as a client received it. */
interface LocalGap {
  readonly reason: UnknownBookReason
  readonly lastGoodNs: number
}

/** The gap that a state ERROR of this text begins for its receiver. */
export function localGap({ clock, feeds }: RunSetup['replay'], instrumentId: number, text: string): LocalGap {
  const lastGoodNs = feeds.get(instrumentId)?.lastDepthNs() ?? NaN
  if (text === GAP_TEXT) return { reason: 'gap', lastGoodNs }
  // It counts from its detection.
  const isCrossed = !Number.isNaN(CROSSED_TEXT.sinceNs(text, clock.epochDay))
  if (isCrossed) return { reason: 'crossed', lastGoodNs: clock.nowNs() }
  const silentNs = SILENCE_TEXT.sinceNs(text, clock.epochDay)
  return Number.isNaN(silentNs) ? { reason: 'error', lastGoodNs } : { reason: 'silence', lastGoodNs: silentNs }
}
