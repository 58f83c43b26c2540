import { appendIntegers, type NumberValues, type ParquetBytes } from './parquet-values.js'

/** Different values that a dictionary may have: a place, counted from 1, takes two bytes. */
const ENTRIES_MAX = 65_535
/** Values above which the hash table is the large one; at most half of either is taken. */
const FEW_VALUES = 4_096
const FEW_SLOT_BITS = 13
const SLOT_BITS = 17
/** Odd: its products have the best mixed bits above. */
const MIXER = 0x9e3779b1
/** Steps that are taken on average to find a value: more of them mean values that are no prices of a market. */
const STEPS_PER_VALUE = 8

/** Integers, and where they lie. */
export interface BoundedValues extends NumberValues {
  readonly least: number
  /** From the least to the greatest. */
  readonly spread: number
}

/**
 * The different integers of a column chunk in ascending order, and the place of each value among them. Open addressing
 * over typed arrays: no value becomes an object. Reused by the next chunk.
 */
export class NumberDictionary {
  /**
   * Two words a slot of the hash table: the distance of a value from the least, and its number in the order of the
   * first ones, counted from 1; 0: none.
   */
  private readonly slots = new Uint32Array(2 * 2 ** SLOT_BITS)
  /** The different values, as distances from the least. */
  private readonly distinct = new Uint32Array(ENTRIES_MAX)
  private readonly ranks = new Uint16Array(ENTRIES_MAX)
  private places = new Uint16Array(0)
  private entryCount = 0
  private least = 0

  /** The number of different values, of those that were taken last. */
  get size(): number {
    return this.entryCount
  }

  /**
   * Takes the values of a chunk; false where more than `limit` of them differ, where they lie 2^32 apart, or hash
   * badly.
   */
  take({ numbers, count, least, spread }: BoundedValues, limit: number): boolean {
    if (spread >= 2 ** 32) return false
    // A run of places is a multiple of eight.
    if (this.places.length < count + 8) this.places = new Uint16Array(count + 8)
    const { slots, distinct, places } = this
    const most = Math.min(limit, ENTRIES_MAX)
    const slotBits = count > FEW_VALUES ? SLOT_BITS : FEW_SLOT_BITS
    const [shift, mask] = [32 - slotBits, 2 ** slotBits - 1]
    slots.fill(0, 0, 2 * (mask + 1))
    let found = 0
    let steps = STEPS_PER_VALUE * count
    for (let i = 0; i < count; i++) {
      const distance = ((numbers[i] as number) - least) >>> 0
      let slot = Math.imul(distance, MIXER) >>> shift
      let entry = slots[2 * slot + 1] as number
      while (entry !== 0 && slots[2 * slot] !== distance) {
        slot = (slot + 1) & mask
        entry = slots[2 * slot + 1] as number
        steps--
      }
      if (entry === 0) {
        if (found === most || steps < 0) return false
        distinct[found] = distance
        entry = ++found
        slots[2 * slot] = distance
        slots[2 * slot + 1] = entry
      }
      places[i] = entry - 1
    }
    this.entryCount = found
    this.least = least
    this.rank(shift, mask)
    for (let i = 0; i < count; i++) places[i] = this.ranks[places[i] as number] as number
    places.fill(0, count, count + 8)
    return true
  }

  /** Appends the different values, PLAIN. */
  putEntries(target: ParquetBytes, base: bigint, width: 4 | 8): void {
    const { distinct, entryCount: count, least } = this
    const numbers = new Float64Array(count)
    for (let i = 0; i < count; i++) numbers[i] = (distinct[i] as number) + least
    appendIntegers(target, { numbers, count, base }, width)
  }

  /**
   * Appends the places of `count` values from `from` on: their width in bits, and one bit-packed run. Whole bytes a
   * place: zstd finds what repeats, which it cannot where places begin within a byte.
   */
  putPlaces(target: ParquetBytes, from: number, count: number): void {
    const groups = Math.ceil(count / 8)
    const wide = this.places.subarray(from, from + groups * 8)
    const packed = this.entryCount > 256 ? wide : new Uint8Array(wide)
    target.byte(8 * packed.BYTES_PER_ELEMENT)
    target.varint(groups * 2 + 1)
    // Little-endian, as every machine that Node runs on.
    target.piece(new Uint8Array(packed.buffer, packed.byteOffset, packed.byteLength))
  }

  /** Sorts the different values: close ones get close places, and the bytes follow from the values alone. */
  private rank(shift: number, mask: number): void {
    const { slots, ranks } = this
    const sorted = this.distinct.subarray(0, this.entryCount).sort()
    for (let rank = 0; rank < sorted.length; rank++) {
      const distance = sorted[rank] as number
      let slot = Math.imul(distance, MIXER) >>> shift
      while (slots[2 * slot] !== distance || slots[2 * slot + 1] === 0) slot = (slot + 1) & mask
      ranks[(slots[2 * slot + 1] as number) - 1] = rank
    }
  }
}
