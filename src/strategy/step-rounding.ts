import { Decimal, decimalDigits, decimalScale, scaledFromText } from '../model/decimal.js'
import { BacktapeError } from '../model/error.js'
import { foundText } from '../model/fault.js'
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
