import { instrumentName, type Instrument, type Underlying } from '../model/instrument.js'

/** An instrument in words. */
export function instrumentText(instrument: Instrument): string {
  const { type, isInverse, isQuanto, id } = instrument
  return `${instrumentName(instrument)} (${String(id)}), ` +
    [isInverse ? 'inverse' : '', isQuanto ? 'quanto' : '', type].filter((word) => word !== '').join(' ')
}

/** Its tick, lot and contract in words. */
export function unitsText({ tickSize, tickBands, lotSize, contractValue, multiplier }: Instrument): string {
  const tick =
    tickBands.length > 0
      ? `tick ${String(tickBands.length)} bands from ${tickBands[0]?.tickSize ?? ''}`
      : `tick ${tickSize ?? 'unknown'}`
  const parts = [tick, `lot ${lotSize ?? 'unknown'}`]
  if (contractValue !== null) parts.push(`contract value ${contractValue}`)
  if (multiplier !== null && multiplier !== '1') parts.push(`multiplier ${multiplier}`)
  return parts.join(', ')
}

/** Its assets in words. */
export function underlyingsText(instrument: Instrument, underlyings: readonly Underlying[]): string {
  const code = (id: number | null): string => underlyings.find((underlying) => underlying.id === id)?.code ?? '?'
  const { baseUnderlyingId, counterUnderlyingId, valuationUnderlyingId } = instrument
  return `${code(baseUnderlyingId)} in ${code(counterUnderlyingId)}, valued in ${code(valuationUnderlyingId)}`
}
