import type { RunOutside, RunWish } from '../../backtest/run-outside.js'
import type { InboxSource } from '../../simulation/message-inbox.js'
import type { ReplayInput } from '../../simulation/replay-input.js'

/** The parts of what is around a paper run. */
export interface PaperOutsideParts {
  readonly market: ReplayInput
  /** Its wish when the strategy stops. */
  readonly wishAtStop: RunWish
  /** Strategies of the run: with the last of them it ends. */
  readonly stoppedCount: number
  /** They have ended themselves, or were ended. */
  readonly onStopped: (reason: string) => void
  readonly onNote: (sentence: string) => void
  readonly onLog: (text: string) => void
}

/** The program around a paper run: it ends with its strategy, whose messages go nowhere. */
export class PaperOutside implements RunOutside {
  readonly market: ReplayInput
  readonly inbox: InboxSource = { known: [], take: () => [], timed: () => {} }
  readonly isCalling = false
  readonly callbacks = { began: (): void => {}, ended: (): void => {} }
  wish: RunWish | null = null
  /** Own ids of orders that are open at the end. */
  openOrders: readonly string[] = []
  /** True once the strategy has started. */
  hasStarted = false

  #stoppedCount = 0

  constructor(private readonly parts: PaperOutsideParts) {
    this.market = parts.market
  }

  begun(): void {
    this.hasStarted = true
  }

  opened(): void {}

  published(): void {}

  logged(_timeNs: bigint, level: 'log' | 'warning', text: string): void {
    const { onNote, onLog } = this.parts
    if (level === 'warning') onNote(text)
    else onLog(text)
  }

  stopped(reason: string): void {
    if (++this.#stoppedCount < this.parts.stoppedCount) return
    this.parts.onStopped(reason)
    this.end()
  }

  ended({ openOrders }: Parameters<RunOutside['ended']>[0]): void {
    this.openOrders = openOrders
  }

  /** Ends the run before its next step. */
  end(): void {
    this.wish ??= this.parts.wishAtStop
  }
}
