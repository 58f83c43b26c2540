import { decimalScale, scaledFromText, textFromScaled } from '../model/decimal.js'
import { bookTrackOf, greatestOf } from '../model/book-track.js'
import { copyBatch, type WritableBatch } from '../model/event-batch-columns.js'
import type { EventBatch } from '../model/event-batch.js'
import { factorBetween } from '../model/scale-factor.js'
import { gatherWideNumbers, hasWideRows, wideOrNull } from '../model/wide-numbers.js'
import type { ReplayScales } from './owned-batch.js'

const MOST = Number.MAX_SAFE_INTEGER
const COLUMNS = ['price', 'quantity'] as const
type Column = (typeof COLUMNS)[number]
const WORDS = { price: 'prices', quantity: 'quantities' } as const
const FIELDS = { price: 'price', quantity: 'qty' } as const

/** A number of a row that a run cannot hold beside the others. */
export interface Misfit {
  readonly row: number
  /** Event of the batch. */
  readonly index: number
  readonly field: 'price' | 'qty'
  readonly expected: string
  readonly found: string
}

/** Rows as a run holds them: those that do not fit have one unit, and are listed. */
export interface HeldRows {
  readonly batch: EventBatch
  /** In the order of their rows. */
  readonly misfits: readonly Misfit[]
}

/** A number without trailing zeros: an integer and its decimals. */
interface Digits {
  readonly integer: number
  readonly scale: number
}

const scaleOf = (batch: EventBatch, column: Column): number =>
  column === 'price' ? batch.priceScale : batch.quantityScale

/** The scales of an instrument in a pass, which only grow, and the greatest numbers so far (exchange rules 1.8). */
export class HeldNumbers {
  readonly #greatest = { price: 0, quantity: 0 }

  constructor(readonly scales: ReplayScales) {}

  /** Takes the rows of a batch in, at scales that hold them beside all before. */
  take(batch: EventBatch): HeldRows {
    if (!hasWideRows(batch.wide) && this.#takeWhole(batch)) return { batch, misfits: [] }
    const copy: WritableBatch = copyBatch(batch)
    const misfits = COLUMNS.flatMap((column) => this.#takeRows(copy, column))
    if (copy.wide !== null) copy.wide = wideOrNull({ ...gatherWideNumbers(), value: copy.wide.value })
    return { batch: copy, misfits: misfits.sort((a, b) => a.row - b.row) }
  }

  /** Takes so many decimals of quantities in; false where the greatest one leaves no room for them. */
  refine(quantityScale: number): boolean {
    const factor = factorBetween(this.scales.quantity, quantityScale)
    if (this.#greatest.quantity * factor > MOST) return false
    this.#greatest.quantity *= factor
    this.scales.quantity = Math.max(this.scales.quantity, quantityScale)
    return true
  }

  /** For rows of no more decimals than there have been: nothing is to be looked at but the greatest of them. */
  #takeWhole(batch: EventBatch): boolean {
    const known = bookTrackOf(batch)?.greatest
    const [price, quantity] = COLUMNS.map((column) => {
      const factor = factorBetween(scaleOf(batch, column), this.scales[column])
      // A kept day knows it.
      const greatest = known?.[column] ?? greatestOf(batch, column)
      return scaleOf(batch, column) > this.scales[column] ? NaN : greatest * factor
    }) as [number, number]
    if (!(price <= MOST && quantity <= MOST)) return false
    this.#greatest.price = Math.max(this.#greatest.price, price)
    this.#greatest.quantity = Math.max(this.#greatest.quantity, quantity)
    return true
  }

  /** Row by row, each beside all before it. */
  #takeRows(copy: WritableBatch, column: Column): Misfit[] {
    const { rowStart, count, wide } = copy
    const own = scaleOf(copy, column)
    const numbers = copy[column]
    const scaleOfRow = new Uint8Array(numbers.length)
    const misfits: Misfit[] = []
    let index = 0
    for (let row = 0; row < (rowStart[count] as number); row++) {
      while ((rowStart[index + 1] as number) <= row) index++
      const text = wide?.[column].get(row)
      const digits = text === undefined ? digitsOf(numbers[row] as number, own) : digitsOfText(text)
      const expected = this.#refusal(column, digits)
      if (expected === null && digits !== null) {
        numbers[row] = digits.integer
        scaleOfRow[row] = digits.scale
        continue
      }
      const found = text ?? textFromScaled(numbers[row] as number, own)
      misfits.push({ row, index, field: FIELDS[column], expected: expected ?? '', found })
      numbers[row] = 1
    }
    const scale = this.scales[column]
    for (let row = 0; row < numbers.length; row++)
      numbers[row] = (numbers[row] as number) * factorBetween(scaleOfRow[row] as number, scale)
    if (column === 'price') copy.priceScale = scale
    else copy.quantityScale = scale
    return misfits
  }

  /** Takes a number in (null: beyond 2^53 - 1 without its point); what it must be where it is not taken, else null. */
  #refusal(column: Column, digits: Digits | null): string | null {
    if (digits === null) return 'a number of at most 15 digits'
    const before = this.scales[column]
    const greatest = this.#greatest[column]
    const scale = Math.max(before, digits.scale)
    const held = greatest * factorBetween(before, scale)
    const size = Math.abs(digits.integer) * factorBetween(digits.scale, scale)
    if (held > MOST) {
      let room = before
      while (greatest * factorBetween(before, room + 1) <= MOST) room++
      return `of at most ${String(room)} decimals, as ${textFromScaled(greatest, before)} came before it`
    }
    if (size > MOST)
      return `at most ${textFromScaled(MOST, scale)}, as ${WORDS[column]} have come to ${String(scale)} decimals`
    this.scales[column] = scale
    this.#greatest[column] = Math.max(held, size)
    return null
  }
}

/** A scaled integer without its trailing zeros. */
function digitsOf(number: number, own: number): Digits {
  let [integer, scale] = [number, own]
  for (; scale > 0 && integer % 10 === 0; scale--) integer /= 10
  return { integer, scale }
}

function digitsOfText(text: string): Digits | null {
  const scale = decimalScale(text) ?? 0
  const integer = scaledFromText(text, scale)
  return integer === null || scale > SCALE_MOST ? null : { integer, scale }
}

/** Decimals up to which a power of ten is exact. */
const SCALE_MOST = 22
