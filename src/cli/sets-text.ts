import { canonicalJson, type CanonicalValue } from '../model/canonical-json.js'
import { Decimal } from '../model/decimal.js'
import type { MoneySummary } from '../report/money-summary.js'
import type { RunSummary } from '../report/run-summary.js'
import { amountText, playedLine } from '../report/short-summary.js'
import { alignedLines, counted } from './text-table.js'

/** The result of a parameter set, as its line needs it. */
export interface SetResult {
  readonly parameters: object
  readonly summary: RunSummary
}

interface Measure {
  /** Its heading. */
  readonly heading: string
  /** True where less is better. */
  readonly isLessBetter?: boolean
}

interface MoneyMeasure extends Measure {
  readonly of: (money: MoneySummary) => string | number | null
}

interface CountMeasure extends Measure {
  readonly of: (summary: RunSummary) => number
}

const MONEY: Readonly<Record<string, MoneyMeasure>> = {
  profit: { heading: 'profit', of: ({ profit }) => profit },
  fees: { heading: 'fees', isLessBetter: true, of: ({ fees }) => fees },
  drawdown: { heading: 'drawdown', isLessBetter: true, of: ({ maxDrawdown }) => maxDrawdown.amount },
  turnover: { heading: 'turnover', of: ({ turnover }) => turnover },
  sharpe: { heading: 'Sharpe', of: ({ sharpe }) => sharpe },
  sortino: { heading: 'Sortino', of: ({ sortino }) => sortino },
}
const COUNTS: Readonly<Record<string, CountMeasure>> = {
  fills: { heading: 'fills', of: ({ fillCount }) => fillCount },
  orders: { heading: 'orders', of: ({ orders }) => orders.orderCount },
}
const RATIOS: readonly string[] = ['sharpe', 'sortino']

/** The measures by which sets are sorted; those of money may name an underlying: `profit_USDT`. */
export const SORT_MEASURES: readonly string[] = [...Object.keys(MONEY), ...Object.keys(COUNTS)]

/** True for a measure, or one of money and an underlying. */
export function isMeasure(text: string): boolean {
  const [name = '', code] = text.split('_', 2)
  return code === undefined ? SORT_MEASURES.includes(name) : Object.hasOwn(MONEY, name) && code !== ''
}

const CELL_MAX = 32
const WARNINGS_MAX = 8
const SETS_NAMED = 5

/** A column of the table. */
interface Column {
  /** `profit_USDT`, and `profit` where there is one underlying. */
  readonly names: readonly string[]
  readonly heading: string
  readonly isLessBetter: boolean
  value(result: SetResult): string | number | null
  text(result: SetResult): string
}

function moneyColumns(results: readonly SetResult[]): Column[] {
  const underlyings = new Map(results.flatMap(({ summary }) =>
    summary.money.map(({ underlyingId, underlying }) => [underlyingId, underlying] as const)))
  const hasRatios = results.every(({ summary }) => summary.money.every(({ returns }) => returns.notComputed === null))
  return [...underlyings].flatMap(([id, code]) =>
    Object.entries(MONEY).filter(([name]) => hasRatios || !RATIOS.includes(name)).map(([name, measure]): Column => {
      const isRatio = RATIOS.includes(name)
      const value = ({ summary }: SetResult): string | number | null => {
        const own = summary.money.find(({ underlyingId }) => underlyingId === id)
        return own === undefined ? null : measure.of(own)
      }
      return {
        names: underlyings.size === 1 ? [name, `${name}_${code}`] : [`${name}_${code}`],
        heading: isRatio && underlyings.size === 1 ? measure.heading : `${measure.heading} ${code}`,
        isLessBetter: measure.isLessBetter === true, value,
        text: (result) => {
          const found = value(result)
          return found === null ? '-' : typeof found === 'number' ? found.toFixed(2) : amountText(found, code)
        },
      }
    }))
}

function countColumns(): Column[] {
  return Object.entries(COUNTS).map(([name, { heading, of }]) => ({
    names: [name], heading, isLessBetter: false, value: ({ summary }) => of(summary),
    text: ({ summary }) => String(of(summary)),
  }))
}

