import { keptValue } from '../model/kept-value.js'
import { restoredState, savedState, type Saved } from '../model/saved-state.js'
import type { JournalSegment } from './journal-segment.js'

/** The number of final orders that are still known: a late change of one finds its instrument. */
const OVER_LIMIT = 4096

/** The orders that are over and still known: own ids and their accounts, a ring once it is full. */
interface OverOrders {
  readonly ids: string[]
  readonly accounts: string[]
  oldest: number
}

/** Which instruments orders belong to, plain data. */
export type KnownOrdersState = Saved<{
  readonly instrumentOf: Map<string, Map<string, number>>
  readonly over: OverOrders
}>

/** An order, and the numbers of its latest ids in the segment that named them last. */
export class KnownOrder {
  #segment = -1
  #own = 0
  #client = 0
  #exchange = 0
  #clientOrderId = ''
  #exchangeOrderId = ''

  constructor(private readonly ownOrderId: string, readonly instrumentId: number) {}

  ownNumber(segment: JournalSegment): number {
    this.#renew(segment)
    return this.#own === 0 ? (this.#own = segment.idNumber(this.ownOrderId)) : this.#own
  }

  clientNumber(segment: JournalSegment, clientOrderId: string): number {
    this.#renew(segment)
    if (this.#client === 0 || this.#clientOrderId !== clientOrderId) {
      this.#client = segment.idNumber(clientOrderId)
      this.#clientOrderId = clientOrderId
    }
    return this.#client
  }

  exchangeNumber(segment: JournalSegment, exchangeOrderId: string): number {
    this.#renew(segment)
    if (this.#exchange === 0 || this.#exchangeOrderId !== exchangeOrderId) {
      this.#exchange = segment.idNumber(exchangeOrderId)
      this.#exchangeOrderId = exchangeOrderId
    }
    return this.#exchange
  }

  /** Numbers are those of one segment. */
  #renew({ beginCount }: JournalSegment): void {
    if (this.#segment === beginCount) return
    this.#segment = beginCount
    this.#own = this.#client = this.#exchange = 0
  }
}

/** The orders of an account by their own ids. */
export class AccountOrders {
  readonly #orders: Map<string, KnownOrder> = new Map()

  /** The instrument of an order. */
  get(ownOrderId: string): number | undefined {
    return this.#orders.get(ownOrderId)?.instrumentId
  }

  order(ownOrderId: string): KnownOrder | undefined {
    return this.#orders.get(ownOrderId)
  }

  add(ownOrderId: string, instrumentId: number): void {
    this.#orders.set(ownOrderId, new KnownOrder(ownOrderId, instrumentId))
  }

  delete(ownOrderId: string): void {
    this.#orders.delete(ownOrderId)
  }

  instruments(): Map<string, number> {
    return new Map([...this.#orders].map(([id, { instrumentId }]) => [id, instrumentId]))
  }
}

const noOrders = (): AccountOrders => new AccountOrders()

/**
 * The orders of a world by account: messages that name an order alone have their scales from here, and lines the
 * numbers of its ids. Orders that are over leave after a while.
 */
export class KnownOrders {
  readonly #accounts: Map<string, AccountOrders> = new Map()
  #over: OverOrders = { ids: [], accounts: [], oldest: 0 }

  get(accountId: string): AccountOrders | undefined {
    return this.#accounts.get(accountId)
  }

  /** The orders of an account, to be added to. */
  of(accountId: string): AccountOrders {
    return keptValue(this.#accounts, accountId, noOrders)
  }

  /** An order is over. */
  leave(accountId: string, ownOrderId: string): void {
    const { ids, accounts, oldest } = this.#over
    const place = ids.length < OVER_LIMIT ? ids.length : oldest
    if (ids.length === OVER_LIMIT) {
      this.#accounts.get(accounts[place] as string)?.delete(ids[place] as string)
      this.#over.oldest = (place + 1) % OVER_LIMIT
    }
    ids[place] = ownOrderId
    accounts[place] = accountId
  }

  state(): KnownOrdersState {
    const instrumentOf = new Map([...this.#accounts].map(([id, orders]) => [id, orders.instruments()]))
    return savedState({ instrumentOf, over: this.#over })
  }

  restore(state: KnownOrdersState): void {
    const { instrumentOf, over } = restoredState(state)
    for (const [accountId, orders] of instrumentOf)
      for (const [ownOrderId, instrumentId] of orders) this.of(accountId).add(ownOrderId, instrumentId)
    this.#over = over
  }
}
