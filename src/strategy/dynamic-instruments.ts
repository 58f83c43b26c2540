import { BacktapeError } from '../model/error.js'
import { epochNsFromText } from '../model/time.js'
import type { Clock, MarketDataState, Timers, Topics, Venue } from '../venue/venue.js'
import { absentEntry, absentMarket } from './absent-market.js'
import type { Account } from './account.js'
import type { CallbackGuard } from './callback-guard.js'
import { DataInstrument } from './data-instrument.js'
import { DynamicSubscription } from './dynamic-subscription.js'
import { INSTRUMENT_REFERENCE, lookUpInstrument, ValueRefusal } from './instrument-reference.js'
import type { InstrumentRegistry } from './instrument-registry.js'
import type { MarketCallbacks, MarketCallbackUse } from './market-callbacks.js'
import { foundText } from '../model/fault.js'
import type { Strategy } from './strategy.js'
import { TradingInstrument, type TradingReference } from './trading-instrument.js'

/** Dynamic instruments as a checkpoint holds them. */
export interface DynamicInstrumentsState {
  /** The instruments in the order of their subscription. */
  readonly instruments: readonly DynamicInstrumentState[]
  /** The state that has not been sent yet; `place` is the instrument's in the list. */
  readonly waiting: readonly { readonly place: number; readonly state: MarketDataState; readonly text: string }[]
}

/** One of them. */
export interface DynamicInstrumentState {
  /** Its id, or what was asked for where the venue knows no such instrument. */
  readonly reference: string | number
  /** Id of the account; null for an instrument that is only read. */
  readonly accountId: string | null
  /** True for an instrument that the venue knows. */
  readonly isKnown: boolean
  /** State of its market data. */
  readonly state: MarketDataState
  /** True while it is subscribed. */
  readonly isOpen: boolean
}

/** A state that waits to be sent. */
interface WaitingState {
  readonly instrument: DataInstrument
  readonly state: MarketDataState
  readonly text: string
}

/** The parts of their runtime that dynamic instruments need. */
export interface DynamicHost {
  readonly venue: Venue
  readonly strategy: Strategy
  readonly guard: CallbackGuard
  readonly isResuming: boolean
  readonly registry: InstrumentRegistry
  /** Topics of the strategy's callbacks. */
  readonly topics: Topics
  /** Which callbacks the strategy has. */
  readonly use: Pick<MarketCallbackUse, 'state'>
  /** Callbacks of an instrument that is new; it takes part in the account's messages from now on. */
  listen(instrument: DataInstrument): MarketCallbacks
  readonly flush: () => void
  readonly timers: {
    /** Makes sure that what waits is sent within this instant. */
    wake(): void
  }
  readonly requests: {
    /** Counts a request of the callback at hand. */
    count(): void
  }
  /** Writes down a state that is the runtime's own word. */
  record(instrumentId: number, state: MarketDataState, text: string): void
}

/** The most names that no instrument has. */
const UNKNOWN_LIMIT = 1000
/** Furthest end of a contract that is waited for. */
const REACH_NS = 100n * 86_400_000_000_000n

/** Texts of spec 1, "Errors", and our own for a contract's end. */
const NOT_AVAILABLE = 'instrument not available on this endpoint'
const UNSUBSCRIBED = 'instrument unsubscribed'
const ENDED = 'the contract has ended'

/**
 * Instruments that a strategy subscribes and unsubscribes while it runs (spec 3, market-data states): PENDING within
 * the instant of asking, then READY or ERROR as the venue says, FAILED where there is no such instrument or its
 * contract has ended, GONE once unsubscribed or at the contract's end. All of it is sent after the callback that asked.
 */
export class DynamicInstruments {
  readonly #timers: Timers
  /** In the order of their last subscription. */
  readonly #known: Map<DataInstrument, DynamicSubscription> = new Map()
  /** Those that the venue does not know, by account and reference. */
  readonly #unknown: Map<string, { readonly instrument: DataInstrument; readonly reference: string | number }> =
    new Map()
  #waiting: WaitingState[] = []
  #hasBegun = false

  constructor(private readonly host: DynamicHost, clock: Clock, clientId: string) {
    this.#timers = clock.timers(`${clientId} dynamic`, (id) => { this.#expire(Number(id)) })
  }

