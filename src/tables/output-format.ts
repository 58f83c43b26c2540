import { BacktapeError } from '../model/error.js'

/** An earlier word of the same format. */
const ALIASES: Readonly<Record<string, string>> = { 'arrow-stream': 'arrows' }

/** The output that a command was asked for, and the formats that it can write. */
export interface OutputRequest<Format extends string> {
  /** The option that named the path, without its hyphens: `out`. */
  readonly option: string
  /** The path as typed; undefined where none was. */
  readonly path: string | undefined
  /** True where a folder stands at the path. */
  readonly isFolder: boolean
  /** The format as typed (`--to`); it overrides the ending. */
  readonly to?: string | undefined
  /** The formats that the command writes, each also the ending that names it. */
  readonly formats: readonly Format[]
  /** The format where neither an ending nor `--to` names one. */
  readonly fallback: Format
  /** A command that writes one output, or one that writes a folder of them. */
  readonly writes: 'file' | 'folder'
  /** True where `-` may be asked for; a refusal states the reason. */
  readonly standardOutput?: 'allowed' | { readonly refusedBecause: string }
}

/**
 * Where an output goes, and in which format. A `folder` of a command that writes one file means: a file in that folder.
 */
export interface OutputChoice<Format extends string> {
  readonly place: 'standard output' | 'file' | 'folder'
  /** Empty for standard output. */
  readonly path: string
  readonly format: Format
}

function refusal({ option }: OutputRequest<string>, expected: string, found: string): BacktapeError {
  return new BacktapeError(
    'OPTION_INVALID', `Cannot use --${option}: it must be ${expected}, found ${JSON.stringify(found)}`,
    { field: option, expected, found: found.slice(0, 80) },
  )
}

/** The format that the ending of a name states, in any case of letters; null where it states none. */
export function formatOfName(path: string): ExportFormat | null {
  const name = path.toLowerCase()
  return EXPORT_FORMATS.find((format) => name.endsWith(`.${format}`)) ?? null
}

function chosenFormat<Format extends string>(request: OutputRequest<Format>): Format | null {
  const { to, formats } = request
  if (to === undefined) return null
  const word = ALIASES[to] ?? to
  const found = formats.find((format) => format === word)
  if (found === undefined) throw refusal({ ...request, option: 'to' }, `one of ${formats.join(', ')}`, to)
  return found
}

/** The endings that a command can write, for its help and its refusals. */
export function endingsText(formats: readonly string[]): string {
  const known: readonly string[] = EXPORT_FORMATS.filter((format) => formats.includes(format))
  return [...known, ...formats.filter((format) => !known.includes(format))].map((format) => `.${format}`).join(', ')
}

/**
 * The one decision on every output: its format is that of `--to`, else of the ending of its name; `-` is standard
 * output; an existing folder is a folder, and so is a name with a slash at its end. Throws OPTION_INVALID, naming what
 * the command can write, for everything else.
 */
export function chooseOutput<Format extends string>(request: OutputRequest<Format>): OutputChoice<Format> {
  const { path, isFolder, formats, fallback, writes, standardOutput = 'allowed' } = request
  const chosen = chosenFormat(request)
  const format = chosen ?? fallback
  if (path === '-' || (path === undefined && writes === 'file')) {
    if (standardOutput === 'allowed' && writes === 'file') return { place: 'standard output', path: '', format }
    const reason =
      standardOutput === 'allowed' ? 'several files do not fit into standard output' : standardOutput.refusedBecause
    throw refusal(
      request, `${writes === 'folder' ? 'a folder' : `a name ending in ${endingsText(formats)}`}: ${reason}`,
      path ?? '',
    )
  }
  if (path === undefined) return { place: 'folder', path: '.', format }
  if (isFolder || /[/\\]$/.test(path)) return { place: 'folder', path, format }
  const named = formatOfName(path)
  if (writes === 'folder') {
    if (named === null) return { place: 'folder', path, format }
    throw refusal(request, `a folder, as several tables are written; --to ${named} states their format`, path)
  }
  const ending = formats.find((known) => (
    named === null ? path.toLowerCase().endsWith(`.${known}`) : known === named))
  if (chosen === null && ending === undefined) {
    const places = standardOutput === 'allowed' ? ', a folder, or - for standard output' : ''
    throw refusal(request, `a name ending in ${endingsText(formats)}${places}`, path)
  }
  return { place: 'file', path, format: chosen ?? ending ?? fallback }
}

/**
 * Every format that an output can have, each also the ending that names it; an ending that contains another comes
 * first.
 */
export const EXPORT_FORMATS = ['parquet', 'arrows', 'arrow', 'csv.gz', 'csv', 'jsonl.gz', 'jsonl', 'json'] as const

/**
 * A format of {@link EXPORT_FORMATS}: `arrow` is the Arrow IPC file, `arrows` the IPC stream, `jsonl` a JSON object a
 * line.
 */
export type ExportFormat = (typeof EXPORT_FORMATS)[number]
