import { readFile, stat } from 'node:fs/promises'
import jsonc from 'jsonc-parser'
import { Decimal } from '../model/decimal.js'
import { BacktapeError, type ErrorCode } from '../model/error.js'
import { FaultsError, pathPart, type Fault } from '../model/fault.js'
import { JSON_DEPTH_LIMIT } from '../model/nested-json.js'

/** A file of JSON, and how sentences speak of it. */
export interface JsonPlace {
  readonly place: string | URL
  /** `run file`, `venue profile`. */
  readonly what: string
  readonly name: string
  /** The code of an error with faults in it. */
  readonly code: ErrorCode
  /** A fault as it may be shown, where the file has secrets; what stands where no JSON does is not shown then. */
  readonly withoutSecret?: (one: Fault) => Fault
}

/** Parameter sets are what makes such a file long: a hundred thousand of them are some 20 MB. */
const TEXT_LIMIT_BYTES = 67_108_864

/**
 * The value of a JSON file; comments and trailing commas are passed over. Throws FILE_NOT_FOUND, FILE_UNREADABLE,
 * LIMIT_EXCEEDED, and the `code` for a text that is no JSON (with its line and column), is nested too deep, or of
 * {@link passedOver}.
 */
export async function readExactJson(json: JsonPlace): Promise<unknown> {
  const { place, what, name, withoutSecret } = json
  const hasSecrets = withoutSecret !== undefined
  const text = await textOf(place, what, name)
  const other = otherThanJson(text, name)
  if (other !== null) throw faultsInFile(json, [{ path: '', expected: `a ${what} in JSON`, found: other }])
  const { plain, faults } = plainJson(text, hasSecrets)
  if (faults.length > 0) throw faultsInFile(json, faults)
  let content: unknown
  try {
    content = JSON.parse(plain)
  } catch (error) {
    throw faultsInFile(json, [{ path: '', expected: 'JSON', found: hasSecrets ? 'something else' : wordsOf(error) }])
  }
  const passed = passedOver(plain)
  if (passed.length > 0) throw faultsInFile(json, hasSecrets ? passed.map(withoutSecret) : passed)
  return content
}

/** All faults of a file of JSON in one error. */
export function faultsInFile({ what, name, code }: Omit<JsonPlace, 'place'>, faults: readonly Fault[]): FaultsError {
  return new FaultsError(code, `Cannot read the ${what} ${name}`, faults, 'the file', name)
}

/** Why a file cannot be read, by the system's code. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EISDIR: 'it is a folder; name the file in it',
  EACCES: 'permission denied',
  ENOTDIR: 'a part of its path is a file, not a folder',
}

async function textOf(place: string | URL, what: string, name: string): Promise<string> {
  try {
    const { size } = await stat(place)
    if (size > TEXT_LIMIT_BYTES)
      throw new BacktapeError(
        'LIMIT_EXCEEDED',
        `Cannot read the ${what} ${name}: it must have at most ${TEXT_LIMIT_BYTES} bytes, found ${size}`,
        { file: name },
      )
    return (await readFile(place, 'utf8')).replace(/^\uFEFF/, '')
  } catch (error) {
    if (error instanceof BacktapeError) throw error
    const code = (error as { code?: string }).code ?? ''
    const isGone = code === 'ENOENT'
    throw new BacktapeError(
      isGone ? 'FILE_NOT_FOUND' : 'FILE_UNREADABLE',
      `Cannot read the ${what} ${name}: ${REASONS[code] ?? wordsOf(error)}`, { file: name }, error,
    )
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The kind of a file that people name by mistake, in words; null where it may be JSON. */
function otherThanJson(text: string, name: string): string | null {
  if (text.startsWith('(\uFFFD/\uFFFD') || /\.(?:zst|tar|zip)$/i.test(name))
    return 'a tick file or an archive of them: this is a tick file, and a run file names it under data'
  return /\.[mc]?[jt]sx?$/i.test(name) ? 'a program: this is a module; a run file names it under strategy' : null
}

/** Where an index of a text is, as editors count. */
function positionOf(text: string, index: number): string {
  const before = text.slice(0, index)
  const line = before.split('\n').length
  return `line ${line}, column ${index - before.lastIndexOf('\n')}`
}

/**
 * The things that a place of a JSON text needs, by the number of jsonc-parser's error; its enum is gone when compiled.
 */
const EXPECTED: ReadonlyMap<number, string> = new Map([
  [1, 'JSON: names and texts stand in double quotes'],
  [2, 'a number'],
  [3, 'a name in double quotes'],
  [4, 'a value'],
  [5, 'a colon'],
  [6, 'a comma'],
  [7, 'a closing }'],
  [8, 'a closing ]'],
  [9, 'the end of the file'],
  [10, 'a comment'],
  [11, 'the end of the comment, */'],
  [12, 'the closing quote of a text'],
  [13, 'the rest of a number'],
  [14, 'four hexadecimal digits after \\u'],
  [15, 'one of \\" \\\\ \\/ \\b \\f \\n \\r \\t \\u after a backslash'],
  [16, 'a text without control characters'],
])

const FOUND_LENGTH = 40