  /** True where a state has not been sent yet. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0
  }

  subscribe(reference: string | number): DataInstrument {
    return this.#subscribe(reference, () => null, (id) => this.host.registry.dataInstrument(id))
  }

  subscribeTrading(given: TradingReference): TradingInstrument {
    const { registry } = this.host
    const { instrument: reference, account: name } =
      typeof given === 'object' && (given as unknown) !== null
        ? given
        : { instrument: given as string | number, account: undefined }
    return this.#subscribe(reference, () => registry.accountFor(name), (id) =>
      registry.tradingInstrument(name === undefined ? id : { instrument: id, account: name }),
    ) as TradingInstrument
  }

  unsubscribe(instrument: DataInstrument): void {
    this.host.requests.count()
    if (!((instrument as unknown) instanceof DataInstrument))
      throw refused(`Cannot unsubscribe ${foundText(instrument)}: it takes the instrument that subscribing has given`)
    const subscription = this.#known.get(instrument)
    const isUnknown = [...this.#unknown.values()].some((unknown) => unknown.instrument === instrument)
    if (subscription === undefined && !isUnknown)
      throw refused(
        `Cannot unsubscribe ${instrument.code}: only what was subscribed while the strategy ran can be, parameters ` +
          'stay',
      )
    this.#refuseResuming('unsubscribe')
    if (subscription?.isOpen === true) this.#end(subscription, 'GONE', UNSUBSCRIBED)
  }

  /** Subscribes what was asked for before: parameters come first, as in a run that resumes. */
  begin(): void {
    this.#hasBegun = true
    for (const subscription of this.#known.values()) subscription.begin(this.host.topics)
  }

  /** Tells the states that wait, in the order in which they came. */
  flush(): void {
    while (this.#waiting.length > 0) {
      const next = this.#waiting.shift() as WaitingState
      const { strategy, guard } = this.host
      guard.run('onMarketDataState', () => strategy.onMarketDataState(next.instrument, next.state, next.text))
    }
  }

  state(): DynamicInstrumentsState {
    const all = [...this.#known.keys(), ...[...this.#unknown.values()].map(({ instrument }) => instrument)]
    const known = [...this.#known.values()].map(({ instrument, state, isOpen }) => ({
      reference: instrument.id, accountId: accountOf(instrument), isKnown: true, state, isOpen,
    }))
    const unknown = [...this.#unknown.values()].map(({ instrument, reference }) => ({
      reference, accountId: accountOf(instrument), isKnown: false, state: 'FAILED' as const, isOpen: false,
    }))
    return {
      instruments: [...known, ...unknown],
      waiting: this.#waiting.map(({ instrument, state, text }) => ({ place: all.indexOf(instrument), state, text })),
    }
  }

  /** Makes the saved ones again; {@link begin} subscribes those that were. */
  restore({ instruments, waiting }: DynamicInstrumentsState): void {
    const { registry } = this.host
    const all = instruments.map(({ reference, accountId, isKnown, state, isOpen }) => {
      if (!isKnown) return this.#unknownOf(reference, accountId === null ? null : registry.accountFor(accountId))
      const instrument =
        accountId === null
          ? registry.dataInstrument(reference)
          : registry.tradingInstrument({ instrument: reference, account: accountId })
      this.#add(instrument).restore(state, isOpen)
      return instrument
    })
    this.#waiting = waiting.map(({ place, state, text }) => ({ instrument: all[place] as DataInstrument, state, text }))
  }

  /** By the id of an instrument that the venue knows, else one that stands for it on an account. */
  #subscribe(
    reference: string | number, accountOfUnknown: () => Account | null, ofId: (id: number) => DataInstrument,
  ): DataInstrument {
    this.host.requests.count()
    const { registry, venue } = this.host
    const before = new Set(registry.instruments)
    const [isOld, instrument] = found((): [boolean, DataInstrument] => {
      checkReference(reference)
      const id = lookUpInstrument(venue.instruments, reference)?.instrument.id
      if (id === undefined) return [true, this.#unknownOf(reference, accountOfUnknown())]
      const known = ofId(id)
      return [before.has(known), known]
    })
    const known = this.#known.get(instrument)
    // While a run resumes its instruments are as they were, asked for again or not.
    if (this.host.isResuming) {
      if (!isOld && known === undefined) this.#refuseResuming('subscribe')
      return instrument
    }
    if (instrument.marketDataState === 'FAILED' && known === undefined) {
      this.#tell(instrument, 'PENDING', '')
      this.#tell(instrument, 'FAILED', NOT_AVAILABLE)
      return instrument
    }
    if (known?.isOpen === true || (isOld && known === undefined)) return instrument
    const subscription = known ?? this.#add(instrument)
    this.#known.delete(instrument)
    this.#known.set(instrument, subscription)
    this.#open(subscription)
    return instrument
  }

  #open(subscription: DynamicSubscription): void {
    const { instrument, callbacks } = subscription
    const { venue, topics } = this.host
    const endNs = endOf(instrument, venue.clock)
    callbacks.forgetTop()
    subscription.open()
    this.#tell(instrument, 'PENDING', '')
    if (endNs !== null && endNs <= venue.clock.nowNs()) return this.#end(subscription, 'FAILED', ENDED)
    if (endNs !== null) this.#timers.at(endNs, String(instrument.id))
    if (this.#hasBegun) subscription.begin(topics)
  }

  #end(subscription: DynamicSubscription, state: 'FAILED' | 'GONE', text: string): void {
    subscription.close(state)
    this.#tell(subscription.instrument, state, text)
  }

  #expire(instrumentId: number): void {
    for (const subscription of this.#known.values())
      if (subscription.isOpen && subscription.instrument.id === instrumentId) this.#end(subscription, 'GONE', ENDED)
    this.host.flush()
  }

  #tell(instrument: DataInstrument, state: MarketDataState, text: string): void {
    const { use, guard } = this.host
    this.host.record(instrument.id, state, text)
    if (!use.state || !guard.isOpen) return
    this.#waiting.push({ instrument, state, text })
    guard.hasNews = true
    this.host.timers.wake()
  }

  #add(instrument: DataInstrument): DynamicSubscription {
    const subscription = new DynamicSubscription(this.host.listen(instrument), this.host)
    this.#known.set(instrument, subscription)
    return subscription
  }

  /** Stands for a reference that no instrument has: one object for each account. */
  #unknownOf(reference: string | number, account: Account | null): DataInstrument {
    const key = `${account?.id ?? ''} ${reference}`
    const known = this.#unknown.get(key)
    if (known !== undefined) return known.instrument
    if (this.#unknown.size >= UNKNOWN_LIMIT) {
      throw new BacktapeError(
        'LIMIT_EXCEEDED',
        `Cannot subscribe ${reference}: more than ${UNKNOWN_LIMIT} instruments were asked for that this venue does ` +
          'not know',
        {
          expected: `at most ${UNKNOWN_LIMIT}`, found: 'more',
        },
      )
    }
    const entry = absentEntry(reference)
    const view = absentMarket('FAILED')
    const instrument =
      account === null ? new DataInstrument(entry, view) : this.host.registry.absentTrading(entry, view, account)
    this.#unknown.set(key, { instrument, reference })
    return instrument
  }

  /** A run that resumes has its instruments from the run before. */
  #refuseResuming(verb: string): void {
    if (this.host.isResuming)
      throw refused(`Cannot ${verb} an instrument while a run resumes: check this.resuming in onStart`)
  }
}

