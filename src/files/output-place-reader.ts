import { fstat, type BigIntStats, type Stats } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { BacktapeError } from '../model/error.js'
import { existsError, outputError } from './output-fault.js'

/** Files that a command reads, so that none of its outputs may replace one of them. */
export interface InputFiles {
  /**
   * Paths as they were named; a member of a bundle, `bundle.tar#member`, stands for its bundle, `-` for standard input.
   */
  readonly inputs?: readonly string[]
}

const numberOf = ({ dev, ino }: BigIntStats): string => `${String(dev)}:${String(ino)}`

/** The file behind a name, also behind links; of `bundle.tar#member` the bundle. Null where there is none. */
async function inputNumber(input: string): Promise<string | null> {
  if (input === '-')
    return promisify(fstat)(0, { bigint: true } as never).then(
      (found) => numberOf(found as unknown as BigIntStats),
      () => null,
    )
  if (input.includes('\0')) return null
  for (let end = input.length; end > 0; end = input.lastIndexOf('#', end - 1)) {
    const found = await stat(input.slice(0, end), { bigint: true }).catch(() => null)
    if (found !== null) return numberOf(found)
  }
  return null
}

function kindWords(found: BigIntStats | Stats): string {
  if (found.isFIFO()) return 'a pipe'
  return found.isSocket() ? 'a socket' : 'a device'
}

/**
 * Sees that an output may stand at `path`: nothing is there, or with `force` a plain file that is none of the inputs.
 * Throws OUTPUT_EXISTS, or OUTPUT_FAILED for a folder, a device or a pipe, which no `force` replaces.
 */
export async function checkOutputPlace(
  path: string,
  { force = false, inputs = [] }: InputFiles & { readonly force?: boolean },
): Promise<void> {
  const standing = await stat(path, { bigint: true }).catch(() => null)
  if (standing === null) return
  if (standing.isDirectory()) throw outputError(path, Object.assign(new Error('it is a folder'), { code: 'EISDIR' }))
  if (!standing.isFile()) {
    const wanted = 'an output must be a plain file; choose another name'
    const sentence = `Cannot write ${path}: it is ${kindWords(standing)}, and ${wanted}`
    throw new BacktapeError('OUTPUT_FAILED', sentence, {
      file: path,
      expected: 'a plain file',
      found: kindWords(standing),
    })
  }
  const number = numberOf(standing)
  for (const input of inputs) {
    if ((await inputNumber(input)) !== number) continue
    const named =
      resolve(input) === resolve(path) ? 'it is an input of this command' : `it is the same file as the input ${input}`
    throw new BacktapeError(
      'OUTPUT_EXISTS',
      `Cannot write ${path}: ${named}, which is never overwritten; choose another name`,
      { file: path, found: input.slice(0, 80) },
    )
  }
  if (!force) throw existsError(path)
}

async function placeOf(path: string): Promise<string> {
  const folder = dirname(resolve(path))
  return join(await realpath(folder).catch(() => folder), basename(path))
}

/** Refuses two outputs of one command that would be the same file. Throws OPTION_INVALID. */
export async function checkDistinctOutputs(paths: readonly string[]): Promise<void> {
  const known = new Map<string, string>()
  for (const path of paths) {
    const place = await placeOf(path)
    const other = known.get(place)
    if (other !== undefined)
      throw new BacktapeError(
        'OPTION_INVALID',
        `Cannot write ${path}: two outputs of this command have that name; choose another for one of them`,
        { file: path, found: other.slice(0, 80) },
      )
    known.set(place, path)
  }
}
