import { NS_PER_DAY } from '../model/time.js'
import { NULL_HALF } from './sbe-layout.js'

const TWO_32 = 4_294_967_296
/** Exact, and a product is cheaper than a quotient. */
const PER_TWO_32 = 1 / TWO_32

/** Epoch nanoseconds as a uint64 of two halves, against times in nanoseconds since the midnight of a day. */
export class SbeTime {
  #epochDay = NaN
  #high = 0
  #low = 0
  /** The time whose epoch nanoseconds are 0, if it is a safe integer. */
  #zeroNs = 0

  /** The base of the times. */
  setDay(epochDay: number): void {
    if (epochDay === this.#epochDay) return
    const base = BigInt(epochDay) * BigInt(NS_PER_DAY)
    this.#epochDay = epochDay
    this.#high = Number(base >> 32n)
    this.#low = Number(base & 0xffff_ffffn)
    this.#zeroNs = -Number(base)
  }

  /** Writes a time; false where it is none, or beyond a uint64. */
  put(view: DataView, at: number, timeNs: number): boolean {
    const high = Math.floor(timeNs * PER_TWO_32)
    const low = timeNs - high * TWO_32 + this.#low
    const carry = low >= TWO_32 ? 1 : 0
    const upper = high + this.#high + carry
    if (!Number.isSafeInteger(timeNs) || upper < 0 || upper >= NULL_HALF) return false
    view.setUint32(at, low - carry * TWO_32, true)
    view.setUint32(at + 4, upper, true)
    return true
  }

  /** Writes a time or, for NaN, 0; false where the time does not fit, or is 0 itself. */
  putOptional(view: DataView, at: number, timeNs: number): boolean {
    if (Number.isNaN(timeNs)) {
      view.setUint32(at, 0, true)
      view.setUint32(at + 4, 0, true)
      return true
    }
    return this.put(view, at, timeNs) && timeNs !== this.#zeroNs
  }

  /** The time of two halves; no safe integer where it is too far from the day. */
  timeOf(high: number, low: number): number {
    return (high - this.#high) * TWO_32 + (low - this.#low)
  }
}
