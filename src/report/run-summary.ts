import type { LatencyQuantiles } from '../model/latency-sketch.js'
import type { ShownTradeCounts } from '../model/shown-trades.js'
import type { InstrumentSummary, OrderCounts } from './instrument-summary.js'
import type { MoneySummary, TotalSummary } from './money-summary.js'
import type { RejectionCount } from './request-counters.js'

/*
 * The summary of a run: plain data that JSON holds. Money, prices and quantities are exact decimal texts, times
 * ISO-8601 texts with nine digits; ratios, which are statistics, are numbers made by additions, multiplications,
 * divisions and square roots of doubles alone.
 */

/** The sampling of equity. */
export interface Sampling {
  /**
   * Market time between samples, which lie at whole multiples of it since midnight UTC; one more at the run's begin and
   * end.
   */
  readonly intervalNs: number
  /**
   * Whole intervals from the one with the first event of the run's instruments to the last whole one with an event, so
   * that cut files add no idle ones. Formula: intervals from the first with a line to the last with one, less those in
   * `leftOutCount`.
   */
  readonly intervalCount: number
  /**
   * Whole intervals in stretches of an hour or more without an event. Formula: whole intervals without a line in
   * stretches of 60 or more, that at the end too.
   */
  readonly leftOutCount: number
  /**
   * The time that the data cover: from the first line of the run's instruments to the last one, as the client received
   * them, without stretches of an hour or more that have none. Formula: from the first line to the last one; at a
   * stretch of 60 or more whole intervals without a line a span ends at its last line, and the next begins with the
   * interval of the next line.
   */
  readonly covered: readonly {
    readonly from: string
    readonly to: string
  }[]
}

/** The recorded market of one instrument that the strategy asked for, as the run met it. */
export interface MarketSummary {
  /** Id of the instrument. */
  readonly instrumentId: number
  /** `exchange:code`. */
  readonly instrument: string
  /**
   * When the client received its first and its last line of the run; null where there was none. Formula: adapter time
   * of its first line of the run, plus `feedLatency` where the run adds one.
   */
  readonly firstEvent: string | null
  /** Time at which its last line of the run was received; null where none was. Formula: the same of its last line. */
  readonly lastEvent: string | null
  /**
   * Time without a trustworthy book at the exchange, before the first snapshot and crossed books left out. Formula:
   * gaps of its lines: breaks of the chain, ERROR, silences (exchange rules 6.1, 6.4).
   */
  readonly bookUnknownCount: number
  /**
   * Length of that time, nanoseconds. Formula: sum over the gaps of the time from the last good book line before it to
   * the next snapshot, or to the end of the run; exchange times.
   */
  readonly bookUnknownNs: number
  /**
   * Stretches in which the depth book was crossed with itself (exchange rules 6.5). Formula: lines of depth that leave
   * the best bid above the best ask, where the line before did not.
   */
  readonly crossedCount: number
  /**
   * Length of that time, nanoseconds. Formula: sum over the stretches of the time from their first line, or the begin
   * of the run, to the line of depth that uncrosses the book, or to the end of the run; exchange times.
   */
  readonly crossedNs: number
  /**
   * Gaps of a crossed book; null over sockets. Formula: stretches that are not over at the exchange `crossedAfter`
   * after the adapter time of the line that crossed the book, without a break.
   */
  readonly crossedGapCount: number | null
  /**
   * Length of that time, nanoseconds; null over sockets. Formula: from that moment to the line that uncrosses the book,
   * exchange time.
   */
  readonly crossedGapNs: number | null
  /**
   * Times that were not taken as they stand (exchange rules 1.1): missing, after the adapter's, moved up into the
   * window, adapter steps back, lines of a clock jump. Of all lines received up to the end of the run, those before its
   * begin included; null over sockets, where lines are as the server took them. Formula: lines (of trades rows)
   * without an exchange stamp; with one after the adapter time; with one more than 10 s, or the lag of a paper run,
   * below the greatest before; lines with an adapter time below that of the line before; lines of a clock jump.
   */
  readonly clampedTimes: {
    readonly missing: number
    readonly afterAdapter: number
    readonly movedUp: number
    readonly adapterStepsBack: number
    readonly adapterJumps: number
  } | null
  /**
   * Its trade rows in the run, and those that a book line of an earlier exchange stamp showed before: there a resting
   * order may fill too early (exchange rules 1.1). Of the first 4,096 of each 32,768 lines of a file; null over
   * sockets.
   */
  readonly shownTrades: ShownTradeCounts | null
  /**
   * From the exchange's time of a line to its arrival at the client: the lines of the run that have a time of their
   * own.
   */
  readonly feedLatency: LatencyQuantiles
}

