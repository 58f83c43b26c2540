import type { CatalogDay, FoundTable, FoundTick } from '../catalog/catalog-day.js'
import type { TableKind } from '../catalog/table-kind.js'
import type { TableShape } from '../export/export-kind.js'
import { BacktapeError } from '../model/error.js'
import { keptValue } from '../model/kept-value.js'
import { DECODER_VERSION } from '../tickfile/decoder-version.js'

/** The choices where files do not say all that a view needs. */
export interface ViewTrust {
  /** Takes tables whose metadata do not say what they hold, as they stand. */
  readonly trust: boolean
  /** Part of the path of the file to take, where two are of one instrument and day. */
  readonly prefer: string | null
}

/** The rows of one view that are of one instrument and day, and where they come from. */
export interface ViewBranch {
  readonly kind: TableKind
  /** `exchange:code`; null where nobody knows it. */
  readonly instrument: string | null
  /** `YYYY-MM-DD`; null where nobody knows it. */
  readonly day: string | null
  readonly shape: TableShape
  readonly source: FoundTable | FoundTick | BacktapeError
  /**
   * Tick files whose bytes must be known before the source is right: a manifest lists tables of a file with the name of
   * each, and whether of these very bytes only their digest says.
   */
  readonly undecided: readonly FoundTick[]
}

/** The shape where nothing says another. */
export const NO_SHAPE: TableShape = { priceScale: 0, quantityScale: 0, idsAreText: false }

/** True for a branch that comes from a table. */
export function isTable(source: ViewBranch['source']): source is FoundTable {
  return 'listed' in source
}

/** The warning of a table that another decoder made; null for one of this decoder, or that no manifest lists. */
export function decoderNote({ listed }: FoundTable): string | null {
  if (listed === null || listed.decoder === DECODER_VERSION) return null
  const found = listed.decoder === 0 ? 'an unknown decoder' : `decoder ${String(listed.decoder)}`
  return `made by ${found}, and this version has decoder ${String(DECODER_VERSION)}; convert its tick file again`
}

function wholeDay({ instrument, day }: CatalogDay): string {
  return `${instrument?.name ?? 'an unknown instrument'} on ${day ?? 'an unknown day'}`
}

function refusal(day: CatalogDay, kind: TableKind, file: string, sentence: string, advice: string): BacktapeError {
  return new BacktapeError('OPTION_INVALID', `Cannot query ${kind} of ${wholeDay(day)}: ${sentence}; ${advice}`, {
    file, field: kind,
  })
}

/** The reason why a table is taken only when it is trusted; null for one that says all. */
function doubt({ facts, stamp }: FoundTable): string | null {
  if (facts.margins === null) return `${stamp.path} does not say whether it holds its day alone (metadata margins)`
  if (facts.day === null) return `${stamp.path} does not say its day`
  if (facts.instrument === null) return `${stamp.path} does not say its instrument`
  return facts.isExact ? null : `${stamp.path} holds the nearest doubles instead of exact decimals (numbers float64)`
}

function preferred<File>(files: readonly File[], prefer: string | null, pathOf: (file: File) => string): File[] {
  const chosen = prefer === null ? [] : files.filter((file) => pathOf(file).includes(prefer))
  return chosen.length > 0 ? chosen : [...files]
}

const tablePath = ({ stamp }: FoundTable): string => stamp.path
const tickPath = ({ facts }: FoundTick): string => facts.name

function twice(day: CatalogDay, kind: TableKind, first: string, second: string): BacktapeError {
  const advice = 'choose one by a part of its path, with prefer (--prefer on the command line), or move one away'
  return refusal(day, kind, first, `${first} and ${second} hold the same`, advice)
}

/** The one of the files that hold the same, or the refusal of both; null of none. */
function only<File>(
  day: CatalogDay, kind: TableKind, files: readonly File[], pathOf: (file: File) => string,
): File | BacktapeError | null {
  const [first, second] = files
  if (first === undefined) return null
  return second === undefined ? first : twice(day, kind, pathOf(first), pathOf(second))
}

/** Tables of a kind that nothing vouches for: a refusal, or the one that is trusted. */
function doubted(day: CatalogDay, kind: TableKind, tables: readonly FoundTable[], { trust }: ViewTrust):
  FoundTable | BacktapeError | null {
  const bad = tables.find(({ problem }) => problem !== null)
  if (bad !== undefined)
    return new BacktapeError('FILE_UNREADABLE', bad.problem ?? '', { file: bad.stamp.path, field: kind })
  const one = only(day, kind, tables, tablePath)
  if (one === null || one instanceof BacktapeError || trust) return one
  return refusal(day, kind, one.stamp.path, doubt(one) ?? '', 'trust (--trust) takes it as it stands')
}

/** The refusal of a day whose tick file cannot be read: nothing says of which bytes its tables are made. */
function unread(day: CatalogDay, kind: TableKind): BacktapeError | null {
  const ofTables = new Set(day.tables.map(({ problem }) => problem))
  const problem = day.problems.find((sentence) => !ofTables.has(sentence))
  if (problem === undefined) return null
  return new BacktapeError('FILE_UNREADABLE', `${problem}; move it away to query the other files`, { field: kind })
}

/** The stand-in for minutes of a day that has neither its tick file nor a table of them. */
function absent(day: CatalogDay, kind: TableKind): BacktapeError | null {
  if (kind !== 'minutes' || day.tables.length === 0) return null
  const sentence = `Cannot find the minutes of ${wholeDay(day)}: there is neither its tick file nor a table of minutes`
  return new BacktapeError('FILE_NOT_FOUND', sentence, { field: kind })
}

type Source = Pick<ViewBranch, 'source' | 'undecided'>

