import { realpath } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { BacktapeError } from '../model/error.js'
import { foundText, type Fault } from '../model/fault.js'
import { isJsonObject } from '../model/json-object.js'
import { faultsInFile, readExactJson } from './exact-json-reader.js'
import { withPaths } from './run-file-paths.js'

/** Run files that one may extend, one over the other. */
const PARENTS_MAX = 16

/** The words for a run file in sentences, and the code of an error with faults in it. */
export const RUN_FILE = { what: 'run file', code: 'RUN_FILE_INVALID' } as const

/** A run file joined with those that it extends. */
export interface JoinedRunFile {
  /** Its fields over those of its parents; paths are relative to its folder. */
  readonly content: unknown
  /** Paths of its parents, the nearest first. */
  readonly parents: readonly string[]
  /** The same fault; where a parent states the value, its advice names the parent. */
  placed(fault: Fault): Fault
}

/** Objects are joined field by field; any other value of `own`, a list too, stands in place of the parent's. */
export function joined(parent: unknown, own: unknown): unknown {
  if (!isJsonObject(parent) || !isJsonObject(own)) return own
  const result = new Map(Object.entries(parent))
  for (const [name, value] of Object.entries(own))
    result.set(name, result.has(name) ? joined(result.get(name), value) : value)
  return Object.fromEntries(result)
}

/** A fault with more advice. */
export function withAdvice(fault: Fault, advice: string): Fault {
  return { ...fault, advice: fault.advice === undefined ? advice : `${fault.advice}; ${advice}` }
}

/** The names and numbers of a path such as `data[0].in`. */
function namesOf(path: string): string[] {
  return [...path.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|[^.[\]]+/g)].map(
    ([whole, number, text]) => number ?? (text === undefined ? whole : (JSON.parse(text) as string)),
  )
}

/** So many names of a path stand in a content. */
export function statedDepth(content: unknown, path: string): number {
  const names = namesOf(path)
  let inner = content
  for (const [depth, name] of names.entries()) {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, name)) return depth
    inner = (inner as Readonly<Record<string, unknown>>)[name]
  }
  return names.length
}

interface Link {
  readonly path: string
  /** Without `extends`; its paths are relative to the folder of the first file. */
  readonly content: unknown
}

/** The parent's path by that of the file; null for a file that extends none. */
function parentOf(content: unknown, path: string): string | null {
  if (!isJsonObject(content) || !Object.hasOwn(content, 'extends')) return null
  const { extends: parent } = content
  if (typeof parent === 'string' && parent !== '') return isAbsolute(parent) ? parent : join(dirname(path), parent)
  refuseParent(path, 'the path of a run file', foundText(parent))
}

/** Where a file is, whatever leads to it. */
function placeOf(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path))
}

/** Throws as a file that extends `parent`, which cannot be. */
function refuseParent(child: string, expected: string, found: string): never {
  throw faultsInFile({ ...RUN_FILE, name: child }, [{ path: 'extends', expected, found }])
}

/** A file and its parents, the file first. */
async function chainOf(path: string): Promise<Link[]> {
  const folder = resolve(dirname(path))
  const links: Link[] = []
  const seen = new Map<string, string>()
  let next: string | null = path
  while (next !== null) {
    const name: string = next
    const child = links.at(-1)?.path
    const place = await placeOf(name)
    if (child !== undefined && seen.has(place)) {
      const found = [...seen.values(), name].join(' extends ')
      refuseParent(child, 'a file that does not lead back to one before it', found)
    }
    if (child !== undefined && links.length > PARENTS_MAX)
      refuseParent(child, `at most ${PARENTS_MAX} files, one over the other`, 'more')
    seen.set(place, name)
    const content = await readExactJson({ ...RUN_FILE, place: name, name }).catch((error: unknown) => {
      if (child === undefined || !(error instanceof BacktapeError) || error.code !== 'FILE_NOT_FOUND') throw error
      return refuseParent(child, 'a file that exists', name)
    })
    if (child !== undefined && !isJsonObject(content)) {
      const found = foundText(content)
      throw faultsInFile({ ...RUN_FILE, name }, [{ path: '', expected: 'an object that describes a run', found }])
    }
    next = parentOf(content, name)
    const own = resolve(dirname(name))
    links.push({ path: name, content: withoutParent(child === undefined ? content : moved(content, own, folder)) })
  }
  return links
}

function withoutParent(content: unknown): unknown {
  if (!isJsonObject(content)) return content
  const { extends: _, ...own } = content
  return own
}

/** A parent's content as it would stand in a file of another folder; the schema for its editor is its own. */
function moved(content: unknown, from: string, to: string): unknown {
  if (!isJsonObject(content)) return content
  const { $schema: _, ...own } = content
  return from === to ? own : withPaths(own, (path) => relative(to, resolve(from, path)))
}

/**
 * Reads a run file and those that it extends. Throws as {@link readExactJson} does for each of them, and
 * RUN_FILE_INVALID for `extends` that names no file, leads back to a file before it, or is more than 16 files deep.
 */
export async function readJoinedRunFile(path: string): Promise<JoinedRunFile> {
  const links = await chainOf(path)
  const content = links.map((link) => link.content).reduceRight((parent, own) => joined(parent, own))
  const placed = (fault: Fault): Fault => {
    const depths = links.map((link) => statedDepth(link.content, fault.path))
    const deepest = Math.max(...depths)
    const at = depths.indexOf(deepest)
    return at === 0 || deepest === 0 ? fault : withAdvice(fault, `stated in ${links[at]?.path ?? ''}`)
  }
  return { content, parents: links.slice(1).map((link) => link.path), placed }
}
