import type { MarketSubscribers } from '../simulation/market-subscribers.js'
import type { InstrumentDirectory, InstrumentEntry, MarketView } from '../venue/venue.js'
import { LiveInstrument } from './live-instrument.js'

/** The parts of the instruments that a run follows. */
export interface FollowedParts {
  readonly instruments: InstrumentDirectory
  readonly epochDay: number
  readonly nowNs: () => number
  /** Subscribes one that is asked for while the strategy runs. */
  readonly subscribe: (entry: InstrumentEntry) => void
}

/** The instruments that a run follows: those of its begin, and those that its strategy asks for later. */
export class FollowedInstruments {
  readonly all: Map<number, LiveInstrument> = new Map()
  /** Their markets, for whoever only looks. */
  readonly markets: Map<number, MarketView> = new Map()
  /** An instrument that a strategy asks for is followed from then on. */
  readonly views: Pick<ReadonlyMap<number, MarketView>, 'get'> = { get: (id) => this.#asked(id)?.market }
  /** The same of who receives their lines. */
  readonly subscribers: Pick<ReadonlyMap<number, MarketSubscribers>, 'get'> = {
    get: (id) => this.#asked(id)?.subscribers,
  }

  constructor(private readonly parts: FollowedParts) {}

  /** Follows an instrument of the directory; undefined where it is in none. */
  follow(id: number): LiveInstrument | undefined {
    const known = this.all.get(id)
    const { instruments, epochDay, nowNs } = this.parts
    const entry = instruments.get(id)
    if (known !== undefined || entry === undefined) return known
    const instrument = new LiveInstrument(entry, epochDay, nowNs)
    this.all.set(id, instrument)
    this.markets.set(id, instrument.market)
    return instrument
  }

  #asked(id: number): LiveInstrument | undefined {
    const isNew = !this.all.has(id)
    const instrument = this.follow(id)
    if (isNew && instrument !== undefined) this.parts.subscribe(instrument.entry)
    return instrument
  }
}
