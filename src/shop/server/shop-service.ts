import { datedNames } from './dated-names.js'
import { findHandlers } from './find-handlers.js'
import { ShelfKeeper } from './shelf.js'
import type { ShopGoods } from './shop-goods.js'
import type { ShopHandlers } from './shop-reply.js'
import type { ShopSettings, ShopTime } from './shop-settings.js'
import { ShopVisibility } from './shop-visibility.js'

/** The parts of a shop's service. */
export interface ShopServiceParts {
  readonly goods: ShopGoods
  readonly time: ShopTime
  readonly settings: ShopSettings
}

/** The rules of a shop: what routes and pages do. */
export class ShopService {
  /** The answers of the routes that are no pages and no descriptions. */
  readonly handlers: ShopHandlers

  constructor({ goods, time, settings }: ShopServiceParts) {
    const visibility = new ShopVisibility(settings.hidden)
    const shelves = new ShelfKeeper(goods, time, visibility)
    this.handlers = findHandlers({ goods, shelves, time, samples: datedNames(settings.samples ?? [], 'samples') })
  }
}
