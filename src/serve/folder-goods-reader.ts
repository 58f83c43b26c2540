import { realpath } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import type { FoundTick } from '../catalog/catalog-day.js'
import { stampKey } from '../catalog/catalog-file.js'
import { currentStamp } from '../catalog/catalog-scan-reader.js'
import { DayConversions } from '../catalog/day-conversion-writer.js'
import { FolderCatalog } from '../catalog/folder-catalog.js'
import { makeFolder } from '../files/folder-writer.js'
import { BacktapeError } from '../model/error.js'
import type { StopSignal } from '../model/stop-signal.js'
import { steadyMs } from '../model/wall-client.js'
import type { Sent } from '../protocol/shop/shop-schemas.js'
import type { Segments } from '../shop/server/segments.js'
import { stretchSegments } from '../shop/server/segments-reader.js'
import type { GoodsExport, GoodsList, ShopGoods } from '../shop/server/shop-goods.js'
import { GoodsExports } from './goods-exports.js'
import { GoodsLooks } from './goods-looks-reader.js'
import { GoodsMinutes } from './goods-minutes.js'

/** The folders that a shop sells, and where it keeps what it makes of them. */
export interface FolderGoodsOptions {
  /** Folders with tick files and archives of them, or such files themselves. */
  readonly folders: readonly string[]
  /** The path of the catalog's index, see `indexPath`. */
  readonly indexPath: string
  /** A folder for exports, outside the sold ones. */
  readonly exportFolder: string
  /** Most bytes that exports may take together; default 10,000,000,000. */
  readonly exportLimitBytes?: number | undefined
  /** Ends what is being made, as `close` does. */
  readonly signal?: StopSignal | undefined
  /** Receives a sentence on what is not sold, on looks that fail, and on exports that cannot be made. */
  readonly onNote?: ((sentence: string) => void) | undefined
  /** A clock that never steps back, milliseconds; default: that of the machine. */
  readonly nowMs?: () => number
}

const EXPORT_LIMIT_BYTES = 10_000_000_000

/**
 * The goods of folders, after a first look at them. Throws OPTION_INVALID, OUTPUT_FAILED where the folder of exports
 * cannot be made, and what a catalog throws: FILE_NOT_FOUND, FILE_UNREADABLE, LIMIT_EXCEEDED, STOPPED.
 */
export async function openFolderGoods(options: FolderGoodsOptions): Promise<ShopGoods> {
  const { folders, exportFolder, exportLimitBytes: limit = EXPORT_LIMIT_BYTES } = options
  if (folders.length === 0) throw invalid('folders', 'a folder or more', 'none')
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw invalid('exportLimitBytes', 'a whole number of bytes above 0', String(limit))
  refuseInside(await Promise.all(folders.map(realPlace)), await realPlace(exportFolder))
  await makeFolder(exportFolder)
  const goods = new FolderGoods(options, limit)
  await goods.look().catch(async (error: unknown) => {
    await goods.close()
    throw error
  })
  return goods
}

/** The place of a path without links, also where the end of it does not exist yet. */
async function realPlace(path: string): Promise<string> {
  const whole = resolve(path)
  const parent = dirname(whole)
  return realpath(whole).catch(async () => (parent === whole ? whole : join(await realPlace(parent), basename(whole))))
}

/** Throws OPTION_INVALID where exports would be sold, or sold files removed as exports. */
function refuseInside(folders: readonly string[], exportFolder: string): void {
  const isWithin = (inner: string, outer: string): boolean => {
    const way = relative(outer, inner)
    return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && resolve(outer, way) !== way)
  }
  const found = folders.find((folder) => isWithin(exportFolder, folder) || isWithin(folder, exportFolder))
  if (found !== undefined) throw invalid('exportFolder', `apart from ${found}, which is sold`, exportFolder)
}

function invalid(field: string, expected: string, found: string): BacktapeError {
  const sentence = `Cannot sell the files of folders: ${field} must be ${expected}, found ${found}`
  return new BacktapeError('OPTION_INVALID', sentence, { field, expected, found: found.slice(0, 80) })
}

class FolderGoods implements ShopGoods {
  readonly #stop = new AbortController()
  readonly #looks: GoodsLooks
  readonly #exports: GoodsExports
  readonly #minutes: GoodsMinutes
  readonly #unlink: () => void

  constructor(options: FolderGoodsOptions, limitBytes: number) {
    const { folders, indexPath, exportFolder, signal, onNote } = options
    const stop = (): void => { this.#stop.abort(signal?.reason) }
    signal?.addEventListener('abort', stop)
    this.#unlink = () => { signal?.removeEventListener('abort', stop) }
    if (signal?.aborted === true) stop()
    const note = (sentence: string): void => { if (!this.#stop.signal.aborted) onNote?.(sentence) }
    const catalog = new FolderCatalog({
      folders, indexPath, signal: this.#stop.signal, holds: 'ticks', filesMayGo: true,
    })
    const conversions = new DayConversions({
      folder: resolve(exportFolder), limitBytes, limitOption: 'exportLimitBytes', workName: 'export',
      signal: this.#stop.signal,
    })
    const nowMs = options.nowMs ?? steadyMs
    this.#looks = new GoodsLooks({ catalog, onNote: note, nowMs })
    this.#exports = new GoodsExports({ catalog, conversions, onNote: note, nowMs })
    this.#minutes = new GoodsMinutes(this.#stop.signal)
  }

  look(): Promise<GoodsList> {
    return this.#looks.look()
  }

  async dayFile(instrumentId: number, date: string): Promise<Segments | null> {
    const tick = await this.#tickOf(instrumentId, date)
    if (tick === null) return null
    return stretchSegments(tick.stamp, tick.facts.fromByte ?? 0, tick.facts.sizeBytes)
  }

  async dayExport(
    instrumentId: number, date: string, format: Sent<'ExportFormat'>, starts: 'nothing' | 'probe' | 'request',
  ): Promise<GoodsExport> {
    const tick = await this.#tickOf(instrumentId, date)
    return tick === null ? { state: 'none', segments: null } : this.#exports.state(tick, format, starts)
  }

  async minutes(instrumentId: number, endMs: number): Promise<Uint8Array | null> {
    const files = (await this.#looks.look()).files.get(instrumentId)
    return files === undefined ? null : this.#minutes.csv(files, endMs)
  }

  async close(): Promise<void> {
    this.#stop.abort()
    this.#unlink()
    await Promise.all([this.#looks.ended(), this.#exports.ended(), this.#minutes.ended()])
  }

  /** The file of a day, as long as it lies there as it was found. */
  async #tickOf(instrumentId: number, date: string): Promise<FoundTick | null> {
    const tick = (await this.#looks.look()).files.get(instrumentId)?.get(date)
    if (tick === undefined) return null
    const now = await currentStamp(tick.stamp.path)
    if (now !== null && stampKey(now) === stampKey(tick.stamp)) return tick
    this.#looks.distrust()
    return null
  }
}
