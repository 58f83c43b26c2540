import { Decimal } from '../model/decimal.js'
import type { ChannelType } from '../venue/channels.js'
import type { Liquidation, Trade } from '../model/events.js'
import type { Price, Quantity } from '../model/fixed-decimal.js'
import type { Side } from '../model/side.js'
import type { OrderEntryState } from './account.js'
import type { BarSeriesState } from './bar-series.js'
import { putLines, type DataInstrument, type FundingRate } from './data-instrument.js'
import type { DynamicInstrumentsState } from './dynamic-instruments.js'
import type { EntryStateWatchState } from './entry-state-watch.js'
import { statedTerms, type StatedTerms } from './held-position.js'
import type { MarketCallbacks, SentTop } from './market-callbacks.js'
import type { LastPositionsState } from './last-positions.js'
import type { OrderMessagesState } from './order-messages.js'
import type { DiscardReason } from './order-params.js'
import type { SavedSplits } from './order-entry-callbacks.js'
import type { TrackedState } from './order-tracker.js'
import type { OwnFillsState } from './own-fills.js'
import { savedPrice, savedQuantity, savedText } from './saved-decimal.js'
import type { StrategyMemoryState } from './strategy-memory.js'
import type { TacticsState } from './strategy-tactics.js'
import type { TimersState } from './strategy-timers.js'
import { holdingOf, TradingInstrument, tradingRuntime } from './trading-instrument.js'
import type { Wallet } from '../venue/account-messages.js'

/** A trade or liquidation, plain data; times are epoch nanoseconds in digits. */
interface RowState {
  readonly side: Side
  readonly price: string
  readonly quantity: string
  readonly tradeId: string | null
  readonly timestampNs: string | null
}

/** One instrument of a strategy, plain data. */
export interface InstrumentState {
  readonly instrumentId: number
  /** Null for an instrument that is only read. */
  readonly accountId: string | null
  readonly sent: SentTop | null
  readonly lastTrades: readonly RowState[]
  readonly lastLiquidations: readonly RowState[]
  readonly fundingRate: {
    readonly rate: string
    readonly nextFundingTimestampNs: string | null
    readonly predictedRate: string | null
  } | null
  readonly position: string | null
  /** Null for an instrument that is only read. */
  readonly netTraded: string | null
  /** Terms that were stated of it beyond its quantity; left out for an instrument that is only read, as the next. */
  readonly stated?: StatedTerms
  /** The strategy's own fills. */
  readonly ownFills?: OwnFillsState
}

/** One account as its strategy sees it, plain data. */
interface AccountViewState {
  readonly accountId: string
  readonly state: OrderEntryState
  readonly wallets: readonly Wallet<string, number>[]
  readonly watch: EntryStateWatchState | null
  /** Null for an account to which the strategy is not logged in, as the watch. */
  readonly positions: LastPositionsState | null
  /** Splits behind which fills from before them may still come; left out where there are none. */
  readonly splits?: readonly SavedSplits[]
}

/** Everything that a strategy's runtime knows, as plain JSON: for checkpoints. */
export interface RuntimeState extends StrategyMemoryState {
  /** True once the strategy has stopped. */
  readonly isOver: boolean
  /** The reason of the stop; null while it runs. */
  readonly stopReason: string | null
  /** Orders that the runtime still knows. */
  readonly orders: readonly TrackedState[]
  /** Messages that wait for their callbacks. */
  readonly messages: OrderMessagesState
  /** Timers that wait. */
  readonly timers: TimersState
  /** Instruments that the strategy listens to: those that parameters name, then those subscribed later. */
  readonly instruments: readonly InstrumentState[]
  /** Accounts as the strategy sees them. */
  readonly accounts: readonly AccountViewState[]
  /** Instruments that were subscribed while the strategy ran. */
  readonly dynamic: DynamicInstrumentsState
  /** Reasons for which an order was discarded so far. */
  readonly discardReasons: readonly DiscardReason[]
  /** Bars that the strategy has subscribed, in that order. */
  readonly bars: readonly BarSeriesState[]
  /** Tactics of the strategy; null where it has none. */
  readonly tactics: TacticsState | null
  /** Names and types of the channels that it has open, in the order of opening. */
  readonly channels: readonly (readonly [name: string, type: ChannelType])[]
}

