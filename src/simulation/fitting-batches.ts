import { filterBatch } from '../model/event-batch-filter.js'
import { copyBatch, sliceBatch } from '../model/event-batch-columns.js'
import { EVENT_FLAGS, type EventBatch } from '../model/event-batch.js'
import { BacktapeError } from '../model/error.js'
import { textFromScaled } from '../model/decimal.js'
import { lineNumberOf } from '../model/line-numbers.js'
import { instrumentName, type Instrument } from '../model/instrument.js'
import { factorBetween } from '../model/scale-factor.js'
import { hasWideRows } from '../model/wide-numbers.js'
import { madeState, type Neighbour } from './made-lines.js'
import type { ReplayScales } from './owned-batch.js'

/** The outcome for an instrument whose numbers no safe integer holds (exchange rules 1.8). */
export type Unfit = 'refuse' | 'close'

/** A number of a row that a run cannot hold beside the others. */
interface Misfit {
  /** Event of the batch. */
  readonly index: number
  readonly field: 'price' | 'qty'
  readonly expected: string
  readonly found: string
}

const COLUMNS = ['price', 'quantity'] as const
type Column = (typeof COLUMNS)[number]
const FIELDS = { price: 'price', quantity: 'qty' } as const

const scaleOf = (batch: EventBatch, column: Column): number =>
  column === 'price' ? batch.priceScale : batch.quantityScale

function digitsOf(batch: EventBatch, column: Column, row: number): string {
  return batch.wide?.[column].get(row) ?? textFromScaled(batch[column][row] as number, scaleOf(batch, column))
}

/** The event of a row. */
function eventOf({ rowStart, count }: EventBatch, row: number): number {
  let [low, high] = [0, count]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((rowStart[middle + 1] as number) <= row) low = middle + 1
    else high = middle
  }
  return low
}

/** The greatest prices and quantities of an instrument so far, as integers at the scales that hold all of them. */
class Greatest {
  readonly #scales: ReplayScales
  readonly #integers = { price: 0, quantity: 0 }

  constructor(scales: ReplayScales) {
    this.#scales = { ...scales }
  }

