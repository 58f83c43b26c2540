import type { UnderlyingDirectory } from '../../venue/venue.js'

/** The code of an underlying, for sentences. */
export function underlyingCode(underlyings: UnderlyingDirectory, underlyingId: number): string {
  return underlyings.get(underlyingId)?.code ?? `of underlying ${underlyingId}`
}
