import { basename } from 'node:path'
import { decoderOf } from '../export/manifest-writer.js'
import { dayCoverage, gapDays } from '../model/day-coverage.js'
import { keptValue } from '../model/kept-value.js'
import { DECODER_VERSION } from '../tickfile/decoder-version.js'
import type {
  AuditFacts, CatalogInstrument, FileFacts, FileStamp, TableFacts, TickFacts,
} from './catalog-file.js'
import type { CatalogScan, ListedResult } from './catalog-scan-reader.js'
import { factsOfName } from './file-name-facts.js'
import { TABLE_KINDS, type TableKind } from './table-kind.js'

/** A tick file of a day. */
export interface FoundTick {
  readonly facts: TickFacts
  readonly stamp: FileStamp
  /** SHA-256 of its bytes; null while they have not been read in this state. */
  readonly digest: string | null
  readonly audit: AuditFacts | null
}

/** A table of a day. */
export interface FoundTable {
  readonly facts: TableFacts
  readonly stamp: FileStamp
  /** The reason why it cannot be read; null for a sound one. */
  readonly problem: string | null
  /** Its line in the manifest of its folder; null without one. */
  readonly listed: ListedResult | null
}

/** Everything of one instrument and day; files whose instrument or day nobody knows stand alone. */
export interface CatalogDay {
  readonly instrument: CatalogInstrument | null
  readonly day: string | null
  readonly ticks: readonly FoundTick[]
  readonly tables: readonly FoundTable[]
  /**
   * Tables without rows, as the manifests of conversions of its tick files by this decoder list them: the digests of
   * the files that they were made of.
   */
  readonly emptyKinds: ReadonlyMap<TableKind, readonly string[]>
  /** Sentences on files that cannot be read. */
  readonly problems: readonly string[]
}

interface OpenDay extends CatalogDay {
  readonly ticks: FoundTick[]
  readonly tables: FoundTable[]
  readonly emptyKinds: Map<TableKind, string[]>
  readonly problems: string[]
}

const openDay = (instrument: CatalogInstrument | null, day: string | null): OpenDay =>
  ({ instrument, day, ticks: [], tables: [], emptyKinds: new Map(), problems: [] })

/** Names by id: what a name alone states as `67824` is the instrument that other files name in full. */
function namesById(files: readonly FileFacts[]): ReadonlyMap<number, CatalogInstrument> {
  const known = new Map<number, CatalogInstrument>()
  const take = (instrument: CatalogInstrument | null): void => {
    if (instrument !== null && instrument.id !== null && instrument.name.includes(':'))
      known.set(instrument.id, instrument)
  }
  for (const { ticks, table } of files) {
    for (const tick of ticks) take(tick.instrument)
    if (table !== null) take(table.instrument)
  }
  return known
}

/** Gathers files into days of instruments. */
class DayGrouping {
  readonly days = new Map<string, OpenDay>()
  private readonly names: ReadonlyMap<number, CatalogInstrument>

  constructor(files: readonly FileFacts[]) {
    this.names = namesById(files)
  }

  of(instrument: CatalogInstrument | null, day: string | null, place: string): OpenDay {
    const id = instrument?.id ?? null
    const full = (id === null ? undefined : this.names.get(id)) ?? instrument
    const key = full === null || day === null ? `\n${place}` : `${full.name}\n${day}`
    return keptValue(this.days, key, () => openDay(full, day))
  }
}

/** Notes on each day which tables this decoder has found empty in a tick file of this name and size. */
function markEmpty(days: Iterable<OpenDay>, { manifests }: CatalogScan): void {
  const empty = new Map<string, [kind: TableKind, digest: string][]>()
  for (const { entry } of manifests) {
    const { source, outputs } = entry
    if (decoderOf(entry) !== DECODER_VERSION) continue
    const kinds = outputs.filter(({ file, format }) => file === null && format === 'parquet')
    const key = `${source.file}\n${String(source.sizeBytes)}`
    for (const { kind } of kinds) keptValue(empty, key, (): [TableKind, string][] => []).push([kind, source.sha256])
  }
  if (empty.size === 0) return
  for (const { ticks, emptyKinds } of days)
    for (const { facts } of ticks)
      for (const [kind, digest] of empty.get(`${facts.fileName}\n${String(facts.sizeBytes)}`) ?? [])
        keptValue(emptyKinds, kind, (): string[] => []).push(digest)
}

/** Days of instruments, ascending by instrument and day; `knownOf` has what is known of the bytes of a tick file. */
export function dayGroups(
  files: readonly FileFacts[], scan: CatalogScan,
  knownOf: (facts: TickFacts, stamp: FileStamp) => Pick<FoundTick, 'digest' | 'audit'>,
): CatalogDay[] {
  const grouping = new DayGrouping(files)
  for (const { stamp, ticks, table, problem } of files) {
    for (const facts of ticks)
      grouping.of(facts.instrument, facts.day, facts.name).ticks.push({ facts, stamp, ...knownOf(facts, stamp) })
    if (table !== null) {
      const listed = scan.converted.get(stamp.path) ?? null
      const found = grouping.of(table.instrument, table.day, stamp.path)
      found.tables.push({ facts: table, stamp, problem, listed })
      if (problem !== null) found.problems.push(problem)
    } else if (problem !== null) {
      const { instrument, day } = factsOfName(basename(stamp.path).replace(/\.txt\.zst$/i, ''))
      grouping.of(instrument, day, stamp.path).problems.push(problem)
    }
  }
  markEmpty(grouping.days.values(), scan)
  const ordered = [...grouping.days.values()].map((one) => (
    { one, order: `${one.instrument?.name ?? '\uffff'}\n${one.day ?? '\uffff'}` }))
  return ordered.sort((a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0)).map(({ one }) => one)
}

/** The tables of a day that are known: of its files, of its conversions, of its audits; null where nothing is known. */
export function knownKinds({ ticks, tables }: CatalogDay): readonly TableKind[] | null {
  const kinds = new Set([...tables.map(({ facts }) => facts.kind), ...ticks.flatMap(({ audit }) => audit?.kinds ?? [])])
  return kinds.size === 0 && !ticks.some(({ audit }) => audit !== null) ? null :
    TABLE_KINDS.filter((kind) => kinds.has(kind))
}

/** Days without any file between the first and the last of each instrument, ascending. */
export function missingDays(days: readonly CatalogDay[]): { readonly instrument: string; readonly day: string }[] {
  const found = new Map<string, string[]>()
  for (const { instrument, day } of days)
    if (instrument !== null && day !== null) keptValue(found, instrument.name, (): string[] => []).push(day)
  return [...found].flatMap(([instrument, known]) =>
    dayCoverage(known).gaps.flatMap(gapDays).map((day) => ({ instrument, day })))
}
