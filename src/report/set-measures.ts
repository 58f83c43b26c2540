import { Decimal } from '../model/decimal.js'
import { isJsonObject } from '../model/json-object.js'
import type { MoneySummary } from './money-summary.js'
import type { RunSummary } from './run-summary.js'
import { amountText } from './short-summary.js'

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

/** A measure of sets, as a column of their table. */
export interface SetColumn {
  /** `profit_USDT`, and `profit` where there is one underlying. */
  readonly names: readonly string[]
  readonly heading: string
  readonly isLessBetter: boolean
  value(result: SetResult): string | number | null
  text(result: SetResult): string
}

function moneyColumns(results: readonly SetResult[]): SetColumn[] {
  const underlyings = new Map(results.flatMap(({ summary }) =>
    summary.money.map(({ underlyingId, underlying }) => [underlyingId, underlying] as const)))
  const hasRatios = results.every(({ summary }) => summary.money.every(({ returns }) => returns.notComputed === null))
  return [...underlyings].flatMap(([id, code]) =>
    Object.entries(MONEY).filter(([name]) => hasRatios || !RATIOS.includes(name)).map(([name, measure]): SetColumn => {
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

function countColumns(): SetColumn[] {
  return Object.entries(COUNTS).map(([name, { heading, of }]) => ({
    names: [name], heading, isLessBetter: false, value: ({ summary }) => of(summary),
    text: ({ summary }) => String(of(summary)),
  }))
}

/** Numbers of the sets, the best first; a value that is not known comes last, equal ones in the order of the sets. */
export function rankedBy({ value, isLessBetter }: SetColumn, results: readonly SetResult[]): number[] {
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

/** The measures that sets of a run have: those of money by underlying, then fills and orders. */
export function setColumns(results: readonly SetResult[]): SetColumn[] {
  return [...moneyColumns(results), ...countColumns()]
}

/** The parameters of a set by name; those within an object, as of several strategies, by path: `maker.size`. */
export function namedParameters(result: Pick<SetResult, 'parameters'> | undefined): ReadonlyMap<string, unknown> {
  return new Map(namedValues((result?.parameters ?? {}) as Readonly<Record<string, unknown>>))
}

function namedValues(values: Readonly<Record<string, unknown>>): [name: string, value: unknown][] {
  return Object.entries(values).flatMap(([name, value]) => isJsonObject(value)
    ? namedValues(value).map(([inner, own]): [string, unknown] => [`${name}.${inner}`, own])
    : [[name, value]])
}

/** The parameters that differ between the sets. */
export function variedNames(results: readonly SetResult[]): string[] {
  const sets = results.map(namedParameters)
  const names = [...new Set(sets.flatMap((set) => [...set.keys()]))]
  return names.filter((name) => new Set(sets.map((set) => JSON.stringify(set.get(name)))).size > 1)
}