/** Looks something up; what cannot be found is the caller's mistake. */
function found<T>(find: () => T): T {
  try {
    return find()
  } catch (error) {
    if (error instanceof ValueRefusal)
      throw refused(`Cannot subscribe an instrument: expected ${error.expected}, found ${error.found}`)
    throw error
  }
}

/** An id is a whole number above 0, a name is not empty; what is neither names nothing. */
function checkReference(reference: unknown): void {
  const isName = typeof reference === 'string' && reference !== ''
  if (!isName && !(Number.isSafeInteger(reference) && (reference as number) > 0))
    throw new ValueRefusal(INSTRUMENT_REFERENCE, foundText(reference))
}

function accountOf(instrument: DataInstrument): string | null {
  return instrument instanceof TradingInstrument ? instrument.account.id : null
}

function refused(message: string): BacktapeError {
  return new BacktapeError('OPTION_INVALID', message, { field: 'instrument' })
}

/** When an instrument's contract ends, on the clock; null where it does not within reach. */
function endOf({ master: { expiry, type } }: DataInstrument, clock: Clock): number | null {
  if (expiry === null || type === 'spot') return null
  const left = epochNsFromText(expiry, clock.epochDay) - clock.now()
  if (left <= 0n) return -Infinity
  const endNs = left > REACH_NS ? NaN : clock.nowNs() + Number(left)
  return Number.isSafeInteger(endNs) ? endNs : null
}