/** A tick file as the source of a kind; null where a manifest lists the kind of these bytes as empty. */
function tickSource(day: CatalogDay, kind: TableKind, tick: FoundTick, { trust }: ViewTrust): Source | null {
  const empty = day.emptyKinds.get(kind) ?? []
  if (tick.digest !== null && empty.includes(tick.digest)) return null
  const undecided = empty.length > 0 && tick.digest === null ? [tick] : []
  if (tick.facts.day !== null || trust) return { source: tick, undecided }
  const sentence = `the name of ${tick.facts.name} does not say its day`
  return { source: refusal(day, kind, tick.facts.name, sentence, 'trust (--trust) takes it whole'), undecided }
}

/** The sound one of some tables, or the refusal of two; null where none is sound. */
function soundOf(day: CatalogDay, kind: TableKind, tables: readonly FoundTable[]): FoundTable | BacktapeError | null {
  return only(day, kind, tables.filter((table) => table.problem === null && doubt(table) === null), tablePath)
}

/**
 * The source of a kind of a day with tick files: one of these, or a table that a manifest lists as made of its bytes.
 * Tables of other bytes, and of another decoder, are stale; those that no manifest lists are taken where `prefer` names
 * them alone.
 */
function sourceBesideTicks(day: CatalogDay, kind: TableKind, tables: readonly FoundTable[], trust: ViewTrust):
  Source | null {
  const { prefer } = trust
  const listed = tables.filter((table) => table.listed !== null)
  const undecided = listed.length === 0 ? [] : day.ticks.filter(({ digest }) => digest === null)
  const tablesOf = ({ digest }: FoundTick): FoundTable[] =>
    listed.filter((table) => digest === null || table.listed?.sourceDigest === digest)
  const pathsOf = (tick: FoundTick): string => [tickPath(tick), ...tablesOf(tick).map(tablePath)].join('\n')
  if (prefer !== null && !day.ticks.some((tick) => pathsOf(tick).includes(prefer))) {
    const named = tables.filter((table) => table.listed === null && tablePath(table).includes(prefer))
    const table = soundOf(day, kind, named)
    if (table !== null) return { source: table, undecided }
  }
  const tick = only(day, kind, preferred(day.ticks, prefer, pathsOf), tickPath)
  if (tick === null) return null
  const source = tick instanceof BacktapeError ? tick :
    soundOf(day, kind, preferred(tablesOf(tick).filter((table) => decoderNote(table) === null), prefer, tablePath))
  if (source !== null) return { source, undecided }
  const found = tickSource(day, kind, tick as FoundTick, trust)
  return found === null ? null : { ...found, undecided: [...undecided, ...found.undecided] }
}

function sourceOf(day: CatalogDay, kind: TableKind, trust: ViewTrust): Source | null {
  const ofKind = day.tables.filter((table) => table.facts.kind === kind)
  if (day.ticks.length > 0) return sourceBesideTicks(day, kind, ofKind, trust)
  const { prefer } = trust
  const tables = preferred(ofKind, prefer, tablePath)
  const isNamed = prefer !== null && tables.some((table) => tablePath(table).includes(prefer))
  const source = (isNamed ? null : unread(day, kind)) ?? soundOf(day, kind, tables)
    ?? doubted(day, kind, tables, trust) ?? absent(day, kind)
  return source === null ? null : { source, undecided: [] }
}

/** The branch of a day in a view; null where it has no rows. */
function branchOf(day: CatalogDay, kind: TableKind, trust: ViewTrust): ViewBranch | null {
  const found = sourceOf(day, kind, trust)
  if (found === null) return null
  const { source } = found
  const shape = source instanceof BacktapeError ? NO_SHAPE :
    isTable(source) ? source.facts.shape : source.facts.instrument.shape
  return { kind, instrument: day.instrument?.name ?? null, day: day.day, shape, ...found }
}

/** The name of the file behind a branch. */
function fileOf({ source }: ViewBranch): string {
  if (source instanceof BacktapeError) return source.place.file ?? 'another file'
  return isTable(source) ? tablePath(source) : tickPath(source)
}

/** A branch without a day, refused where another one may have the same rows: trust would count them twice. */
function alone(branch: ViewBranch, others: readonly (readonly ViewBranch[])[]): ViewBranch {
  const other = others.flatMap((some) => some.find((one) => one !== branch) ?? [])[0]
  if (other === undefined || branch.source instanceof BacktapeError && branch.source.code !== 'OPTION_INVALID')
    return branch
  const { kind, instrument } = branch
  const file = fileOf(branch)
  // A table has its day from its metadata, a tick file from its name.
  const advice = !/\.parquet$/i.test(file) ? 'give the file a name with its day, or move one away' :
    'convert its tick file again with the option day (--day), move it away, or name one file alone (--data)'
  const sentence = `Cannot query ${kind} of ${instrument ?? 'an unknown instrument'} on an unknown day: ${file} does ` +
    `not say its day, and ${fileOf(other)} may hold the same; ${advice}`
  return { ...branch, source: new BacktapeError('OPTION_INVALID', sentence, { file, field: kind }) }
}

/** The branches of a view over some days. */
export function branchesOf(days: readonly CatalogDay[], kind: TableKind, trust: ViewTrust): ViewBranch[] {
  const branches = days.flatMap((day) => branchOf(day, kind, trust) ?? [])
  const byName = new Map<string | null, ViewBranch[]>()
  for (const branch of branches) keptValue(byName, branch.instrument, (): ViewBranch[] => []).push(branch)
  return branches.map((branch) => {
    if (branch.day !== null) return branch
    const { instrument } = branch
    return alone(branch, instrument === null ? [branches] : [byName.get(instrument) ?? [], byName.get(null) ?? []])
  })
}
