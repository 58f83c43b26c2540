import { RandomNumbers } from '../../model/random.js'
import { DrawnId } from '../../model/id.js'
import { keptValue } from '../../model/kept-value.js'

/** The purposes for which ids are counted. */
export type IdPurpose = 'exchange-order' | 'own-fill' | 'exchange-trade'

/** Random numbers of one purpose of one client, and how many ids were made of them. */
interface IdCounter {
  readonly random: RandomNumbers
  count: number
}

/** By purpose, account and client. */
export type IdCounters = Map<string, IdCounter>

/**
 * Ids that the simulated exchange gives: UUIDs from the seed, the account's and the client's name and their own
 * counters, so that neither another client nor another world moves them.
 */
export class OrderIds {
  #counters: IdCounters = new Map()
  /** The same by the parts of their keys: a key put together for every id would be hashed anew each time. */
  readonly #known: Map<IdPurpose, Map<string, Map<string, IdCounter>>> = new Map()

  constructor(private readonly seed: number) {}

  next(
    purpose: IdPurpose, { accountId, clientId }: { readonly accountId: string; readonly clientId: string },
  ): DrawnId {
    const counter = this.#known.get(purpose)?.get(accountId)?.get(clientId) ?? this.#know(purpose, accountId, clientId)
    return new DrawnId(counter.random, counter.count++)
  }

  /** Whoever finds an id again finds it by these random numbers. */
  state(): IdCounters {
    return this.#counters
  }

  restore(counters: IdCounters): void {
    this.#counters = counters
    this.#known.clear()
  }

  #know(purpose: IdPurpose, accountId: string, clientId: string): IdCounter {
    const counter = this.#counterOf(`${purpose} ${accountId} ${clientId}`)
    const accounts = this.#known.get(purpose) ?? new Map<string, Map<string, IdCounter>>()
    const clients = accounts.get(accountId) ?? new Map<string, IdCounter>()
    this.#known.set(purpose, accounts.set(accountId, clients.set(clientId, counter)))
    return counter
  }

  #counterOf(key: string): IdCounter {
    return keptValue(this.#counters, key, () => ({ random: new RandomNumbers(this.seed, key, 0), count: 0 }))
  }
}
