import { Decimal } from '../model/decimal.js'
import type { BacktestResult } from './backtest-result.js'

/** The format's name: its number rises whenever what a record holds changes. */
export const RECORD_FORMAT = 'backtape-record/1'

/** One parameter set of a record: the result without its tables. */
export type SetRecord = Pick<
  BacktestResult,
  | 'parameters' | 'fingerprint' | 'configDigest' | 'configuration' | 'journalDigest' | 'segmentDigests'
  | 'journalLineCount' | 'isPartial' | 'summary'
>

/** The profit of a run in one underlying: of several sets the best, with its number. */
export interface RecordedProfit {
  readonly underlying: string
  readonly profit: string
  readonly set: number
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
  /** Of the first set. */
  readonly fingerprint: string
  readonly setCount: number
  readonly isPartial: boolean
  /** Of the first set. */
  readonly fillCount: number
  /** By underlying; with parts of those that the choice has not seen, together. */
  readonly profits: readonly RecordedProfit[]
  /** The parts of a split run or a walk forward, in the order of the record's sets; absent else. */
  readonly parts?: readonly RecordedPart[]
}

/** The part of a record that the command line states. */
export type RunLabel = Pick<RunRecord, 'started' | 'runFile' | 'name' | 'note' | 'overrides'>

/** The record of results, at least one. */
export function runRecord(results: readonly SetRecord[], label: RunLabel): RunRecord {
  const [first] = results
  if (first === undefined) throw new Error('A run has a result')
  const { fingerprint, summary: { fillCount } } = first
  return {
    format: RECORD_FORMAT, id: recordId(label.started, fingerprint), ...label, fingerprint, setCount: results.length,
    isPartial: results.some(({ isPartial }) => isPartial), fillCount, profits: bestProfits(results),
  }
}

/** `20240718T120000Z-9f2c41` of `2024-07-18T12:00:00Z` and `bt2:9f2c41...`. */
function recordId(started: string, fingerprint: string): string {
  return `${started.replace(/[-:]/g, '')}-${fingerprint.replace(/^.*:/, '').slice(0, 6)}`
}

/** True for the name of a record's folder. */
export function isRecordId(name: string): boolean {
  return /^\d{8}T\d{6}Z-[0-9a-f]{6}(?:-\d{1,3})?$/.test(name)
}

function bestProfits(results: readonly SetRecord[]): RecordedProfit[] {
  const best = new Map<number, RecordedProfit>()
  results.forEach(({ summary }, set) => {
    for (const { underlyingId, underlying, profit } of summary.money) {
      const known = best.get(underlyingId)
      if (known === undefined || new Decimal(profit).gt(known.profit))
        best.set(underlyingId, { underlying, profit, set })
    }
  })
  return [...best].sort(([a], [b]) => a - b).map(([, profit]) => profit)
}
