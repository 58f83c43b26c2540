import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { FolderManifest } from '../../files/folder-manifest-writer.js'
import { systemCode } from '../../files/output-fault.js'
import { checkOutputPlace } from '../../files/output-place-reader.js'
import { createExclusiveFile } from '../../files/whole-file-writer.js'
import { BacktapeError } from '../../model/error.js'
import type { ByteChecks, ExpectedMember, ShopCheckLevel } from './byte-checks.js'
import { CountedCheck } from './counted-check.js'
import { downloadFile } from './file-download-client.js'
import type { ShopAsker } from './shop-asker-client.js'
import type { ShopCall } from './shop-call.js'
import type { ShopFile } from './shop-download.js'
import { ShopRefusedError, wrongLength } from './shop-failure.js'
import type { ShopManifestEntry } from './shop-manifest.js'
import { asRange, type ShopPiece } from './shop-pieces.js'
import {
  dayReadiness, exportReadiness, membersOf, rangeReadiness, sampleReadiness, zipReadiness, type Readiness,
  type ShopWaiting,
} from './shop-readiness-client.js'
import type { WorkSlots } from './work-slots.js'

/** The parts that a file is fetched with. */
export interface FetchingParts {
  readonly asker: ShopAsker
  readonly waiting: ShopWaiting
  readonly slots: WorkSlots
  readonly manifest: FolderManifest<ShopManifestEntry>
  readonly checks: ByteChecks
  readonly level: ShopCheckLevel
  readonly out: string
  readonly force: boolean
  readonly onBytes: (doneBytes: number, sizeBytes: number | null) => void
}

/** An archive that is not whole is asked for again so often. */
const ATTEMPTS_MAX = 20
const READ_BYTES = 1 << 20

/** Levels in the order of their depth. */
const DEPTH: Readonly<Record<ShopCheckLevel, number>> = { none: 0, whole: 1, audit: 2 }

/** Fetches one file: what is there whole stays, what is not ready is waited for. */
export async function fetchPiece(piece: ShopPiece, parts: FetchingParts): Promise<ShopFile> {
  const path = join(parts.out, piece.name)
  const there = await parts.slots.run(() => fileThere(piece, parts))
  if (there !== null) return there
  // Before half a day of waiting.
  await checkOutputPlace(path, { force: parts.force })
  for (let attempt = 0; ; attempt++) {
    const readiness = await readinessOf(piece, parts.waiting)
    if (readiness === 'too large') return fetchPiece(asRange(piece), parts)
    if (readiness === 'empty') return { state: 'empty', path: null, sizeBytes: 0, checksum: null, items: piece.items }
    try {
      return await parts.slots.run(() => fetchedInTurn(piece, parts))
    } catch (error) {
      // It became cold meanwhile, or a file of the archive did.
      const isPartial = error instanceof ShopRefusedError && [202, 409].includes(error.refusal.status)
      if (!isPartial || attempt >= ATTEMPTS_MAX) throw error
    }
  }
}

function readinessOf({ way, call, format }: ShopPiece, waiting: ShopWaiting): Promise<Readiness> {
  switch (way) {
    case 'day': return dayReadiness(waiting, call)
    case 'export': return exportReadiness(waiting, call, format ?? '')
    case 'sample': return Promise.resolve('ready')
    case 'sample export': return sampleReadiness(waiting, { ...call, query: { format: format ?? '' } })
    case 'zip': return zipReadiness(waiting, call)
    case 'range': return rangeReadiness(waiting, call)
  }
}

/** The call for the bytes of a piece. */
function bytesCall({ way, call, format }: ShopPiece): ShopCall {
  if (format !== null) return { ...call, query: { ...call.query, format } }
  if (way === 'zip') return { ...call, query: { ...call.query, zip: 1, complete: 1 } }
  return way === 'range' ? { ...call, query: { ...call.query, complete: 1 } } : call
}

/** One process at a time has a hand in a file: another one finds it whole then. */
async function fetchedInTurn(piece: ShopPiece, parts: FetchingParts): Promise<ShopFile> {
  const { signal } = parts.waiting
  const turn = await createExclusiveFile(`${join(parts.out, piece.name)}.part`, { waitLimitMs: Infinity, signal })
  try {
    return await fileThere(piece, parts) ?? await fetched(piece, parts)
  } finally {
    await turn.abort()
  }
}

