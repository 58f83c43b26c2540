import type { Id } from '../model/id.js'
import type { IdMap } from '../model/id-map.js'
import { writeId } from './id-bytes.js'
import {
  HELD, NOT_HELD, type JournalSegment, type Outcome, type RecordTable, type ScaleSource,
} from './journal-segment.js'
import type { StatedAmount } from '../model/amount.js'
import { writeAmount, writeMoney } from './money-words.js'
import { NULL_LOW } from './record-layout.js'

const TWO_32 = 4_294_967_296
const LARGEST_NUMBER = 0x7fffffff
const LARGEST_SCALE = 254

/** An integer in 64 bits; false for a number that is no safe one. */
export function writeInteger(view: DataView, at: number, value: unknown): boolean {
  if (!Number.isSafeInteger(value)) return false
  view.setUint32(at, value as number, true)
  view.setInt32(at + 4, Math.floor((value as number) / TWO_32), true)
  return true
}

/** Writes the fields of a record by their forms, and notes whether the record holds their values. */
export class FieldWriter {
  outcome: Outcome = HELD
  #view: DataView = new DataView(new ArrayBuffer(0))
  #bytes: Uint8Array = new Uint8Array(0)
  #isFine = false
  #orders: IdMap<number> | undefined = undefined
  /** The order that the message names. */
  #ownOrderId: Id = ''

  constructor(private readonly segment: JournalSegment, private readonly scales: ScaleSource) {}

  /** Begins a record of a table; `orders` are those of the account, with their instruments. */
  begin({ layout, view, bytes }: RecordTable, orders: IdMap<number> | undefined): void {
    this.outcome = HELD
    this.#view = view
    this.#bytes = bytes
    this.#isFine = layout.isFine
    this.#orders = orders
    this.#ownOrderId = ''
  }

  /** The one object of a list; null where it has none or more, which no record holds. */
  only<T extends object>(objects: readonly T[]): T | null {
    return this.inner(objects.length === 1 ? objects[0] : undefined)
  }

  /** An object in another; null where it is absent, which no record holds. */
  inner<T extends object>(object: T | undefined): T | null {
    this.held(object !== undefined)
    return object ?? null
  }

  /** A field that the record does not have. */
  none(value: unknown): void {
    this.held(value === undefined)
  }

  held(isHeld: boolean): void {
    if (!isHeld && this.outcome === HELD) this.outcome = NOT_HELD
  }

  integer(at: number, value: number | null | undefined): void {
    if (value !== undefined) this.held(writeInteger(this.#view, at, value))
  }

  price(at: number, value: number | null | undefined): void {
    if (value !== null) return this.integer(at, value)
    this.#view.setUint32(at, NULL_LOW, true)
  }

  number(at: number, value: number): void {
    this.#view.setInt32(at, value, true)
    this.held(Number.isInteger(value) && Math.abs(value) <= LARGEST_NUMBER)
  }

  scale(at: number, value: number | undefined): void {
    if (value === undefined) return
    this.#bytes[at] = value
    this.held(Number.isInteger(value) && value >= 0 && value <= LARGEST_SCALE)
  }

  flag(at: number, value: boolean | undefined): void {
    if (value !== undefined) this.#bytes[at] = value ? 2 : 1
  }

  word(at: number, words: readonly string[], value: string | undefined): void {
    if (value === undefined) return
    let number = words.length
    // Words of the protocol are few, and the same texts wherever they come from.
    while (number > 0 && words[number - 1] !== value) number--
    this.#bytes[at] = number
    this.held(number > 0)
  }

  name(at: number, value: string | undefined): void {
    if (value === undefined) return
    const number = this.segment.nameNumber(value)
    this.#view.setUint16(at, number, true)
    this.held(number > 0)
  }

  id(at: number, value: Id | undefined): void {
    if (value === undefined) return
    const number = this.segment.idNumber(value)
    this.#view.setUint16(at, number, true)
    this.held(number > 0)
  }

  /** The own id of the order that the message is of. */
  own(at: number, value: Id): void {
    this.#ownOrderId = value
    this.id(at, value)
  }

  uuid(at: number, value: Id): void {
    this.held(writeId(value, this.#bytes, at))
  }

  money(at: number, value: StatedAmount | undefined): void {
    if (value === undefined) return
    this.held(
      typeof value === 'string'
        ? writeMoney(value, this.#view, at, this.#isFine) : writeAmount(value, this.#view, at, this.#isFine),
    )
  }

  instrument(at: number, instrumentId: number): void {
    this.#view.setUint32(at, instrumentId, true)
    const scales = this.scales.get(instrumentId)
    const outcome = scales === undefined ? NOT_HELD : this.segment.stateScales(instrumentId, scales)
    if (outcome !== HELD && this.outcome === HELD) this.outcome = outcome
  }

  /** The instrument of the order: the one that the message names, or that of the order where it is still known. */
  orderInstrument(at: number, instrumentId: number | undefined = this.#orders?.get(this.#ownOrderId)): void {
    if (instrumentId === undefined) this.outcome = NOT_HELD
    else this.instrument(at, instrumentId)
  }
}
