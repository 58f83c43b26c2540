import type { ShopAsker } from './shop-asker-client.js'
import type { ShopDayState, ShopRestoreOptions, ShopStop } from './shop-options.js'
import { tokenOf, type ShopOrder } from './shop-order.js'
import { piecesOf, type ShopPiece } from './shop-pieces.js'

/** Starts the restore of what is cold in an order, and says how each day stands. */
export async function restoreOrder(
  asker: ShopAsker, order: ShopOrder, { items, signal }: ShopRestoreOptions,
): Promise<readonly ShopDayState[]> {
  const chosen = { isRanges: false, ...(items === undefined ? {} : { items }) }
  const states: ShopDayState[] = []
  for (const piece of piecesOf(order.orderId, tokenOf(order), order.items, chosen)) {
    const [item] = piece.items
    if (item !== undefined) states.push({ item, name: piece.name, state: await stateOf(asker, piece, signal) })
  }
  return states
}

/** The state of a file, once its restore runs where it is cold. */
async function stateOf(asker: ShopAsker, { way, call }: ShopPiece, signal: ShopStop['signal']): Promise<string> {
  const asking = (query: Readonly<Record<string, number>>): ShopPiece['call'] => (
    { ...call, query: { ...call.query, ...query }, signal })
  // The probe of a zip restores what is cold.
  if (way === 'zip') return (await asker.ask(asking({ zip: 1, probe: 1 }), 'ArchiveState')).answer.state
  const { answer: { state } } = await asker.ask(asking({ status: 1 }), 'DayState')
  return state === 'cold' ? (await asker.ask(asking({ restore: 1 }), 'DayState')).answer.state : state
}
