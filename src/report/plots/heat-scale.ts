import { HEAT_LEVELS } from './picture-theme.js'
import type { LegendEntry } from './sheet.js'

/** The colours of a heat map: thresholds that part its values into levels. */
export interface HeatScale {
  /** Upper bounds of all levels but the last, ascending. */
  readonly bounds: readonly number[]
  /** `heat` from little to much, `signed` around 0. */
  readonly colors: 'heat' | 'signed'
}

/** A number in a legend or a cell: three digits that count. */
export function shortNumber(value: number): string {
  if (!Number.isFinite(value)) return ''
  const size = Math.abs(value)
  if (size >= 1e15 || size > 0 && size < 1e-4) return value.toExponential(1)
  if (size >= 1_000) return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',')
  return String(Number(value.toPrecision(3)))
}

/**
 * Levels of equal ratios from the tenth part to the thousandth from the top of the values above 0: quantities of a book
 * spread over orders of magnitude.
 */
export function ratioScale(values: Float64Array): HeatScale {
  const sorted = values.filter((value) => value > 0 && Number.isFinite(value)).sort()
  const low = sorted[Math.floor(sorted.length * 0.1)] ?? 1
  const high = Math.max(sorted[Math.floor(sorted.length * 0.999)] ?? 1, low)
  const count = HEAT_LEVELS - 1
  return {
    colors: 'heat',
    bounds: Array.from({ length: count }, (_, index) => low * (high / low) ** (index / Math.max(1, count - 1))),
  }
}

/** Levels of equal width: around 0 where values lie on both sides of it, else from the lowest to the highest. */
export function evenScale(low: number, high: number): HeatScale {
  const isSigned = low < 0 && high > 0
  const [from, to] = isSigned ? [-Math.max(-low, high), Math.max(-low, high)] : [low, high]
  const step = (to - from) / HEAT_LEVELS
  return {
    colors: isSigned ? 'signed' : 'heat',
    bounds: Array.from({ length: HEAT_LEVELS - 1 }, (_, index) => from + step * (index + 1)),
  }
}

/** The level of a value, 0 is the lowest. */
export function levelOf(value: number, { bounds }: HeatScale): number {
  let level = 0
  while (level < bounds.length && value > (bounds[level] ?? Infinity)) level += 1
  return level
}

/** Class of a level. */
export function levelClass(level: number, { colors }: HeatScale): string {
  return `${colors}-${String(level + 1)}`
}

/** The legend of a scale: every other level with its bound. */
export function heatLegend(scale: HeatScale, unit: string | undefined): LegendEntry[] {
  const words = unit === undefined || unit === '' ? '' : ` ${unit}`
  return Array.from({ length: HEAT_LEVELS }, (_, level) => level).filter((level) => level % 2 === 0).map((level) => {
    const isLast = level === HEAT_LEVELS - 1
    const bound = shortNumber(scale.bounds[isLast ? level - 1 : level] ?? NaN)
    return { label: `${isLast ? '>' : '≤'} ${bound}${words}`, shape: 'square', className: levelClass(level, scale) }
  })
}
