import { basename } from 'node:path'
import { keptValue } from '../model/kept-value.js'
import type { FileFacts, TickFacts } from './catalog-file.js'

/** The kinds of a series, by the classes of its instruments: the first that any of them has. */
const KINDS = [
  ['option_chain', ['call', 'put']], ['futures_curve', ['future']], ['prediction_series', ['prediction']],
] as const

/** Instruments that lie together in archives, day by day. */
export interface CatalogSeries {
  /** The names of its archives without day and ending: `deribit-options` of `deribit-options-2021-07-22.tar`. */
  readonly key: string
  readonly kind: (typeof KINDS)[number][0]
  /** Members by day, `2021-07-22`; ascending by day, and by instrument. An instrument stands once in a day. */
  readonly days: ReadonlyMap<string, readonly TickFacts[]>
}

const ARCHIVE_NAME = /^(.+)-\d{4}-\d{2}-\d{2}(?:\.\.\d{4}-\d{2}-\d{2})?\.(?:tar|zip)$/i

/**
 * The series that archives hold, ascending by key: an archive `KEY-DAY` or `KEY-DAY..DAY` of several options, futures
 * or prediction contracts, by what its members are and not by what they are called. An archive of one instrument
 * belongs to a series where another archive of the same key makes it one; a tar of the days of one instrument does not.
 */
export function seriesOf(files: readonly FileFacts[]): readonly CatalogSeries[] {
  const members = new Map<string, TickFacts[]>()
  const keys = new Set<string>()
  for (const { stamp, ticks } of files) {
    const key = ARCHIVE_NAME.exec(basename(stamp.path))?.[1]
    if (key === undefined) continue
    keptValue(members, key, (): TickFacts[] => []).push(...ticks)
    if (new Set(ticks.map(({ instrument }) => instrument.id)).size > 1) keys.add(key)
  }
  return [...keys].sort().flatMap((key) => {
    const own = members.get(key) ?? []
    const types = new Set(own.map(({ instrument }) => instrument.type))
    const kind = KINDS.find(([, classes]) => classes.some((type) => types.has(type)))?.[0]
    return kind === undefined ? [] : [{ key, kind, days: daysOf(own) }]
  })
}

function daysOf(members: readonly TickFacts[]): CatalogSeries['days'] {
  const days = new Map<string, Map<number, TickFacts>>()
  for (const facts of members) {
    if (facts.day === null) continue
    keptValue(keptValue(days, facts.day, () => new Map<number, TickFacts>()), facts.instrument.id, () => facts)
  }
  const sorted = [...days].sort(([a], [b]) => (a < b ? -1 : 1))
  return new Map(sorted.map(([day, own]) => [
    day, [...own.values()].sort((a, b) => a.instrument.id - b.instrument.id),
  ]))
}
