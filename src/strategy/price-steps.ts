import { decimalScale, scaledFromText } from '../model/decimal.js'
import { BacktapeError } from '../model/error.js'
import { Price } from '../model/fixed-decimal.js'
import type { Instrument } from '../model/instrument.js'

/** A stretch of prices with one tick: from its floor up to the next one's, scaled integers. */
interface Stretch {
  readonly floor: number
  readonly tick: number
}

/**
 * The price so many ticks above (below 0: below) another one, a decimal text; each tick is that of the stretch it leads
 * through; exact.
 */
export function steppedPrice(instrument: Instrument, price: string, count: number): Price {
  if (!Number.isSafeInteger(count)) {
    const place = { field: 'count', expected: 'a whole number', found: String(count) }
    throw new BacktapeError(
      'OPTION_INVALID', `Cannot step a price of ${instrument.code} by ${count} ticks: it must be a whole number`, place,
    )
  }
  const texts = [
    instrument.tickSize ?? '1', ...instrument.tickBands.flatMap(({ floor, tickSize }) => [floor, tickSize]),
  ]
  const scale = Math.max(...[price, ...texts].map((text) => decimalScale(text) ?? 0))
  const scaled = (text: string): number => {
    const integer = scaledFromText(text, scale)
    if (integer !== null) return integer
    throw new BacktapeError(
      'VALUE_INEXACT',
      `Cannot step ${price} by ticks of ${instrument.code}: it and ${text} do not fit 2^53 together`,
      { found: text },
    )
  }
  const stretches = stretchesOf(instrument, scaled)
  let at = scaled(price)
  let left = Math.abs(count)
  // A stretch a turn, however many ticks it holds.
  while (left > 0) [at, left] = count > 0 ? stepUp(stretches, at, left) : stepDown(stretches, at, left)
  if (Number.isSafeInteger(at)) return new Price(at, scale)
  throw new BacktapeError(
    'VALUE_INEXACT',
    `Cannot step ${price} by ${count} ticks of ${instrument.code}: the price does not fit 2^53`,
    { found: String(count) },
  )
}

function stretchesOf({ code, tickSize, tickBands }: Instrument, scaled: (text: string) => number): Stretch[] {
  const stretches = tickBands
    .map((band): Stretch => ({ floor: scaled(band.floor), tick: scaled(band.tickSize) }))
    .sort((a, b) => a.floor - b.floor)
  const lowest = tickSize === null ? stretches[0]?.tick : scaled(tickSize)
  if (lowest !== undefined && lowest > 0 && stretches.every(({ tick }) => tick > 0))
    return [{ floor: -Infinity, tick: lowest }, ...stretches]
  throw new BacktapeError('OPTION_INVALID', `Cannot step a price of ${code}: its master data has no tick size`, {
    field: 'ticksize',
  })
}

/**
 * Up to the end of the stretch at most; what is left of the ticks. A price between two ticks has the next one as its
 * first.
 */
function stepUp(stretches: readonly Stretch[], at: number, left: number): [at: number, left: number] {
  const index = stretches.findLastIndex(({ floor }) => floor <= at)
  const { tick } = stretches[index] as Stretch
  const end = stretches[index + 1]?.floor ?? Infinity
  const first = Math.floor(at / tick) * tick + tick
  const steps = Math.min(left, end === Infinity ? left : Math.max(1, Math.ceil((end - first) / tick) + 1))
  return [Math.min(first + (steps - 1) * tick, end), left - steps]
}

/** The same downwards: at the floor of a stretch the ticks of the one below count. */
function stepDown(stretches: readonly Stretch[], at: number, left: number): [at: number, left: number] {
  const { floor, tick } = stretches.findLast((stretch) => stretch.floor < at) as Stretch
  const first = Math.ceil(at / tick) * tick - tick
  const steps = Math.min(left, floor === -Infinity ? left : Math.max(1, Math.ceil((first - floor) / tick) + 1))
  return [Math.max(first - (steps - 1) * tick, floor), left - steps]
}
