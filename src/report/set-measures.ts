import { Decimal } from '../model/decimal.js'
import { isJsonObject } from '../model/json-object.js'
import type { MoneySummary } from './money-summary.js'
import type { RunSummary } from './run-summary.js'
import { amountText, hasOtherMoney } from './short-summary.js'

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
/** The profit in all underlyings, in the currency of the run. */
export const TOTAL = 'total'

/** The measures by which sets are sorted; those of money may name an underlying: `profit_USDT`. */
export const SORT_MEASURES: readonly string[] = [TOTAL, ...Object.keys(MONEY), ...Object.keys(COUNTS)]

/** The kind of a measure and the code that it names: `profit_USDT`; null for what is no measure. */
export function measureOf(text: string): {
  readonly name: string
  readonly code: string | null
  readonly kind: 'total' | 'money' | 'ratio' | 'count'
} | null {
  const at = text.indexOf('_')
  const [name, code] = at < 0 ? [text, null] : [text.slice(0, at), text.slice(at + 1)]
  if (code === '' || !SORT_MEASURES.includes(name)) return null
  if (Object.hasOwn(COUNTS, name)) return code === null ? { name, code, kind: 'count' } : null
  return { name, code, kind: name === TOTAL ? 'total' : RATIOS.includes(name) ? 'ratio' : 'money' }
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

/** True where totals say more than the profit in one underlying. */
function hasTotals(results: readonly SetResult[]): boolean {
  return results.some(({ summary }) => hasOtherMoney(summary))
}

/** A column for each currency of totals. */
function totalColumns(results: readonly SetResult[]): SetColumn[] {
  const codes = [...new Set(results.map(({ summary: { total } }) => total.currency))]
  return codes.map((code): SetColumn => {
    const value = ({ summary: { total } }: SetResult): string | null => (total.currency === code ? total.profit : null)
    return {
      names: codes.length === 1 ? [TOTAL, `${TOTAL}_${code}`] : [`${TOTAL}_${code}`], heading: `total ${code}`,
      isLessBetter: false, value,
      text: (result) => {
        const found = value(result)
        return found === null ? '-' : amountText(found, code)
      },
    }
  })
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

/**
 * The measures that sets of a run have: totals, those of money by underlying, then fills and orders. Where all money is
 * in one underlying the profit in it is the total.
 */
export function setColumns(results: readonly SetResult[]): SetColumn[] {
  const money = moneyColumns(results)
  if (hasTotals(results)) return [...totalColumns(results), ...money, ...countColumns()]
  const all = money.map((column): SetColumn => (
    column.names.includes('profit') ? { ...column, names: [...column.names, ...totalNames(column.names)] } : column))
  return [...all, ...countColumns()]
}

function totalNames(names: readonly string[]): string[] {
  return names.map((name) => name.replace(/^profit/, TOTAL))
}

/**
 * A sentence where a measure of one underlying says nothing of money in others, such as fees paid in a coin; null where
 * it leaves nothing out.
 */
export function leftOutText(sort: string, results: readonly SetResult[]): string | null {
  const { kind, code } = measureOf(sort) ?? { kind: 'count', code: null }
  if (kind !== 'money' && kind !== 'ratio') return null
  const others = [...new Set(results.flatMap(({ summary }) => (
    summary.money.map(({ underlying }) => underlying).filter((one) => code !== null && one !== code))))]
  return others.length === 0 ? null : `${sort} leaves out money in ${others.join(', ')}, which total has`
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
