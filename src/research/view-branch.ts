import type { CatalogDay, FoundTable, FoundTick } from '../catalog/catalog-day.js'
import type { TableKind } from '../catalog/table-kind.js'
import type { TableShape } from '../export/export-kind.js'
import { BacktapeError } from '../model/error.js'

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
}

/** The shape where nothing says another. */
export const NO_SHAPE: TableShape = { priceScale: 0, quantityScale: 0, idsAreText: false }

/** True for a branch that comes from a table. */
export function isTable(source: ViewBranch['source']): source is FoundTable {
  return 'listed' in source
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

/** True where a table was made of another state of the tick file that lies beside it. */
function isStale({ listed }: FoundTable, ticks: readonly FoundTick[]): boolean {
  const tick = ticks.find(({ facts }) => facts.fileName === listed?.sourceFile)
  return tick !== undefined && tick.facts.sizeBytes > 0 && tick.facts.sizeBytes !== listed?.sourceSizeBytes
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

/** The stand-in for a kind of which a day has neither table nor tick file. */
function absent(day: CatalogDay, kind: TableKind): BacktapeError | null {
  const ofTables = new Set(day.tables.map(({ problem }) => problem))
  const problem = day.problems.find((sentence) => !ofTables.has(sentence))
  if (problem !== undefined)
    return new BacktapeError('FILE_UNREADABLE', `${problem}; move it away to query the other files`, { field: kind })
  if (kind !== 'minutes' || day.tables.length === 0) return null
  const sentence = `Cannot find the minutes of ${wholeDay(day)}: there is neither its tick file nor a table of minutes`
  return new BacktapeError('FILE_NOT_FOUND', sentence, { field: kind })
}

function sourceOf(day: CatalogDay, kind: TableKind, trust: ViewTrust): ViewBranch['source'] | null {
  const ofKind = day.tables.filter((table) => table.facts.kind === kind && !isStale(table, day.ticks))
  const tables = preferred(ofKind, trust.prefer, tablePath)
  const sound = only(day, kind, tables.filter((table) => table.problem === null && doubt(table) === null), tablePath)
  if (sound !== null) return sound
  const tick = only(day, kind, preferred(day.ticks, trust.prefer, tickPath), tickPath)
  if (tick !== null && !(tick instanceof BacktapeError)) {
    if (day.emptyKinds.has(kind)) return null
    if (tick.facts.day !== null || trust.trust) return tick
    const sentence = `the name of ${tick.facts.name} does not say its day`
    return refusal(day, kind, tick.facts.name, sentence, 'trust (--trust) takes it whole')
  }
  return tick ?? doubted(day, kind, tables, trust) ?? absent(day, kind)
}

/** The branch of a day in a view; null where it has no rows. */
export function branchOf(day: CatalogDay, kind: TableKind, trust: ViewTrust): ViewBranch | null {
  const source = sourceOf(day, kind, trust)
  if (source === null) return null
  const shape = source instanceof BacktapeError ? NO_SHAPE :
    isTable(source) ? source.facts.shape : source.facts.instrument.shape
  return { kind, instrument: day.instrument?.name ?? null, day: day.day, shape, source }
}
