/**
 * Results of a run: the types of its summary, its report, its pictures, its splits and walk forward, and the files of
 * its journal.
 *
 * @module
 */
export type { WholeFileOptions } from './files/whole-file-writer.js'
export type { EquityCurve } from './report/equity-curve.js'
export type { InstrumentSummary, MarkOutSummary, OrderCounts } from './report/instrument-summary.js'
export type { JournalSink, LineSink, OpenJournal, SegmentSink } from './report/journal-sink.js'
export type {
  DrawdownSummary, MoneySummary, ReturnsSummary, RoundTripSummary, SlippageSummary, TotalRate, TotalSummary,
} from './report/money-summary.js'
export type {
  ReportAbout, ReportCell, ReportInstrument, ReportLatency, ReportLog, ReportLogLine, ReportMarkOut, ReportMoment,
  ReportPosition, ReportQueueBin, ReportRun, ReportTable, ReportUnknownBook, RunReport,
} from './report/pages/report-data.js'
export type {
  ReportBenchmark, ReportDrawdown, ReportExposure, ReportFees, ReportMoney, ReportReturn, ReportReturnShape,
  ReportRolling, ReportTrip, ReportTripGroup, ReportUnderwater,
} from './report/pages/report-money.js'
export type { ReportHistogram, ReportSeries } from './report/pages/report-series.js'
export type { BookSamples } from './report/plots/book-cells.js'
export type { BookInput, BookPictureOptions, RestingColumns } from './report/plots/book-picture.js'
export type { CoverageColumns } from './report/plots/coverage-picture.js'
export type {
  LatencySeries, MarkOutPictureOptions, MarkOutSeries, SmilePictureOptions, SmileSeries,
} from './report/plots/curve-pictures.js'
export type { DepthColumns, DepthPictureOptions } from './report/plots/depth-picture.js'
export type { EquityColumns, EquityPictureOptions } from './report/plots/equity-picture.js'
export type { HistogramOptions } from './report/plots/histogram-picture.js'
export type { LinePictureOptions, LineSeries } from './report/plots/line-picture.js'
export type { PairsInput, PairsPictureOptions } from './report/plots/pairs-picture.js'
export type { PictureTheme } from './report/plots/picture-theme.js'
export type { Drawing, PictureWriteOptions, PngOptions } from './report/plots/picture.js'
export type { Pictures } from './report/plots/pictures.js'
export type {
  FillColumns, PriceColumns, PriceInput, PricePictureOptions, QuoteColumns,
} from './report/plots/price-picture.js'
export type { PictureOptions } from './report/plots/sheet.js'
export type { SpreadColumns, SpreadPictureOptions } from './report/plots/spread-picture.js'
export type { RejectionCount, RequestKind } from './report/request-counters.js'
export type {
  HaltSummary, MarketSummary, MoneyEventSummary, Sampling, SignalSummary, StopSummary, StrategySummary,
  TermChangeSummary, WalletSummary, WarmUpSummary,
} from './report/run-summary.js'
export type { SummaryTextOptions } from './report/summary-text.js'
export { JournalPart, readJournal } from './results/journal-file-reader.js'
export { createJournalFile, type JournalFile } from './results/journal-file-writer.js'
export type { JournalEnd } from './results/journal-frames.js'
export type { PeriodRow, RoundTripRow } from './results/result-rows.js'
export type { ProfitSum } from './results/run-record.js'
export type { OtherEngine } from './results/summary-parts.js'
export type { ChoiceOptions, PartBounds, PartResult } from './sweep/part-run.js'
export type { RandomBaseline } from './sweep/random-baseline.js'
export type { SplitOptions, SplitPart, SplitResult } from './sweep/split-run.js'
export type {
  PlayedWindow, SkippedWindow, TestSum, WalkForwardOptions, WalkForwardResult,
} from './sweep/walk-forward.js'
