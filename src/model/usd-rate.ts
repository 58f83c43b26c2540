import type { Underlying } from './instrument.js'

/** A rate in USD and who declared it. */
export interface UsdRate {
  readonly usd: string
  readonly declaredBy: 'run' | 'data'
  /** When a rate of the data was sampled, as the file has it; left out where nothing says. */
  readonly sampledAt?: string
}

/** The rate of an underlying in the master data; null where they have none. */
export function rateOfData({ fxRate, fxTime }: Underlying): UsdRate | null {
  if (fxRate === null) return null
  return { usd: fxRate, declaredBy: 'data', ...(fxTime === null ? {} : { sampledAt: fxTime }) }
}
