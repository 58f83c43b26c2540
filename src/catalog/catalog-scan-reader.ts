import type { BigIntStats } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { decoderOf, MANIFEST_NAME, type ManifestEntry } from '../export/manifest-writer.js'
import { systemCode } from '../files/output-fault.js'
import { BacktapeError } from '../model/error.js'
import { stampKey, type FileStamp } from './catalog-file.js'

/** Files that a catalog holds; more are refused. */
const FILES_MAX = 100_000
/** Names that a search looks at; a search that finds more began in a wrong place. */
const LOOKED_AT_MAX = 1_000_000

/** Names that are looked at side by side. */
const STATS_AT_ONCE = 64

const CATALOG_NAME = /\.(txt\.zst|tar|zip|parquet)$/i

/** The findings of one walk over the folders of a catalog. */
export interface CatalogScan {
  /** Tick files, archives and Parquet files, ascending by path. */
  readonly files: readonly FileStamp[]
  /** Results of conversions by their absolute path, as the manifests of their folders list them. */
  readonly converted: ReadonlyMap<string, ListedResult>
  /** Kinds without rows by the absolute path of the file that they would have. */
  readonly manifests: readonly { readonly folder: string; readonly entry: ManifestEntry }[]
}

/** The entries of manifests by the state of their files. */
export type KnownManifests = Map<string, readonly ManifestEntry[]>

/** A result of a conversion as its manifest lists it. */
export interface ListedResult {
  readonly sizeBytes: number
  readonly checksum: string
  /** SHA-256 of the tick file that it was made of, 64 hex digits. */
  readonly sourceDigest: string
  /** The version of the decoder that made it; 0 where the manifest does not say it. */
  readonly decoder: number
}

function isMissing(error: unknown): boolean {
  return systemCode(error) === 'ENOENT'
}

function unreadable(path: string, error: unknown): BacktapeError {
  const sentence = isMissing(error) ? `there is no file or folder ${path}` : `cannot read ${path}: ${String(error)}`
  const code = isMissing(error) ? 'FILE_NOT_FOUND' : 'FILE_UNREADABLE'
  return new BacktapeError(code, `Cannot open the catalog: ${sentence}`, { file: path }, error)
}

function tooMany(folder: string, what: string, most: number): BacktapeError {
  return new BacktapeError(
    'LIMIT_EXCEEDED', `Cannot take ${folder}: it holds more than ${String(most)} ${what}; name a smaller folder`,
    { file: folder, expected: `at most ${String(most)} ${what}` },
  )
}

const stampOf = (path: string, { size, mtimeNs, ctimeNs, ino }: BigIntStats): FileStamp =>
  ({ path, sizeBytes: Number(size), mtimeNs: String(mtimeNs), ctimeNs: String(ctimeNs), inode: String(ino) })

/** One walk: hidden names are left out, a folder that links lead to again is looked into once. */
class Walk {
  readonly files = new Map<string, FileStamp>()
  readonly manifests: FileStamp[] = []
  private readonly seen = new Set<string>()
  private lookedAt = 0

  constructor(private readonly mayGo: Set<string> | null) {}

  async take(path: string): Promise<void> {
    const found = await stat(path, { bigint: true }).catch((error: unknown) => {
      if (isMissing(error) && this.mayGo?.has(path) === true) return null
      throw unreadable(path, error)
    })
    if (found === null) return
    if (found.isDirectory()) return this.folder(path, found)
    this.files.set(path, stampOf(path, found))
    this.mayGo?.add(path)
    const manifest = await currentStamp(join(dirname(path), MANIFEST_NAME))
    if (manifest !== null) this.manifests.push(manifest)
  }

