import { plainDecimal } from './decimal.js'
import type { Runs } from './runs.js'

/**
 * The numbers of a batch that no scaled integer holds: they exceed 2^53 - 1 without their point, or have more decimals
 * than a scale may count. Each is its plain text in shortest form, by its place in its column. A row has in its column
 * the double next to its integer at the scale of the batch, which is never a safe integer; a value has the double next
 * to itself, and the scale WIDE.
 */
export interface WideNumbers {
  /** By row. */
  readonly price: ReadonlyMap<number, string>
  /** By row. */
  readonly quantity: ReadonlyMap<number, string>
  /** By place in `values`. */
  readonly value: ReadonlyMap<number, string>
}

/** Wide numbers that are being gathered. */
export interface GatheredWideNumbers extends WideNumbers {
  readonly price: Map<number, string>
  readonly quantity: Map<number, string>
  readonly value: Map<number, string>
}

/** No wide numbers, to be filled. */
export function gatherWideNumbers(): GatheredWideNumbers {
  return { price: new Map(), quantity: new Map(), value: new Map() }
}

/** Wide numbers where there are any, else null. */
export function wideOrNull(wide: WideNumbers): WideNumbers | null {
  return wide.price.size + wide.quantity.size + wide.value.size > 0 ? wide : null
}

/** Copies what stands at a place of runs that are laid one behind the other, by its new place; places ascend. */
function copyPlaces(target: Map<number, string>, source: ReadonlyMap<number, string>, runs: Runs): void {
  let [at, k] = [0, 0]
  for (const [place, text] of source) {
    for (; k < runs.to.length && place >= (runs.to[k] ?? 0); k++) at += (runs.to[k] ?? 0) - (runs.from[k] ?? 0)
    const from = runs.from[k] ?? Infinity
    if (place >= from) target.set(place - from + at, text)
  }
}

/** The wide numbers of some rows and values, which are laid one behind the other; null where there are none. */
export function copyWide(wide: WideNumbers, rows: Runs, values: Runs): WideNumbers | null {
  const copy = gatherWideNumbers()
  copyPlaces(copy.price, wide.price, rows)
  copyPlaces(copy.quantity, wide.quantity, rows)
  copyPlaces(copy.value, wide.value, values)
  return wideOrNull(copy)
}

/** True where prices or quantities of rows are among them. */
export function hasWideRows(wide: WideNumbers | null): wide is WideNumbers {
  return wide !== null && wide.price.size + wide.quantity.size > 0
}

/** The double that stands for `text * 10^scale` in a column of integers: next to it, and never a safe integer. */
export function wideDouble(text: string, scale: number): number {
  const nearest = Number(`${text}e${String(scale)}`)
  if (!Number.isSafeInteger(nearest)) return nearest
  const above = nearest * (1 + Number.EPSILON)
  return Number.isSafeInteger(above) ? Math.sign(nearest) * 2 ** 53 : above
}

/** The integer of a plain decimal text at a scale; null where it has more decimals. */
export function bigScaled(text: string, scale: number): bigint | null {
  const [whole = '', fraction = ''] = text.split('.')
  return fraction.length > scale ? null : BigInt(`${whole}${fraction.padEnd(scale, '0')}`)
}

/** The digits behind the point of a plain decimal text. */
export function decimalsOf(text: string): number {
  const point = text.indexOf('.')
  return point < 0 ? 0 : text.length - point - 1
}

/** The plain text of an integer of any size at a scale. */
export function textOfBig(integer: bigint, scale: number): string {
  return plainDecimal(`${String(integer)}e-${String(scale)}`) as string
}
