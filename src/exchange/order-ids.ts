import { RandomNumbers } from '../model/random.js'
import { uuidFromRandom } from '../model/uuid.js'

/** What ids are counted for. */
export type IdPurpose = 'exchange-order' | 'own-fill' | 'exchange-trade'

/**
 * Ids that the simulated exchange gives: UUIDs from the seed, the account's and the client's name and their own counters, so that neither
 * another client nor another world moves them.
 */
export class OrderIds {
  readonly #seed: number
  readonly #counts: Map<string, number> = new Map()
  readonly #random: Map<string, RandomNumbers> = new Map()

  constructor(seed: number) {
    this.#seed = seed
  }

  next(purpose: IdPurpose, { accountId, clientId }: { readonly accountId: string; readonly clientId: string }): string {
    const key = `${purpose} ${accountId} ${clientId}`
    let random = this.#random.get(key)
    if (random === undefined) {
      random = new RandomNumbers(this.#seed, key, 0)
      this.#random.set(key, random)
    }
    const count = this.#counts.get(key) ?? 0
    this.#counts.set(key, count + 1)
    return uuidFromRandom(random, count)
  }

  state(): (readonly [key: string, count: number])[] {
    return [...this.#counts]
  }

  restore(counts: readonly (readonly [key: string, count: number])[]): void {
    this.#counts.clear()
    for (const [key, count] of counts) this.#counts.set(key, count)
  }
}
