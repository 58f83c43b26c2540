import type { FeedConnection, FeedServer } from '../feed/feed-source.js'
import type { OrderEntryConnection, OrderEntryServer } from '../order-entry/order-entry-source.js'
import type { Fill } from '../venue/account-messages.js'
import type { Pacer } from './pacer.js'
import type { RestartableReplay } from './restartable-replay.js'
import type { ServedAccess } from './served-access.js'
import type { ServedShop } from './served-shop.js'

/** A fill that was published. */
export interface PublishedFill {
  readonly accountId: string
  readonly instrumentId: number
  readonly fill: Fill
}

/** The parts of a server of a shop alone that actions change. */
export interface ShopControlParts {
  /** The shop; null: there is none. */
  readonly shop: ServedShop | null
  /** Ends the server. */
  stop(): void
}

/** The parts of a server of a replay that actions change. */
export interface ControlParts extends ShopControlParts {
  readonly pacer: Pacer
  readonly replay: RestartableReplay
  readonly feed: FeedServer
  readonly orderEntry: OrderEntryServer
  readonly access: ServedAccess
  readonly markets: readonly string[]
  /** The last fills, the newest at the end. */
  readonly fills: readonly PublishedFill[]
  /** False: the directory answers 503. */
  readonly directory: { isUp: boolean }
}

/** The connections that an action is for. */
export interface Chosen {
  readonly feed: readonly FeedConnection[]
  readonly orderEntry: readonly OrderEntryConnection[]
}
