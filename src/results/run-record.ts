import { Decimal } from '../model/decimal.js'
import type { BacktestResult } from './backtest-result.js'

/** The format's name: its number rises whenever what a record holds changes. */
export const RECORD_FORMAT = 'backtape-record/3'

/** One parameter set of a record: the result without its tables. */
export type SetRecord = Pick<
  BacktestResult,
  | 'parameters' | 'fingerprint' | 'configDigest' | 'configuration' | 'journalDigest' | 'segmentDigests'
  | 'journalLineCount' | 'isPartial' | 'summary'
>

/** A profit in one currency. */
export interface ProfitSum {
  /** Its code. */
  readonly currency: string
  /** Exact decimal text. */
  readonly profit: string
}

/** The totals of some results together; null where one has none, or their currencies differ. */
export function profitSum(results: readonly Pick<SetRecord, 'summary'>[]): ProfitSum | null {
  const [first] = results
  if (first === undefined) return null
  const { currency } = first.summary.total
  let sum = new Decimal(0)
  for (const { summary: { total } } of results) {
    if (total.profit === null || total.currency !== currency) return null
    sum = sum.plus(total.profit)
  }
  return { currency, profit: sum.toFixed() }
}

/** The profit of a run in one underlying. */
export interface RecordedProfit {
  readonly underlying: string
  readonly profit: string
}

/** A part of a run: its record holds the chosen set of each. */
export interface RecordedPart {
  /** `part 1`, `train 3`, `test 3`. */
  readonly name: string
  /** ISO-8601 in UTC. */
  readonly from: string
  /** ISO-8601 in UTC, exclusive. */
  readonly to: string
  /** The number of the set that ran. */
  readonly set: number
}

/** One command `backtape backtest` that ran, as the list of runs knows it. */
export interface RunRecord {
  readonly format: typeof RECORD_FORMAT
  /** UTC of the start and six digits of the fingerprint: `20240718T120000Z-9f2c41`. */
  readonly id: string
  /** Start of the command, ISO-8601 in UTC, whole seconds. */
  readonly started: string
  /** The run file as it was typed. */
  readonly runFile: string
  /** `--name`; null where there was none. */
  readonly name: string | null
  /** `--note`; null where there was none. */
  readonly note: string | null
  /** Values of the command line in words; null where there were none. */
  readonly overrides: string | null
  readonly setCount: number
  /** True where a set was stopped before its data ended. */
  readonly isPartial: boolean
  /**
   * Of several sets the number of the best: the greatest total, of whole sets where there are any; the first where none
   * has one, or their currencies differ. Everything below is of this set; with parts it is the place in their list.
   */
  readonly set: number
  readonly fingerprint: string
  /** Begin of what was played, ISO-8601. */
  readonly start: string
  /** End of what was played, ISO-8601. */
  readonly end: string
  readonly fillCount: number
  /** By underlying; with parts of those that the choice has not seen, together. */
  readonly profits: readonly RecordedProfit[]
  /** The same in the currency of the run; null where a rate is missing. */
  readonly total: ProfitSum | null
  /** The parts of a split run or a walk forward, in the order of the record's sets; absent else. */
  readonly parts?: readonly RecordedPart[]
}

/** The part of a record that the command line states. */
export type RunLabel = Pick<RunRecord, 'started' | 'runFile' | 'name' | 'note' | 'overrides'>

/** The record of results, at least one. */
export function runRecord(results: readonly SetRecord[], label: RunLabel): RunRecord {
  const [first] = results
  if (first === undefined) throw new Error('A run has a result')
  const set = bestSet(results)
  const { fingerprint, summary: { start, end, fillCount, money } } = results[set] ?? first
  return {
    format: RECORD_FORMAT, id: recordId(label.started, first.fingerprint), ...label, setCount: results.length,
    isPartial: results.some(({ isPartial }) => isPartial), set, fingerprint, start, end, fillCount,
    profits: [...money]
      .sort((a, b) => a.underlyingId - b.underlyingId)
      .map(({ underlying, profit }) => ({ underlying, profit })),
    total: profitSum([results[set] ?? first]),
  }
}

/** `20240718T120000Z-9f2c41` of `2024-07-18T12:00:00Z` and `bt3:9f2c41...`. */
function recordId(started: string, fingerprint: string): string {
  return `${started.replace(/[-:]/g, '')}-${fingerprint.replace(/^.*:/, '').slice(0, 6)}`
}

/** True for the name of a record's folder. */
export function isRecordId(name: string): boolean {
  return /^\d{8}T\d{6}Z-[0-9a-f]{6}(?:-\d{1,3})?$/.test(name)
}

function bestSet(results: readonly SetRecord[]): number {
  const currencies = new Set(results.map(({ summary }) => summary.total.currency))
  if (currencies.size > 1) return 0
  const hasWhole = results.some(({ isPartial }) => !isPartial)
  let best = 0
  let most = null as Decimal | null
  for (const [set, { isPartial, summary: { total: { profit } } }] of results.entries()) {
    if (profit === null || (isPartial && hasWhole) || most?.gte(profit) === true) continue
    best = set
    most = new Decimal(profit)
  }
  return best
}
