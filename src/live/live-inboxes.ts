import type { FeedClient } from '../feed/feed-listener.js'
import type { EventBatch } from '../model/event-batch.js'
import { NS_PER_DAY, timeFromEpochNs } from '../model/time.js'
import type { OrderEntryClient } from '../order-entry/order-entry-client-options.js'
import type { FeedState } from '../protocol/feed-messages.js'
import type { Step } from '../protocol/lock-step-messages.js'
import type { ClientMessage } from '../venue/order-messages.js'
import type { OrderEntryListener } from '../venue/venue.js'
import type { OpenOrders } from './open-orders.js'
import type { WatchedOrderEntry } from './watched-order-entry.js'

/**
 * One thing that comes of a feed: a state event, a line, the end of its connection, a message of an instrument that
 * cannot be read, or an instrument that is subscribed again.
 */
export type FeedItem =
  | FeedState | { readonly batch: EventBatch; readonly index: number } | { readonly isLost: true }
  | { readonly unreadableId: number } | { readonly resubscribedId: number }

const ALL_TOPICS = {
  depth: true, trades: true, topOfBook: true, indexPrice: true, markPrice: true, fundingRate: true, liquidations: true,
}

/** Subscribes an instrument of a market, with everything that its feed has of it. */
export function subscribeAll(feeds: readonly FeedInbox[], market: string, instrumentId: number): void {
  for (const feed of feeds) if (feed.market === market) feed.client?.subscribe(instrumentId, ALL_TOPICS)
}

/** A feed of the run, and what of it waits for its step. */
export interface FeedInbox {
  readonly market: string
  client: FeedClient | null
  receivedCount: number
  readonly items: FeedItem[]
}

/** An account of the run, and what of it waits for its step. */
export interface AccountInbox {
  readonly accountId: string
  readonly exchangeCode: string | null
  client: OrderEntryClient | null
  /** The client as the strategy has it, whose requests are written down; null before it asks for one. */
  entry: WatchedOrderEntry | null
  listener: OrderEntryListener | null
  receivedCount: number
  readonly items: ClientMessage[]
  readonly openOrders: OpenOrders
  /** True from the end of its connection until the state at the next login. */
  isAway: boolean
  /** The step that its connection has been sent and that has not been played. */
  step: Step | null
  /** Called with messages that came when the run was over. */
  onFarewell?: (message: ClientMessage) => void
}

/** The time that an item states; NaN: none. */
export function itemTimeNs(item: FeedItem, epochDay: number): number {
  if ('state' in item) return timeFromEpochNs(item.time, epochDay)
  if (!('batch' in item)) return NaN
  const { batch, index } = item
  return (batch.adapterTimeNs[index] as number) + (batch.epochDay - epochDay) * NS_PER_DAY
}

/** Commands that each feed was sent, by its market: what a step of lock-step is answered with. */
export function commandCounts(feeds: readonly FeedInbox[]): Record<string, number> {
  return Object.fromEntries(feeds.map(({ market, client }) => [market, client?.commandCount ?? 0]))
}
