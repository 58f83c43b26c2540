import { amountText, momentText } from '../report/short-summary.js'
import {
  leftOutText, namedParameters, rankedBy, type SetColumn, setColumns, type SetResult, variedNames,
} from '../report/set-measures.js'
import type { RecordedPart } from '../results/run-record.js'
import type { PartBounds } from '../sweep/part-run.js'
import type { RandomBaseline } from '../sweep/random-baseline.js'
import type { SplitResult } from '../sweep/split-run.js'
import type { WalkForwardResult } from '../sweep/walk-forward.js'
import { parameterText, warningLines } from './sets-text.js'
import { alignedLines, counted, grouped } from './terminal/text-table.js'

/** `2024-07-18 00:00:00 to 2024-07-19 00:00:00 UTC`, and the days that no file holds. */
function boundsText({ from, to, missing }: PartBounds): string {
  const holes = missing.length === 0 ? '' : `; no file of ${missing.join(', ')}`
  return `${momentText(from)} to ${to === null ? 'the last event' : `${momentText(to)} UTC`}${holes}`
}

/** The columns that a table of parts shows: the measure of the choice, the profits, the fills. */
function shownColumns(results: readonly SetResult[], sort: string): SetColumn[] {
  return setColumns(results).filter(({ names }) => (
    names.includes(sort) || names.includes('fills') || names.some((name) => /^(?:profit|total)/.test(name))))
}

function baselineLines(baseline: readonly RandomBaseline[] | null, where: string): string[] {
  return (baseline ?? []).map((one) => {
    const { underlying, tripCount, drawCount, asGoodCount, profit, low, median, high, feesLeftOut } = one
    const amount = (text: string): string => amountText(text, underlying)
    const fees = feesLeftOut.length === 0 ? '' : `, fees in ${feesLeftOut.join(', ')} left out`
    return `${where}: ${counted(tripCount, 'round trip')} gained ${amount(profit)} ${underlying}; random entries ` +
      `${amount(median)} (${amount(low)} to ${amount(high)}), ${grouped(asGoodCount)} of ` +
      `${counted(drawCount, 'draw')} did as well${fees}`
  })
}

/** A line a set with its figures on every part, the best of the first part first and marked. */
export function splitText({ sort, setCount, chosen, parts, isPartial }: SplitResult): string {
  const columns = parts.map(({ results }) => shownColumns(results, sort))
  const results = parts.map((part) => part.results)
  const [first = []] = results
  const names = variedNames(first)
  const by = (columns[0] ?? []).find((column) => column.names.includes(sort))
  const ranks = by === undefined ? [...first.keys()] : rankedBy(by, first)
  const rows = ranks.map((set) => [
    set === chosen ? '*' : '', String(set),
    ...names.map((name) => parameterText(namedParameters(first[set]).get(name))),
    ...results.flatMap((own, part) => (columns[part] ?? []).map((column) => column.text(own[set] as SetResult))),
  ])
  const heads = [
    '', 'set', ...names, ...columns.flatMap((own, part) => own.map(({ heading }) => `${part + 1}: ${heading}`)),
  ]
  const right = new Set([...heads.keys()].filter((at) => at > names.length + 1))
  const best = results.map((own, part) => {
    const column = (columns[part] ?? []).find((one) => one.names.includes(sort))
    return `part ${part + 1} ${column?.text(own[chosen] as SetResult) ?? '-'}`
  })
  return [
    ...stopLines(isPartial),
    ...parts.map((part, number) => `Part ${number + 1}: ${boundsText(part)}`), '',
    ...spaced(warningLines(first.map((_, set) => allParts(results.map((own) => own[set] as SetResult))))),
    ...alignedLines([heads, ...rows], right), '',
    `* best of ${counted(setCount, 'set')} by ${sort} in part 1: set ${chosen}; ${sort}: ${best.join(', ')}`,
    ...leftOutLines(sort, results.flat()),
    ...parts.flatMap(({ baseline }, number) => baselineLines(baseline, `Part ${number + 1}`)), '',
  ].join('\n')
}

