import { keptValue } from '../model/kept-value.js'
import type { Id } from '../model/id.js'
import { IdMap } from '../model/id-map.js'

/** The number of final orders that are still known: a late change of one finds its instrument. */
const OVER_LIMIT = 4096

/** The orders that are over and still known: own ids and their accounts, a ring once it is full. */
interface OverOrders {
  readonly ids: Id[]
  readonly accounts: string[]
  oldest: number
}

/** Which instruments orders belong to, plain data. */
export interface KnownOrdersState {
  readonly accounts: Map<string, IdMap<number>>
  readonly over: OverOrders
}

const noOrders = (): IdMap<number> => new IdMap()

/**
 * The orders of a world by account: messages that name an order alone have their scales from here. Orders that are over
 * leave after a while.
 */
export class KnownOrders {
  /** Instruments by own id. */
  #accounts: Map<string, IdMap<number>> = new Map()
  #over: OverOrders = { ids: [], accounts: [], oldest: 0 }

  get(accountId: string): IdMap<number> | undefined {
    return this.#accounts.get(accountId)
  }

  /** The orders of an account, to be added to. */
  of(accountId: string): IdMap<number> {
    return keptValue(this.#accounts, accountId, noOrders)
  }

  /** An order is over. */
  leave(accountId: string, ownOrderId: Id): void {
    const { ids, accounts, oldest } = this.#over
    const place = ids.length < OVER_LIMIT ? ids.length : oldest
    if (ids.length === OVER_LIMIT) {
      this.#accounts.get(accounts[place] as string)?.delete(ids[place] as Id)
      this.#over.oldest = (place + 1) % OVER_LIMIT
    }
    ids[place] = ownOrderId
    accounts[place] = accountId
  }

  state(): KnownOrdersState {
    return { accounts: this.#accounts, over: this.#over }
  }

  restore({ accounts, over }: KnownOrdersState): void {
    this.#accounts = accounts
    this.#over = over
  }
}
