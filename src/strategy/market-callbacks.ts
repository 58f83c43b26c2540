import { brandedPrototype } from '../model/brand.js'
import type { EventBatch } from '../model/event-batch.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import type { SignalRow } from '../model/signal-row.js'
import type { SignalListener } from '../venue/signals.js'
import type { MarketDataListener, MarketDataState, MarketView, Topics, Venue } from '../venue/venue.js'
import type { CallbackGuard } from './callback-guard.js'
import { keepLines, takeLine, type DataInstrument } from './data-instrument.js'
import type { Strategy } from './strategy.js'

/** The same method, seen as what JavaScript may return from it. */
type Callback = (instrument: DataInstrument) => unknown

/** Which market-data callbacks a strategy overrides: the others are neither subscribed nor called. */
export interface MarketCallbackUse {
  readonly state: boolean
  readonly snapshot: boolean
  readonly topOfBook: boolean
  readonly trades: boolean
  readonly liquidations: boolean
  readonly markPrice: boolean
  readonly indexPrice: boolean
  readonly fundingRate: boolean
}

/** True for a callback that a strategy overrides; the base class may be that of another copy of this package. */
export function overrides(strategy: Strategy, name: keyof Strategy): boolean {
  const base = brandedPrototype(strategy, 'Strategy')
  return base === null || strategy[name] !== Reflect.get(base, name)
}

/** The market callbacks that a strategy has. */
export function marketCallbackUse(strategy: Strategy): MarketCallbackUse {
  return {
    state: overrides(strategy, 'onMarketDataState'),
    snapshot: overrides(strategy, 'onInstrumentSnapshot'),
    topOfBook: overrides(strategy, 'onInstrumentTopOfBook'),
    trades: overrides(strategy, 'onInstrumentTrades'),
    liquidations: overrides(strategy, 'onInstrumentLiquidations'),
    markPrice: overrides(strategy, 'onInstrumentMarkPrice'),
    indexPrice: overrides(strategy, 'onInstrumentIndexPrice'),
    fundingRate: overrides(strategy, 'onInstrumentFundingRate'),
  }
}

/** Topics of a strategy's callbacks; null where it has none for market data. */
export function topicsOf(use: MarketCallbackUse): Topics | null {
  if (!Object.values(use).includes(true)) return null
  return {
    ...(use.snapshot || use.topOfBook ? { depth: true } : {}),
    ...(use.topOfBook ? { topOfBook: true } : {}),
    ...(use.trades ? { trades: true } : {}),
    ...(use.liquidations ? { liquidations: true } : {}),
    ...(use.markPrice ? { markPrice: true } : {}),
    ...(use.indexPrice ? { indexPrice: true } : {}),
    ...(use.fundingRate ? { fundingRate: true } : {}),
  }
}

/** Best prices as last reported to the strategy, plain data; null stands for an empty side. */
export interface SentTop {
  readonly bidPrice: number | null
  readonly bidQuantity: number | null
  readonly askPrice: number | null
  readonly askQuantity: number | null
  readonly priceScale: number
  readonly quantityScale: number
}

/**
 * Receives the lines of one instrument and calls the strategy. The hot path of a backtest: one call for a line, nothing
 * allocated, the callbacks called directly so that the engine can inline them.
 */
export class MarketCallbacks implements MarketDataListener {
  /** Best prices as reported last, in the columns of {@link MarketView.copyTop}. */
  readonly #sent: Float64Array = Float64Array.of(NaN, 0, NaN, 0, 0, 0)

  constructor(
    readonly instrument: DataInstrument,
    private readonly strategy: Strategy,
    private readonly guard: CallbackGuard,
    private readonly use: MarketCallbackUse,
    private readonly flush: () => void,
  ) {}

