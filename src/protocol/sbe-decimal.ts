import { SCALE_LIMIT } from '../model/decimal.js'
import { textOfBig } from '../model/wide-numbers.js'
import type { SbeFrame } from './sbe-frame.js'

const TWO_32 = 4_294_967_296
/** The upper half of 2^53. */
const SAFE_HIGH = 0x20_0000
const POWERS: Float64Array = Float64Array.from({ length: SCALE_LIMIT + 129 }, (_, i) => Number(`1e${String(i)}`))

/** Reads decimals `{mantissa int64, exponent int8}` exactly, with any mantissa and exponent that a server writes. */
export class SbeDecimal {
  /** The last decimal of {@link readShortest}: `integer * 10^-scale`. */
  integer = 0
  scale = 0
  /** The plain text of the last decimal of {@link readShortest} where no safe integer holds it, else null. */
  wide: string | null = null
  /** The greatest scale that a decimal of {@link scaled} needed. */
  neededScale = 0
  /** The row of which the decimal is; -1 for none. */
  #row = -1

  constructor(private readonly frame: SbeFrame) {}

  /** Reads a decimal in its shortest form with a scale of 0 to 30. */
  readShortest(place: number, field: string): void {
    this.#row = -1
    this.#read(place, field)
    if (this.wide !== null) return
    this.#shorten(0)
    if (this.scale >= 0 || this.integer === 0) {
      this.scale = Math.max(0, this.scale)
      if (this.scale > SCALE_LIMIT) this.#refuse(place, field)
      return
    }
    this.integer *= POWERS[-this.scale] ?? Infinity
    this.scale = 0
    if (!Number.isSafeInteger(this.integer)) this.#refuse(place, field)
  }

  /** A decimal as integer of the scale; 0 where it has finer digits, which `neededScale` then says. */
  scaled(place: number, field: string, scale: number, row: number): number {
    this.#row = row
    this.#read(place, field)
    this.#shorten(scale)
    if (this.integer === 0) return 0
    if (this.scale > scale) {
      if (this.scale > SCALE_LIMIT) this.#refuse(place, field)
      this.neededScale = Math.max(this.neededScale, this.scale)
      return 0
    }
    const value = this.integer * (POWERS[scale - this.scale] ?? Infinity)
    if (!Number.isSafeInteger(value)) this.#refuse(place, field, scale)
    return value
  }

  #read(place: number, field: string): void {
    const { view } = this.frame
    const high = view.getInt32(place + 4, true)
    this.scale = -view.getInt8(place + 8)
    this.wide = null
    if (high > -SAFE_HIGH && high < SAFE_HIGH) {
      this.integer = high * TWO_32 + view.getUint32(place, true)
      return
    }
    let mantissa = view.getBigInt64(place, true)
    for (; mantissa % 10n === 0n; mantissa /= 10n) this.scale--
    this.integer = Number(mantissa)
    if (Number.isSafeInteger(this.integer)) return
    if (this.#row >= 0 || this.scale < 0 || this.scale > SCALE_LIMIT) this.#refuse(place, field)
    this.wide = textOfBig(mantissa, this.scale)
  }

  /** Takes zeros off the end as long as the scale is finer. */
  #shorten(scale: number): void {
    if (this.integer === 0) this.scale = Math.min(this.scale, scale)
    while (this.scale > scale && this.integer % 10 === 0) {
      this.integer /= 10
      this.scale--
    }
  }

  #refuse(place: number, field: string, scale?: number): never {
    const { view } = this.frame
    const found = `${view.getBigInt64(place, true)}e${view.getInt8(place + 8)}`
    const expected =
      scale === undefined ? 'at most 2^53 - 1 without its point, at most 30 decimals'
      : `at most 2^53 - 1 with ${scale} decimals`
    const name = this.#row < 0 ? field : `rows[${this.#row}].${field}`
    throw this.frame.fault(name, expected, found, place, 'VALUE_INEXACT')
  }
}
