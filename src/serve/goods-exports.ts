import type { FoundTick } from '../catalog/catalog-day.js'
import type { DayConversions } from '../catalog/day-conversion-writer.js'
import type { FolderCatalog } from '../catalog/folder-catalog.js'
import { tickKey } from '../catalog/tick-copies-reader.js'
import { SHOP_EXPORTS, type ExportTarget } from '../export/export-kind.js'
import { BacktapeError } from '../model/error.js'
import type { Sent } from '../protocol/shop/shop-schemas.js'
import type { GoodsExport } from '../shop/server/shop-goods.js'
import { fileSegments } from '../shop/server/segments-reader.js'

/** The parts that {@link GoodsExports} work with. */
export interface GoodsExportParts {
  readonly catalog: Pick<FolderCatalog, 'digest' | 'knownDigest' | 'keep'>
  readonly conversions: Pick<DayConversions, 'unpin' | 'export' | 'keptExport' | 'forget'>
  /** Receives a sentence on each export that cannot be made. */
  readonly onNote: (sentence: string) => void
  /** Monotonic time, milliseconds. */
  readonly nowMs: () => number
}

/** For so long an export that has failed is not tried again: a request for it has the reason as its answer. */
const FAILED_MS = 60_000
/** Failures that are remembered; of more, the oldest are tried again like exports that nobody has asked for. */
const FAILURES_MAX = 1000

/** The exports of the days of a shop: made when somebody asks for one, one at a time, in the order of asking. */
export class GoodsExports {
  readonly #parts: GoodsExportParts
  readonly #converting = new Set<string>()
  readonly #failed = new Map<string, { readonly reason: string, readonly atMs: number }>()
  #turn: Promise<void> = Promise.resolve()

  constructor(parts: GoodsExportParts) {
    this.#parts = parts
  }

  /** An export as it is now; `starts` as in `ShopGoods.dayExport`. */
  async state(
    tick: FoundTick, format: Sent<'ExportFormat'>, starts: 'nothing' | 'probe' | 'request',
  ): Promise<GoodsExport> {
    const target = SHOP_EXPORTS.find((one) => `${one.kind}.${one.format}` === format)
    if (target === undefined) return shown('none')
    const key = `${tickKey(tick.facts.name, tick.stamp)}\n${format}`
    const kept = this.#converting.has(key) || this.#failed.has(key) ? null : await this.#kept(tick, target)
    if (kept !== null) return kept
    if (this.#converting.has(key)) return shown('converting')
    const failure = this.#failed.get(key)
    if (failure !== undefined && (starts !== 'request' || this.#parts.nowMs() - failure.atMs < FAILED_MS))
      return { ...shown('failed'), reason: failure.reason }
    if (starts === 'nothing') return shown('none')
    this.#start(key, tick, target)
    return shown('converting')
  }

  /** Resolves once nothing is made any more; the signal of the conversions ends what is. */
  async ended(): Promise<void> {
    await this.#turn
  }

  async #kept(tick: FoundTick, target: ExportTarget): Promise<GoodsExport | null> {
    const digest = this.#parts.catalog.knownDigest(tick)
    const file = digest === null ? null : await this.#parts.conversions.keptExport(tick, digest, target)
    if (file === null) return null
    if (file.path === null) return shown('empty')
    // It may leave between the two looks: then it is made again.
    const segments = await fileSegments(file.path).catch(() => null)
    return segments === null ? null : { state: 'ready', segments }
  }

  #start(key: string, tick: FoundTick, target: ExportTarget): void {
    this.#failed.delete(key)
    this.#converting.add(key)
    this.#turn = this.#turn.then(() => this.#make(key, tick, target))
  }

  async #make(key: string, tick: FoundTick, target: ExportTarget): Promise<void> {
    const { catalog, conversions, onNote } = this.#parts
    try {
      const digest = await catalog.digest(tick)
      conversions.unpin()
      await conversions.export(tick, digest, target).catch(async (error: unknown) => {
        // What is too large for the folder does not stay in it.
        if (error instanceof BacktapeError && error.code === 'LIMIT_EXCEEDED') await conversions.forget(tick, digest)
        throw error
      })
    } catch (error) {
      const isStopped = error instanceof BacktapeError && error.code === 'STOPPED'
      if (isStopped) return
      for (const oldest of this.#failed.keys()) if (this.#failed.size >= FAILURES_MAX) this.#failed.delete(oldest)
      this.#failed.set(key, { reason: reasonOf(error), atMs: this.#parts.nowMs() })
      const words = error instanceof Error ? error.message : String(error)
      onNote(`The export ${target.kind}.${target.format} of ${tick.facts.name} has failed: ${words}`)
    } finally {
      this.#converting.delete(key)
      await catalog.keep().catch(() => undefined)
    }
  }
}

/** A reason for those who ask: sentences of errors name paths of this machine. */
function reasonOf(error: unknown): string {
  if (!(error instanceof BacktapeError)) return 'the log of the server says why'
  const { code, place: { expected } } = error
  return code === 'LIMIT_EXCEEDED' && expected !== undefined ? `the shop keeps ${expected}` : code
}

function shown(state: Exclude<GoodsExport['state'], 'ready'>): GoodsExport {
  return { state, segments: null }
}
