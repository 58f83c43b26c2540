import { brand } from '../model/brand.js'
import type { BarSpan } from '../measures/bars/bar-span.js'
import type { Bar } from '../measures/bars/bar.js'
import type { SignalRow } from '../model/signal-row.js'
import type { ChannelMessage } from '../venue/channels.js'
import type { OrderError } from './order-error.js'
import type { Clock, MarketDataState } from '../venue/venue.js'
import type { Account, OrderEntryState } from './account.js'
import type { BarOptions, BarSeries } from './bar-series.js'
import type { BrokerMessage } from './broker-message.js'
import type { Channel } from './channel.js'
import type { DataInstrument } from './data-instrument.js'
import type { Order } from './order.js'
import type { TradingInstrument, TradingReference } from './trading-instrument.js'

/**
 * The result of callbacks and timers. A type of `void` alone would take every value, promises too; this one takes
 * neither.
 */
export type Nothing = void | undefined

/** The requests of a strategy to its runtime. */
export interface StrategyHost {
  readonly isResuming: boolean
  readonly isWarmingUp: boolean
  readonly clock: Pick<Clock, 'now' | 'nowNs'>
  readonly timers: {
    every(intervalMs: number, callback: () => Nothing, name: string | undefined): void
    after(delayMs: number, callback: () => Nothing, name: string | undefined): void
    cancel(name: string): void
  }
  readonly dynamic: {
    subscribe(reference: number | string): DataInstrument
    subscribeTrading(reference: TradingReference): TradingInstrument
    unsubscribe(instrument: DataInstrument): void
  }
  readonly bars: { subscribe(instrument: DataInstrument, span: BarSpan, options: BarOptions): BarSeries }
  readonly channels: { open(name: string, type?: unknown): Channel<string | BrokerMessage> }
  log(text: string): void
  /** The strategy asks for its own end. */
  requestStop(reason: string): void
}

/** The name of a timer in a checkpoint. */
export interface TimerOptions {
  /** Default: the ordinal of its registration. Needed where a strategy registers timers outside `onStart`. */
  readonly name?: string
}

/**
 * Where a strategy keeps its runtime: a symbol of all copies of this package, as the runtime may be of another one than
 * the class.
 */
const HOST: unique symbol = Symbol.for('backtape.host') as never

interface Hosted {
  readonly [HOST]?: StrategyHost
}

/** Ties a strategy to its runtime. For runtimes. */
export function bindStrategy(strategy: Strategy, host: StrategyHost): void {
  Object.defineProperty(strategy, HOST, { value: host, configurable: true })
}

/** Who calls without a compiler may hand null over. */
function nameOf(options: TimerOptions | null): string | undefined {
  return options?.name
}

function hostOf(strategy: Strategy): StrategyHost {
  const host = (strategy as Hosted)[HOST]
  if (host === undefined)
    throw new Error('A strategy can use its clock, timers, log and instruments from onStart on, not in its constructor')
  return host
}

/**
 * The base of every strategy: override what you need. Callbacks run one after the other in the order of time, never
 * inside another, and must return at once: a promise is refused. Only topics whose callback is overridden are
 * subscribed and paid for.
 *
 * A trade of ours calls `onOrderUpdate`, `onOrderFill` and `onInstrumentPosition`; for derivatives
 * `onInstrumentPosition` comes first, nothing else is guaranteed (spec 3, "Ordering").
 */
export abstract class Strategy {
  /** True while `onStart` runs for a run that resumes from a checkpoint: placing is refused then. */
  get resuming(): boolean {
    return hostOf(this).isResuming
  }

  /**
   * True while bars of before the run come (`warmUp` of `subscribeBars`): the time is that of the begin, orders are
   * returned DISCARDED with the reason WARMING_UP, and nothing else is written down of them.
   */
  get warmingUp(): boolean {
    return hostOf(this).isWarmingUp
  }

  /** Epoch nanoseconds of the venue's clock. */
  now(): bigint {
    return hostOf(this).clock.now()
  }

  /** Nanoseconds since the first midnight of the run: the hot form. */
  nowNs(): number {
    return hostOf(this).clock.nowNs()
  }

  /** A line for the journal. */
  log(text: string): void {
    hostOf(this).log(text)
  }

  /** Calls back every `intervalMs` milliseconds of the venue's time. */
  every(intervalMs: number, callback: () => Nothing, options: TimerOptions = {}): void {
    hostOf(this).timers.every(intervalMs, callback, nameOf(options))
  }

  /** Calls back once, after `delayMs` milliseconds of the venue's time. */
  after(delayMs: number, callback: () => Nothing, options: TimerOptions = {}): void {
    hostOf(this).timers.after(delayMs, callback, nameOf(options))
  }

  /** Stops a timer by its name. */
  cancelTimer(name: string): void {
    hostOf(this).timers.cancel(name)
  }

  /** Ends this strategy: `onStop` is called, nothing after it. The reason stands in the journal and the summary. */
  stop(reason = 'stopped by the strategy'): void {
    hostOf(this).requestStop(reason)
  }

  /**
   * Subscribes an instrument while the strategy runs: its id, `exchange:code`, or a bare code. It is returned at once,
   * PENDING and without prices; `onMarketDataState` follows after the callback at hand: PENDING, then READY or ERROR,
   * or FAILED where there is no such instrument or its contract has ended. What is subscribed already is returned as it
   * is. In `onStart` and `restoreState` of a run that resumes it returns the instrument of the run before.
   */
  subscribeInstrument(reference: number | string): DataInstrument {
    return hostOf(this).dynamic.subscribe(reference)
  }

