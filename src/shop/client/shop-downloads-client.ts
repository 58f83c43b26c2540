import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { freeBytes, refuseFullDisk } from '../../files/disk-room-reader.js'
import { FolderManifest } from '../../files/folder-manifest-writer.js'
import { makeFolder } from '../../files/folder-writer.js'
import { BacktapeError } from '../../model/error.js'
import type { RandomNumbers } from '../../model/random.js'
import { stoppedError } from '../../model/stop-signal.js'
import { SHOP } from '../../protocol/shop/shop-tables.js'
import type { ByteChecks, ShopCheckLevel } from './byte-checks.js'
import type { ShopAsker } from './shop-asker-client.js'
import { itemKey } from './shop-baskets.js'
import type { ShopClock } from './shop-clock-client.js'
import type { ShopDownloadOptions, ShopFile, ShopProgress } from './shop-download.js'
import { fetchPiece } from './shop-file-client.js'
import { SHOP_MANIFEST } from './shop-manifest.js'
import { tokenOf, type ShopOrder } from './shop-order.js'
import { notOwned, piecesOf, type ShopPiece } from './shop-pieces.js'
import { asTheyCome, WorkSlots } from './work-slots.js'

/** The parts that downloads are made with. */
export interface DownloadParts {
  readonly asker: ShopAsker
  readonly clock: ShopClock
  readonly random: RandomNumbers
  readonly checks: ByteChecks
  /** Bytes that are free where a folder lies; null: not known. Default: as the system says. */
  readonly freeBytes?: (folder: string) => Promise<number | null>
}

const JOBS = 4
const JOBS_MAX = 8
const LEVELS: readonly ShopCheckLevel[] = ['whole', 'audit', 'none']
/** Errors that the other files would have too. */
const FATAL: ReadonlySet<string> = new Set(['STOPPED', 'OUTPUT_FAILED', 'SHOP_UNREACHABLE', 'SECRETS_EXPOSED'])

/**
 * The files of an order, as they come. A file that fails lets the others go on, and its error is thrown at the end; a
 * full disk, a shop that does not answer and the signal end everything at once. What came is resumed next time.
 */
export async function* downloadOrder(
  parts: DownloadParts, order: ShopOrder, options: ShopDownloadOptions,
): AsyncGenerator<ShopFile, void> {
  const { items, format, ranges = false } = options
  checkOptions(options)
  const [missing] = notOwned(order.items, items ?? [])
  if (missing !== undefined) throw optionError('items', `days of the order ${order.orderId}`, itemKey(missing))
  const wanted = {
    isRanges: ranges, ...(items === undefined ? {} : { items }), ...(format === undefined ? {} : { format }),
  }
  const pieces = piecesOf(order.orderId, tokenOf(order), order.items, wanted)
  const bundle = format === undefined ? undefined : pieces.find(({ day }) => day === null)
  if (bundle !== undefined) throw optionError('format', 'none for bundle days', format ?? '')
  yield* downloadPieces(parts, pieces, options)
}

/** Throws OPTION_INVALID for options that mean nothing. */
export function checkOptions({ format, check, jobs = JOBS, out }: ShopDownloadOptions): void {
  const formats: readonly string[] = SHOP.schemas.ExportFormat.enum
  if (format !== undefined && !formats.includes(format)) throw optionError('format', formats.join(', '), format)
  if (check !== undefined && !LEVELS.includes(check)) throw optionError('check', LEVELS.join(', '), check)
  if (!Number.isInteger(jobs) || jobs < 1 || jobs > JOBS_MAX)
    throw optionError('jobs', `1 to ${JOBS_MAX}`, String(jobs))
  if (typeof out !== 'string' || out === '') throw optionError('out', 'a folder', JSON.stringify(out))
}

function optionError(field: string, expected: string, found: string): BacktapeError {
  const sentence = `Cannot download: ${field} must be ${expected}, found ${found}`
  return new BacktapeError('OPTION_INVALID', sentence, { field, expected, found: found.slice(0, 80) })
}

