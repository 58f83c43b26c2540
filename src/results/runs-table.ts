import { RESULT_MARK } from '../export/export-kind.js'
import type { ColumnType, TableColumn, TableValue } from '../tables/column.js'
import { createTable, type TableRow } from '../tables/table.js'
import { canonicalJson, type CanonicalValue } from '../model/canonical-json.js'
import { epochNsFromText } from '../model/time.js'
import type { MoneySummary } from '../report/money-summary.js'
import { fittedTable, MONEY_TYPE, roundedCounts } from './money-column.js'
import type { ResultTable } from './lazy-table.js'
import type { BacktestResult } from './backtest-result.js'

const TEXT: ColumnType = { form: 'text' }
const TIME: ColumnType = { form: 'timestamp' }
const COUNT: ColumnType = { form: 'uint32' }
const RATIO: ColumnType = { form: 'double' }

type Read = (result: BacktestResult, number: number) => TableValue

/** A parameter as the text of a cell: texts as they are, everything else as JSON. */
function parameterText(value: unknown): string | null {
  if (value === undefined) return null
  return typeof value === 'string' ? value : canonicalJson(value as CanonicalValue)
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function columnOf(name: string, type: ColumnType, results: readonly BacktestResult[], read: Read): TableColumn {
  return { name, type, nullable: true, values: results.map(read) }
}

const MONEY: readonly (readonly [name: string, type: ColumnType, read: (money: MoneySummary) => TableValue])[] = [
  ['profit', MONEY_TYPE, ({ profit }) => profit],
  ['fees', MONEY_TYPE, ({ fees }) => fees],
  ['end_equity', MONEY_TYPE, ({ endEquity }) => endEquity],
  ['turnover', MONEY_TYPE, ({ turnover }) => turnover],
  ['max_drawdown', MONEY_TYPE, ({ maxDrawdown }) => maxDrawdown.amount],
  ['sharpe', RATIO, ({ sharpe }) => sharpe],
  ['sortino', RATIO, ({ sortino }) => sortino],
  ['return', RATIO, (money) => money.return],
  ['return_unit', TEXT, ({ returns }) => returns.unit],
  ['return_samples', COUNT, ({ returns }) => returns.sampleCount],
  ['round_trips', COUNT, ({ roundTrips }) => roundTrips.count],
  ['win_rate', RATIO, ({ roundTrips }) => roundTrips.winRate],
  ['profit_factor', RATIO, ({ roundTrips }) => roundTrips.profitFactor],
  ['slippage', MONEY_TYPE, ({ slippage }) => (slippage.share === null ? null : slippage.cost)],
  ['slippage_share', RATIO, ({ slippage }) => slippage.share],
]

/**
 * A row for each result, in their order: its number, a column `param_NAME` for each parameter (text; what is no text as
 * JSON), assumptions as JSON, for each underlying `profit_CODE`, `fees_CODE`, `end_equity_CODE`, `turnover_CODE`,
 * `max_drawdown_CODE` (decimal128(38, 18)), `sharpe_CODE`, `sortino_CODE`, `return_CODE`, `return_unit_CODE`,
 * `return_samples_CODE`, `round_trips_CODE`, `win_rate_CODE`, `profit_factor_CODE`, `slippage_CODE` (decimal128(38,
 * 18)) and `slippage_share_CODE`, then exposure, `total_currency` and `total_profit` (null where a rate is missing),
 * orders, fills, the reason of a stop, the strategy, `start` and `end` of what was played, `is_partial` (stopped before
 * its data ended), and the fingerprint. Rows hold every digit; `toArrow` rounds amounts of more than 18 decimals
 * half-even, which `rounded` counts, and throws VALUE_INEXACT with row and column for one of more than 20 digits before
 * them.
 *
 * @example
 * ```ts
 * import { runsTable, type BacktestResult } from 'backtape'
 * const best = (results: readonly BacktestResult[]): unknown => runsTable(results).rows[0]?.param_size
 * if (best([]) !== undefined) throw new Error('no result, no row')
 * ```
 */
export function runsTable(results: readonly BacktestResult[]): ResultTable<TableRow> {
  const names = [...new Set(results.flatMap(({ parameters }) => Object.keys(parameters)))]
  const underlyings = new Map(
    results.flatMap(({ summary }) =>
      summary.money.map(({ underlyingId, underlying }) => [underlyingId, underlying] as const),
    ),
  )
  const codes = [...underlyings.values()]
  const money = [...underlyings].sort(([a], [b]) => a - b).flatMap(([id, code]) => {
    // Two underlyings of one code are told apart by their ids.
    const suffix = codes.filter((other) => other === code).length > 1 ? `${code}_${id}` : code
    return MONEY.map(([name, type, read]) => columnOf(`${name}_${suffix}`, type, results, ({ summary }) => {
      const own = summary.money.find(({ underlyingId }) => underlyingId === id)
      return own === undefined ? null : read(own)
    }))
  })
  const table = createTable([
    columnOf('set', COUNT, results, (_result, number) => number),
    ...names.map((name) =>
      columnOf(`param_${name}`, TEXT, results, ({ parameters }) =>
        parameterText((parameters as Readonly<Record<string, unknown>>)[name]),
      ),
    ),
    columnOf('assumptions', TEXT, results, ({ summary }) => canonicalJson(summary.assumptions)),
    ...money,
    columnOf('exposure', RATIO, results, ({ summary }) => summary.exposure),
    columnOf('total_currency', TEXT, results, ({ summary }) => summary.total.currency),
    columnOf('total_profit', MONEY_TYPE, results, ({ summary }) => summary.total.profit),
    columnOf('orders', COUNT, results, ({ summary }) => summary.orders.orderCount),
    columnOf('fills', COUNT, results, ({ summary }) => summary.fillCount),
    columnOf('stop', TEXT, results, ({ summary }) => summary.stop?.reason ?? null),
    columnOf('strategy', TEXT, results, ({ configuration }) => textOf(configuration['strategy'])),
    columnOf('start', TIME, results, ({ summary }) => epochNsFromText(summary.start, null)),
    columnOf('end', TIME, results, ({ summary }) => epochNsFromText(summary.end, null)),
    columnOf('is_partial', { form: 'boolean' }, results, ({ isPartial }) => isPartial),
    columnOf('fingerprint', TEXT, results, ({ fingerprint }) => fingerprint),
  ], new Map([[RESULT_MARK, 'backtest']]))
  return Object.assign({}, table, {
    rounded: roundedCounts(table),
    toArrow: () => fittedTable('runs', table).toArrow(),
  })
}