/** Money that the exchange moved of its own accord: one kind, account, instrument and underlying. */
export interface MoneyEventSummary {
  /** funding, interest, borrow, repay, liquidation, debt, settlement, split, dividend. */
  readonly kind: string
  /** Id of the account. */
  readonly accountId: string
  /** `exchange:code`; null where it is the account's. */
  readonly instrument: string | null
  /** Code of the underlying of the amounts. */
  readonly underlying: string
  /** Number of events. Formula: lines of the journal of the kind. */
  readonly count: number
  /**
   * The account's gains of funding, liquidation, settlement, splits and dividends (below 0: lost); what was charged,
   * borrowed, repaid or is owed else. Formula: sum of their `amount`.
   */
  readonly amount: string
  /** Fees of it, already counted among the fees. Formula: sum of their `feeAmount`. */
  readonly fees: string
}

/** A wallet of an account that traded spot, at the end; amounts in the underlying. */
export interface WalletSummary {
  /** Id of the account. */
  readonly accountId: string
  /** Code of the underlying. */
  readonly underlying: string
  /**
   * Coins in the wallet, borrowed ones among them. Formula: `balances` + of fills on spot `qty` bought less sold (of
   * the coin) or `value` sold less bought (of the counter), of others `realized_pnl`, - `fee` paid in it; and of
   * `moneyEvents` borrow less repay, funding, settlement, less their `fees`.
   */
  readonly cashBalance: string
  /**
   * Coins that are owed, interest included. Formula: sum of `amount` of `moneyEvents` of borrow and interest, less
   * repay.
   */
  readonly borrowed: string
}

/** A field of an instrument's master data that a later day states differently (exchange rules 1.7). */
export interface TermChangeSummary {
  /** `exchange:code`. */
  readonly instrument: string
  /** `YYYY-MM-DD`: it holds from this midnight on. */
  readonly day: string
  /** As the master data name it. */
  readonly field: string
  /** `money`: kept as it was; `grid` and `state`: orders follow it; `noted`. */
  readonly kind: string
  /** Both as JSON. */
  readonly earlier: string
  /** The later value as JSON. */
  readonly later: string
}

/** A signal of the run as the strategy received it. */
export interface SignalSummary {
  /** The name that `onSignal` is called with. */
  readonly name: string
  /** Name of its file, without the folder. */
  readonly file: string
  /** SHA-256 of the file, 64 hex digits. */
  readonly sha256: string
  /** Number of rows that were played. Formula: rows of the file with a time from `start` to the end of the run. */
  readonly playedCount: number
  /** Number of rows that were due before the run's begin. Formula: rows of the file with a time before `start`. */
  readonly skippedCount: number
  /** True where rows of the file were due after the end of the run. */
  readonly isCut: boolean
}

/** Where a gap ended the run (gap policy `halt`). */
export interface HaltSummary {
  /** The instrument with the gap, `exchange:code`. */
  readonly instrument: string
  /** Exchange time. */
  readonly time: string
  /** The gap in words. */
  readonly reason: string
}

/** Where a strategy ended before its run did. */
export interface StopSummary {
  /** Time of the end. */
  readonly time: string
  /** The reason in words. */
  readonly reason: string
}

/** One of several strategies of a run. */
export interface StrategySummary {
  /** Its name, which its orders and journal lines have. */
  readonly name: string
  /** The name of its class. */
  readonly strategy: string
  /** When and why it was ended before its data did; null where it ran to their end. */
  readonly stop: StopSummary | null
}

/** Market data of one instrument that were played before the run (`warmUp` of `subscribeBars`). */
export interface WarmUpSummary {
  /** `exchange:code`. */
  readonly instrument: string
  /** The time from which on they were asked for, ISO-8601 in UTC. */
  readonly since: string
  /** When the first recorded line was received; null where there was none. */
  readonly firstEvent: string | null
  /** Days before the run whose files were read, `YYYY-MM-DD`. */
  readonly days: readonly string[]
  /** Reasons why parts of the time are unknown, as sentences; none where it is whole. */
  readonly holes: readonly string[]
}

/**
 * The result of a run and its assumptions. Money is the exchange's: fills count when they happen there, whether or not
 * their client had received them.
 */
