import { BacktapeError } from '../model/error.js'
import { RandomNumbers } from '../model/random.js'
import type { World } from '../exchange/world.js'
import type { Clock, InstrumentDirectory, MarketDataListener, MarketView, OrderEntry, OrderEntryListener, Subscription, Topics, UnderlyingDirectory, Venue } from '../venue/venue.js'
import type { MarketSubscribers } from './market-subscribers.js'

/** What one client's venue is made of. */
export interface SimulatedVenueOptions {
  readonly clientId: string
  readonly seed: number
  readonly clock: Clock
  readonly instruments: InstrumentDirectory
  readonly underlyings: UnderlyingDirectory
  readonly world: World
  readonly views: ReadonlyMap<number, MarketView>
  readonly subscribers: ReadonlyMap<number, MarketSubscribers>
}

/** The venue contract over a pass: one client of one world. */
export class SimulatedVenue implements Venue {
  readonly clock: Clock
  readonly instruments: InstrumentDirectory
  readonly underlyings: UnderlyingDirectory
  readonly #options: SimulatedVenueOptions
  readonly #random: RandomNumbers
  readonly #subscriptions: Subscription[] = []
  #idCount = 0

  constructor(options: SimulatedVenueOptions) {
    this.clock = options.clock
    this.instruments = options.instruments
    this.underlyings = options.underlyings
    this.#options = options
    this.#random = new RandomNumbers(options.seed, `id ${options.clientId}`, 0)
  }

  market(instrumentId: number): MarketView {
    const view = this.#options.views.get(instrumentId)
    if (view !== undefined) return view
    throw new BacktapeError('OPTION_INVALID', `Cannot read the market of instrument ${instrumentId}: the run has no data of it`, { field: 'instrument', found: String(instrumentId) })
  }

  subscribe(instrumentId: number, topics: Topics, listener: MarketDataListener): Subscription {
    this.market(instrumentId)
    const subscription = this.#options.subscribers.get(instrumentId)?.subscribe(topics, listener) ?? { unsubscribe: (): void => {} }
    this.#subscriptions.push(subscription)
    return subscription
  }

  orderEntry(accountId: string, listener: OrderEntryListener): OrderEntry {
    const { world, clientId, clock } = this.#options
    return world.connect(clientId, accountId, listener, () => clock.nowNs())
  }

  /** A version 4 UUID out of the seed, the client and how many it had before. */
  newId(): string {
    const number = this.#idCount++
    let hex = ''
    for (let part = 0; part < 4; part++) hex += this.#random.bits(number, part).toString(16).padStart(8, '0')
    const variant = '89ab'.charAt(parseInt(hex.charAt(16), 16) & 3)
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`
  }

  close(): Promise<void> {
    for (const subscription of this.#subscriptions.splice(0)) subscription.unsubscribe()
    return Promise.resolve()
  }
}