/** The first place where a text is no JSON. */
function syntaxFault(text: string, { error, offset, length }: jsonc.ParseError, hasSecrets: boolean): Fault {
  const value = text.slice(offset, offset + length)
  const [line = ''] = value.split(/[\r\n]/)
  const found = line === '' ? (offset >= text.trimEnd().length ? 'the end of the file' : 'the end of a line')
    : hasSecrets ? 'something else' : line
  return {
    path: '', expected: EXPECTED.get(error) ?? 'JSON',
    found: `${found.slice(0, FOUND_LENGTH)} at ${positionOf(text, offset)}`,
  }
}

/**
 * A text without comments and trailing commas, and what is wrong with it: the first place where it is no JSON, or
 * nested too deep.
 */
function plainJson(text: string, hasSecrets: boolean): { readonly plain: string; readonly faults: readonly Fault[] } {
  const scanner = jsonc.createScanner(text)
  const parts: string[] = []
  // A bracket that closes another one counts for nothing: a parser that goes on after a fault stays inside.
  const open: number[] = []
  let comma = -1
  for (let token: number = scanner.scan(); token !== SYNTAX.EOF; token = scanner.scan()) {
    const value = text.slice(scanner.getTokenOffset(), scanner.getTokenOffset() + scanner.getTokenLength())
    const isComment = token === SYNTAX.LINE_COMMENT || token === SYNTAX.BLOCK_COMMENT
    if (token === SYNTAX.OPEN_BRACE || token === SYNTAX.OPEN_BRACKET) open.push(token + 1)
    if (open.length > JSON_DEPTH_LIMIT) {
      return {
        plain: '',
        faults: [
          {
            path: '', expected: `JSON nested at most ${JSON_DEPTH_LIMIT} deep`,
            found: `deeper brackets at ${positionOf(text, scanner.getTokenOffset())}`,
          },
        ],
      }
    }
    if (token === SYNTAX.CLOSE_BRACE || token === SYNTAX.CLOSE_BRACKET) {
      if (open.at(-1) === token) open.pop()
      if (comma >= 0) parts[comma] = ' '
    }
    // Blanks as long as a comment, its line ends kept, so that every place stays where it is.
    parts.push(isComment ? value.replace(/[^\n\r]/g, ' ') : value)
    if (token === SYNTAX.COMMA) comma = parts.length - 1
    else if (!isComment && token !== SYNTAX.SPACE && token !== SYNTAX.LINE_END) comma = -1
  }
  const errors: jsonc.ParseError[] = []
  jsonc.parse(text, errors, { allowTrailingComma: true })
  const [first] = errors
  if (first === undefined) return { plain: parts.join(''), faults: [] }
  return { plain: '', faults: [syntaxFault(text, first, hasSecrets)] }
}

/** A list or an object that is open while a text is looked through. */
interface OpenValue {
  /** Names so far; null in a list. */
  readonly names: Set<string> | null
  /** Path of the value at hand. */
  name: string
  count: number
}

/** Kinds of tokens, as the scanner of jsonc-parser numbers them; its own enum is gone when it is compiled. */
const SYNTAX = {
  OPEN_BRACE: 1, CLOSE_BRACE: 2, OPEN_BRACKET: 3, CLOSE_BRACKET: 4, COMMA: 5, COLON: 6, STRING: 10, NUMBER: 11,
  LINE_COMMENT: 12, BLOCK_COMMENT: 13, LINE_END: 14, SPACE: 15, EOF: 17,
} as const

/** The tokens of a text that mean something, as they stand. */
function tokensOf(text: string): string[] {
  const scanner = jsonc.createScanner(text, true)
  const tokens: string[] = []
  for (let token: number = scanner.scan(); token !== SYNTAX.EOF; token = scanner.scan())
    tokens.push(text.slice(scanner.getTokenOffset(), scanner.getTokenOffset() + scanner.getTokenLength()))
  return tokens
}

/**
 * The faults that `JSON.parse` passes over in a text that it can read: a number of more digits than it holds would be
 * another one, and of two values of one name the first would be gone. Faults in the order of the text.
 */
export function passedOver(text: string): Fault[] {
  const faults: Fault[] = []
  const open: OpenValue[] = []
  const pathOf = (): string =>
    open
      .map(({ names, name, count }) => (names === null ? `[${count}]` : pathPart(name)))
      .join('')
      .replace(/^\./, '')
  const tokens = tokensOf(text)
  for (const [at, token] of tokens.entries()) {
    const inner = open.at(-1)
    if (token === '{' || token === '[') open.push({ names: token === '{' ? new Set() : null, name: '', count: 0 })
    else if (token === '}' || token === ']') open.pop()
    else if (token === ',' && inner !== undefined) inner.count++
    else if (token.startsWith('"') && tokens[at + 1] === ':' && inner?.names != null) {
      inner.name = JSON.parse(token) as string
      if (inner.names.has(inner.name))
        faults.push({ path: pathOf(), expected: 'one value', found: 'another value of the same name' })
      inner.names.add(inner.name)
    } else if (/^[-\d]/.test(token) && !isHeld(token))
      faults.push({
        path: pathOf(), expected: 'a number that can be held exactly; write decimals in quotes',
        found: token.slice(0, 80),
      })
  }
  return faults
}

function isHeld(token: string): boolean {
  const value = Number(token)
  return Number.isFinite(value) && new Decimal(token).eq(new Decimal(String(value)))
}
