import type { Side } from '../../model/side.js'
import type { ConditionWatcher, MarketParticipant } from './price-watch.js'
import type { UnknownBookPeriod } from './unknown-book-time.js'

/** The worlds that trade in one market. Callbacks go from the last to the first, as each may leave in its own. */
export class MarketWorlds {
  /** Every world that ever traded here. */
  readonly #members: MarketParticipant[] = []
  /** Those with open interest: orders here, open or on their way. */
  readonly #participants: MarketParticipant[] = []
  /** Those with stop or pegged orders here. */
  readonly #conditions: ConditionWatcher[] = []

  get isWatching(): boolean {
    return this.#participants.length > 0
  }

  /** True where an order waits for a condition, so that every item has to be looked at. */
  get hasConditions(): boolean {
    return this.#conditions.length > 0
  }

  join(member: MarketParticipant): void {
    this.#members.push(member)
  }

  has(participant: MarketParticipant): boolean {
    return this.#participants.includes(participant)
  }

  attach(participant: MarketParticipant): void {
    this.#participants.push(participant)
  }

  detach(participant: MarketParticipant): void {
    const at = this.#participants.indexOf(participant)
    if (at >= 0) this.#participants.splice(at, 1)
  }

  watchConditions(watcher: ConditionWatcher): void {
    this.#conditions.push(watcher)
  }

  unwatchConditions(watcher: ConditionWatcher): void {
    const at = this.#conditions.indexOf(watcher)
    if (at >= 0) this.#conditions.splice(at, 1)
  }

  onItem(timeNs: number): void {
    for (let i = this.#conditions.length - 1; i >= 0; i--) this.#conditions[i]?.onItem(timeNs)
  }

  onTrade(side: Side, price: number, quantity: number, timeNs: number): void {
    for (let i = this.#participants.length - 1; i >= 0; i--)
      this.#participants[i]?.onTrade(side, price, quantity, timeNs)
  }

  onShown(side: Side, timeNs: number, improved: boolean): void {
    for (let i = this.#participants.length - 1; i >= 0; i--) this.#participants[i]?.onShown(side, timeNs, improved)
  }

  onGap(period: UnknownBookPeriod): void {
    for (let i = this.#participants.length - 1; i >= 0; i--) this.#participants[i]?.onGap(period)
  }

  onUnbroken(): void {
    for (let i = this.#participants.length - 1; i >= 0; i--) this.#participants[i]?.onUnbroken()
  }

  onRecovery(timeNs: number): void {
    for (let i = this.#participants.length - 1; i >= 0; i--) this.#participants[i]?.onRecovery(timeNs)
  }

  onRecovered(timeNs: number): void {
    for (let i = this.#participants.length - 1; i >= 0; i--) this.#participants[i]?.onRecovered(timeNs)
  }

  onRescale(priceFactor: number, quantityFactor: number): void {
    for (const member of this.#members) member.onRescale(priceFactor, quantityFactor)
  }
}
