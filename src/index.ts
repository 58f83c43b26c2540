export type { AccountOptions, AccountsOptions } from './configuration/account-options.js'
export type { AssumptionOptions } from './configuration/assumptions.js'
export type { BacktestOptions, CheckpointOptions } from './backtest/backtest-options.js'
export type { BacktestProgress } from './configuration/run-options.js'
export type { BacktestResult } from './results/backtest-result.js'
export type { Checkpoint } from './backtest/checkpoint-state.js'
export type { CorporateActionOptions } from './configuration/corporate-action-options.js'
export type { EntryStateOptions } from './configuration/entry-state-options.js'
export type { FaultOptions } from './configuration/fault-options.js'
export type { LatencyText } from './configuration/latency-options.js'
export type { EquityRow, FillRow, OrderRow } from './results/result-rows.js'
export type { ResultTable } from './results/result-tables.js'
export { runBacktest } from './backtest/run-backtest.js'
export { runsTable } from './results/runs-table.js'
export { readVenueProfile } from './configuration/venue-profile-reader.js'
export { BookCursor } from './book/book-cursor.js'
export { BookSampler, type BookSamplerOptions } from './measures/book-sampler.js'
export {
  copyBookLevels, depthWithin, imbalance, microPrice, midPrice, spread, spreadPrice, twiceMid, type BookLevels,
  type Depth,
} from './measures/book-measures.js'
export { OrderBook, type LevelColumns, type OrderBookOptions, type OrderBookState } from './book/order-book.js'
export { DayBook, type BookLevel, type DayBookOptions } from './day/day-book.js'
export { readMinutes, type MinuteSource } from './day/minutes-reader.js'
export type { EventNote, EventOptions } from './day/event-stream.js'
export type { TimeInput } from './day/time-input.js'
export { TickDay, openTickFile, readEvents, type BookGridOptions } from './day/tick-day.js'
export type { FeeRate, FeeSchedule } from './exchange/accounts/fees.js'
export type { ExchangeTop } from './exchange/market/touch-book.js'
export type { LatencyMoment, OrderLatency } from './exchange/adapter/order-latency.js'
export type { QueueModel } from './exchange/matching/queue-model.js'
export type {
  LimitedRequest, MessageRules, OrderLimits, OrderRules, ProfileSource, RateLimit, TriggerReference, VenueKind,
  VenueProfile,
} from './exchange/profile/venue-profile.js'
export type {
  MarginBracket, MarginProfile, SettlementProfile, ShortOptionMargin,
} from './exchange/profile/venue-profile-money.js'
export type { GapPolicy } from './exchange/matching/gap-policy.js'
export type { Column, ColumnType } from './tables/column.js'
export type {
  ConvertOptions, ConvertPlace, ConvertProgress, ConvertResult, ConvertedInput, ConvertedOutput,
} from './export/convert-options.js'
export { convertFiles } from './export/convert.js'
export { EXPORT_KINDS, SHOP_EXPORTS, exportFileName, type ExportKind, type ExportTarget } from './export/export-kind.js'
export { EXPORT_FORMATS, type ExportFormat } from './tables/output-format.js'
export type { BookCells } from './measures/minutes-book.js'
export {
  MINUTE_COLUMNS, minuteTable, minutesCsv, minutesJson, type MinuteColumn, type MinutesJsonOptions,
} from './export/minutes-table.js'
export type { TradeCells } from './measures/minutes-trades.js'
export { MinuteBuilder, type MinuteRow, type MinuteStatistics, type MinuteSubject } from './measures/minutes.js'
export type { MinuteUsdRate } from './measures/minutes-units.js'
export type { TableColumn, TableValue } from './tables/table-value.js'
export { createTable, type Table, type TableRow } from './tables/table.js'
export type { BookView } from './model/book-view.js'
export { Decimal, scaledFromText, textFromScaled } from './model/decimal.js'
export { BacktapeError, ERROR_CODES, type ErrorCode, type ErrorPlace } from './model/error.js'
export {
  BATCH_CAPACITY, batchByteLength, batchTransferList, copyBatch, createBatch, idTextAt, idsEqual, indexAtTime,
  sliceBatch, textAt, type BatchCapacity, type BatchOptions, type CopyOptions, type WritableBatch,
} from './model/event-batch-columns.js'
export { filterBatch } from './model/event-batch-filter.js'
export {
  BATCH_EVENT_LIMIT, EVENT_FLAGS, ID_FORMS, VALUE_SCALES, type EventBatch, type IdColumn, type TextColumn,
} from './model/event-batch.js'
export { EVENT_KINDS, EVENT_KIND_NAMES, eventKindFromCode, type EventKind } from './model/event-kind.js'
export type {
  ChainedEvent, EventBase, FundingEvent, Greeks, IndexEvent, LevelRow, Liquidation, LiquidationsEvent, MarkEvent,
  SnapshotEvent, StateEvent, TickEvent, TopOfBookEvent, Trade, TradesEvent, UpdateEvent,
} from './model/events.js'
export { exactExp, exactLog } from './model/exact-math.js'
export { exactPower } from './model/exact-power.js'
export { FixedDecimal, Price, Quantity } from './model/fixed-decimal.js'
export type { Instrument, TickBand, Underlying } from './model/instrument.js'
export type { LatencyQuantiles } from './model/latency-sketch.js'
export type {
  Context, ErrorSource, OpenClose, OrderError, OrderReport, OrderState, OrderType, Owner, TimeInForce,
} from './model/order.js'
export { RandomNumbers } from './model/random.js'
export type { Side } from './model/side.js'
export type { StopSignal } from './model/stop-signal.js'
export { epochNsFromText } from './model/time.js'
export type { TimeCounts } from './replay/exchange-times.js'
export type { FeedLatency } from './replay/feed-latency.js'
export type { LineSink } from './report/journal.js'
export type { RejectionCount, RequestKind } from './report/request-counters.js'
export type {
  DrawdownSummary, HaltSummary, InstrumentSummary, MarketSummary, MarkOutSummary, MoneyEventSummary, MoneySummary,
  OrderCounts, RunSummary, Sampling, StopSummary, TermChangeSummary, WalletSummary,
} from './report/run-summary.js'
export { summaryJson, summaryText, type SummaryTextOptions } from './report/summary-text.js'
export { Account, type OrderEntryState } from './strategy/account.js'
export { DataInstrument, type FundingRate, type Level, type RoundingDirection } from './strategy/data-instrument.js'
export type { StrategyAccount } from './strategy/instrument-registry.js'
export {
  DISCARD_REASONS, type ConsistentPostOnly, type DiscardReason, type OrderParams, type WrittenTerms,
} from './strategy/order-params.js'
export type { IsolatedSides } from './strategy/order-messages.js'
export { Order, type OrderChange, type OrderConditions, type OrderFill } from './strategy/order.js'
export type { ParameterConfig, ParameterResolver } from './strategy/parameter-values.js'
export {
  BigDecimal, Double, Float, Integer, List, Long, Parameter, TwoSides, parametersOf, type AnyParameterType,
  type FieldDecorator, type ParameterClass, type ParameterDeclaration, type ParameterOptions, type ParameterType,
  type TwoSidesOf,
} from './strategy/parameter.js'
export type { DynamicInstrumentsState, DynamicInstrumentState } from './strategy/dynamic-instruments.js'
export type { RuntimeState } from './strategy/runtime-state.js'
export type { EntryStateRules } from './strategy/entry-state-watch.js'
export { startStrategy, type StrategyOptions, type StrategyRuntime, type StrategySink } from './strategy/runtime.js'
export { Strategy, type Nothing, type TimerOptions } from './strategy/strategy.js'
export { TradingInstrument, type TradingReference } from './strategy/trading-instrument.js'
export { SYNTHETIC_KINDS, type SyntheticKind } from './synthetic/instrument-profile.js'
export { writeDays, type WriteDaysOptions, type WrittenDay } from './synthetic/made-days-writer.js'
export { makeDays, type SyntheticChunk, type SyntheticOptions } from './synthetic/made-days.js'
export { SYNTHETIC_ERAS, type SyntheticEra } from './synthetic/synthetic-exchange.js'
export type { BookCondition, BookReport, LevelText } from './tickfile/audit/audit-book.js'
export type { ChainGap, ChainName } from './tickfile/audit/audit-chains.js'
export type { ClockReport, TimeSpan } from './tickfile/audit/audit-clock.js'
export type { DayCoverage } from './tickfile/audit/audit-day.js'
export {
  auditJson, auditVerdict, type AuditReport, type AuditVerdict, type ReadFailure,
} from './tickfile/audit/audit-report.js'
export type { OffGridRows, RowReport } from './tickfile/audit/audit-rows.js'
export type { Outage, StateReport } from './tickfile/audit/audit-states.js'
export { auditText } from './tickfile/audit/audit-text.js'
export type { TradeIdReport } from './tickfile/audit/audit-trade-ids.js'
export { auditReading } from './tickfile/audit/audit.js'
export type { MasterFault } from './tickfile/lines/master-check.js'
export type { BoundedList } from './tickfile/lines/bounded-list.js'
export { epochDayFromFileName } from './tickfile/archive/file-day.js'
export type { Damage, Reading, ReadingSummary } from './tickfile/lines/reading.js'
export type { ReadOptions } from './tickfile/archive/read-options.js'
export { isSkippedMember, openSource, openSources } from './tickfile/archive/source-reader.js'
export type { Margins } from './tickfile/days/margins.js'
export type { LeftOutEvents, SeamReport, StitchReport } from './tickfile/days/stitching-report.js'
export { stitchDays, trimToDay, type StitchedDays, type StitchInput } from './tickfile/days/stitching.js'
export type { TermChange, TermKind } from './tickfile/lines/term-changes.js'
export { readTickFile } from './tickfile/tick-file-reader.js'
export { createTickFile, type TickFileWriter, type TickFileWriterOptions } from './tickfile/tick-file-writer.js'
export type { SkippedMember, SourceOptions, TickInput, TickSource } from './tickfile/archive/tick-source.js'
export type { MasterChanges } from './tickfile/lines/term-changes.js'
export type { MoneyOptions } from './configuration/money-options.js'
export type {
  AccountState, AccountStatus, AmendEntry, AmendResult, AmendedFields, CancelAllRequest, CancelAllResponse, CancelEntry,
  CancelResult, Capabilities, CorporateAction, Dividend, Fill, IsolatedPosition, IsolatedSide, FillContextEntry,
  FillContextResult, OrderContextEntry, OrderContextResult, PlaceEntry, PlaceResult, Position, RateLimitLoad,
  ReplaceEntry, ReplaceResult, UsdAmount, StockSplit, Wallet,
} from './venue/messages.js'
export type {
  Clock, InstrumentDirectory, InstrumentEntry, MarketDataListener, MarketDataState, MarketView, InitialMarginStep,
  MarginOpening, OpeningTerms, OrderEntry, OrderEntryListener, PaidOpening, Subscription, Timer, Timers, TimerTarget,
  Topics, UnderlyingDirectory, Venue,
} from './venue/venue.js'
