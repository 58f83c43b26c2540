import { Decimal } from '../model/decimal.js'

/** Of a curve that stands at its peak. */
export const NO_FALL: Decimal = new Decimal(0)

/** The greatest fall of a curve from a peak so far; plain values. */
export interface Drawdown {
  peak: Decimal
  peakNs: number
  /** 0 or above. */
  deepest: Decimal
  /** Height of the peak before the deepest fall. */
  fromPeak: Decimal
  fromNs: number
  toNs: number
}

/** A curve that begins at a value. */
export function beginDrawdown(value: Decimal, timeNs: number): Drawdown {
  return { peak: value, peakNs: timeNs, deepest: NO_FALL, fromPeak: value, fromNs: timeNs, toNs: timeNs }
}

/** Takes the next value and returns how far it lies below the peak. Of equal falls the first counts. */
export function addToDrawdown(drawdown: Drawdown, value: Decimal, timeNs: number): Decimal {
  if (value.gte(drawdown.peak)) {
    drawdown.peak = value
    drawdown.peakNs = timeNs
    return NO_FALL
  }
  const fall = drawdown.peak.minus(value)
  if (fall.gt(drawdown.deepest)) {
    drawdown.deepest = fall
    drawdown.fromPeak = drawdown.peak
    drawdown.fromNs = drawdown.peakNs
    drawdown.toNs = timeNs
  }
  return fall
}
