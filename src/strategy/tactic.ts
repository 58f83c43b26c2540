import type { Id } from '../model/id.js'
import { brand } from '../model/brand.js'
import { BacktapeError } from '../model/error.js'
import { foundText } from '../model/fault.js'
import type { Price, Quantity } from '../model/fixed-decimal.js'
import type { OrderError } from './order-error.js'
import type { Side } from '../model/side.js'
import type { Capabilities } from '../venue/account-messages.js'
import type { DiscardReason } from './order-params.js'
import type { Order } from './order.js'
import type { Nothing } from './strategy.js'
import { TradingInstrument, tradingRuntime } from './trading-instrument.js'

/** Prices that a tactic may receive: best prices, trades, or the mark. */
export type WatchedPrices = 'touch' | 'trades' | 'mark'

/** The services of a runtime to its tactics. */
export interface TacticHost {
  /** True while a run resumes: nothing is sent then, and a state that is restored follows. */
  readonly isResuming: boolean
  /** Nanoseconds of the venue's clock. */
  nowNs(): number
  /** Requests and fields that the adapter of an instrument's account supports. */
  capabilities(instrument: TradingInstrument): Capabilities
  /** An order by its own id; undefined where it ended long ago. */
  orderOf(ownOrderId: Id): Order | undefined
  /** The most that an open order may still execute: amends on their way count. */
  openOf(order: Order): Quantity
  /** Quantity that order updates have stated as executed and that no fill has brought yet. */
  unseen(instrument: TradingInstrument, side: Side): Quantity
  /** From now on the tactic receives what happens to its instruments. */
  add(tactic: Tactic): void
  /** From now on tactics of the instrument receive these prices. */
  watch(instrument: TradingInstrument, prices: WatchedPrices): void
  /** Calls `onTimer` of the tactic at a time, once; null takes the last wish back. */
  wakeAt(tactic: Tactic, timeNs: number | null): void
  /** Every tactic that has been made. */
  all(): readonly Tactic[]
}

/** The request of an order that a tactic may refuse. */
export interface AskedOrder {
  /** Side of the order. */
  readonly side: Side
  /** Its quantity; of a change, what is added to the open quantity. */
  readonly quantity: Quantity
  /** False for the amendment of an order. */
  readonly isNew: boolean
  /** True where it can only make the position smaller. */
  readonly isReducing: boolean
}

/** The state of a tactic as plain JSON. */
export type SavedTactic = Readonly<Record<string, unknown>>

/**
 * The base of helpers that a strategy makes with an instrument, from `onStart` on: their orders are ordinary orders of
 * the strategy, and they receive what happens without a callback of it. Each of these methods is called before the
 * strategy's own callback of the same event, never inside another callback. A checkpoint holds a tactic that is a field
 * of the strategy, or lies in an array or a map that is one. At most 1,000 are made in a run: make one, use it again.
 *
 * @example
 * ```ts
 * import { Parameter, Strategy, Tactic, TradingInstrument } from 'backtape'
 * class FillCount extends Tactic {
 *   count = 0
 *   override onFill(): void {
 *     this.count++
 *   }
 *   override save() {
 *     return { count: this.count }
 *   }
 *   override restore(saved: { readonly count: number }): void {
 *     this.count = saved.count
 *   }
 * }
 * class Counting extends Strategy {
 *   @Parameter(TradingInstrument) instrument!: TradingInstrument
 *   fills!: FillCount
 *   override onStart(): void {
 *     this.fills = new FillCount('FillCount', [this.instrument])
 *   }
 * }
 * console.log(Counting.name)
 * ```
 */
export abstract class Tactic {
  /** The words for it in errors: `TargetPosition(BTCUSDT)`. */
  readonly label: string
  /** Its instruments. */
  readonly instruments: readonly TradingInstrument[]
  /** The runtime. */
  protected readonly host: TacticHost

  /** Throws OPTION_INVALID where there is no instrument of a strategy, LIMIT_EXCEEDED for too many tactics. */
  constructor(name: string, instruments: readonly TradingInstrument[]) {
    const [first] = instruments
    if (first === undefined || !instruments.every((one) => (one as unknown) instanceof TradingInstrument)) {
      const expected = 'an instrument that the strategy trades'
      const other = instruments.find((one) => !((one as unknown) instanceof TradingInstrument))
      const found = first === undefined ? 'none' : foundText(other)
      throw new BacktapeError('OPTION_INVALID', `Cannot make a ${name}: it takes ${expected}, found ${found}`, {
        field: 'instrument', expected, found,
      })
    }
    this.label = `${name}(${instruments.map(({ code }) => code).join(', ')})`
    this.instruments = instruments
    this.host = tradingRuntime.tacticsOf(first) as TacticHost
    this.host.add(this)
  }

  /** An update of an order of its instruments, not of its own orders alone. */
  onOrder(_order: Order): Nothing {}
  /** A request failed, or an order was rejected. */
  onError(_order: Order, _error: OrderError): Nothing {}
  /** A fill, its first report. */
  onFill(_order: Order): Nothing {}
  /** A new position of an instrument. */
  onPosition(_instrument: TradingInstrument): Nothing {}
  /** Other best prices, or another state of the market data, where `touch` is watched. */
  onTouch(_instrument: TradingInstrument): Nothing {}
  /** A public trade, where `trades` are watched. */
  onTrade(_instrument: TradingInstrument, _price: Price): Nothing {}
  /** A new mark price, where `mark` is watched. */
  onMark(_instrument: TradingInstrument): Nothing {}
  /** The time of `wakeAt` has come. */
  onTimer(): Nothing {}
  /** The reason for which an order must not be sent; null lets it pass. */
  refusal(_instrument: TradingInstrument, _asked: AskedOrder): DiscardReason | null {
    return null
  }

  /** Its state for a checkpoint: plain JSON. */
  abstract save(): SavedTactic
  /** Takes back a state. */
  abstract restore(saved: SavedTactic): void
}

brand(Tactic, 'Tactic')
