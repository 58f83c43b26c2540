import { sortRefusal } from '../backtest/sort-check.js'
import { rankedBy, setColumns, type SetResult } from '../report/set-measures.js'

/** The set that a measure prefers. */
export interface BestSet {
  /** Its number; of equal ones the first. */
  readonly set: number
  /** The measure of every set, in their order; null where it is not known. */
  readonly values: readonly (string | number | null)[]
}

/** The best of some results, at least one. Throws OPTION_INVALID where no set has the measure. */
export function bestSet(results: readonly SetResult[], sort: string): BestSet {
  const columns = setColumns(results)
  const by = columns.find(({ names }) => names.includes(sort))
  const known = columns.flatMap(({ names }) => names.slice(0, 1)).join(', ')
  if (by === undefined) throw sortRefusal(`a measure that the sets have (${known})`, JSON.stringify(sort))
  const values = results.map((result) => by.value(result))
  const [set = 0] = rankedBy(by, results)
  if ((values[set] ?? null) === null) {
    throw sortRefusal(`a measure that a set has (${known})`, `${sort}, which none has`)
  }
  return { set, values }
}
