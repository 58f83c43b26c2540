import { contractFromInstrument, type Contract } from '../model/contract.js'
import { BacktapeError } from '../model/error.js'
import type { Instrument, Underlying } from '../model/instrument.js'

/** The currency of totals where nothing gives another. */
export const USD = 'USD'

/** The currency in which all money of a run is added up. */
export interface RunCurrency {
  /** Code of an underlying, or USD. */
  readonly code: string
  /** Its id; null where the data do not have it. */
  readonly underlyingId: number | null
  /** Codes of several currencies of which none was chosen; none where one is given. */
  readonly unlike: readonly string[]
}

/** The contract of an instrument; null where its master data are not enough for one. */
export function contractOf(instrument: Instrument): Contract | null {
  try {
    return contractFromInstrument(instrument)
  } catch (error) {
    if (error instanceof BacktapeError) return null
    throw error
  }
}

/**
 * The currency of a run that trades some instruments: the one that its accounts state, else the settlement underlying
 * of its derivatives, else the counter of its spot markets; USD where these differ.
 */
export function runCurrency(
  stated: string | null, traded: readonly Instrument[], underlyings: readonly Underlying[],
): RunCurrency {
  const contracts = traded.flatMap((instrument) => contractOf(instrument) ?? [])
  const derivatives = contracts.filter(({ kind }) => kind !== 'spot')
  const ids = [...new Set((derivatives.length > 0 ? derivatives : contracts)
    .map(({ settlementUnderlyingId }) => settlementUnderlyingId))]
  const codeOf = (id: number): string => underlyings.find((one) => one.id === id)?.code ?? String(id)
  const [only, other] = ids
  if (stated === null && only !== undefined && other === undefined)
    return { code: codeOf(only), underlyingId: only, unlike: [] }
  const code = stated ?? USD
  const underlyingId = underlyings.find((one) => one.code === code)?.id ?? null
  return { code, underlyingId, unlike: stated === null ? ids.map(codeOf).sort() : [] }
}

/** Underlyings in which the trades of some instruments are settled and their fees are paid, by their ids. */
export function moneyIdsOf(traded: readonly Instrument[]): Set<number> {
  return new Set(traded.flatMap((instrument) => {
    const contract = contractOf(instrument)
    if (contract === null) return []
    return [contract.settlementUnderlyingId, instrument.feeUnderlyingId ?? contract.settlementUnderlyingId]
  }))
}
