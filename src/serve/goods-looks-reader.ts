import type { CatalogState, FolderCatalog } from '../catalog/folder-catalog.js'
import { eventLoopTurn } from '../model/event-loop-client.js'
import { goodsOf, type FoundGoods } from './goods-list.js'

/** The goods at one time; `version` rises whenever something has changed. */
export interface ShownGoods extends FoundGoods {
  readonly version: number
}

/** Milliseconds between two looks; where a look takes long, so many times as long as it takes, up to half a minute. */
const PAUSE_MS = 1000
const PAUSE_TIMES = 20
const PAUSE_MAX_MS = 30_000
/** A look that takes so long is not waited for while the list is still young. */
const QUICK_MS = 50

/** The parts that {@link GoodsLooks} work with. */
export interface GoodsLookParts {
  readonly catalog: Pick<FolderCatalog, 'refresh'>
  /** Receives each sentence once, while it holds. */
  readonly onNote: (sentence: string) => void
  /** Monotonic time, milliseconds. */
  readonly nowMs: () => number
}

/** Looks at the folders of a shop, at most once a second, one look for all who ask. */
export class GoodsLooks {
  readonly #parts: GoodsLookParts
  #shown: ShownGoods | null = null
  #state: CatalogState | null = null
  #running: Promise<ShownGoods> | null = null
  #endedMs = -Infinity
  #tookMs = 0
  #pauseMs = 0
  #noted: ReadonlySet<string> = new Set()

  constructor(parts: GoodsLookParts) {
    this.#parts = parts
  }

  /**
   * The goods now; where a look fails, those of before, with a note. The first look throws as `FolderCatalog.refresh`.
   */
  async look(): Promise<ShownGoods> {
    const ageMs = this.#parts.nowMs() - this.#endedMs
    if (this.#shown !== null && ageMs < this.#pauseMs) return this.#shown
    const running = (this.#running ??= this.#look().finally(() => { this.#running = null }))
    const isYoung = this.#tookMs > QUICK_MS && ageMs < this.#pauseMs + 2 * this.#tookMs
    if (this.#shown === null || !isYoung) return running
    running.catch(() => undefined)
    return this.#shown
  }

  /** Takes the list for an old one: the next look comes as soon as it may. */
  distrust(): void {
    this.#pauseMs = PAUSE_MS
  }

  /** Resolves once no look is going on. */
  async ended(): Promise<void> {
    await this.#running?.catch(() => undefined)
  }

  async #look(): Promise<ShownGoods> {
    const beganMs = this.#parts.nowMs()
    try {
      const state = await this.#parts.catalog.refresh()
      // A list of many goods takes its time: others are answered before.
      await eventLoopTurn()
      return this.#take(state)
    } catch (error) {
      if (this.#shown === null) throw error
      const reason = error instanceof Error ? error.message : String(error)
      this.#note([`${reason}; the shop shows what lay there before`, ...this.#shown.notes])
      return this.#shown
    } finally {
      this.#endedMs = this.#parts.nowMs()
      this.#tookMs = this.#endedMs - beganMs
      this.#pauseMs = Math.min(PAUSE_MAX_MS, Math.max(PAUSE_MS, PAUSE_TIMES * this.#tookMs))
    }
  }

  #take(state: CatalogState): ShownGoods {
    if (this.#shown === null || state !== this.#state)
      this.#shown = { ...goodsOf(state), version: (this.#shown?.version ?? 0) + 1 }
    this.#state = state
    this.#note(this.#shown.notes)
    return this.#shown
  }

  #note(sentences: readonly string[]): void {
    const now = new Set(sentences)
    const fresh = [...now].filter((sentence) => !this.#noted.has(sentence))
    this.#noted = now
    for (const sentence of fresh) this.#parts.onNote(sentence)
  }
}