export interface RunSummary {
  /**
   * Facts that make the figures mean something else than they seem to: each a sentence, in the order of their kinds.
   * The text shows them first.
   */
  readonly warnings: readonly string[]
  /** Begin of the run, ISO-8601 in UTC. */
  readonly start: string
  /** End of the run, ISO-8601 in UTC. */
  readonly end: string
  /** The option `trim`: the UTC day of each file, or files as they are. */
  readonly trim: 'day' | 'none'
  /** The files that each folder, pattern or days of an instrument matched, in words; absent where none is named so. */
  readonly selection?: readonly string[]
  /** Market data of before the run that were played for the strategy, by instrument; absent where it asked for none. */
  readonly warmUp?: readonly WarmUpSummary[]
  /** The signals of the run, in their order; absent where it has none. */
  readonly signals?: readonly SignalSummary[]
  /** True where the run was stopped before its data ended. */
  readonly isPartial: boolean
  /** The gap that ended the run (gap policy `halt`); null where none did. */
  readonly halt: HaltSummary | null
  /**
   * When and why the strategy was ended, by itself (`stop`) or by a rule that watches it; null where it ran to the end
   * of the run.
   */
  readonly stop: StopSummary | null
  /** The strategies of a run with several, in its order; absent where it has one. */
  readonly strategies?: readonly StrategySummary[]
  /**
   * By underlying, in the order of their ids: those in which the run settles its trades, gained, lost or paid
   * something.
   */
  readonly money: readonly MoneySummary[]
  /** The same in one currency. */
  readonly total: TotalSummary
  /**
   * Part of the time that the data cover (`sampling.covered`) with any position, from fill to fill at the exchange;
   * null without such a time. Formula: length of the union of `entry_ts` to `exit_ts` of `round-trips` (to `end` where
   * open) within `sampling.covered` / length of `sampling.covered`.
   */
  readonly exposure: number | null
  /**
   * By account, then underlying id, of accounts that declare balances and dealt in spot: equity is start and profit
   * there, with coins at their value in what they were bought with, and not what the wallets hold. Absent where there
   * are none.
   */
  readonly wallets?: readonly WalletSummary[]
  /** The samples of equity behind the drawdown. */
  readonly sampling: Sampling
  /** By account, then instrument id: those with an order or a fill. */
  readonly instruments: readonly InstrumentSummary[]
  /** Numbers of orders by their ends. */
  readonly orders: OrderCounts
  /** Number of fills at the exchange. Formula: rows of `fills`. */
  readonly fillCount: number
  /** Fills that no client had received when the run ended. Formula: rows of `fills` without `ts`. */
  readonly unreceivedFillCount: number
  /**
   * Value of the fills that added liquidity, part of the value of all fills, in the currency of `total` where they are
   * in several; null where that is 0 or has no rate. Formula: sum of `value` without its sign of the rows of
   * `makerFillCount` / that of all, each x its rate in `total` where they settle in several underlyings.
   */
  readonly makerShare: number | null
  /** Number of the fills that added liquidity. Formula: rows of `fills` with `added_liquidity`. */
  readonly makerFillCount: number
  /** Rejected requests by kind and reason. */
  readonly rejections: readonly RejectionCount[]
  /** From sending a request to the exchange's stamp on its answer. */
  readonly requestLatency: LatencyQuantiles
  /** From that stamp to the client. */
  readonly responseLatency: LatencyQuantiles
  /** The recorded markets that the strategy asked for. */
  readonly markets: readonly MarketSummary[]
  /** Absent where the master data of all days agree. */
  readonly termChanges?: readonly TermChangeSummary[]
  /** By account and kind; empty where nothing of the sort happened. */
  readonly moneyEvents: readonly MoneyEventSummary[]
  /** USD for one unit of what the accounts dealt in, and who declared it: `run` or `data`. */
  readonly usdRates: readonly {
    readonly underlying: string
    readonly usd: string
    readonly declaredBy: 'run' | 'data'
    /** When a rate of the data was sampled, as its file has it; absent where nothing says. */
    readonly sampledAt?: string
  }[]
  /** Money that differs from what the data say: each a sentence. */
  readonly moneyNotes: readonly string[]
  /**
   * The parts of the plan of faults and corporate actions that the run did not come to: each a sentence; absent where
   * there is nothing to say.
   */
  readonly planNotes?: readonly string[]
  /** The assumptions of the run by name, defaults included. */
  readonly assumptions: Readonly<Record<string, string>>
}