async function fetched(piece: ShopPiece, parts: FetchingParts): Promise<ShopFile> {
  const { asker, out, force } = parts
  const isArchive = piece.way === 'zip' || piece.way === 'range'
  const members = isArchive ? await membersOf(asker, piece.call) : null
  const check = checkOf(piece, members, parts)
  try {
    const call = { ...bytesCall(piece), signal: parts.waiting.signal }
    const { path, sizeBytes } = await downloadFile(asker, {
      call, folder: out, name: piece.name, kind: piece.kind, check, force, onBytes: parts.onBytes,
      ...lengthOf(piece, parts.level),
      beforePublish: (length) => parts.manifest.put([{
        file: piece.name, sizeBytes: length, checksum: check.checksum, goods: piece.goods, check: parts.level,
      }]),
    })
    return { state: 'new', path, sizeBytes, checksum: check.checksum, items: piece.items }
  } finally {
    await check.close()
  }
}

/** The length of a tick file that was bought, where the order says it and something is checked. */
function lengthOf({ way, sizeBytes }: ShopPiece, level: ShopCheckLevel): { readonly wantedBytes?: number } {
  return way === 'day' && level !== 'none' && sizeBytes !== null && sizeBytes > 0 ? { wantedBytes: sizeBytes } : {}
}

function checkOf(
  { name, kind, day }: ShopPiece, members: readonly ExpectedMember[] | null, { checks, level }: FetchingParts,
): CountedCheck {
  return new CountedCheck(level === 'none' ? null : checks({ name, kind, day, members }, level))
}

/**
 * The file of a piece that lies there whole: of the length and checksum of its manifest entry; null where there is
 * none. One that was checked less deeply than is wanted now is checked. Throws what the check throws, and
 * SHOP_FILE_WRONG without `force` for one of another length than was bought.
 */
async function fileThere(piece: ShopPiece, parts: FetchingParts): Promise<ShopFile | null> {
  const entry = (await parts.manifest.entriesOf(piece.name)).find(({ goods }) => goods === piece.goods)
  if (entry === undefined) return null
  const path = join(parts.out, piece.name)
  const { wantedBytes = entry.sizeBytes } = lengthOf(piece, parts.level)
  const isBought = entry.sizeBytes === wantedBytes
  if (!isBought && parts.force) return null
  const isDeeper = DEPTH[parts.level] > (DEPTH[entry.check] ?? 0)
  const check = isDeeper ? checkOf(piece, null, parts) : new CountedCheck(null)
  try {
    if (!(await isWhole(path, entry, piece, check, parts.waiting))) return null
  } finally {
    await check.close()
  }
  if (!isBought) throw wrongLength(path, wantedBytes, `${String(entry.sizeBytes)} bytes; --force fetches it anew`)
  if (isDeeper) await parts.manifest.put([{ ...entry, check: parts.level }])
  const { sizeBytes, checksum } = entry
  return { state: 'kept', path, sizeBytes, checksum, items: piece.items }
}

/** True where the bytes of a file are those of its entry; the check looks at them too. */
async function isWhole(
  path: string, entry: ShopManifestEntry, { name, kind }: ShopPiece, check: CountedCheck, { signal }: ShopWaiting,
): Promise<boolean> {
  const file = await open(path).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(systemCode(error))) return null
    throw new BacktapeError('FILE_UNREADABLE', `Cannot read ${path}: ${systemCode(error)}`, { file: path }, error)
  })
  if (file === null) return false
  try {
    const found = await file.stat()
    if (!found.isFile() || found.size !== entry.sizeBytes) return false
    const bytes = new Uint8Array(READ_BYTES)
    await check.begin(name, kind)
    for (let at = 0; ;) {
      if (signal?.aborted === true) return false
      const { bytesRead } = await file.read(bytes, 0, bytes.length, at)
      if (bytesRead === 0) break
      at += bytesRead
      await check.take(bytes.subarray(0, bytesRead))
    }
    await check.end(path)
    return check.checksum === entry.checksum
  } finally {
    await file.close()
  }
}