  /** The same to trade it, on an account that a parameter has named. */
  subscribeTradingInstrument(reference: TradingReference): TradingInstrument {
    return hostOf(this).dynamic.subscribeTrading(reference)
  }

  /**
   * Ends what was subscribed while the strategy ran: GONE, and nothing is seen of it any more. Its orders and positions
   * stay.
   */
  unsubscribeInstrument(instrument: DataInstrument): void {
    hostOf(this).dynamic.unsubscribe(instrument)
  }

  /**
   * Bars of an instrument from now on, by time (`'10s'`, aligned to the epoch) or by what its trades come to
   * (`{ trades: 100 }`, `{ volume: '5' }`, `{ turnover: '100000' }`, `{ imbalance: '2' }`): `onBar` is called with each
   * when it has ended. A line counts in the bar in which the strategy received it, and a closed bar never changes.
   * Throws OPTION_INVALID for a span or an option that cannot be, LIMIT_EXCEEDED beyond 1,000 series.
   */
  subscribeBars(instrument: DataInstrument, span: BarSpan, options: BarOptions = {}): BarSeries {
    return hostOf(this).bars.subscribe(instrument, span, options)
  }

  /**
   * Opens a channel (spec 3), of texts or, with the class `BrokerMessage` as type, of messages of a broker: from now on
   * `onChannelMessage` is called with what others publish on it, and `publish` of the channel publishes. The same name
   * gives the same channel, and a run that resumes has those of the run before open. Throws OPTION_INVALID for a name
   * that is not of 1 to 249 characters, and for a type that the channel does not have: one that is read from a broker
   * has `BrokerMessage` alone. Throws LIMIT_EXCEEDED beyond 1,000 channels.
   */
  openChannel(name: string): Channel
  /** The same with keys and headers. */
  openChannel(name: string, type: typeof BrokerMessage): Channel<BrokerMessage>
  /** The one or the other. */
  openChannel(name: string, type?: typeof BrokerMessage): Channel | Channel<BrokerMessage> {
    return hostOf(this).channels.open(name, type)
  }

  /** The begin of the strategy: parameters are set, no market data came yet. */
  onStart(): Nothing {}
  /** The end of the strategy. */
  onStop(): Nothing {}
  /** The market data of an instrument have a new state; `text` gives the reason. */
  onMarketDataState(_instrument: DataInstrument, _state: MarketDataState, _text: string): Nothing {}
  /** After every line of the depth book, snapshot or update (exchange rules 2.2); in spec 3 for full books alone. */
  onInstrumentSnapshot(_instrument: DataInstrument): Nothing {}
  /** Whenever best bid or ask, price or quantity, has changed. */
  onInstrumentTopOfBook(_instrument: DataInstrument): Nothing {}
  /** One or more public trades: `instrument.getLastTrades()`. */
  onInstrumentTrades(_instrument: DataInstrument): Nothing {}
  /** One or more liquidations: `instrument.getLastLiquidations()`. */
  onInstrumentLiquidations(_instrument: DataInstrument): Nothing {}
  /** A new mark price: `instrument.markPrice`. */
  onInstrumentMarkPrice(_instrument: DataInstrument): Nothing {}
  /** A new index price: `instrument.indexPrice`. */
  onInstrumentIndexPrice(_instrument: DataInstrument): Nothing {}
  /** A new funding state: `instrument.fundingRate`. */
  onInstrumentFundingRate(_instrument: DataInstrument): Nothing {}
  /** A bar of `subscribeBars` has ended; `series` is what that call returned. Before other callbacks of the line. */
  onBar(_bar: Bar, _series: BarSeries): Nothing {}
  /**
   * A row of a signal of the run (`signals`), at its time and delay, after the market lines of that instant and before
   * order answers and timers; `name` is the signal's. The row is frozen.
   */
  onSignal(_name: string, _row: SignalRow): Nothing {}
  /**
   * A message that another strategy or a client has published on a channel that this one has open: `origin` is who, and
   * `message` the text, or the {@link BrokerMessage} where the channel was opened with that class; a strategy declares
   * the type that its channels have. Never its own. At the place of a signal in the order of an instant.
   */
  onChannelMessage(
    _channel: Channel<string | BrokerMessage>, _message: ChannelMessage<string | BrokerMessage>,
  ): Nothing {}
  /** Any change of an order. */
  onOrderUpdate(_order: Order): Nothing {}
  /** A place, amend, replace or cancel request failed or was rejected. */
  onOrderError(_order: Order, _error: OrderError): Nothing {}
  /** One fill at a time: `order.getLastFill()`. */
  onOrderFill(_order: Order): Nothing {}
  /** Late data of a fill that was reported before. */
  onOrderFillUpdate(_order: Order): Nothing {}
  /** A new position: `instrument.position`. */
  onInstrumentPosition(_instrument: TradingInstrument): Nothing {}
  /** A new state of order entry of an account. */
  onOrderEntryState(_account: Account, _state: OrderEntryState): Nothing {}
  /** `error` is null where the exchange confirmed. */
  onAccountCancelAllOrdersResponse(_account: Account, _error: OrderError | null): Nothing {}
  /** The state of this strategy for a checkpoint: plain JSON. */
  saveState(): unknown {
    return null
  }

  /** Takes back what `saveState` gave. */
  restoreState(_state: unknown): Nothing {}
}

brand(Strategy, 'Strategy')
