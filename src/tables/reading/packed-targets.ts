import type { Column } from '../column.js'
import {
  PackedCodes, type PackedColumn, PackedDecimals, type PackedRows, PackedTexts, PackedWideDecimals,
} from '../packed-column.js'

/** Decimals stay doubles as long as each holds one exactly. */
export class DecimalTarget {
  private narrow: PackedDecimals | null
  private wide: PackedWideDecimals

  constructor(private readonly own: Column, scale: number, precision: number) {
    const of = (digits: 18 | 38): Column => ({ ...own, type: { form: 'decimal', precision: digits, scale } })
    this.narrow = precision <= 18 ? new PackedDecimals(of(18)) : null
    this.wide = new PackedWideDecimals(of(38))
  }

  /** Appends a safe integer. */
  pushNumber(integer: number): void {
    if (this.narrow === null) this.wide.push(BigInt(integer))
    else this.narrow.push(integer)
  }

  /** Appends safe integers at once; false where the column takes them one by one. */
  pushAll(rows: PackedRows<Float64Array | Int32Array>): boolean {
    this.narrow?.pushAll(rows)
    return this.narrow !== null
  }

  push(integer: bigint | null): void {
    if (this.narrow === null) return this.wide.push(integer)
    const number = Number(integer)
    if (integer === null) this.narrow.push(null)
    else if (Number.isSafeInteger(number)) this.narrow.push(number)
    else {
      this.widen(this.narrow)
      this.wide.push(integer)
    }
  }

  /** The column so far. */
  column(): PackedColumn {
    return this.narrow ?? this.wide
  }

  private widen(narrow: PackedDecimals): void {
    for (let row = 0; row < narrow.length; row++) {
      const integer = narrow.integerAt(row)
      this.wide.push(Number.isNaN(integer) ? null : BigInt(integer))
    }
    this.narrow = null
  }
}

const encoder = new TextEncoder()

/** 0 for the bytes of BID, 1 for those of ASK, 2 for any others. */
function sideCode(bytes: Uint8Array, start: number, length: number): number {
  if (length !== 3) return 2
  const [first, second, third] = [bytes[start], bytes[start + 1], bytes[start + 2]]
  if (first === 66) return second === 73 && third === 68 ? 0 : 2
  return first === 65 && second === 83 && third === 75 ? 1 : 2
}

/** Texts; a column `side` that holds BID and ASK alone is one of sides. */
export class TextTarget {
  private sides: PackedCodes | null
  private readonly texts: PackedTexts

  constructor(own: Column) {
    this.sides = own.name === 'side' ? new PackedCodes({ ...own, type: { form: 'side' } }) : null
    this.texts = new PackedTexts(own)
  }

  push(text: Uint8Array | null): void {
    if (text === null) (this.sides ?? this.texts).push(null)
    else this.pushPiece(text, 0, text.length)
  }

  /** Appends the text of some bytes. */
  pushPiece(bytes: Uint8Array, start: number, length: number): void {
    if (this.sides !== null) {
      const code = sideCode(bytes, start, length)
      if (code < 2) return this.sides.push(code === 1)
      for (const side of this.sides.values) this.texts.push(side === null ? null : encoder.encode(String(side)))
      this.sides = null
    }
    this.texts.push(bytes.subarray(start, start + length))
  }

  /** The column so far. */
  column(): PackedColumn {
    return this.sides ?? this.texts
  }
}
