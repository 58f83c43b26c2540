import { BacktapeError } from '../model/error.js'

/** Rows of all tables that a pass keeps in memory, all worlds together; about 300 bytes each. */
const ROW_LIMIT = 2_000_000

/** Counts the rows that are kept; one for all worlds of a pass. */
export class RowBudget {
  #count = 0

  constructor(
    /** False: tables stay empty, the summary is the same. */
    readonly isKeeping = true,
    private readonly limit: number = ROW_LIMIT,
  ) {}

  /** To be called for every row that is kept, or for `count` of them; throws LIMIT_EXCEEDED where there are too many. */
  take(table: string, count = 1): void {
    this.#count += count
    if (this.#count <= this.limit) return
    const sentence = `Cannot keep another row of ${table}: a pass keeps at most ${this.limit} rows of its ` +
      `tables; set tables to 'none' and read the journal instead`
    throw new BacktapeError('LIMIT_EXCEEDED', sentence, {
      field: 'tables', expected: `at most ${this.limit} rows`, found: 'more',
    })
  }
}