/** Files as they come. */
export async function* downloadPieces(
  parts: DownloadParts, pieces: readonly ShopPiece[], options: ShopDownloadOptions,
): AsyncGenerator<ShopFile, void> {
  const { out, force = false, check = 'whole', jobs = JOBS, signal } = options
  if (pieces.length === 0) return
  await makeFolder(out)
  refuseFullDisk(out, await neededBytes(pieces, out), await (parts.freeBytes ?? freeBytes)(out))
  // Each file has a signal of its own, as Node.js warns where many files wait for one.
  const works = pieces.map((piece) => ({ piece, abort: new AbortController() }))
  const abortAll = (reason?: unknown): void => { for (const { abort } of works) abort.abort(reason) }
  const stop = (): void => { abortAll(signal?.reason) }
  signal?.addEventListener('abort', stop)
  if (signal?.aborted === true) stop()
  const shared = {
    asker: parts.asker, slots: new WorkSlots(jobs), manifest: new FolderManifest(out, force, SHOP_MANIFEST), out, force,
    checks: parts.checks, level: check,
  }
  const progress = new ProgressCount(pieces.length, options.onProgress)
  const running = works.map(async ({ piece, abort }) => {
    if (abort.signal.aborted) throw stoppedError(piece.name, abort.signal)
    const onWait = (): void => { progress.report(piece, 'waiting', 0, piece.sizeBytes) }
    const { clock, random, asker } = parts
    const waiting = { asker, clock, random, waits: options.wait !== false, signal: abort.signal, onWait }
    const onBytes = (doneBytes: number, sizeBytes: number | null): void => {
      progress.report(piece, 'downloading', doneBytes, sizeBytes ?? piece.sizeBytes)
    }
    const called = { ...piece, call: { ...piece.call, signal: abort.signal } }
    const file = await fetchPiece(called, { ...shared, waiting, onBytes })
    progress.done(piece, file.sizeBytes)
    return file
  })
  const errors: unknown[] = []
  try {
    for await (const result of asTheyCome(running)) {
      if ('value' in result) yield result.value
      else {
        errors.push(result.error)
        if (isFatal(result.error)) abortAll()
      }
    }
  } finally {
    // Whoever wants no more files leaves nothing that still writes.
    abortAll()
    signal?.removeEventListener('abort', stop)
    await Promise.allSettled(running)
  }
  if (errors.length > 0) throw joinedError(errors, signal?.aborted === true)
}

/** Bytes that are still to come, as far as their files have lengths. */
async function neededBytes(pieces: readonly ShopPiece[], out: string): Promise<number> {
  let sum = 0
  for (const { name, sizeBytes } of pieces) {
    if (sizeBytes === null || (await sizeOf(join(out, name))) !== null) continue
    sum += Math.max(0, sizeBytes - ((await sizeOf(join(out, `${name}.part`))) ?? 0))
  }
  return sum
}

function sizeOf(path: string): Promise<number | null> {
  return stat(path).then(({ size }) => size, () => null)
}

function isFatal(error: unknown): boolean {
  return !(error instanceof BacktapeError) || FATAL.has(error.code)
}

/** The first error that counts most, with the number of the others. */
function joinedError(errors: readonly unknown[], isStopped: boolean): unknown {
  const rank = (error: unknown): number => {
    if (!(error instanceof BacktapeError)) return 0
    if (error.code === 'STOPPED') return isStopped ? 1 : 5
    return FATAL.has(error.code) ? 2 : error.code === 'SHOP_NOT_READY' ? 4 : 3
  }
  const [first, ...others] = errors.toSorted((a, b) => rank(a) - rank(b))
  const count = others.filter((one) => rank(one) <= 4).length
  if (count === 0 || !(first instanceof BacktapeError) || first.code === 'STOPPED') return first
  const sentence = `${first.message}; ${count} more ${count === 1 ? 'file' : 'files'} could not be fetched`
  return new BacktapeError(first.code, sentence, first.place, first)
}

/** Counts files that are done. */
class ProgressCount {
  #doneCount = 0

  constructor(
    private readonly fileCount: number, private readonly onProgress: ((progress: ShopProgress) => void) | undefined,
  ) {}

  report({ name }: ShopPiece, state: ShopProgress['state'], doneBytes: number, sizeBytes: number | null): void {
    this.onProgress?.({ name, state, doneBytes, sizeBytes, doneCount: this.#doneCount, fileCount: this.fileCount })
  }

  done(piece: ShopPiece, sizeBytes: number): void {
    this.#doneCount++
    this.report(piece, 'done', sizeBytes, sizeBytes)
  }
}
