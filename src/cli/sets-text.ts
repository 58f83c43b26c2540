import { canonicalJson, type CanonicalValue } from '../model/canonical-json.js'
import {
  leftOutText, namedParameters, rankedBy, setColumns, variedNames, type SetResult,
} from '../report/set-measures.js'
import { playedLine } from '../report/short-summary.js'
import { alignedLines, counted } from './terminal/text-table.js'

const CELL_MAX = 32
const WARNINGS_MAX = 8
const SETS_NAMED = 5

/** A parameter as a cell. */
export function parameterText(value: unknown): string {
  const text = value === undefined ? '-' : typeof value === 'string' ? value : canonicalJson(value as CanonicalValue)
  return text.length > CELL_MAX ? `${text.slice(0, CELL_MAX - 3)}...` : text
}

/** Warnings of the sets, each once, with the sets that have it; `word` names what is numbered. */
export function warningLines(results: readonly Pick<SetResult, 'summary'>[], word = 'set'): string[] {
  const sets = new Map<string, number[]>()
  for (const [number, { summary }] of results.entries())
    for (const warning of summary.warnings) sets.set(warning, [...(sets.get(warning) ?? []), number])
  const lines = [...sets].map(([warning, numbers]) => {
    const more = numbers.length > SETS_NAMED ? ` and ${numbers.length - SETS_NAMED} more` : ''
    const shown = `${word} ${numbers.slice(0, SETS_NAMED).join(', ')}${more}`
    return `Warning (${numbers.length === results.length ? `every ${word}` : shown}): ${warning}`
  })
  const more = lines.length - WARNINGS_MAX
  return [...lines.slice(0, WARNINGS_MAX), ...(more > 0 ? [`Warning: and ${more} more (--full)`] : [])]
}

/**
 * Numbers of sets that were not played as far as the others, as a list that was stopped has them: what they did in
 * less time is no measure. One that a gap halted has come to its end.
 */
function unplayed(results: readonly SetResult[]): ReadonlySet<number> {
  const latest = results.reduce((end, { summary }) => (summary.end > end ? summary.end : end), '')
  return new Set([...results.entries()].flatMap(([number, { summary: { isPartial, halt, end } }]) => (
    isPartial && halt === null && end < latest ? [number] : [])))
}

/**
 * A line for each parameter set: the parameters that differ, profit, fees, drawdown, turnover, ratios where there is a
 * day of data, fills and orders; in the order of the sets, or by a measure with the best first and marked. Sets that
 * were not played as far as the others come last, and none of them is the best. Lines of the table fit `width`,
 * where it is given.
 */
export function setsText(results: readonly SetResult[], sort?: string, width: number | null = null): string {
  const left = unplayed(results)
  const first = results.find((_, number) => !left.has(number))
  if (first === undefined) return ''
  const names = variedNames(results)
  const columns = setColumns(results)
  const by = columns.find((column) => sort !== undefined && column.names.includes(sort)) ?? null
  const all = by === null ? [...results.keys()] : rankedBy(by, results)
  const ranks = by === null ? all : [...all.filter((number) => !left.has(number)), ...left]
  const best = by === null || by.value(results[ranks[0] ?? 0] as SetResult) === null ? null : (ranks[0] ?? null)
  const rows = ranks.map((number) => {
    const result = results[number] as SetResult
    const parameters = namedParameters(result)
    const { stop } = result.summary
    const end = left.has(number) ? ['not played as far'] : stop === null ? [] : [`stopped: ${stop.reason}`]
    return [
      number === best ? '*' : '', String(number), ...names.map((name) => parameterText(parameters.get(name))),
      ...columns.map((column) => column.text(result)), ...end,
    ]
  })
  const heads = ['', 'set', ...names, ...columns.map(({ heading }) => heading)]
  const right = new Set(columns.map((_, at) => at + 2 + names.length))
  const lines = alignedLines([heads, ...rows], new Set([1, ...right]), width)
  const last: string[] = []
  if (best !== null && sort !== undefined) {
    last.push('', `* best of ${counted(results.length - left.size, 'set')} by ${sort}: set ${best}`)
    last.push(...[leftOutText(sort, results)].filter((one) => one !== null))
  } else if (sort !== undefined) {
    const known = columns.flatMap((column) => column.names.slice(0, 1)).join(', ')
    last.push('', `Not sorted: no set has ${sort}; there are ${known}`)
  }
  if (left.size > 0) last.push('', `${counted(left.size, 'set')} of ${results.length} not played as far as the others`)
  const warnings = warningLines(results)
  return [
    playedLine(first.summary), '', ...warnings, ...(warnings.length === 0 ? [] : ['']), ...lines, ...last, '',
  ].join('\n')
}
