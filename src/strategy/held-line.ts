import type { EventBatch } from '../model/event-batch.js'
import type { RowColumns } from '../model/event-rows.js'
import { copyWide, type WideNumbers } from '../model/wide-numbers.js'

interface HeldRows extends Pick<RowColumns, 'side' | 'price' | 'quantity' | 'rowTimeNs'> {
  readonly isNull: Uint8Array
  readonly idStart: Uint32Array
}

function rowsOf(count: number): HeldRows {
  return {
    side: new Uint8Array(count), price: new Float64Array(count), quantity: new Float64Array(count),
    rowTimeNs: new Float64Array(count), isNull: new Uint8Array(count), idStart: new Uint32Array(count + 1),
  }
}

/**
 * One line of trades, liquidations or funding: a place in its batch, copied out before that is given back. Memory is
 * kept and reused: keeping a line allocates nothing, but where it is longer than every line before it. Objects are made
 * of it when somebody reads it, once.
 */
export class HeldLine<T> {
  /** True where {@link HeldLine.get} has yet to read the line: in its batch, or, where that is null, in the columns. */
  #isUnread = false
  #batch: EventBatch | null = null
  #index = 0
  #epochDay = 0
  #priceScale = 0
  #quantityScale = 0
  #wide: WideNumbers | null = null
  #rows: HeldRows = rowsOf(8)
  #idBytes: Uint8Array = new Uint8Array(128)
  readonly #values: Float64Array = new Float64Array(3)
  readonly #valueScale: Uint8Array = new Uint8Array(3)
  readonly #rowSpan: Uint32Array = new Uint32Array(2)
  readonly #valueSpan: Uint32Array = new Uint32Array(2)

  constructor(private value: T, private readonly read: (line: RowColumns, index: number) => T) {}

  /** Holds a line from now on; its batch must stay as it is until {@link keep}. */
  hold(batch: EventBatch, index: number): void {
    this.#isUnread = true
    this.#batch = batch
    this.#index = index
  }

  /** Copies the line out of its batch where nobody has read it yet, and lets go of the batch. */
  keep(): void {
    const batch = this.#batch
    this.#batch = null
    if (batch !== null && this.#isUnread) this.#copy(batch, this.#index)
  }

  get(): T {
    if (this.#isUnread) {
      this.#isUnread = false
      this.value = this.#batch === null ? this.read(this.#columns(), 0) : this.read(this.#batch, this.#index)
      this.#batch = null
    }
    return this.value
  }

  put(value: T): void {
    this.#isUnread = false
    this.#batch = null
    this.value = value
  }

  #copy(batch: EventBatch, index: number): void {
    this.#epochDay = batch.epochDay
    this.#priceScale = batch.priceScale
    this.#quantityScale = batch.quantityScale
    this.#holdRows(batch, index)
    const from = batch.valueStart[index] as number
    const count = Math.min(3, (batch.valueStart[index + 1] as number) - from)
    for (let i = 0; i < count; i++) {
      this.#values[i] = batch.values[from + i] as number
      this.#valueScale[i] = batch.valueScale[from + i] as number
    }
    this.#valueSpan[1] = count
    const rows = { from: [batch.rowStart[index] as number], to: [batch.rowStart[index + 1] as number] }
    this.#wide = batch.wide === null ? null : copyWide(batch.wide, rows, { from: [from], to: [from + count] })
  }

  #columns(): RowColumns {
    return {
      epochDay: this.#epochDay, priceScale: this.#priceScale, quantityScale: this.#quantityScale,
      rowStart: this.#rowSpan, tradeRowStart: this.#rowSpan, ...this.#rows,
      tradeId: { start: this.#rows.idStart, bytes: this.#idBytes, isNull: this.#rows.isNull },
      valueStart: this.#valueSpan, values: this.#values, valueScale: this.#valueScale,
      wide: this.#wide,
    }
  }

  #holdRows(batch: EventBatch, index: number): void {
    const from = batch.rowStart[index] as number
    const tradeFrom = batch.tradeRowStart[index] as number
    const count = (batch.tradeRowStart[index + 1] as number) - tradeFrom
    this.#rowSpan[1] = count
    if (count > this.#rows.side.length) this.#rows = rowsOf(count * 2)
    const { side, price, quantity, rowTimeNs, isNull: isNulls, idStart } = this.#rows
    const { start, bytes, isNull } = batch.tradeId
    const idFrom = count === 0 ? 0 : (start[tradeFrom] as number)
    for (let i = 0; i < count; i++) {
      side[i] = batch.side[from + i] as number
      price[i] = batch.price[from + i] as number
      quantity[i] = batch.quantity[from + i] as number
      rowTimeNs[i] = batch.rowTimeNs[tradeFrom + i] as number
      isNulls[i] = isNull[tradeFrom + i] as number
      idStart[i + 1] = (start[tradeFrom + i + 1] as number) - idFrom
    }
    const idLength = count === 0 ? 0 : (idStart[count] as number)
    if (idLength > this.#idBytes.length) this.#idBytes = new Uint8Array(idLength * 2)
    for (let i = 0; i < idLength; i++) this.#idBytes[i] = bytes[idFrom + i] as number
  }
}
