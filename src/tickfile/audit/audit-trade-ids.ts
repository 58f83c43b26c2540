import type { EventBatch } from '../../model/event-batch.js'
import { EVENT_KINDS } from '../../model/event-kind.js'

/** The report on the trade ids of a file. */
export interface TradeIdReport {
  /** Rows whose id is empty or null. */
  readonly missing: number
  /** Ids that stood before, as far as a window of some 65,536 ids remembers; compared by a 64-bit hash of the text. */
  readonly duplicates: number
  /** Ids in digits (up to 24) that are below the greatest one before. */
  readonly outOfOrder: number
}

const SLOTS = 65_536
const DIGIT_LIMIT = 24
const TAIL_DIGITS = 12

/** Follows trade ids in bounded memory: each hash has one place in a table, and the latest id there stays. */
export class TradeIdAudit {
  private readonly lowHashes = new Int32Array(SLOTS)
  private readonly highHashes = new Int32Array(SLOTS)
  private readonly isUsed = new Uint8Array(SLOTS)
  private missing = 0
  private duplicates = 0
  private outOfOrder = 0
  /** Greatest id in digits: all but its last 12 digits, and those. */
  private greatestHead = -1
  private greatestTail = -1

  check(batch: EventBatch): void {
    const { kind, count, tradeRowStart } = batch
    const { start, bytes } = batch.tradeId
    for (let i = 0; i < count; i++) {
      if (kind[i] !== EVENT_KINDS.trades) continue
      const end = tradeRowStart[i + 1] as number
      for (let row = tradeRowStart[i] as number; row < end; row++)
        this.note(bytes, start[row] as number, start[row + 1] as number)
    }
  }

  report(): TradeIdReport {
    return { missing: this.missing, duplicates: this.duplicates, outOfOrder: this.outOfOrder }
  }

  private note(bytes: Uint8Array, from: number, to: number): void {
    if (from === to) {
      this.missing++
      return
    }
    const split = to - TAIL_DIGITS > from ? to - TAIL_DIGITS : from
    const head = digitsOf(bytes, from, split)
    const tail = digitsOf(bytes, split, to)
    if (head < 0 || tail < 0 || to - from > DIGIT_LIMIT) this.noteText(bytes, from, to)
    else {
      this.noteNumber(head, tail)
      this.remember(tail | 0, Math.imul(head | 0, 0x85ebca6b) ^ (tail / 4_294_967_296) ^ ((to - from) << 24))
    }
  }

  private noteText(bytes: Uint8Array, from: number, to: number): void {
    let low = 0x811c9dc5 | 0
    let high = (to - from) ^ 0x9e3779b9
    for (let at = from; at < to; at++) {
      low = Math.imul(low ^ (bytes[at] as number), 0x01000193)
      high = Math.imul(high ^ (bytes[at] as number), 0x85ebca6b) ^ (high >>> 15)
    }
    this.remember(low, high)
  }

  /** Counts a hash that its place still holds, and puts it there. */
  private remember(low: number, high: number): void {
    const slot = Math.imul(low, 0x9e3779b1) >>> 16
    if (this.lowHashes[slot] === low && this.highHashes[slot] === high && this.isUsed[slot] === 1) this.duplicates++
    this.isUsed[slot] = 1
    this.lowHashes[slot] = low
    this.highHashes[slot] = high
  }

  private noteNumber(head: number, tail: number): void {
    if (head < this.greatestHead || (head === this.greatestHead && tail < this.greatestTail)) this.outOfOrder++
    else {
      this.greatestHead = head
      this.greatestTail = tail
    }
  }
}

/** The number that digits spell, -1 where something else stands among them; at most twelve are exact. */
function digitsOf(bytes: Uint8Array, from: number, to: number): number {
  let value = 0
  for (let at = from; at < to; at++) {
    const digit = (bytes[at] as number) - 48
    if (digit < 0 || digit > 9) return -1
    value = value * 10 + digit
  }
  return value
}
