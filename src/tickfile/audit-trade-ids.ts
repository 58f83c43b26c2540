import type { EventBatch } from '../model/event-batch.js'
import { EVENT_KINDS } from '../model/event-kind.js'

/** What the trade ids of a file say. */
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

/** Follows trade ids in bounded memory: each hash has one place in a table, and the latest id there stays. */
export class TradeIdAudit {
  private readonly lowHashes = new Int32Array(SLOTS)
  private readonly highHashes = new Int32Array(SLOTS)
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
      for (let row = tradeRowStart[i] as number; row < end; row++) this.note(bytes, start[row] as number, start[row + 1] as number)
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
    let low = 0x811c9dc5 | 0
    let high = (to - from) ^ 0x9e3779b9
    let head = 0
    let tail = 0
    let isNumber = to - from <= DIGIT_LIMIT
    for (let at = from; at < to; at++) {
      const byte = bytes[at] as number
      low = Math.imul(low ^ byte, 0x01000193)
      high = Math.imul(high ^ byte, 0x85ebca6b) ^ (high >>> 15)
      const digit = byte - 48
      if (digit < 0 || digit > 9) isNumber = false
      else if (at < to - 12) head = head * 10 + digit
      else tail = tail * 10 + digit
    }
    if (isNumber) this.noteNumber(head, tail)
    const slot = (low ^ (low >>> 16)) & (SLOTS - 1)
    if (this.lowHashes[slot] === low && this.highHashes[slot] === high) this.duplicates++
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
