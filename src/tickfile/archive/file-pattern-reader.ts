import type { Stats } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type picomatch from 'picomatch'
import { BacktapeError } from '../../model/error.js'
import { fileError } from './byte-range-reader.js'

/** Files of one pattern or folder that are taken; more are refused. */
const TAKEN_FILES_MAX = 10_000

/** Files and folders that a search looks at; a search that finds more began in a wrong place. */
const LOOKED_AT_MAX = 1_000_000

/** The files that a folder or pattern names. */
export interface MatchedFiles {
  /** Tick files and archives by their names: `*.txt.zst`, `*.tar`, `*.zip`; ascending, with `/` between folders. */
  readonly paths: readonly string[]
  /** Files of other names that it fits. */
  readonly otherCount: number
}

const TICK_NAME = /\.(txt\.zst|tar|zip)$/i

function posix(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/')
}

/** True for a path with `*`, `?`, `[...]`, `{...}` in it. */
export async function isPattern(path: string): Promise<boolean> {
  return /[*?[{]/.test(path) && (await patterns()).scan(posix(path)).glob !== ''
}

/** Loaded where there may be a pattern. */
async function patterns(): Promise<typeof picomatch> {
  return (await import('picomatch')).default
}

/**
 * Every file below a folder, those near to it first; hidden files and folders are left out. A folder that links lead to
 * again is looked into once.
 */
async function* filesBelow(folder: string): AsyncGenerator<string, void, undefined> {
  const identity = ({ dev, ino }: Stats): string => `${dev} ${ino}`
  const refused = (path: string) => (error: unknown): never => { throw fileError(path, error) }
  const seen = new Set([identity(await stat(folder).catch(refused(folder)))])
  const inners = ['']
  let lookedAt = 0
  for (const inner of inners) {
    const place = join(folder, inner)
    const names = await readdir(place).catch(refused(place))
    lookedAt += names.length
    if (lookedAt > LOOKED_AT_MAX) throw tooMany(folder, 'files and folders', LOOKED_AT_MAX, lookedAt)
    for (const name of names.sort().filter((one) => !one.startsWith('.'))) {
      // A link that leads nowhere is no file.
      const found = await stat(join(place, name)).catch(() => null)
      if (found?.isFile() === true) yield inner + name
      if (found?.isDirectory() !== true || seen.has(identity(found))) continue
      seen.add(identity(found))
      inners.push(`${inner}${name}/`)
    }
  }
}

/** Refuses more files of a pattern or folder than are taken from one. Throws LIMIT_EXCEEDED. */
export function checkFileCount(path: string, count: number): void {
  if (count > TAKEN_FILES_MAX) throw tooMany(path, 'tick files', TAKEN_FILES_MAX, count)
}

function tooMany(name: string, what: string, most: number, found: number): BacktapeError {
  const sentence = `Cannot take ${name}: it holds at least ${found} ${what}, and at most ${most} are taken; name less`
  return new BacktapeError('LIMIT_EXCEEDED', sentence, {
    field: 'data', expected: `at most ${most} ${what}`, found: String(found),
  })
}

/**
 * The files that a pattern (`days/**`, expanded by us: shells of Windows do not) or a folder (everything below it)
 * names. Throws FILE_NOT_FOUND where it names no tick file, FILE_UNREADABLE for a folder that cannot be read,
 * LIMIT_EXCEEDED above a million files and folders: how many are taken is for {@link checkFileCount}.
 */
export async function matchedFiles(path: string): Promise<MatchedFiles> {
  const name = posix(path)
  const picomatch = await patterns()
  const { base, glob } = (await isPattern(name)) ? picomatch.scan(name) : { base: name, glob: '**' }
  const isMatch = picomatch(glob, { noextglob: true, nonegate: true })
  const paths: string[] = []
  let otherCount = 0
  const folder = base === '' ? '.' : base
  for await (const inner of filesBelow(folder)) {
    if (!isMatch(inner)) continue
    if (TICK_NAME.test(inner)) paths.push(base === '' ? inner : `${base.replace(/\/$/, '')}/${inner}`)
    else otherCount += 1
  }
  if (paths.length > 0) return { paths: paths.sort(), otherCount }
  const others = otherCount === 0 ? '' : ` among its ${otherCount} files`
  const expected = 'files that end in .txt.zst, .tar or .zip'
  const sentence = `Cannot find a tick file in ${path}: there is none${others} (${expected})`
  throw new BacktapeError('FILE_NOT_FOUND', sentence, { field: 'data', expected, found: path })
}
