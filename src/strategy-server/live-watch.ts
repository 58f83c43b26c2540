import { factorBetween } from '../model/scale-factor.js'
import { GrowingStretch, type StretchPlace } from '../panels/growing-stretch.js'
import type { LiveLook, LivePoint } from '../panels/live-look.js'
import type { StretchColumns } from '../panels/stretch-columns.js'
import type { InstanceWatcher } from './instance.js'
import type { LiveFrame, LiveSeries } from './pages/live-frames.js'
import { LiveLines } from './pages/live-lines.js'

/** Stretches that a viewer may be behind. */
const BEHIND_MAX = 4

/** A run that can be watched. */
export interface WatchedRun {
  /** Null: the served replay. */
  readonly instanceId: string | null
  /** Its name, and facts of it in words. */
  readonly named: Pick<StretchColumns, 'name' | 'facts'>
  /** The watcher from here on; null: none. */
  watchBy(watcher: InstanceWatcher | null): void
  /** Asks for a look. */
  look(): void
}

/** Somebody who watches a run. */
export interface LiveViewer {
  /** True where it has drawn what it was sent, and wants more. */
  readonly hasCredit: boolean
  /** Sends a frame of the run, which takes the credit away. */
  send(frame: LiveFrame): void
  /** Ends it: it is too far behind. */
  end(code: number, reason: string): void
}

/** A stretch of the run, and the one that follows it. */
interface Chapter {
  readonly number: number
  readonly growing: GrowingStretch
  /** Of its looks. */
  readonly points: LivePoint[]
  /** The lines before it. */
  readonly before: LiveSeries
  next: Chapter | null
}

/** The place of a viewer. */
interface ViewerPlace {
  /** Null: it has nothing yet. */
  chapter: Chapter | null
  at: StretchPlace
  pointCount: number
}

const NOWHERE: StretchPlace = { event: 0, order: 0, orderRow: 0, fill: 0, receipt: 0, line: 0, instruments: [] }

/**
 * The runs of one instance, or a served replay, as its viewers see them. It asks for looks only while one of them has
 * drawn everything so far; each gets what follows its own place, so that a slow one has fewer frames and the same rows.
 * What no viewer needs any more is forgotten.
 */
export class LiveWatch implements InstanceWatcher {
  readonly #viewers: Map<LiveViewer, ViewerPlace> = new Map()
  #newest: Chapter | null = null
  #lines = new LiveLines()
  #isRunning = false
  #isAsked = false
  /** True where the next stretch is the first of a run. */
  #isFresh = true

  /** `onEmpty` is called when the last viewer has left: then it watches no more. */
  constructor(private readonly run: WatchedRun, private readonly onEmpty: () => void) {
    run.watchBy(this)
  }

  join(viewer: LiveViewer): void {
    this.#viewers.set(viewer, { chapter: null, at: NOWHERE, pointCount: 0 })
    this.shown(viewer)
  }

  leave(viewer: LiveViewer): void {
    if (!this.#viewers.delete(viewer) || this.#viewers.size > 0) return
    this.run.watchBy(null)
    this.onEmpty()
  }

  /** A viewer has credit. */
  shown(viewer: LiveViewer): void {
    const place = this.#viewers.get(viewer)
    if (place === undefined) return
    this.#serve(viewer, place)
    this.#ask()
  }

  begun(): void {
    this.#isRunning = true
    this.#isAsked = false
    this.#isFresh = true
    this.#ask()
  }

  ended(): void {
    this.#isRunning = false
  }

  looked({ columns, part, point }: LiveLook): void {
    this.#isAsked = false
    if (columns !== null) this.#begin(columns)
    const chapter = this.#isFresh ? null : this.#newest
    if (part !== null) chapter?.growing.add(part)
    chapter?.points.push(point)
    if (chapter !== null) this.#lines.add(point)
    for (const [viewer, place] of this.#viewers) this.#serve(viewer, place)
    this.#ask()
  }

  #ask(): void {
    if (!this.#isRunning || this.#isAsked) return
    for (const { hasCredit } of this.#viewers.keys()) {
      if (!hasCredit) continue
      this.#isAsked = true
      return this.run.look()
    }
  }

  #begin(columns: StretchColumns): void {
    if (this.#isFresh) this.#lines = new LiveLines()
    else for (const [at, { priceScale }] of columns.instruments.entries())
      this.#lines.rescale(at, factorBetween(
        this.#newest?.growing.columns.instruments[at]?.priceScale ?? priceScale, priceScale,
      ))
    this.#isFresh = false
    const named: StretchColumns = { ...columns, ...this.run.named }
    const chapter: Chapter = {
      number: (this.#newest?.number ?? 0) + 1, growing: new GrowingStretch(named), points: [],
      before: new LiveLines(this.#lines.series).series, next: null,
    }
    if (this.#newest !== null) this.#newest.next = chapter
    this.#newest = chapter
    for (const [viewer, place] of this.#viewers)
      if (place.chapter !== null && chapter.number - place.chapter.number > BEHIND_MAX)
        viewer.end(1008, 'too far behind')
  }

  /** Sends a viewer that has credit what comes next for it. */
  #serve(viewer: LiveViewer, place: ViewerPlace): void {
    if (!viewer.hasCredit) return
    const { chapter } = place
    if (chapter !== null && chapter.growing.place.event > place.at.event)
      return this.#send(viewer, place, chapter, {
        op: 'part', instanceId: this.run.instanceId, part: chapter.growing.since(place.at),
        points: chapter.points.slice(place.pointCount),
      })
    const next = chapter === null ? this.#newest : chapter.next
    if (next === null) return
    this.#send(viewer, place, next, {
      op: 'stretch', instanceId: this.run.instanceId, columns: next.growing.columns,
      series: next.next?.before ?? this.#lines.series,
    })
  }

  #send(viewer: LiveViewer, place: ViewerPlace, chapter: Chapter, frame: LiveFrame): void {
    place.chapter = chapter
    place.at = chapter.growing.place
    place.pointCount = chapter.points.length
    viewer.send(frame)
  }
}