function parameterText(value: unknown): string {
  const text = value === undefined ? '-' : typeof value === 'string' ? value : canonicalJson(value as CanonicalValue)
  return text.length > CELL_MAX ? `${text.slice(0, CELL_MAX - 3)}...` : text
}

/** The parameters that differ between the sets. */
function variedNames(results: readonly SetResult[]): string[] {
  const parameters = results.map((result) => result.parameters as Readonly<Record<string, unknown>>)
  const names = [...new Set(parameters.flatMap((one) => Object.keys(one)))]
  return names.filter((name) => new Set(parameters.map((one) => JSON.stringify(one[name]))).size > 1)
}

/** Numbers of the sets, the best first; a value that is not known comes last, equal ones in the order of the sets. */
function rankedBy({ value, isLessBetter }: Column, results: readonly SetResult[]): number[] {
  const values = results.map((result) => {
    const found = value(result)
    return found === null ? null : new Decimal(found)
  })
  return [...results.keys()].sort((a, b) => {
    const [one, other] = [values[a] ?? null, values[b] ?? null]
    if (one === null || other === null) return Number(one === null) - Number(other === null) || a - b
    return (isLessBetter ? one.cmp(other) : other.cmp(one)) || a - b
  })
}

/** Warnings of the sets, each once, with the sets that have it. */
function warningLines(results: readonly SetResult[]): string[] {
  const sets = new Map<string, number[]>()
  for (const [number, { summary }] of results.entries())
    for (const warning of summary.warnings) sets.set(warning, [...(sets.get(warning) ?? []), number])
  const lines = [...sets].map(([warning, numbers]) => {
    const more = numbers.length > SETS_NAMED ? ` and ${numbers.length - SETS_NAMED} more` : ''
    const shown = `set ${numbers.slice(0, SETS_NAMED).join(', ')}${more}`
    return `Warning (${numbers.length === results.length ? 'every set' : shown}): ${warning}`
  })
  const more = lines.length - WARNINGS_MAX
  return [...lines.slice(0, WARNINGS_MAX), ...(more > 0 ? [`Warning: and ${more} more (--full)`] : [])]
}

/**
 * A line for each parameter set: the parameters that differ, profit, fees, drawdown, turnover, ratios where there is a
 * day of data, fills and orders; in the order of the sets, or by a measure with the best first and marked.
 */
export function setsText(results: readonly SetResult[], sort?: string): string {
  const [first] = results
  if (first === undefined) return ''
  const names = variedNames(results)
  const columns = [...moneyColumns(results), ...countColumns()]
  const by = columns.find((column) => sort !== undefined && column.names.includes(sort)) ?? null
  const ranks = by === null ? [...results.keys()] : rankedBy(by, results)
  const best = by === null || by.value(results[ranks[0] ?? 0] as SetResult) === null ? null : (ranks[0] ?? null)
  const rows = ranks.map((number) => {
    const result = results[number] as SetResult
    const parameters = result.parameters as Readonly<Record<string, unknown>>
    const end = result.summary.stop === null ? [] : [`stopped: ${result.summary.stop.reason}`]
    return [
      number === best ? '*' : '', String(number), ...names.map((name) => parameterText(parameters[name])),
      ...columns.map((column) => column.text(result)), ...end,
    ]
  })
  const heads = ['', 'set', ...names, ...columns.map(({ heading }) => heading)]
  const right = new Set(columns.map((_, at) => at + 2 + names.length))
  const lines = alignedLines([heads, ...rows], new Set([1, ...right]))
  const last: string[] = []
  if (best !== null && sort !== undefined) {
    last.push('', `* best of ${counted(results.length, 'set')} by ${sort}: set ${best}`)
  } else if (sort !== undefined) {
    const known = columns.flatMap((column) => column.names.slice(0, 1)).join(', ')
    last.push('', `Not sorted: no set has ${sort}; there are ${known}`)
  }
  const warnings = warningLines(results)
  return [
    playedLine(first.summary), '', ...warnings, ...(warnings.length === 0 ? [] : ['']), ...lines, ...last, '',
  ].join('\n')
}
