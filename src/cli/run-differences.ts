import { firstDifference } from '../model/json-difference.js'
import { isJsonTree } from '../model/json-object.js'
import { SEGMENT_LINES } from '../protocol/record-layout.js'
import { amountText, hasOtherMoney } from '../report/short-summary.js'
import type { SetUpDifference } from '../report/pages/comparison-data.js'
import type { RunSummary } from '../report/run-summary.js'
import type { SetRecord } from '../results/run-record.js'
import { alignedLines, grouped } from './terminal/text-table.js'

/** Differences of the set-up that are shown. */
const SHOWN = 12

/** One side of a comparison. */
export interface ComparedRun {
  readonly name: string
  readonly set: SetRecord
}

/** Every value of the set-up that two runs state differently, by its path. */
export function setUpDifferences(a: ComparedRun, b: ComparedRun): SetUpDifference[] {
  return differences(a.set.configuration, b.set.configuration)
    .map(({ path, expected, found }) => ({ path, values: [expected, found] }))
}

/** The differences of two runs in words: first in set-up, then in figures, then in the journal. */
export function differencesText(a: ComparedRun, b: ComparedRun): string {
  return [...setUp(a, b), '', ...figures(a, b), '', journals(a.set, b.set), ''].join('\n')
}

function setUp(a: ComparedRun, b: ComparedRun): string[] {
  const found = differences(a.set.configuration, b.set.configuration)
  if (found.length === 0) return [`The set-up of ${a.name} and ${b.name} is the same.`]
  const rows = found
    .slice(0, SHOWN)
    .map(({ path, expected, found: other }) => [path, shortened(expected), shortened(other)])
  const more = found.length > SHOWN ? [`and ${found.length - SHOWN} more`] : []
  return [...alignedLines([['set-up', a.name, b.name], ...rows]), ...more]
}

/** Every value that differs, in the order of the paths; parts that only one side has count as one. */
function differences(
  a: unknown, b: unknown, path = '',
): { readonly path: string; readonly expected: string; readonly found: string }[] {
  if (isJsonTree(a) && isJsonTree(b) && Array.isArray(a) === Array.isArray(b))
    return [...new Set([...Object.keys(a), ...Object.keys(b)])].sort().flatMap((key) =>
      differences(a[key], b[key], path === '' ? key : Array.isArray(a) ? `${path}[${key}]` : `${path}.${key}`),
    )
  const difference = firstDifference(a, b, path)
  return difference === null ? [] : [difference]
}

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 37)}...` : text
}

function figures(a: ComparedRun, b: ComparedRun): string[] {
  const sides = [a.set.summary, b.set.summary] as const
  const codes = new Map(
    sides.flatMap(({ money }) => money.map(({ underlyingId, underlying }) => [underlyingId, underlying] as const)),
  )
  const rows = [...codes].flatMap(([id, code]) => {
    const [own, other] = sides.map(({ money }) => money.find(({ underlyingId }) => underlyingId === id))
    const row = (name: string, of: (money: NonNullable<typeof own>) => string): string[] =>
      [`${name} ${code}`, ...[own, other].map((money) => (money === undefined ? '-' : amountText(of(money), code)))]
    return [
      row('profit', ({ profit }) => profit), row('fees', ({ fees }) => fees),
      row('drawdown', ({ maxDrawdown }) => maxDrawdown.amount), row('turnover', ({ turnover }) => turnover),
    ]
  })
  const ends = sides.map(({ isPartial, end }) => (isPartial ? `at ${end.slice(0, 19)}` : 'no'))
  const partial = sides.some(({ isPartial }) => isPartial) ? [['stopped before the data ended', ...ends]] : []
  const counts = [
    ...partial,
    ['fills', ...sides.map(({ fillCount }) => grouped(fillCount))],
    ['orders', ...sides.map(({ orders }) => grouped(orders.orderCount))],
  ]
  return alignedLines([['figures', a.name, b.name], ...rows, ...totals(sides), ...counts], new Set([1, 2]))
}

/** The profits in the currency of each run, where a run has money in another one too. */
function totals(sides: readonly RunSummary[]): string[][] {
  if (!sides.some(hasOtherMoney)) return []
  const codes = new Set(sides.map(({ total }) => total.currency))
  const cell = ({ total: { currency, profit } }: RunSummary): string => {
    if (profit === null) return 'no rate'
    return `${amountText(profit, currency)}${codes.size === 1 ? '' : ` ${currency}`}`
  }
  return [[`total profit${codes.size === 1 ? ` ${[...codes].join('')}` : ''}`, ...sides.map(cell)]]
}

function journals(a: SetRecord, b: SetRecord): string {
  if (a.journalDigest === b.journalDigest) return `The journals are the same: ${grouped(a.journalLineCount)} lines.`
  if (schemeOf(a) !== schemeOf(b))
    return 'The journals have records of different formats: --journal of both runs and diff show where they differ.'
  const segments = Math.max(a.segmentDigests.length, b.segmentDigests.length)
  let at = 0
  while (at < segments && a.segmentDigests[at] === b.segmentDigests[at]) at++
  const [own, other] = [grouped(a.journalLineCount), grouped(b.journalLineCount)]
  return `The journals differ first ${placeWords(a, b, at)} (${own} and ${other} lines); --journal of both runs and ` +
    'diff show where.'
}

/** `bt3` of a fingerprint. */
function schemeOf({ fingerprint }: SetRecord): string {
  return fingerprint.replace(/:.*$/, '')
}

/** Lines of a segment. One that was closed early, as a scale grew, has fewer: then its number must do. */
function placeWords(a: SetRecord, b: SetRecord, at: number): string {
  const isFull = ({ segmentDigests, journalLineCount }: SetRecord): boolean =>
    segmentDigests.length === Math.floor(journalLineCount / SEGMENT_LINES)
  return isFull(a) && isFull(b)
    ? `between lines ${grouped(at * SEGMENT_LINES + 1)} and ${grouped((at + 1) * SEGMENT_LINES)}`
    : `in segment ${grouped(at + 1)} of at most ${grouped(SEGMENT_LINES)} lines`
}
