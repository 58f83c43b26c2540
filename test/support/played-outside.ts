import type { RunOutside, RunWish, RunWorld } from '../../src/backtest/run-outside.js'
import type { InboxMessage, TimedMessage } from '../../src/simulation/message-inbox.js'

/** A program around a run: gives it messages when it is asked, and writes down what it says. */
export class ScriptedOutside implements RunOutside {
  wish: RunWish | null = null
  /** Of so many looks one ends a turn. */
  callEvery = 53
  #lookCount = 0
  readonly timed: TimedMessage[] = []
  readonly channels: string[] = []
  readonly said: string[] = []
  readonly callbacks = { began: (): void => { this.begunCount++ }, ended: (): void => { this.endedCount++ } }
  begunCount = 0
  endedCount = 0
  open: readonly string[] | null = null
  unplayedCount = 0
  world: RunWorld | null = null
  #turn = 0
  readonly inbox

  /** `turn` gives the messages of a turn, by its number from 0. */
  constructor(turn: (at: number, outside: ScriptedOutside) => readonly InboxMessage[], known: readonly TimedMessage[] = []) {
    this.timed.push(...known)
    this.inbox = {
      known,
      take: (): readonly InboxMessage[] => turn(this.#turn++, this),
      timed: (messages: readonly TimedMessage[]): void => { this.timed.push(...messages) },
    }
  }

  get isCalling(): boolean {
    return ++this.#lookCount % this.callEvery === 0
  }

  get turnCount(): number {
    return this.#turn
  }

  begun(world: RunWorld): void { this.world = world }
  opened(channel: string): void { this.channels.push(channel) }
  published(channel: string, message: string): void { this.said.push(`${channel} ${message}`) }
  logged(timeNs: bigint, level: string, text: string): void { this.said.push(`${timeNs} ${level} ${text}`) }
  ended({ openOrders, unplayedCount }: { readonly openOrders: readonly string[], readonly unplayedCount: number }): void {
    this.open = openOrders
    this.unplayedCount = unplayedCount
  }
}

/** Received messages as the lines of a file. */
export function receivedLines(timed: readonly TimedMessage[]): string {
  return timed.map(({ channel, timeNs, message: { origin, message } }) => {
    const iso = `${new Date(Number(timeNs / 1_000_000n)).toISOString().slice(0, 20)}${String(timeNs % 1_000_000_000n).padStart(9, '0')}Z`
    return `${JSON.stringify({ ts: iso, origin, message, channel })}\n`
  }).join('')
}