function leftOutLines(sort: string, results: readonly SetResult[]): string[] {
  const text = leftOutText(sort, results)
  return text === null ? [] : [text]
}

/** A set with the warnings of all its parts. */
function allParts(results: readonly SetResult[]): Pick<SetResult, 'summary'> {
  const [first] = results as readonly [SetResult]
  const warnings = [...new Set(results.flatMap(({ summary }) => summary.warnings))]
  return { summary: { ...first.summary, warnings } }
}

function stopLines(isPartial: boolean): string[] {
  return isPartial ? ['Stopped before all was played; what was played to its end:'] : []
}

function spaced(lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [...lines, '']
}

/** A line for each part of a record: its times, the set that ran, its figures. */
export function recordedPartsText(parts: readonly RecordedPart[], sets: readonly SetResult[]): string {
  const columns = setColumns(sets)
  const rows = parts.map(({ name, from, to, set }, number) => [
    String(number), name, momentText(from), momentText(to), String(set),
    ...columns.map((column) => column.text(sets[number] as SetResult)),
  ])
  const heads = ['', 'part', 'from', 'to', 'set', ...columns.map(({ heading }) => heading)]
  return `${alignedLines([heads, ...rows], new Set([...heads.keys()].filter((at) => at === 0 || at > 3))).join('\n')}\n`
}

/** A line a window: its times, the set that was chosen, its figures in the test; then the sums of the tests. */
export function walkText(result: WalkForwardResult): string {
  const { sort, setCount, windows, skipped, leftOver, sums, total, fillCount, baseline, isPartial } = result
  const tested = windows.map(({ testResult }) => testResult)
  const names = variedNames(tested)
  const columns = shownColumns(tested, sort)
  const rows = windows.map(({ train, test, chosen, trainResult, testResult }, number) => {
    const trained = setColumns([trainResult]).find((column) => column.names.includes(sort))
    const holes = [...train.missing, ...test.missing]
    return [
      String(number + 1), momentText(train.from), momentText(test.from),
      momentText(test.to ?? testResult.summary.end), String(chosen),
      ...names.map((name) => parameterText(namedParameters(testResult).get(name))),
      trained?.text(trainResult) ?? '-', ...columns.map((column) => column.text(testResult)),
      ...(holes.length === 0 ? [] : [`no file of ${[...new Set(holes)].join(', ')}`]),
    ]
  })
  const heads = [
    'window', 'train from', 'test from', 'test to', 'set', ...names, `train: ${sort}`,
    ...columns.map(({ heading }) => `test: ${heading}`),
  ]
  const right = new Set([...heads.keys()].filter((at) => at === 0 || at === 4 || at > names.length + 4))
  const totals = sums.map(({ underlying, profit, fees }) => (
    `${amountText(profit, underlying)} ${underlying} (fees ${amountText(fees, underlying)})`))
  const hasTotal = total !== null && sums.some(({ underlying }) => underlying !== total.currency)
  const inAll = hasTotal ? `, ${amountText(total.profit, total.currency)} ${total.currency} in all` : ''
  return [
    ...stopLines(isPartial),
    ...spaced(warningLines(tested, 'test')), ...alignedLines([heads, ...rows], right), '',
    `Tests together: ${counted(windows.length, 'window')}, profit ${totals.join(', ')}${inAll}, ` +
      `${counted(fillCount, 'fill')}; each set is the best of ${counted(setCount, 'set')} by ${sort} in its train`,
    ...leftOutLines(sort, tested), ...baselineLines(baseline, 'Tests together'),
    ...skipped.map(({ train, test }) => `Left out, as a part has no data: train ${boundsText(train)}, test ` +
      boundsText(test)),
    ...(leftOver === null ? [] : [`Not in a window: ${boundsText(leftOver)}`]), '',
  ].join('\n')
}
