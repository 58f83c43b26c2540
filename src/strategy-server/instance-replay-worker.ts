import { receiveMessageOnPort } from 'node:worker_threads'
import { checkTopicType } from '../broker/topic-access.js'
import { playInstance } from '../backtest/run-backtest.js'
import type { RunOutside, RunWish, RunWorld } from '../backtest/run-outside.js'
import type { Checkpoint } from '../backtest/checkpoint-state.js'
import type { BacktestResult } from '../results/backtest-result.js'
import type { InboxMessage, TimedMessage } from '../simulation/message-inbox.js'
import type { Strategy } from '../strategy/strategy.js'
import { frozenMessage, type ChannelType, type MessageRecord } from '../venue/channels.js'
import { orderOptions, type InstanceEnd, type ReplayVenue } from './instance-run.js'
import {
  callbacks, endWith, files, knowFailed, order, port, PROGRESS_MS, say, sayMuch, sayProgress, tookMessages, words,
} from './instance-thread-worker.js'
import { WORDS, type InstanceMail } from './instance-thread.js'
import { LookTurns } from './look-turns.js'

/** Between two checkpoints: at least so long, and so many times as long as one takes. */
const [CHECKPOINT_MS, CHECKPOINT_SHARE] = [5_000, 30]

/** The program around the run. */
class Outside implements RunOutside {
  wish: RunWish | null = null
  readonly callbacks = callbacks
  readonly inbox = {
    known: files.known, take: () => this.#take(),
    timed: (messages: readonly TimedMessage[]) => { files.received(messages) },
  }
  openOrders: readonly string[] = []
  unplayedCount = 0
  isStopped = false
  #world: RunWorld | null = null
  readonly #looks = new LookTurns((look) => { say({ type: 'look', look }) })
  #callCount = 0
  #turnCount = 0
  #saidMs = -Infinity
  #checkpointMs = performance.now()
  #pauseMs = order.checkpointMs ?? CHECKPOINT_MS

  get isCalling(): boolean {
    return words[WORDS.call] !== this.#callCount
  }

  begun(world: RunWorld): void {
    this.#world = world
    say({ type: 'running' })
    this.#looks.turn(world, performance.now())
  }

  opened(channel: string, type: ChannelType): void {
    checkTopicType(order.topics ?? {}, channel, type)
    sayMuch({ type: 'opened', channel })
  }

  published(channel: string, message: string, record: MessageRecord | undefined): void {
    sayMuch({ type: 'published', channel, message, record })
  }

  logged(timeNs: bigint, level: 'log' | 'warning', text: string): void {
    sayMuch({ type: 'logged', timeNs, level, text })
  }

  ended({ openOrders, unplayedCount }: Parameters<RunOutside['ended']>[0]): void {
    this.openOrders = openOrders
    this.unplayedCount = unplayedCount
    this.#sayProgress()
  }

  settled(): void {
    this.#looks.end(this.#world)
  }

  async checkpoint(checkpoint: Checkpoint): Promise<void> {
    await files.writeCheckpoint(checkpoint)
    const nowMs = performance.now()
    const takenMs = nowMs - this.#checkpointMs
    this.#pauseMs = order.checkpointMs ?? Math.max(CHECKPOINT_MS, takenMs * CHECKPOINT_SHARE)
    this.#checkpointMs = nowMs
  }

  /** The time of this thread between two turns of the run. */
  #take(): readonly InboxMessage[] {
    words[WORDS.alive] = ++this.#turnCount
    const nowMs = performance.now()
    if (nowMs - this.#saidMs >= PROGRESS_MS) this.#sayProgress()
    if (this.wish === null && nowMs - this.#checkpointMs >= this.#pauseMs) {
      this.wish = 'checkpoint'
      this.#checkpointMs = nowMs
    }
    const come = this.isCalling ? this.#open() : []
    this.#looks.turn(this.#world, nowMs)
    return come
  }

  #open(): readonly InboxMessage[] {
    this.#callCount = Atomics.load(words, WORDS.call)
    const come: InboxMessage[] = []
    for (;;) {
      const mail = receiveMessageOnPort(port) as { readonly message: InstanceMail } | undefined
      if (mail === undefined) break
      const { message: one } = mail
      if (one.type === 'stop') {
        this.isStopped = true
        this.wish = one.cancelOrders ? 'cancel' : 'stop'
        continue
      }
      if (one.type === 'look') this.#looks.ask()
      else if (one.type === 'unlook') this.#looks.leave(this.#world)
      if (one.type !== 'message') continue
      const { channel, message } = one
      come.push({ channel, message: frozenMessage(message) })
    }
    tookMessages(come.map(({ message }) => message))
    // A strategy that has no callback for them receives none, here and where they are played again.
    return this.#world?.isListening === true ? come : []
  }

  #sayProgress(): void {
    const world = this.#world
    if (world === null) return
    this.#saidMs = performance.now()
    sayProgress(world.progress())
  }
}

function wholeEnd(
  { isStopped, openOrders, unplayedCount: droppedCount }: Outside,
  { isPartial, fingerprint, journalLineCount }: BacktestResult,
): InstanceEnd {
  const reason = isStopped && isPartial ? 'the run was stopped'
    : isPartial ? 'a gap has ended the run' : 'the data have ended'
  return {
    end: isStopped && isPartial ? 'stopped' : 'whole', reason, code: null, stack: null, faults: [], fingerprint,
    journalLineCount, openOrders: isStopped && isPartial ? openOrders : [], droppedCount,
  }
}

/** Plays the strategy over the days of its venue, as a backtest does. */
export async function playReplay(strategy: new () => Strategy, venue: ReplayVenue): Promise<never> {
  const outside = new Outside()
  knowFailed(() => ({ droppedCount: outside.unplayedCount }))
  const { resume } = files
  const result = await playInstance({
    ...orderOptions({ ...order, venue }), strategy, tables: 'none', journal: () => files.journal,
    checkpoints: { take: (checkpoint) => outside.checkpoint(checkpoint) }, ...(resume === null ? {} : { resume }),
    onNote: (text) => { sayMuch({ type: 'logged', timeNs: 0n, level: 'warning', text }) },
  }, outside)
  const { configDigest, journalDigest, isPartial, summary } = result
  return endWith(wholeEnd(outside, result), { configDigest, journalDigest, isPartial, summary })
}
