import type { LiveLook } from '../panels/live-look.js'
import type { SimulatedClock } from '../replay/simulated-clock.js'
import type { LookedJournal } from '../results/look-lines.js'
import { LookRecorder, type LookedInstrument } from '../results/look-recorder.js'
import { lookedMoney } from '../results/look-world.js'
import { RunValuation } from '../results/run-valuation.js'
import { worldProfits, worldProgress, type WorldProgress } from '../results/world-progress.js'
import { underlyingCode, type UnderlyingDirectory } from '../venue/venue.js'
import type { FollowedInstruments } from './followed-instruments.js'
import type { LiveRecord } from './live-record.js'

/** The parts of a run that a program around it asks about. */
export interface LiveWorldParts {
  readonly clock: SimulatedClock
  readonly record: LiveRecord
  readonly followed: FollowedInstruments
  readonly underlyings: UnderlyingDirectory
  readonly journal: LookedJournal
}

/**
 * A run over sockets as a program around it sees it: looking changes nothing of it. Books are those that its feeds have
 * sent, orders stand as messages report them, so that their places in queues are unknown.
 */
export class LiveWorld {
  readonly #valuation: RunValuation
  #recorder: LookRecorder | null = null

  constructor(private readonly parts: LiveWorldParts) {
    const { record: { ledger, recorder }, followed: { markets } } = parts
    this.#valuation = new RunValuation(ledger, markets, () => recorder.rates.shownIds)
  }

  progress(): WorldProgress {
    const { clock, record: { ledger, recorder }, followed: { all } } = this.parts
    const facts = [...all.values()].map((one) => one.facts)
    return worldProgress({
      clock, world: ledger, report: recorder, ownFills: ledger.ownFills, valuation: this.#valuation,
      codeOf: (id) => this.#codeOf(id),
      eventCount: facts.reduce((sum, { lineCount }) => sum + lineCount, 0),
      gapCount: facts.reduce((sum, { unknownCount }) => sum + unknownCount, 0),
      suspectBookCount: facts.filter(({ isUnknown }) => isUnknown).length,
    })
  }

  /** True where so much waits for the next look that it is due, though it was not asked for. */
  get isLookDue(): boolean {
    return this.#recorder?.isDue === true
  }

  /** A look for a live view; from the first one on the run is watched. */
  look(): LiveLook {
    return (this.#recorder ??= this.#watched()).take()
  }

  /** Watches it no more. */
  unlook(): void {
    this.#recorder?.end()
    this.#recorder = null
    this.parts.record.ledger.observer = null
  }

  #watched(): LookRecorder {
    const { clock, record: { ledger }, followed: { all }, journal } = this.parts
    const recorder = new LookRecorder({
      epochDay: clock.epochDay, journal, nowNs: () => clock.nowNs(),
      askedIds: () => [...all.keys()].sort((a, b) => a - b), instrument: (id) => this.#instrument(id),
      openOrders: () => [...ledger.orders.openOrders()], codeOf: (id) => this.#codeOf(id),
      ...lookedMoney(ledger, () => worldProfits(this.#valuation, (id) => this.#codeOf(id))),
    })
    ledger.observer = recorder
    return recorder
  }

  #instrument(instrumentId: number): LookedInstrument | null {
    const followed = this.parts.followed.all.get(instrumentId)
    if (followed === undefined) return null
    const { entry, entry: { priceScale, quantityScale }, market: view, subscribers } = followed
    // Orders of messages stand at the instrument's own scales, and nothing says where they stand in a queue.
    const market = { priceScale, quantityScale, settleQueues: (): void => undefined }
    return { entry, view, market, subscribe: (topics, listener) => subscribers.subscribe(topics, listener, -Infinity) }
  }

  #codeOf(underlyingId: number): string {
    return underlyingCode(this.parts.underlyings, underlyingId)
  }
}
