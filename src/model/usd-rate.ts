import type { Underlying } from './instrument.js'
import { epochNsFromText, epochNsFromTime } from './time.js'

/** A rate in USD and who declared it. */
export interface UsdRate {
  readonly usd: string
  readonly declaredBy: 'run' | 'data'
  /** When a rate of the data was sampled, as the file has it; left out where nothing says. */
  readonly sampledAt?: string
}

/** The rates of the master data by the id of their underlying. */
export function ratesOfData(underlyings: readonly Underlying[]): Map<number, UsdRate> {
  const known = new Map<number, UsdRate>()
  for (const underlying of underlyings) {
    const rate = rateOfData(underlying)
    if (rate !== null) known.set(underlying.id, rate)
  }
  return known
}

/** The rate of an underlying in the master data; null where they have none. */
export function rateOfData({ fxRate, fxTime }: Underlying): UsdRate | null {
  if (fxRate === null) return null
  return { usd: fxRate, declaredBy: 'data', ...(fxTime === null ? {} : { sampledAt: fxTime }) }
}

/** Whole days between the time of a rate and a UTC day; null where the time cannot be read. */
export function daysFromRate(sampledAt: string, epochDay: number): number | null {
  try {
    const days = Number((epochNsFromText(sampledAt, null) - epochNsFromTime(0, epochDay)) / 86_400_000_000_000n)
    return Math.abs(days)
  } catch {
    return null
  }
}