  /** Takes the rows of a batch in; the first number that does not fit beside the others, null where all do. */
  take(batch: EventBatch): Misfit | null {
    const found = [wideRow(batch), this.#takeColumn(batch, 'price'), this.#takeColumn(batch, 'quantity')]
    let first: Misfit | null = null
    for (const misfit of found) if (misfit !== null && (first === null || misfit.index < first.index)) first = misfit
    return first
  }

  #takeColumn(batch: EventBatch, column: Column): Misfit | null {
    const from = batch.rowStart[0] as number
    const to = batch.rowStart[batch.count] as number
    const numbers = batch[column]
    let greatest = 0
    for (let row = from; row < to; row++) {
      const size = Math.abs(numbers[row] as number)
      if (size > greatest) greatest = size
    }
    const [own, before] = [scaleOf(batch, column), this.#scales[column]]
    const scale = Math.max(own, before)
    const held = this.#integers[column] * factorBetween(0, scale - before)
    const factor = factorBetween(0, scale - own)
    this.#scales[column] = scale
    this.#integers[column] = Math.max(held, greatest * factor)
    if (this.#integers[column] <= Number.MAX_SAFE_INTEGER) return null
    const expected = `at most 2^53 - 1 with the ${String(scale)} decimals of its instrument`
    if (held > Number.MAX_SAFE_INTEGER) {
      const known = textFromScaled(this.#integers[column] / factorBetween(0, scale - before), before)
      const row = finestRow(batch, column, from, to)
      return {
        index: eventOf(batch, row), field: FIELDS[column], found: digitsOf(batch, column, row),
        expected: `of ${String(before)} decimals beside ${known}`,
      }
    }
    let row = from
    while (Math.abs(numbers[row] as number) * factor <= Number.MAX_SAFE_INTEGER) row++
    return { index: eventOf(batch, row), field: FIELDS[column], expected, found: digitsOf(batch, column, row) }
  }
}

/** The first row whose number has as many decimals as the scale; the first of all where none has. */
function finestRow(batch: EventBatch, column: Column, from: number, to: number): number {
  if (scaleOf(batch, column) === 0) return from
  for (let row = from; row < to; row++) if ((batch[column][row] as number) % 10 !== 0) return row
  return from
}

/** The first number of a row that is beyond 2^53 - 1 already. */
function wideRow(batch: EventBatch): Misfit | null {
  if (!hasWideRows(batch.wide)) return null
  let first: Misfit | null = null
  for (const column of COLUMNS) {
    const [row] = batch.wide[column].keys()
    const index = row === undefined ? Infinity : eventOf(batch, row)
    if (row === undefined || index >= (first?.index ?? batch.count)) continue
    const expected = `at most 2^53 - 1 with ${String(scaleOf(batch, column))} decimals`
    first = { index, field: FIELDS[column], expected, found: digitsOf(batch, column, row) }
  }
  return first
}

/** Scales at which a run states what it trades: those of the grid, or less where the first lines need the room. */
export function fittingScales(scales: ReplayScales, first: EventBatch | null): ReplayScales {
  if (first === null) return scales
  const from = first.quantityScale
  let greatest = 0
  for (let row = first.rowStart[0] as number; row < (first.rowStart[first.count] as number); row++)
    greatest = Math.max(greatest, first.quantity[row] as number)
  let { quantity } = scales
  while (quantity > from && greatest * factorBetween(from, quantity) * HEADROOM > Number.MAX_SAFE_INTEGER) quantity--
  return { price: scales.price, quantity }
}

/** So many times the greatest quantity of the first lines shall fit. */
const HEADROOM = 10

/** The files of an instrument, by the days that they are of. */
export interface UnfitSource {
  readonly instrument: Instrument
  readonly days: readonly number[]
  readonly names: readonly string[]
}

/** The error of a number that a run cannot hold. */
function errorOf({ instrument, days, names }: UnfitSource, batch: EventBatch, misfit: Misfit): BacktapeError {
  const { field, expected, found } = misfit
  const file = names[Math.max(0, days.indexOf(batch.epochDay))] ?? instrumentName(instrument)
  const line = lineNumberOf(batch.lines, misfit.index)
  const at = line === null ? `event ${String(batch.firstEventIndex + misfit.index)}` : `line ${String(line)}`
  return new BacktapeError(
    'VALUE_INEXACT',
    `Cannot trade ${instrumentName(instrument)} on ${at} of ${file}: ${field} must be ${expected}, found ${found}`,
    { file, ...(line === null ? {} : { line }), field, expected, found },
  )
}

/**
 * The batches of an instrument as far as safe integers hold its prices and quantities at one scale (exchange rules
 * 1.8). Where one does not fit, `refuse` ends the run: VALUE_INEXACT with file, line and field; `close` puts a state
 * ERROR (flag UNFIT) in the place of its line, another at the end of the data, and leaves out every line but marks,
 * indexes and fundings.
 */
export async function* fittingBatches(
  batches: AsyncGenerator<EventBatch, void, undefined>, source: UnfitSource, scales: ReplayScales, unfit: Unfit,
): AsyncGenerator<EventBatch, void, undefined> {
  const greatest = new Greatest(scales)
  for await (const batch of batches) {
    if (batch.count === 0) continue
    const misfit = greatest.take(batch)
    if (misfit === null) {
      yield batch
      continue
    }
    const error = errorOf(source, batch, misfit)
    if (unfit === 'refuse') throw error
    if (misfit.index > 0) yield copyBatch(sliceBatch(batch, 0, misfit.index))
    yield* closedBatches(sliceBatch(batch, misfit.index, batch.count), batches, error.message, scales)
    return
  }
}

/** The rest of an instrument that is closed, from the line that does not fit on. */
async function* closedBatches(
  first: EventBatch, rest: AsyncIterable<EventBatch>, text: string, scales: ReplayScales,
): AsyncGenerator<EventBatch, void, undefined> {
  let last = neighbour(first, scales)
  let timeNs = first.adapterTimeNs[0] as number
  yield madeState('ERROR', text, last, timeNs, EVENT_FLAGS.UNFIT)
  async function* all(): AsyncGenerator<EventBatch, void, undefined> {
    yield first
    yield* rest
  }
  for await (const batch of all()) {
    if (batch.count === 0) continue
    last = neighbour(batch, scales)
    timeNs = batch.adapterTimeNs[batch.count - 1] as number
    const values = filterBatch(batch, ['mark', 'index', 'funding'])
    if (values.count > 0) yield { ...values, ...last }
  }
  yield madeState('ERROR', text, last, timeNs, EVENT_FLAGS.UNFIT)
}

/** Behind a line that does not fit nothing has rows: the scales are those that did. */
function neighbour({ instrument, epochDay }: EventBatch, { price, quantity }: ReplayScales): Neighbour {
  return { instrument, epochDay, priceScale: price, quantityScale: quantity }
}