  onEvent(batch: EventBatch, index: number, view: MarketView): void {
    const guard = this.guard
    if (guard.hasNews) this.flush()
    if (guard.isOver) return
    const kind = batch.kind[index] as number
    if (kind <= EVENT_KINDS.update) {
      if (this.use.snapshot) this.#sendSnapshot()
      if (this.use.topOfBook && view.copyTop(this.#sent)) this.#sendTopOfBook()
    } else if (kind === EVENT_KINDS.topOfBook) {
      if (this.use.topOfBook && view.copyTop(this.#sent)) this.#sendTopOfBook()
    } else this.#sendOther(batch, index, kind)
  }

  onState(_instrumentId: number, state: MarketDataState, text: string): void {
    this.flush()
    if (this.use.state)
      this.guard.run('onMarketDataState', () => this.strategy.onMarketDataState(this.instrument, state, text))
  }

  onRelease(): void {
    keepLines(this.instrument)
  }

  /** Tells the market as it stands, to who subscribed in the middle of a day. */
  sendCurrent(view: MarketView): void {
    this.flush()
    if (this.use.snapshot) this.#sendSnapshot()
    if (this.use.topOfBook && view.copyTop(this.#sent)) this.#sendTopOfBook()
  }

  /** The next best prices are news, whatever was reported before. */
  forgetTop(): void {
    this.#sent.set([NaN, 0, NaN, 0, 0, 0])
  }

  sent(): SentTop {
    const [bidPrice, bidQuantity, askPrice, askQuantity, priceScale, quantityScale] = this.#sent as unknown as [
      number,
      number,
      number,
      number,
      number,
      number,
    ]
    const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value)
    return {
      bidPrice: orNull(bidPrice), bidQuantity: orNull(bidQuantity), askPrice: orNull(askPrice),
      askQuantity: orNull(askQuantity), priceScale, quantityScale,
    }
  }

  restore(sent: SentTop): void {
    const { bidPrice, bidQuantity, askPrice, askQuantity, priceScale, quantityScale } = sent
    this.#sent.set([
      bidPrice ?? NaN, bidQuantity ?? NaN, askPrice ?? NaN, askQuantity ?? NaN, priceScale, quantityScale,
    ])
  }

  #sendSnapshot(): void {
    const guard = this.guard
    if (!guard.isOpen) return
    guard.enter()
    try {
      const result = (this.strategy as { onInstrumentSnapshot: Callback }).onInstrumentSnapshot(this.instrument)
      if (result !== undefined) guard.refuse('onInstrumentSnapshot', result)
    } catch (error) {
      guard.fail('onInstrumentSnapshot', error)
    }
    guard.leave()
  }

  #sendTopOfBook(): void {
    const guard = this.guard
    if (!guard.isOpen) return
    guard.enter()
    try {
      const result = (this.strategy as { onInstrumentTopOfBook: Callback }).onInstrumentTopOfBook(this.instrument)
      if (result !== undefined) guard.refuse('onInstrumentTopOfBook', result)
    } catch (error) {
      guard.fail('onInstrumentTopOfBook', error)
    }
    guard.leave()
  }

  #sendTrades(): void {
    const guard = this.guard
    if (!guard.isOpen) return
    guard.enter()
    try {
      const result = (this.strategy as { onInstrumentTrades: Callback }).onInstrumentTrades(this.instrument)
      if (result !== undefined) guard.refuse('onInstrumentTrades', result)
    } catch (error) {
      guard.fail('onInstrumentTrades', error)
    }
    guard.leave()
  }

  #sendOther(batch: EventBatch, index: number, kind: number): void {
    const { instrument } = this
    const use = this.use
    const strategy = this.strategy
    takeLine(instrument, batch, index)
    if (kind === EVENT_KINDS.trades && use.trades) this.#sendTrades()
    else if (kind === EVENT_KINDS.mark && use.markPrice)
      this.guard.run('onInstrumentMarkPrice', () => strategy.onInstrumentMarkPrice(instrument))
    else if (kind === EVENT_KINDS.index && use.indexPrice)
      this.guard.run('onInstrumentIndexPrice', () => strategy.onInstrumentIndexPrice(instrument))
    else if (kind === EVENT_KINDS.funding && use.fundingRate)
      this.guard.run('onInstrumentFundingRate', () => strategy.onInstrumentFundingRate(instrument))
    else if (kind === EVENT_KINDS.liquidations && use.liquidations)
      this.guard.run('onInstrumentLiquidations', () => strategy.onInstrumentLiquidations(instrument))
  }
}

/** Calls a strategy for the rows of signals, where it has a callback for them. */
export class StrategySignals implements SignalListener {

  constructor(
    private readonly strategy: Strategy,
    private readonly guard: CallbackGuard,
    private readonly flush: () => void,
  ) {}

  /** Subscribes; `sink` is warned of signals that the strategy has no callback for. */
  begin({ signals }: Venue, sink: { warned?(text: string): void } | undefined): void {
    if (signals === undefined) return
    if (overrides(this.strategy, 'onSignal')) signals.subscribe(this)
    else
      sink?.warned?.(
        `${this.guard.strategyName} has no onSignal, so it receives no row of ${signals.names.join(', ')}`,
      )
  }

  onSignal(name: string, row: SignalRow): void {
    if (this.guard.hasNews) this.flush()
    this.guard.run('onSignal', () => this.strategy.onSignal(name, row))
  }
}