  private async folder(root: string, stats: BigIntStats): Promise<void> {
    const waiting: [string, BigIntStats][] = [[root, stats]]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [folder, { dev, ino }] = next
      const identity = `${String(dev)} ${String(ino)}`
      if (this.seen.has(identity)) continue
      this.seen.add(identity)
      // A folder that goes while it is looked at holds nothing; the one that was named must be there.
      const names = await readdir(folder).catch((error: unknown) => {
        if (folder === root) throw unreadable(folder, error)
        return []
      })
      this.lookedAt += names.length
      if (this.lookedAt > LOOKED_AT_MAX) throw tooMany(root, 'files and folders', LOOKED_AT_MAX)
      const seen = names.filter((one) => !one.startsWith('.'))
      for (let from = 0; from < seen.length; from += STATS_AT_ONCE)
        waiting.push(...(await this.names(folder, seen.slice(from, from + STATS_AT_ONCE))))
      if (this.files.size > FILES_MAX) throw tooMany(root, 'tick files and tables', FILES_MAX)
    }
  }

  /** Takes the files of these names; returns the folders among them. */
  private async names(folder: string, names: readonly string[]): Promise<[string, BigIntStats][]> {
    const found = await Promise.all(names.map((name) => stat(join(folder, name), { bigint: true }).catch(() => null)))
    return found.flatMap((stats, at): [string, BigIntStats][] => {
      const name = names[at] ?? ''
      const path = join(folder, name)
      if (stats?.isFile() === true && CATALOG_NAME.test(name)) this.files.set(path, stampOf(path, stats))
      else if (stats?.isFile() === true && name === MANIFEST_NAME) this.manifests.push(stampOf(path, stats))
      return stats?.isDirectory() === true ? [[path, stats]] : []
    })
  }
}

/** The entries of a manifest; none of one that is no manifest or is not there: it only adds to what the files say. */
async function entriesOf(path: string): Promise<readonly ManifestEntry[]> {
  try {
    const content = JSON.parse(await readFile(path, 'utf8')) as { readonly entries?: unknown }
    return Array.isArray(content.entries) ? (content.entries as ManifestEntry[]) : []
  } catch {
    return []
  }
}

/**
 * True where a line has the size of a file and another one has not, or a later decoder: where a file was converted
 * again with other options, or by another decoder, its manifest lists it twice.
 */
function isNearer(one: ListedResult, other: ListedResult, stamp: FileStamp | undefined): boolean {
  const isOfSize = one.sizeBytes === stamp?.sizeBytes
  return isOfSize === (other.sizeBytes === stamp?.sizeBytes) ? one.decoder >= other.decoder : isOfSize
}

/** Reads the manifests of folders with results, which have these files. */
async function readManifests(
  stamps: readonly FileStamp[], known: KnownManifests, files: ReadonlyMap<string, FileStamp>,
): Promise<Pick<CatalogScan, 'converted' | 'manifests'>> {
  const converted = new Map<string, ListedResult>()
  const manifests: { folder: string; entry: ManifestEntry }[] = []
  const keys = new Map(stamps.map((stamp) => [stampKey(stamp), stamp.path]))
  for (const key of known.keys()) if (!keys.has(key)) known.delete(key)
  for (const [key, path] of keys) {
    const entries = known.get(key) ?? (await entriesOf(path))
    known.set(key, entries)
    const folder = dirname(path)
    for (const entry of entries) {
      manifests.push({ folder, entry })
      const { source: { sha256: sourceDigest }, outputs } = entry
      const decoder = decoderOf(entry)
      for (const { file, sizeBytes, checksum } of outputs) {
        if (file === null) continue
        const place = join(folder, file)
        const [listed, other] = [{ sizeBytes, checksum, sourceDigest, decoder }, converted.get(place)]
        if (other === undefined || isNearer(listed, other, files.get(place))) converted.set(place, listed)
      }
    }
  }
  return { converted, manifests }
}

/**
 * Everything that lies in folders now, and in files that are named themselves. Reads names, and manifests that are not
 * in `known`, no other file. `mayGo` remembers the named files that were there: where one of them is gone, nothing of
 * it is left; null: it must be there.
 * Throws FILE_NOT_FOUND, FILE_UNREADABLE, LIMIT_EXCEEDED.
 */
export async function scanFolders(
  folders: readonly string[], known: KnownManifests = new Map(), mayGo: Set<string> | null = null,
): Promise<CatalogScan> {
  const walk = new Walk(mayGo)
  for (const folder of folders) await walk.take(resolve(folder))
  const files = [...walk.files.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
  return { files, ...(await readManifests(walk.manifests, known, walk.files)) }
}

/** The state of one file now; null where it is gone. */
export async function currentStamp(path: string): Promise<FileStamp | null> {
  const found = await stat(path, { bigint: true }).catch(() => null)
  return found?.isFile() === true ? stampOf(path, found) : null
}
