import { Decimal } from '../model/decimal.js'
import {
  profitSum, type ProfitSum, type RecordedPart, type RecordedProfit, type SetRecord,
} from '../results/run-record.js'
import type { SplitResult } from './split-run.js'
import type { WalkForwardResult } from './walk-forward.js'

/** The parts of a run as a record keeps them: the chosen set on each part. */
export interface PartsRecord {
  readonly sets: readonly SetRecord[]
  readonly parts: readonly RecordedPart[]
  /** Sets that were tried. */
  readonly setCount: number
  /** Of the parts that the choice has not seen, together. */
  readonly profits: readonly RecordedProfit[]
  readonly total: ProfitSum | null
  readonly fillCount: number
  /** True where it was stopped: the parts are those that were played to their ends. */
  readonly isPartial: boolean
}

/** The record of a split run. */
export function recordedSplit({ parts, chosen, setCount, isPartial }: SplitResult): PartsRecord {
  const sets = parts.map(({ results }) => results[chosen] as SetRecord)
  const recorded = parts.map(({ from, to }, number) => (
    { name: `part ${number + 1}`, from, to: to ?? (sets[number] as SetRecord).summary.end, set: chosen }))
  return { sets, parts: recorded, setCount, isPartial, ...unseen(sets.slice(1)) }
}

/** The record of a walk forward; null where no window was played. */
export function recordedWalk({ windows, setCount, isPartial }: WalkForwardResult): PartsRecord | null {
  if (windows.length === 0) return null
  const sets = windows.flatMap(({ trainResult, testResult }): SetRecord[] => [trainResult, testResult])
  const parts = windows.flatMap(({ train, test, chosen: set, trainResult, testResult }, number) => [
    { name: `train ${number + 1}`, from: train.from, to: train.to ?? trainResult.summary.end, set },
    { name: `test ${number + 1}`, from: test.from, to: test.to ?? testResult.summary.end, set },
  ])
  return { sets, parts, setCount, isPartial, ...unseen(windows.map(({ testResult }) => testResult)) }
}

function unseen(later: readonly SetRecord[]): Pick<PartsRecord, 'profits' | 'total' | 'fillCount'> {
  const sums = new Map<string, Decimal>()
  for (const { summary: { money } } of later)
    for (const { underlying, profit } of money)
      sums.set(underlying, (sums.get(underlying) ?? new Decimal(0)).plus(profit))
  return {
    profits: [...sums].map(([underlying, profit]) => ({ underlying, profit: profit.toFixed() })),
    total: profitSum(later),
    fillCount: later.reduce((sum, { summary: { fillCount } }) => sum + fillCount, 0),
  }
}
