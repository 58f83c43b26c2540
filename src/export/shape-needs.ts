import { textFromScaled } from '../model/decimal.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import { type EventBatch, ID_FORMS, VALUE_SCALES } from '../model/event-batch.js'
import { decimalsOf } from '../model/wide-numbers.js'
import type { Writable } from '../model/writable.js'
import { type ExportKind, type TableShape, valueScaleOf } from './export-kind.js'

/** Most digits behind the point of a decimal column. */
const DECIMALS_MAX = 38

/** Passes behind the first that a file can need: one for finer scales, one for 38 digits, one for text. */
export const PASSES_MAX = 3

/** Places of decimals among the values of an event, by the table that it belongs to. */
const DECIMAL_VALUES: Readonly<Partial<Record<ExportKind, readonly number[]>>> = {
  mark: [0], index: [0], funding: [0, 2],
}

/** The shape that a table needs for what it was given, at least the one that it began with. */
export class ShapeNeeds {
  readonly #shape: Writable<TableShape>
  readonly #decimalValues: readonly number[]

  constructor(kind: ExportKind, private readonly first: TableShape) {
    this.#shape = { ...first }
    this.#decimalValues = DECIMAL_VALUES[kind] ?? []
  }

  /** True while the first shape holds everything. */
  get fits(): boolean {
    const [own, first] = [this.#shape, this.first]
    return (
      own.priceScale === first.priceScale && own.quantityScale === first.quantityScale &&
      own.idsAreText === first.idsAreText && own.priceForm === first.priceForm &&
      own.quantityForm === first.quantityForm && own.valueForm === first.valueForm
    )
  }

  get shape(): TableShape {
    return this.#shape
  }

  /** Prices or quantities are more than their columns hold: 38 digits, and where those are too few a text. */
  widen(column: 'price' | 'quantity'): void {
    const name = column === 'price' ? 'priceForm' : 'quantityForm'
    this.#shape[name] = this.first[name] === 38 ? 'text' : 38
  }

  /** The values are more than 38 digits hold. */
  widenValues(): void {
    this.#shape.valueForm = 'text'
  }

  /** Looks at the events of a batch from kind `first` to `last`; closely only where they may not fit. */
  measure(batch: EventBatch, first: number, last: number): void {
    const own = this.#shape
    const isFiner = batch.priceScale > own.priceScale || batch.quantityScale > own.quantityScale
    const hasTexts = batch.eventId.texts.length > 0 && !own.idsAreText
    const hasValues = this.#decimalValues.length > 0
    if (!isFiner && !hasTexts && !hasValues && batch.wide === null) return
    for (let event = 0; event < batch.count; event++) {
      const kind = batch.kind[event] ?? 0
      if (kind < first || kind > last) continue
      if (batch.eventId.form[event] === ID_FORMS.TEXT || batch.previousEventId.form[event] === ID_FORMS.TEXT)
        own.idsAreText = true
      if (hasValues) this.#measureValues(batch, event)
      else if (kind !== EVENT_KINDS.state && (isFiner || batch.wide !== null)) this.#measureRows(batch, event)
    }
  }

  #measureRows(batch: EventBatch, event: number): void {
    const own = this.#shape
    for (let row = batch.rowStart[event] ?? 0, end = batch.rowStart[event + 1] ?? 0; row < end; row++) {
      const price = batch.wide?.price.get(row)
      if (price !== undefined) this.#measureWide('price', price)
      else own.priceScale = neededScale(batch.price[row] ?? 0, batch.priceScale, own.priceScale)
      const quantity = batch.wide?.quantity.get(row)
      if (quantity !== undefined) this.#measureWide('quantity', quantity)
      else own.quantityScale = neededScale(batch.quantity[row] ?? 0, batch.quantityScale, own.quantityScale)
    }
  }

  #measureWide(column: 'price' | 'quantity', text: string): void {
    const own = this.#shape
    const [form, scale] = column === 'price' ? ['priceForm', 'priceScale'] as const
      : ['quantityForm', 'quantityScale'] as const
    const decimals = decimalsOf(text)
    if (decimals > DECIMALS_MAX) own[form] = 'text'
    else if (own[form] !== 'text') {
      own[form] = 38
      own[scale] = Math.max(own[scale], decimals)
    }
  }

  #measureValues(batch: EventBatch, event: number): void {
    const from = batch.valueStart[event] ?? 0
    const end = batch.valueStart[event + 1] ?? 0
    for (const place of this.#decimalValues) {
      const at = from + place
      const scale = at < end ? (batch.valueScale[at] ?? VALUE_SCALES.NULL) : VALUE_SCALES.NULL
      const text = batch.wide?.value.get(at)
      if (text === undefined && scale <= valueScaleOf(this.#shape)) continue
      if (text === undefined && scale >= VALUE_SCALES.WIDE) continue
      this.#needValue(decimalsOf(text ?? textFromScaled(batch.values[at] ?? 0, scale)))
    }
  }

  #needValue(decimals: number): void {
    const own = this.#shape
    if (own.valueForm === 'text') return
    own.valueForm = decimals > DECIMALS_MAX ? 'text' : Math.max(valueScaleOf(own), decimals)
  }
}

/** The scale that `integer * 10^-scale` needs, at least `known`. */
function neededScale(integer: number, scale: number, known: number): number {
  let [rest, needed] = [integer, scale]
  while (needed > known && rest % 10 === 0) {
    rest /= 10
    needed--
  }
  return Math.max(needed, known)
}
