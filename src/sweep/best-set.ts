import { BacktapeError } from '../model/error.js'
import { isMeasure, rankedBy, setColumns, SORT_MEASURES, type SetResult } from '../report/set-measures.js'

/** The set that a measure prefers. */
export interface BestSet {
  /** Its number; of equal ones the first. */
  readonly set: number
  /** The measure of every set, in their order; null where it is not known. */
  readonly values: readonly (string | number | null)[]
}

/** Throws OPTION_INVALID for a measure that is none. */
export function checkMeasure(sort: string): void {
  if (!isMeasure(sort)) throw refusal(`one of ${SORT_MEASURES.join(', ')}; of money also profit_USDT`, sort)
}

/** The best of some results, at least one. Throws OPTION_INVALID where no set has the measure. */
export function bestSet(results: readonly SetResult[], sort: string): BestSet {
  const columns = setColumns(results)
  const by = columns.find(({ names }) => names.includes(sort))
  const known = columns.flatMap(({ names }) => names.slice(0, 1)).join(', ')
  if (by === undefined) throw refusal(`a measure that the sets have (${known})`, sort)
  const values = results.map((result) => by.value(result))
  const [set = 0] = rankedBy(by, results)
  if ((values[set] ?? null) === null) throw refusal(`a measure that a set has (${known})`, `${sort}, which none has`)
  return { set, values }
}

function refusal(expected: string, found: string): BacktapeError {
  const sentence = `Cannot choose the best set: sort must be ${expected}, found ${JSON.stringify(found)}`
  return new BacktapeError('OPTION_INVALID', sentence, { field: 'sort', expected, found })
}
