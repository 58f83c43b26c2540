import { durationNsFromText } from '../../model/duration.js'
import { BacktapeError } from '../../model/error.js'
import { NS_PER_MS } from '../../model/time.js'
import { SHOP_TIMES, type ShopTimes } from '../../protocol/shop/shop-states.js'
import type { ShopStore } from '../store/shop-store-writer.js'
import { datedNames } from './dated-names.js'
import { DayStates } from './day-states.js'
import { downloadHandlers } from './download-handlers.js'
import { findHandlers } from './find-handlers.js'
import { purchaseHandlers } from './purchase-handlers.js'
import { ShelfKeeper } from './shelf.js'
import { ShopAccounts } from './shop-accounts.js'
import { ShopControl } from './shop-control.js'
import type { ShopGoods } from './shop-goods.js'
import { ShopPurchases } from './shop-purchases.js'
import type { ShopHandlers } from './shop-reply.js'
import type { ShopSettings, ShopTime } from './shop-settings.js'
import { ShopTokens } from './shop-tokens.js'
import { ShopVisibility } from './shop-visibility.js'

/** The parts of a shop's service. */
export interface ShopServiceParts {
  readonly goods: ShopGoods
  /** It is closed with the service. */
  readonly store: ShopStore
  readonly time: ShopTime
  readonly settings: ShopSettings
}

/** The rules of a shop: routes, pages and the control port do what stands here. */
export class ShopService {
  /** The answers of the routes that are no pages and no descriptions. */
  readonly handlers: ShopHandlers
  /** Looks at what is sold now, as carts show it; `basketOf` prices it. */
  readonly shelves: ShelfKeeper
  /** Sessions and orders. */
  readonly purchases: ShopPurchases
  readonly accounts: ShopAccounts
  /** Made under the secret of the store. */
  readonly tokens: ShopTokens
  /** Actions of the control port on goods. */
  readonly control: ShopControl
  /** The clock, in whole milliseconds. */
  readonly time: ShopTime
  readonly #store: ShopStore

  /** Throws OPTION_INVALID for settings that mean nothing. */
  constructor({ goods, store, time: given, settings }: ShopServiceParts) {
    const time = { nowMs: () => Math.floor(given.nowMs()) }
    const tokens = new ShopTokens(store.secret())
    const accounts = new ShopAccounts(settings.accounts ?? [], store, tokens)
    const visibility = new ShopVisibility(settings.hidden, store.visibilities())
    const shelves = new ShelfKeeper(goods, time, visibility)
    const states = new DayStates(store, time, timesOf(settings))
    const purchases = new ShopPurchases({ store, tokens, accounts, time })
    this.#store = store
    this.time = time
    this.shelves = shelves
    this.purchases = purchases
    this.accounts = accounts
    this.tokens = tokens
    this.control = new ShopControl({ store, shelves, states, visibility, time })
    this.handlers = {
      ...findHandlers({ goods, shelves, time, samples: datedNames(settings.samples ?? [], 'samples') }),
      ...purchaseHandlers({ shelves, purchases, accounts }),
      ...downloadHandlers({ goods, store, shelves, purchases, states }),
    }
  }

  /** Closes the store. */
  close(): void {
    this.#store.close()
  }
}

/** Nothing is cold but with `cold`. */
function timesOf({ cold, restoreTime }: ShopSettings): ShopTimes {
  const restoreMs = restoreTime === undefined ? SHOP_TIMES.restoreMs : Math.ceil(restoreNs(restoreTime) / NS_PER_MS)
  return { ...SHOP_TIMES, coldMs: cold === true ? SHOP_TIMES.coldMs : Infinity, restoreMs }
}

function restoreNs(text: string): number {
  return durationNsFromText(text, { leastNs: 0 }, (expected) => {
    const found = JSON.stringify(text).slice(0, 80)
    return new BacktapeError(
      'OPTION_INVALID', `Cannot open the shop: restoreTime must be ${expected}, found ${found}`,
      { field: 'restoreTime', expected, found },
    )
  })
}
