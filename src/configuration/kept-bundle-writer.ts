import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile, readlink, realpath, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { builtinModules, createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { makeFolder } from '../files/folder-writer.js'

/** A strategy's module and its local imports as one module of JavaScript. */
export interface Bundle {
  readonly code: string
  /** Its source map. */
  readonly map: string
  /** The calls in it that no two runs have alike. */
  readonly impure: readonly string[]
}

/** All that a bundle was made of. */
export interface BundleInputs {
  /** SHA-256 of each file that went in, as it was read. */
  readonly digests: ReadonlyMap<string, string>
  /** Every import, and how it was written. */
  readonly imports: readonly { readonly path: string, readonly external?: boolean, readonly original?: string }[]
}

/** The thing at a path when a bundle was made: a digest, an address, or nothing. */
type Fact = readonly [kind: keyof typeof FACTS, path: string, found: string | null]

interface KeptBundle extends Bundle {
  readonly facts: readonly Fact[]
}

/** Where bundles are kept. */
export interface BundleFolder {
  readonly folder: string
  /** The parts of this package that bundles are made with. */
  readonly basis: string
}

/** The ending of names of kept bundles. */
const SUFFIX = '.backtape-strategy'

/** Bundles in one folder: the one that was not used for the longest time goes first. */
const KEPT_MOST = 64

/** Rises when bundles are made in another way. */
const FORMAT = 1

/** Files that may stand in front of others where an import is resolved; links may lead elsewhere. */
const MODULE_NAME = /\.[cm]?[jt]sx?$/

/** SHA-256 of bytes or a text, 64 hex digits. */
export function sha256Of(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex')
}

/** Ways to look at the things that a bundle depends on. */
const FACTS = {
  file: async (path: string): Promise<string> => sha256Of(await readFile(path)),
  place: (path: string): Promise<string> => realpath(path),
  async names(path: string): Promise<string> {
    const found: string[] = []
    for (const entry of await readdir(path, { withFileTypes: true })) {
      if (entry.isSymbolicLink()) found.push(`${entry.name} ${await readlink(join(path, entry.name))}`)
      else if (MODULE_NAME.test(entry.name)) found.push(entry.name)
    }
    return sha256Of(found.sort().join('\n'))
  },
} as const

async function factOf(kind: Fact[0], path: string): Promise<Fact> {
  return [kind, path, await FACTS[kind](path).catch(() => null)]
}

/** A folder and those that it lies in, the innermost first. */
function foldersFrom(folder: string): string[] {
  const above = dirname(folder)
  return above === folder ? [folder] : [folder, ...foldersFrom(above)]
}

/** The name of a bundle: by where its module lies, and by what makes bundles; `basis` is what they import of us. */
function keptPath({ folder, basis }: BundleFolder, path: string): string {
  const require = createRequire(import.meta.url)
  const [own, esbuild] = ['../../package.json', 'esbuild/package.json'].map((name) => (
    (require(name) as { readonly version: string }).version))
  const key = sha256Of(JSON.stringify([FORMAT, import.meta.url, own, esbuild, basis, path])).slice(0, 32)
  return join(folder, `${key}${SUFFIX}`)
}

/**
 * The bundle that is kept of a module; null where there is none, where anything that it was made of is not what it was,
 * and where its file is not as it was written.
 */
export async function readKeptBundle(kept: BundleFolder, path: string): Promise<Bundle | null> {
  try {
    const file = keptPath(kept, path)
    const text = await readFile(file, 'utf8')
    const at = text.indexOf('\n')
    const content = text.slice(at + 1)
    if (text.slice(0, at) !== sha256Of(content)) return null
    const { code, map, impure, facts } = JSON.parse(content) as KeptBundle
    for (const [kind, of, found] of facts) if ((await factOf(kind, of))[2] !== found) return null
    const now = new Date()
    await utimes(file, now, now).catch(() => undefined)
    return { code, map, impure }
  } catch {
    return null
  }
}

/**
 * All that decides what a bundle is, as it is now; null where that cannot be said: names that a `tsconfig.json` or a
 * `package.json` leads elsewhere.
 */
async function factsOf(path: string, { digests, imports }: BundleInputs): Promise<readonly Fact[] | null> {
  const packages = imports.filter(({ original = './' }) => !original.startsWith('.') && original !== 'backtape')
  const isPlain = packages.every(({ external = false, original = '' }) => external && !original.startsWith('#'))
  if (!isPlain) return null
  const own = [...new Set([...digests.keys()].map((file) => dirname(file)))]
  const folders = [...new Set([dirname(path), ...own].flatMap(foldersFrom))]
  const facts: Fact[] = [...digests].map(([file, digest]) => ['file', file, digest])
  facts.push(await factOf('place', path))
  for (const folder of folders) {
    for (const name of ['tsconfig.json', 'jsconfig.json', 'package.json'])
      facts.push(await factOf('file', join(folder, name)))
    const config = await readFile(join(folder, 'tsconfig.json'), 'utf8').catch(() => '')
    if (/"(?:extends|paths|baseUrl)"/.test(config)) return null
  }
  // An import may name a folder too, beside which a file may come to stand.
  const beside = folders.filter((one) => own.includes(one) || own.some((inner) => dirname(inner) === one))
  for (const folder of beside) facts.push(await factOf('names', folder))
  for (const { original = '' } of packages) {
    if (original.startsWith('node:') || builtinModules.includes(original)) continue
    const name = original.split('/').slice(0, original.startsWith('@') ? 2 : 1).join('/')
    for (const folder of folders) facts.push(await factOf('file', join(folder, 'node_modules', name, 'package.json')))
  }
  return facts
}

/** Keeps a bundle; where that cannot be done, nothing is kept. */
export async function keepBundle(
  kept: BundleFolder, path: string, bundle: Bundle, inputs: BundleInputs,
): Promise<void> {
  try {
    const facts = await factsOf(path, inputs)
    if (facts === null) return
    await makeFolder(kept.folder)
    const file = keptPath(kept, path)
    const unfinished = `${file}.${randomBytes(6).toString('hex')}`
    const content = JSON.stringify({ ...bundle, facts } satisfies KeptBundle)
    try {
      await writeFile(unfinished, `${sha256Of(content)}\n${content}`, { flag: 'wx' })
      await rename(unfinished, file)
    } catch (error) {
      await rm(unfinished, { force: true })
      throw error
    }
    await removeOldest(kept.folder)
  } catch {
    // The next run compiles the module, as this one did.
  }
}

/** Removes the bundles that were not used for the longest time, and what a killed process left unfinished. */
async function removeOldest(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.includes(SUFFIX))
  const found = await Promise.all(names.map(async (name) => {
    const path = join(folder, name)
    const { mtimeMs } = await stat(path)
    return { path, mtimeMs }
  }))
  found.sort((a, b) => b.mtimeMs - a.mtimeMs)
  for (const { path } of found.slice(KEPT_MOST)) await rm(path, { force: true })
}
