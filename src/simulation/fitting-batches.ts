import { filterBatch } from '../model/event-batch-filter.js'
import { copyBatch, sliceBatch } from '../model/event-batch-columns.js'
import { EVENT_FLAGS, type EventBatch } from '../model/event-batch.js'
import type { BacktapeError } from '../model/error.js'
import { factorBetween } from '../model/scale-factor.js'
import { NS_PER_DAY } from '../model/time.js'
import { lastRecordedIndex } from '../replay/state-lines.js'
import type { HeldNumbers, HeldRows, Misfit } from './held-numbers.js'
import { madeState, type Neighbour } from './made-lines.js'
import type { ReplayScales } from './owned-batch.js'
import type { LinesBeforeRun } from './lines-before-run.js'
import { unfitError, type UnfitInstruments, type UnfitSource } from './unfit-instruments.js'

/** Scales at which a run states what it trades: those of the grid, or less where the first lines need the room. */
export function fittingScales(scales: ReplayScales, first: EventBatch | null): ReplayScales {
  if (first === null) return scales
  const from = first.quantityScale
  let greatest = 0
  for (let row = first.rowStart[0] as number; row < (first.rowStart[first.count] as number); row++) {
    const quantity = first.quantity[row] as number
    if (quantity > greatest && Number.isSafeInteger(quantity)) greatest = quantity
  }
  let { quantity } = scales
  while (quantity > from && greatest * factorBetween(from, quantity) * HEADROOM > Number.MAX_SAFE_INTEGER) quantity--
  return { price: scales.price, quantity }
}

/** So many times the greatest quantity of the first lines shall fit. */
const HEADROOM = 10

/** The parts that say which lines of an instrument fit. */
export interface FittingParts {
  readonly source: UnfitSource
  readonly held: HeldNumbers
  readonly past: LinesBeforeRun
  readonly unfit: UnfitInstruments
  /** The day from whose midnight times of the run count. */
  readonly epochDay: number
}

/**
 * The batches of an instrument as far as safe integers hold its prices and quantities at one scale (exchange rules
 * 1.8). Where a line does not fit, or one before the run that still stands at its begin, a state ERROR (flag UNFIT)
 * comes in its place, another at the end of the data, and every line but marks, indexes and fundings is left out.
 */
export async function* fittingBatches(
  batches: AsyncGenerator<EventBatch, void, undefined>, parts: FittingParts,
): AsyncGenerator<EventBatch, void, undefined> {
  const { source, held, past, unfit, epochDay } = parts
  for await (const batch of batches) {
    if (batch.count === 0) {
      yield batch
      continue
    }
    const pastCount = past.countIn(batch)
    const rows = held.take(batch)
    const errorOf = (misfit: Misfit): BacktapeError => unfitError(source, batch, misfit)
    past.take(rows, pastCount, errorOf)
    const standing = pastCount < batch.count ? past.standing : null
    const misfit = standing === null ? rows.misfits.find(({ index }) => index >= pastCount) : undefined
    const end = standing === null ? (misfit?.index ?? batch.count) : pastCount
    yield* heldLines(rows, end)
    const error = standing ?? (misfit === undefined ? null : errorOf(misfit))
    if (error === null) continue
    const rest = sliceBatch(batch, end, batch.count)
    const shiftNs = (batch.epochDay - epochDay) * NS_PER_DAY
    const fromNs = past.fromNs() - shiftNs
    const timeNs = standing === null ? Math.max(fromNs, rest.adapterTimeNs[0] as number) : fromNs
    unfit.note(source.instrument.id, { error, timeNs: timeNs + shiftNs })
    const state = madeState('ERROR', error.message, neighbour(batch, held.scales), timeNs, EVENT_FLAGS.UNFIT)
    state.exchangeTimeNs[0] = Math.max(fromNs, Math.min(timeNs, earliestNs(rest)))
    yield state
    yield* closedBatches(rest, batches, error.message, held.scales)
    return
  }
}

/** The lines before an event, but those before the run that have a price which does not fit. */
function* heldLines({ batch, misfits }: HeldRows, end: number): Generator<EventBatch, void, undefined> {
  const left = new Set(misfits.flatMap(({ field, index }) => (field === 'price' && index < end ? [index] : [])))
  if (left.size === 0 && end === batch.count) {
    yield batch
    return
  }
  let from = 0
  for (const index of [...left, end]) {
    if (index > from) yield copyBatch(sliceBatch(batch, from, index))
    from = index + 1
  }
}

/**
 * When the first of some lines happened at the exchange: lines behind the one that does not fit may have happened
 * before it, and are missing as well.
 */
function earliestNs({ adapterTimeNs, exchangeTimeNs, rowTimeNs, tradeRowStart, count }: EventBatch): number {
  let earliest = Infinity
  for (let i = 0; i < count; i++) {
    const time = exchangeTimeNs[i] as number
    earliest = Math.min(earliest, time <= (adapterTimeNs[i] as number) ? time : (adapterTimeNs[i] as number))
  }
  for (let row = tradeRowStart[0] as number; row < (tradeRowStart[count] as number); row++)
    if ((rowTimeNs[row] as number) < earliest) earliest = rowTimeNs[row] as number
  return earliest
}

/** The rest of an instrument that is closed, from the line that does not fit on. */
async function* closedBatches(
  first: EventBatch, rest: AsyncIterable<EventBatch>, text: string, scales: ReplayScales,
): AsyncGenerator<EventBatch, void, undefined> {
  let last = neighbour(first, scales)
  let timeNs = first.adapterTimeNs[0] as number
  async function* all(): AsyncGenerator<EventBatch, void, undefined> {
    yield first
    yield* rest
  }
  for await (const batch of all()) {
    // A silence behind the data comes later than they end, and does not prolong the run.
    const end = lastRecordedIndex(batch)
    if (batch.count === 0) yield batch
    if (end < 0) continue
    last = neighbour(batch, scales)
    timeNs = batch.adapterTimeNs[end] as number
    const values = filterBatch(batch, ['mark', 'index', 'funding'])
    if (values.count > 0) yield { ...values, ...last }
  }
  yield madeState('ERROR', text, last, timeNs, EVENT_FLAGS.UNFIT)
}

/** Behind a line that does not fit nothing has rows: the scales are those that did. */
function neighbour({ instrument, epochDay }: EventBatch, { price, quantity }: ReplayScales): Neighbour {
  return { instrument, epochDay, priceScale: price, quantityScale: quantity }
}
