import { Decimal, decimalDigits, decimalScale, scaledFromText } from '../model/decimal.js'
import { BacktapeError } from '../model/error.js'
import { foundText } from '../model/fault.js'
import { Price } from '../model/fixed-decimal.js'
import type { Instrument } from '../model/instrument.js'

/** The direction in which a value that lies between two steps is moved: 'down' is towards minus infinity. */
export type RoundingDirection = 'down' | 'up'

/**
 * The decimal text of a value that is to be rounded: a text, or a number as JavaScript writes it, the shortest text
 * that reads back as that number. Throws OPTION_INVALID for NaN, infinities, and what is neither.
 */
export function roundableText(value: unknown, noun: string): string {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text === 'string' && decimalDigits(text) !== null) return text
  const [expected, found] = ['a finite number or a text with a decimal', foundText(value)]
  throw new BacktapeError(
    'OPTION_INVALID', `Cannot take a ${noun} from ${found}: it must be ${expected}`, { field: noun, expected, found },
  )
}

/** The tick size at a price: its band's, else the instrument's. Throws where the master data has none. */
export function tickSizeOf({ code, tickSize, tickBands }: Instrument, price: Decimal): string {
  let found = tickSize
  for (const band of tickBands) if (price.gte(band.floor)) found = band.tickSize
  if (found !== null) return found
  throw new BacktapeError(
    'OPTION_INVALID', `Cannot round a price of ${code}: its master data has no tick size`, { field: 'ticksize' },
  )
}

/**
 * A decimal text moved to a multiple of a step, exactly; integer and scale of the result. Throws OPTION_INVALID for
 * another direction, VALUE_INEXACT where the step is not above 0 or the result does not fit 2^53.
 */
export function roundedToStep(
  text: string, stepText: string, direction: RoundingDirection,
): [integer: number, scale: number] {
  if (direction !== 'down' && (direction as unknown) !== 'up') {
    const [expected, found] = ["'down' or 'up'", foundText(direction)]
    throw new BacktapeError(
      'OPTION_INVALID', `Cannot round ${text} in the direction ${found}: it must be ${expected}`,
      { field: 'direction', expected, found },
    )
  }
  const scale = Math.max(decimalScale(text) ?? 0, decimalScale(stepText) ?? 0)
  const [step, integer] = [scaledFromText(stepText, scale), scaledFromText(text, scale)]
  if (step !== null && integer !== null && step > 0) {
    const steps = direction === 'down' ? Math.floor(integer / step) : Math.ceil(integer / step)
    return [steps * step + 0, scale]
  }
  const result = multipleAtScale(text, stepText, direction)
  if (result !== null) return result
  throw new BacktapeError(
    'VALUE_INEXACT', `Cannot round ${text} to multiples of ${stepText}: they do not fit 2^53 together`,
  )
}

/** The same by integers of any size, in the scale of the step; null where the result does not fit. */
function multipleAtScale(
  text: string, stepText: string, direction: RoundingDirection,
): [integer: number, scale: number] | null {
  const [step, value] = [decimalDigits(stepText), decimalDigits(text)]
  if (step === null || value === null || step.negative || step.digits === '0') return null
  const places = Math.max(step.scale, value.scale, 0)
  const at = ({ digits, scale }: { digits: string; scale: number }): bigint =>
    BigInt(digits) * 10n ** BigInt(places - scale)
  const [whole, each] = [value.negative ? -at(value) : at(value), at(step)]
  // A division of integers goes towards 0: one less where that is up.
  const below = whole / each - (whole % each < 0n ? 1n : 0n)
  const steps = direction === 'up' && whole % each !== 0n ? below + 1n : below
  const scale = Math.max(0, step.scale)
  const integer = Number((steps * each) / 10n ** BigInt(places - scale))
  return Number.isSafeInteger(integer) ? [integer, scale] : null
}

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
