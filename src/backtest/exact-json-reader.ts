import { readFile } from 'node:fs/promises'
import { Decimal } from '../model/decimal.js'
import { BacktapeError } from '../model/error.js'
import { pathPart, type RunFileFault } from './run-file-fault.js'

/** A file of JSON, and how sentences speak of it. */
export interface JsonPlace {
  readonly place: string | URL
  /** `run file`, `venue profile`. */
  readonly what: string
  readonly name: string
  /** The error of faults in it. */
  readonly refused: (faults: readonly RunFileFault[]) => BacktapeError
}

/** What a file of JSON says. Throws FILE_NOT_FOUND, FILE_UNREADABLE, and what `refused` makes of a text that is no JSON or of {@link passedOver}. */
export async function readExactJson({ place, what, name, refused }: JsonPlace): Promise<unknown> {
  const text = await readFile(place, 'utf8').catch((error: unknown) => {
    const isGone = (error as { code?: string }).code === 'ENOENT'
    throw new BacktapeError(isGone ? 'FILE_NOT_FOUND' : 'FILE_UNREADABLE', `Cannot read the ${what} ${name}: ${isGone ? 'it does not exist' : wordsOf(error)}`, { file: name }, error)
  })
  let content: unknown
  try {
    content = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw refused([{ path: '', expected: 'JSON', found: wordsOf(error) }])
  }
  const faults = passedOver(text)
  if (faults.length > 0) throw refused(faults)
  return content
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** A list or an object that is open while a text is looked through. */
interface OpenValue {
  /** Names so far; null in a list. */
  readonly names: Set<string> | null
  /** Path of the value at hand. */
  name: string
  count: number
}

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|-?\d[\d.eE+-]*/g

/**
 * What `JSON.parse` passes over in a text that it can read: a number of more digits than it holds would be another one, and of two values of one name
 * the first would be gone. Faults in the order of the text.
 */
export function passedOver(text: string): RunFileFault[] {
  const faults: RunFileFault[] = []
  const open: OpenValue[] = []
  const pathOf = (): string => open.map(({ names, name, count }) => (names === null ? `[${count}]` : pathPart(name))).join('').replace(/^\./, '')
  const tokens = [...text.matchAll(TOKENS)].map(([token]) => token)
  for (const [at, token] of tokens.entries()) {
    const inner = open.at(-1)
    if (token === '{' || token === '[') open.push({ names: token === '{' ? new Set() : null, name: '', count: 0 })
    else if (token === '}' || token === ']') open.pop()
    else if (token === ',' && inner !== undefined) inner.count++
    else if (token.startsWith('"') && tokens[at + 1] === ':' && inner?.names != null) {
      inner.name = JSON.parse(token) as string
      if (inner.names.has(inner.name)) faults.push({ path: pathOf(), expected: 'one value', found: 'another value of the same name' })
      inner.names.add(inner.name)
    } else if (/^[-\d]/.test(token) && !isHeld(token)) faults.push({ path: pathOf(), expected: 'a number that can be held exactly; write decimals in quotes', found: token.slice(0, 80) })
  }
  return faults
}

function isHeld(token: string): boolean {
  const value = Number(token)
  return Number.isFinite(value) && new Decimal(token).eq(new Decimal(String(value)))
}
