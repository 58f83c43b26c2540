/**
 * The fast form and its building blocks: columns of events, readers and writers of tick files, order books, minutes,
 * audits, stitching, made-up days, and the contract of a venue. The parts of the types of `backtape` stand here too.
 *
 * @module
 */
export { BookCursor } from './book/book-cursor.js'
export { OrderBook, type LevelColumns, type OrderBookOptions, type OrderBookState } from './book/order-book.js'
export type {
  EntryStateOptions, EquityOptions, SignalColumnType, SignalOptions,
} from './configuration/run-options.js'
export type { DayBookOptions } from './day/day-book.js'
export type { EventNote } from './day/event-stream.js'
export type { EventTableOptions } from './day/event-table.js'
export type { MinuteSource } from './day/minutes-reader.js'
export type { TriggerReference } from './model/order.js'
export type { LatencyMoment, OrderLatency } from './model/order-latency.js'
export type { ExchangeTop } from './exchange/market/touch-book.js'
export type {
  LimitedRequest, MarginBracket, MarginProfile, MessageRules, OrderLimits, OrderRules, ProfileSource, RateLimit,
  SettlementProfile, ShortOptionMargin, VenueKind,
} from './exchange/profile/venue-profile.js'
export type { ConvertPlace } from './export/convert-options.js'
export {
  MINUTE_COLUMNS, minuteTable, type MinuteColumn, type MinuteColumnOptions, type MinuteColumns, type MinutesJsonOptions,
} from './export/minutes-table.js'
export {
  copyBookLevels, depthWithin, imbalance, microPrice, midPrice, spread, spreadPrice, twiceMid, type BookLevels,
  type Depth,
} from './measures/book-measures.js'
export { BookSampler, type BookSamplerOptions } from './measures/book-sampler.js'
export type { BookCells } from './measures/minutes-book.js'
export type { TradeCells } from './measures/minutes-trades.js'
export type { MinuteUsdRate } from './measures/minutes-units.js'
export {
  MinuteBuilder, type MinuteOptions, type MinuteRow, type MinuteStatistics, type MinuteSubject,
} from './measures/minutes.js'
export type { Closing } from './model/closing.js'
export type { BookView } from './model/book-view.js'
export { scaledFromText, textFromScaled } from './model/decimal.js'
export {
  BATCH_CAPACITY, batchByteLength, batchTransferList, copyBatch, createBatch, idTextAt, idsEqual, indexAtTime,
  sliceBatch, textAt, type BatchCapacity, type BatchOptions, type CopyOptions, type WritableBatch,
} from './model/event-batch-columns.js'
export type { LineNumbers } from './model/line-numbers.js'
export type { WideNumbers } from './model/wide-numbers.js'
export { filterBatch } from './model/event-batch-filter.js'
export {
  EVENT_FLAGS, ID_FORMS, VALUE_SCALES, type EventBatch, type IdColumn, type TextColumn,
} from './model/event-batch.js'
export { EVENT_KINDS, EVENT_KIND_NAMES, eventKindFromCode } from './model/event-kind.js'
export type { ChainedEvent, EventBase, Greeks, LevelRow } from './model/events.js'
export { exactExp, exactLog } from './model/exact-math.js'
export { exactPower } from './model/exact-power.js'
export type { TickBand } from './model/instrument.js'
export type { LatencyQuantiles } from './model/latency-sketch.js'
export type { SignalValue } from './model/signal-row.js'
export type { EntryError, ErrorSource, OrderReport, Owner } from './model/order.js'
export type { TimeCounts } from './replay/time-counts.js'
export type { FeedLatency } from './replay/feed-latency.js'
export type { TableKind } from './catalog/table-kind.js'
export type { Catalog, CatalogOptions, MissingDay, SqlOptions } from './research/catalog.js'
export type { TickCopy } from './tickfile/source-copies-reader.js'
export type { FrameSelection } from './research/frame-selection.js'
export type { AsofOptions, Frame, FrameColumns, FrameGroups, ResampleOptions } from './research/frame.js'
export type { ShownTradeCounts } from './model/shown-trades.js'
export type { RowLimit } from './day/book-table.js'
export type { DepthOptions } from './day/depth-table.js'
export type { SameStamp } from './model/exchange-order.js'
export type { SidePositions } from './strategy/trading-instrument.js'
export type { SelectionNote } from './tickfile/data-selection-reader.js'
export type { BrokerRecord } from './strategy/broker-message.js'
export type { RoundingDirection } from './strategy/step-rounding.js'
export type { DynamicInstrumentsState, DynamicInstrumentState } from './strategy/dynamic-instruments.js'
export type { EntryStateRules } from './strategy/entry-state-watch.js'
export type { StrategyAccount } from './strategy/instrument-registry.js'
export type { IsolatedSides } from './strategy/order-messages.js'
export type { ConsistentPostOnly, WrittenTerms } from './strategy/order-params.js'
export type { OrderConditions } from './strategy/order.js'
export type { ParameterResolver } from './strategy/parameter-values.js'
export {
  parametersOf, type AnyParameterType, type FieldDecorator, type ParameterClass, type ParameterDeclaration,
  type ParameterType,
} from './strategy/parameter.js'
export type { RuntimeState } from './strategy/runtime-state.js'
export type { OpenOrder } from './strategy/bound-strategy.js'
export type { CallbackWatch } from './strategy/callback-guard.js'
export { startStrategy, type StrategyOptions, type StrategyRuntime } from './strategy/runtime.js'
export type { StrategySink } from './strategy/strategy-sink.js'
export type { Nothing } from './strategy/strategy.js'
export type { StrategyEntry } from './configuration/run-strategies.js'
export type { HistoryRequest, WarmUp } from './strategy/warm-up.js'
export type { KeptTactics } from './strategy/strategy-tactics.js'
export type { AskedOrder, SavedTactic, TacticHost, WatchedPrices } from './strategy/tactic.js'
export type { BracketOptions, BracketTerms } from './strategy/tactics/bracket.js'
export type { WatchedStopOptions } from './strategy/tactics/exit-order.js'
export { KEPT_TACTICS } from './strategy/tactics/kept-tactics.js'
export type { Quote, QuoteKeeperOptions, QuoteSide } from './strategy/tactics/quote-keeper.js'
export type { RiskGuardOptions } from './strategy/tactics/risk-guard.js'
export type { TargetWait } from './strategy/tactics/target-position.js'
export type { StopMarketTerms, StopPhase, TrailingStopTerms, WatchedStop } from './strategy/tactics/watched-stop.js'
export type { TargetOptions } from './strategy/trading-instrument.js'
export { SYNTHETIC_KINDS, type SyntheticKind } from './synthetic/instrument-profile.js'
export { writeDays, type WriteDaysOptions, type WrittenDay } from './synthetic/made-days-writer.js'
export { makeDays, type SyntheticChunk, type SyntheticOptions } from './synthetic/made-days.js'
export { SYNTHETIC_ERAS, type SyntheticEra } from './synthetic/synthetic-exchange.js'
export { type MarketKind } from './tardis/stated-terms.js'
export {
  importTardis, type ImportedDay, type ImportOptions, type ImportResult, type ImportStep,
} from './tardis/tardis-import-writer.js'
export type { Column, ColumnType, TableColumn, TableValue } from './tables/column.js'
export type { ReadTableOptions } from './tables/reading/table-reader.js'
export type { RowValue } from './tables/row-table.js'
export { createTable, type JsonRow } from './tables/table.js'
export { epochDayFromFileName } from './tickfile/archive/file-day.js'
export { isSkippedMember, openSource, openSources } from './tickfile/archive/source-reader.js'
export type { BlobInput, SkippedMember, SourceOptions, TickSource } from './tickfile/archive/tick-source.js'
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
export type { Margins } from './tickfile/days/margins.js'
export type { LeftOutEvents, SeamReport, StitchReport } from './tickfile/days/stitching-report.js'
export { stitchDays, trimToDay, type StitchedDays, type StitchInput } from './tickfile/days/stitching.js'
export type { BoundedList } from './tickfile/lines/bounded-list.js'
export type { MasterFault } from './tickfile/lines/master-check.js'
export type { ClockJump } from './model/clock-words.js'
export type { ReadingCut } from './model/damage-words.js'
export type { Damage, Reading, ReadingSummary } from './tickfile/lines/reading.js'
export type { TermChange, TermKind } from './tickfile/lines/term-changes.js'
export { readTickFile } from './tickfile/tick-file-reader.js'
export { createTickFile, type TickFileWriter, type TickFileWriterOptions } from './tickfile/tick-file-writer.js'
export type {
  AmendEntry, AmendResult, AmendedFields, CancelAllRequest, CancelAllResponse, CancelEntry, CancelResult,
  FillContextEntry, FillContextResult, OrderContextEntry, OrderContextResult, PlaceEntry, PlaceResult, ReplaceEntry,
  ReplaceResult,
} from './venue/messages.js'
export { Amount, type StatedAmount } from './model/amount.js'
export { DrawnId, type Id } from './model/id.js'
export type {
  AccountState, AccountStatus, Capabilities, CorporateAction, Dividend, Fill, IsolatedPosition, IsolatedSide,
  Position, RateLimitLoad, UsdAmount, StockSplit,
} from './venue/account-messages.js'
export type {
  ChannelListener, ChannelSource, ChannelType, MessageRecord, SentMessage,
} from './venue/channels.js'
export type { SignalListener, SignalSource } from './venue/signals.js'
export type {
  Clock, InstrumentDirectory, InstrumentEntry, MarketDataListener, MarketView, InitialMarginStep, MarginOpening,
  OpeningTerms, OrderEntry, OrderEntryListener, PaidOpening, Subscription, Timer, Timers, TimerTarget, Topics,
  UnderlyingDirectory, Venue,
} from './venue/venue.js'
