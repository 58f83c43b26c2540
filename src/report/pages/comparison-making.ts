import { canonicalJson, type CanonicalValue } from '../../model/canonical-json.js'
import { Decimal } from '../../model/decimal.js'
import type { EquityCurve } from '../equity-curve.js'
import { shortCurve } from '../equity-curve.js'
import type { RunSummary } from '../run-summary.js'
import { namedParameters, rankedBy, setColumns, variedNames, type SetColumn, type SetResult } from '../set-measures.js'
import {
  COMPARISON_FORMAT, type ComparedSet, type ComparisonReport, type PairMap, type SetUpDifference,
} from './comparison-data.js'
import { quantileOf } from '../../measures/quantile.js'
import { ascendingOf } from './distribution.js'
import { redacted } from '../redaction.js'

/** Points of all curves together. */
const CURVE_POINTS = 20_000
/** Sets whose curves are kept: the best ones. */
const CURVES_MAX = 50
/** Parameters of which pairs are made: the first ones. */
const PAIRED_MAX = 5
/** Values of a parameter in a map. */
const VALUES_MAX = 40

/** One run or parameter set as a comparison needs it. */
export interface ComparedInput {
  readonly name: string
  readonly parameters: object
  readonly summary: RunSummary
  readonly fingerprint: string
  readonly isPartial: boolean
  readonly curves: readonly EquityCurve[]
}

/** The options of a comparison. */
export interface ComparisonOptions {
  readonly title: string
  /** A measure such as `profit` or `profit_USDT`; default the first one. */
  readonly sort?: string
  /** Differences of the set-up beside the varied parameters. */
  readonly setUp?: readonly SetUpDifference[]
  /** Keeps the order of the runs and names no best one: two runs side by side. */
  readonly isSideBySide?: boolean
}

function parameterText(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : canonicalJson(value as CanonicalValue)
}

/** Numbers by their size, other texts by their letters. */
function inOrder(texts: readonly string[]): string[] {
  const unlike = [...new Set(texts)]
  const areNumbers = unlike.every((text) => text !== '' && Number.isFinite(Number(text)))
  return unlike.sort((a, b) => (areNumbers ? new Decimal(a).cmp(b) : a < b ? -1 : a > b ? 1 : 0))
}

/** Maps of the measure by each pair of varied parameters. */
function pairMaps(results: readonly SetResult[], names: readonly string[], column: SetColumn): PairMap[] {
  const texts = results.map((result) => {
    const own = namedParameters(result)
    return names.map((name) => parameterText(own.get(name)))
  })
  const values = results.map((result) => {
    const value = column.value(result)
    return value === null ? null : new Decimal(value).toNumber()
  })
  const pairs = names.slice(0, PAIRED_MAX).flatMap((_, a, all) => (
    all.slice(a + 1).map((__, b) => [a, a + 1 + b] as const)))
  return pairs.flatMap(([a, b]) => {
    const [rows, columns] = [inOrder(texts.map((own) => own[a] ?? '')), inOrder(texts.map((own) => own[b] ?? ''))]
    if (rows.length > VALUES_MAX || columns.length > VALUES_MAX) return []
    const cells = rows.map((row) => columns.map((one) => (
      values.filter((value, at): value is number => value !== null && texts[at]?.[a] === row && texts[at][b] === one))))
    return [{
      rowName: names[a] ?? '', columnName: names[b] ?? '', rows, columns,
      medians: cells.map((line) => line.map((cell) => quantileOf(ascendingOf(cell), 0.5))),
      counts: cells.map((line) => line.map((cell) => cell.length)),
    }]
  })
}

function sameAssumptions(results: readonly SetResult[]): Record<string, string> {
  const [first, ...others] = results
  return Object.fromEntries(Object.entries(first?.summary.assumptions ?? {}).filter(([name, value]) => (
    others.every(({ summary }) => summary.assumptions[name] === value))))
}

/** Differences of the assumptions, which the parameters of sets may not hold. */
function assumptionDifferences(inputs: readonly ComparedInput[]): SetUpDifference[] {
  const names = [...new Set(inputs.flatMap(({ summary }) => Object.keys(summary.assumptions)))]
  return names.flatMap((name) => {
    const values = inputs.map(({ summary }) => summary.assumptions[name] ?? '')
    return values.every((value) => value === values[0]) ? [] : [{ path: `assumptions.${name}`, values }]
  })
}

function comparedSets(inputs: readonly ComparedInput[], order: readonly number[]): ComparedSet[] {
  const withCurve = new Set(order.slice(0, CURVES_MAX))
  const points = Math.max(32, Math.floor(CURVE_POINTS / Math.max(1, Math.min(CURVES_MAX, inputs.length))))
  return inputs.map(({ name, fingerprint, parameters, isPartial, summary, curves }, at) => ({
    name, fingerprint, parameters: parameters as Readonly<Record<string, unknown>>, start: summary.start,
    end: summary.end, isPartial, warnings: summary.warnings,
    curves: withCurve.has(at) ? curves.map((curve) => shortCurve(curve, points)) : [],
  }))
}

/**
 * A comparison of runs or of the parameter sets of one: a line each, the best first by a measure, the measure by pairs
 * of varied parameters. The same runs give the same data.
 */
export function makeComparison(inputs: readonly ComparedInput[], options: ComparisonOptions): ComparisonReport {
  const { title, sort, setUp, isSideBySide = false } = options
  const columns = setColumns(inputs)
  const by = columns.find((column) => sort !== undefined && column.names.includes(sort)) ?? columns[0]
  if (by === undefined) throw new Error('Sets have no measure')
  const order = isSideBySide ? [...inputs.keys()] : rankedBy(by, inputs)
  const first = inputs[order[0] ?? 0]
  const best = isSideBySide || first === undefined || by.value(first) === null ? null : order[0] ?? null
  const names = variedNames(inputs)
  const rows = order.map((at) => inputs[at] as ComparedInput)
  return redacted<ComparisonReport>({
    format: COMPARISON_FORMAT, kind: 'comparison', title, setCount: inputs.length, measure: by.names[0] ?? by.heading,
    isLessBetter: by.isLessBetter, best, bestText: best === null || first === undefined ? null : by.text(first),
    assumptions: sameAssumptions(inputs), setUp: setUp ?? assumptionDifferences(inputs),
    sets: comparedSets(inputs, order), order,
    table: {
      columns: ['set', ...names, ...columns.map(({ heading }) => heading)],
      data: rows.map((one) => [
        one.name, ...names.map((name) => parameterText(namedParameters(one).get(name))),
        ...columns.map((column) => column.text(one)),
      ]),
    },
    measures: {
      columns: ['set', ...columns.map((column) => column.names[0] ?? column.heading)],
      data: rows.map((one) => [one.name, ...columns.map((column) => column.value(one))]),
    },
    pairs: pairMaps(inputs, names, by),
  })
}