const digits = (time: bigint | null): string | null => (time === null ? null : String(time))
const timeOf = (text: string | null): bigint | null => (text === null ? null : BigInt(text))

/** Lines that an instrument remembers, as plain data. */
function linesState(
  instrument: DataInstrument,
): Pick<InstrumentState, 'lastTrades' | 'lastLiquidations' | 'fundingRate'> {
  const { fundingRate } = instrument
  return {
    lastTrades: instrument.getLastTrades().map((trade) => ({
      side: trade.aggressorSide, price: savedText(trade.price), quantity: savedText(trade.quantity),
      tradeId: trade.tradeId, timestampNs: digits(trade.exchangeTradeTimestampNs),
    })),
    lastLiquidations: instrument.getLastLiquidations().map((row) => ({
      side: row.side, price: savedText(row.price), quantity: savedText(row.quantity), tradeId: null,
      timestampNs: digits(row.exchangeLiquidationTimestampNs),
    })),
    fundingRate:
      fundingRate === null
        ? null
        : {
            rate: fundingRate.rate.toFixed(), nextFundingTimestampNs: digits(fundingRate.nextFundingTimestampNs),
            predictedRate: fundingRate.predictedRate?.toFixed() ?? null,
          },
  }
}

/**
 * Gives an instrument its remembered lines back, with the fields in the order of those that a line gives: a strategy
 * may write them down.
 */
function restoreLines(instrument: DataInstrument, state: InstrumentState): void {
  const valuesOf = (row: RowState): { readonly price: Price; readonly quantity: Quantity } => ({
    price: savedPrice(row.price), quantity: savedQuantity(row.quantity),
  })
  const trades: Trade[] = state.lastTrades.map((row) => ({
    aggressorSide: row.side, ...valuesOf(row), tradeId: row.tradeId, exchangeTradeTimestampNs: timeOf(row.timestampNs),
  }))
  const liquidations: Liquidation[] = state.lastLiquidations.map((row) => ({
    side: row.side, ...valuesOf(row), exchangeLiquidationTimestampNs: timeOf(row.timestampNs),
  }))
  const { fundingRate: saved } = state
  const fundingRate: FundingRate | null =
    saved === null
      ? null
      : {
          rate: new Decimal(saved.rate), nextFundingTimestampNs: timeOf(saved.nextFundingTimestampNs),
          predictedRate: saved.predictedRate === null ? null : new Decimal(saved.predictedRate),
        }
  putLines(instrument, trades, liquidations, fundingRate)
}

/** An instrument of a strategy as a checkpoint holds it. */
export function instrumentState(callbacks: MarketCallbacks): InstrumentState {
  const { instrument } = callbacks
  const isTrading = instrument instanceof TradingInstrument
  return {
    instrumentId: instrument.id,
    accountId: isTrading ? instrument.account.id : null,
    sent: callbacks.sent(),
    ...linesState(instrument),
    position: isTrading ? savedText(instrument.position) : null,
    netTraded: isTrading ? savedText(instrument.netTraded) : null,
    ...(isTrading
      ? { stated: statedTerms(holdingOf(instrument).stated), ownFills: tradingRuntime.ownFillsOf(instrument).state() }
      : {}),
  }
}

/** Takes back the state of an instrument out of those of a checkpoint; one that is not among them stays as it is. */
export function restoreInstrument(callbacks: MarketCallbacks, saved: readonly InstrumentState[]): void {
  const { instrument } = callbacks
  const accountId = instrument instanceof TradingInstrument ? instrument.account.id : null
  const state = saved.find((one) => one.instrumentId === instrument.id && one.accountId === accountId)
  if (state === undefined) return
  restoreLines(instrument, state)
  if (state.sent !== null) callbacks.restore(state.sent)
  if (!(instrument instanceof TradingInstrument)) return
  if (state.position !== null) tradingRuntime.takePosition(instrument, savedQuantity(state.position), state.stated)
  if (state.netTraded !== null) tradingRuntime.takeNetTraded(instrument, savedQuantity(state.netTraded))
  if (state.ownFills !== undefined) tradingRuntime.ownFillsOf(instrument).restore(state.ownFills)
}
