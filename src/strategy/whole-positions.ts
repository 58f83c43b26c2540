import type { IsolatedPosition, Position } from '../venue/account-messages.js'
import type { WholePosition } from './order-messages.js'

/** Positions with what is isolated added to both sides: a strategy sees one net position an instrument. */
export function netPositions(
  positions: readonly Position[], isolated: readonly IsolatedPosition[],
): readonly WholePosition[] {
  if (isolated.length === 0) return positions
  const byId = new Map(isolated.map((one) => [one.instrumentId, one]))
  const summed = positions.map((position) => {
    const own = byId.get(position.instrumentId)
    byId.delete(position.instrumentId)
    return own === undefined ? position : withIsolated(position, own)
  })
  return [
    ...summed,
    ...[...byId.values()].map((own) =>
      withIsolated({ instrumentId: own.instrumentId, longPosition: 0, shortPosition: 0 }, own),
    ),
  ]
}

function withIsolated(position: Position, { long, short }: IsolatedPosition): WholePosition {
  return {
    ...position, longPosition: position.longPosition + long.size, shortPosition: position.shortPosition + short.size,
    isolated: { long, short },
  }
}

/** True where a strategy sees the same position: its sizes and its entry. */
export function isSamePosition(one: WholePosition, other: WholePosition): boolean {
  return seenOf(one) === seenOf(other)
}

function seenOf({ longPosition, shortPosition, averageEntryPrice, isolated }: WholePosition): string {
  const sides = [isolated?.long, isolated?.short].flatMap((side) => [side?.size ?? 0, side?.averageEntryPrice])
  return [longPosition, shortPosition, averageEntryPrice, ...sides].map(String).join(' ')
}
