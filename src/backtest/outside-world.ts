import type { World } from '../exchange/world.js'
import type { WorldObserver } from '../exchange/world-config.js'
import type { LiveLook } from '../panels/live-look.js'
import type { LookedJournal } from '../results/look-lines.js'
import { LookRecorder } from '../results/look-recorder.js'
import { simulatedWorld } from '../results/look-world.js'
import type { RunRecorder } from '../results/run-recorder.js'
import { RunValuation } from '../results/run-valuation.js'
import { worldProfits, worldProgress, type WorldProgress } from '../results/world-progress.js'
import type { InboxMessage } from '../simulation/message-inbox.js'
import { overrides } from '../strategy/market-callbacks.js'
import type { RunClient } from './run-client.js'
import type { RunWorld } from './run-outside.js'
import type { RunSetup } from './run-setup.js'

/** The parts of a world that a program around its run asks about. */
export interface WorldParts {
  readonly setup: RunSetup
  readonly world: World
  readonly report: RunRecorder
  readonly clients: readonly RunClient[]
  readonly askedIds: readonly number[]
  readonly journal: LookedJournal
}

/** A world of a run, as a program around it has it. */
interface WorldOfRun {
  readonly parts: WorldParts
  readonly isOver: boolean
  observe(observer: WorldObserver | null): void
}

/** A world as a program around its run sees it: looking changes nothing of it. */
export class OutsideWorld implements RunWorld {
  /** Its own: prices that it has seen last are no part of the run. */
  #valuation: RunValuation | null = null
  #recorder: LookRecorder | null = null

  constructor(private readonly of: WorldOfRun) {}

  /** Orders that its strategies have sent and that are not over, as those know it; by their own ids. */
  get openOrders(): readonly string[] {
    return this.of.parts.clients.flatMap(({ runtime: { openOrders } }) => (
      openOrders.map(({ ownOrderId }) => String(ownOrderId))))
  }

  get isListening(): boolean {
    return this.of.parts.clients.some(({ runtime: { strategy } }) => overrides(strategy, 'onChannelMessage'))
  }

  /** Passes a message on, unless the world is over. */
  playMessage({ channel, message }: InboxMessage): void {
    if (this.of.isOver) return
    for (const client of this.of.parts.clients) client.playMessage(channel, message)
  }

  /** Asks for the cancel of every order of strategies that have stopped. */
  cancelOpen(): void {
    for (const client of this.of.parts.clients) client.cancelOpen()
  }

  get isLookDue(): boolean {
    return this.#recorder?.isDue === true
  }

  look(): LiveLook {
    const { setup: { replay }, world, journal } = this.of.parts
    const recorder = (this.#recorder ??= new LookRecorder(simulatedWorld(replay, world, {
      journal, askedIds: () => this.of.parts.askedIds, profits: () => this.#profits(),
    })))
    this.of.observe(recorder)
    return recorder.take()
  }

  unlook(): void {
    this.#recorder?.end()
    this.#recorder = null
    this.of.observe(null)
  }

  progress(): WorldProgress {
    const { setup: { replay }, world, report, askedIds } = this.of.parts
    const { clock, feeds } = replay
    return worldProgress({
      clock, world, report, valuation: this.#valued(), codeOf: (id) => world.codeOf(id),
      eventCount: askedIds.reduce((sum, id) => sum + (feeds.get(id)?.receivedCount ?? 0), 0),
      ...this.#gaps(),
    })
  }

  /** The gaps of the exchange's books, as the summary counts them. */
  #gaps(): Pick<WorldProgress, 'gapCount' | 'suspectBookCount'> {
    const { world, askedIds } = this.of.parts
    const markets = askedIds.flatMap((id) => world.marketOf(id) ?? [])
    return {
      gapCount: markets.reduce((sum, { bookUnknownTime }) => sum + bookUnknownTime.periods, 0),
      suspectBookCount: markets.filter(({ bookUnknown }) => bookUnknown !== null).length,
    }
  }

  #profits(): WorldProgress['profits'] {
    const { world } = this.of.parts
    return worldProfits(this.#valued(), (id) => world.codeOf(id))
  }

  #valued(): RunValuation {
    const { setup: { replay }, world, report } = this.of.parts
    return this.#valuation ??= new RunValuation(world, replay.views, () => report.rates.shownIds)
  }
}
