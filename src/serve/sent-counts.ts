import type { FeedConnection, FeedServer } from '../feed/feed-source.js'
import type { OrderEntryConnection, OrderEntryServer } from '../order-entry/order-entry-source.js'

type Connection = FeedConnection | OrderEntryConnection

/** The servers whose messages are counted. */
interface Servers {
  readonly feed: Pick<FeedServer, 'connections'>
  readonly orderEntry: Pick<OrderEntryServer, 'connections'>
}

/** The messages that one connection was sent by a step. */
export type SentCount = { readonly processId: string | null; readonly messages: number } & (
  | { readonly socket: 'feed'; readonly market: string }
  | { readonly socket: 'orderEntry'; readonly account: string | null }
)

/** Messages of all connections since their logins. */
export function sentCount({ feed, orderEntry }: Servers): number {
  let count = 0
  for (const one of feed.connections) count += one.sentCount
  for (const one of orderEntry.connections) count += one.sentCount
  return count
}

/** Messages of each connection that is logged in. */
export function sentCounts({ feed, orderEntry }: Servers): ReadonlyMap<Connection, number> {
  const isIn = ({ processId }: Connection): boolean => processId !== null
  return new Map([...feed.connections, ...orderEntry.connections].filter(isIn).map((one) => [one, one.sentCount]))
}

/** Messages of each connection that is logged in, since it had so many. */
export function sentSince(before: ReadonlyMap<Connection, number>, servers: Servers): SentCount[] {
  return [...sentCounts(servers)].map(([one, count]) => {
    const own = { processId: one.processId, messages: count - (before.get(one) ?? 0) }
    return 'market' in one
      ? { socket: 'feed', market: one.market, ...own }
      : { socket: 'orderEntry', account: one.accountId, ...own }
  })
}
