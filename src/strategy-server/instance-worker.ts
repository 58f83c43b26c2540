import { getHeapStatistics } from 'node:v8'
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { playInstance } from '../backtest/run-backtest.js'
import type { RunOutside, RunWish, RunWorld } from '../backtest/run-outside.js'
import type { Checkpoint } from '../backtest/checkpoint-state.js'
import { loadStrategy, originalStack } from '../configuration/strategy-module-reader.js'
import { BacktapeError } from '../model/error.js'
import { FaultsError } from '../model/fault.js'
import type { BacktestResult } from '../results/backtest-result.js'
import type { InboxMessage, TimedMessage } from '../simulation/message-inbox.js'
import { userStack } from '../strategy/user-stack.js'
import { checkTopicType } from '../broker/topic-access.js'
import { frozenMessage, type ChannelType, type MessageRecord } from '../venue/channels.js'
import { InstanceFiles } from './instance-files-writer.js'
import { orderOptions, type InstanceEnd } from './instance-run.js'
import {
  lengthOfWord, messageLength, SAID_LENGTH_MAX, WORDS, type InstanceMail, type InstanceStart, type InstanceWord,
} from './instance-thread.js'
import { LookTurns } from './look-turns.js'

const PROGRESS_MS = 250
const ALIVE_MS = 100
/** Between two checkpoints: at least so long, and so many times as long as one takes. */
const [CHECKPOINT_MS, CHECKPOINT_SHARE] = [5_000, 30]
/** Of so many callbacks one is timed: a look at the clock costs as much as a short callback. */
const TIMED_CALLBACKS = 64
const BYTES_OF_MB = 1_048_576

const { order, words: shared, port } = workerData as InstanceStart
const words = new Int32Array(shared)
// From here on the other thread looks whether this one gets on.
words[WORDS.alive] = 1
const { bufferMb, journalMb } = order.limits
// A strategy may replace it.
const exit = process.exit.bind(process)

function say(word: InstanceWord): void {
  parentPort?.postMessage(word)
}

/** Says something of a strategy, of which there may be much: it waits while the other thread is behind. */
function sayMuch(word: InstanceWord): void {
  for (let said = Atomics.load(words, WORDS.said); said > SAID_LENGTH_MAX; said = Atomics.load(words, WORDS.said))
    Atomics.wait(words, WORDS.said, said)
  Atomics.add(words, WORDS.said, lengthOfWord(word))
  say(word)
}

const files = new InstanceFiles(order.folder, { isResumed: order.isResumed, journalMb })

/** Counts callbacks, and times some. */
class Callbacks {
  count = 0
  longestMs = 0
  #beganMs = 0

  began(): void {
    words[WORDS.callback] = this.count = (this.count + 1) & 0x7fffffff
    if (this.count % TIMED_CALLBACKS === 0) this.#beganMs = performance.now()
  }

  ended(): void {
    words[WORDS.callback] = -this.count
    if (this.count % TIMED_CALLBACKS !== 0) return
    this.longestMs = Math.max(this.longestMs, performance.now() - this.#beganMs)
    checkBuffers()
  }
}

function checkBuffers(): number {
  const { external_memory: sizeBytes } = getHeapStatistics()
  if (sizeBytes > bufferMb * BYTES_OF_MB) {
    const [expected, found] = [`at most ${bufferMb} MiB`, `${Math.ceil(sizeBytes / BYTES_OF_MB)} MiB`]
    endAtOnce(new BacktapeError(
      'LIMIT_EXCEEDED', `The instance uses too many buffers: ${expected}, found ${found}`, { expected, found },
    ))
  }
  return sizeBytes
}

/** The program around the run. */
class Outside implements RunOutside {
  wish: RunWish | null = null
  readonly callbacks = new Callbacks()
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
    let length = 0
    for (;;) {
      const mail = receiveMessageOnPort(port) as { readonly message: InstanceMail } | undefined
      if (mail === undefined) break
      const { message: one } = mail
      if (one.type === 'stop') {
        this.isStopped = true
        this.wish = one.cancelOrders ? 'cancel' : 'stop'
        continue
      }
      if (one.type === 'look' || one.type === 'unlook') {
        if (one.type === 'look') this.#looks.ask()
        else this.#looks.leave(this.#world)
        continue
      }
      const { channel, message } = one
      length += messageLength(message)
      come.push({ channel, message: frozenMessage(message) })
    }
    Atomics.sub(words, WORDS.waitingCount, come.length)
    Atomics.sub(words, WORDS.waitingLength, length)
    // A strategy that has no callback for them receives none, here and where they are played again.
    return this.#world?.isListening === true ? come : []
  }

  #sayProgress(): void {
    const world = this.#world
    if (world === null) return
    this.#saidMs = performance.now()
    const { used_heap_size: heapBytes } = getHeapStatistics()
    const { profits: [profit = null, other], ...progress } = world.progress()
    say({ type: 'progress', progress: {
      ...progress, profit: other === undefined ? profit : null, callbackCount: this.callbacks.count,
      longestCallbackMs: this.callbacks.longestMs, heapBytes, bufferBytes: checkBuffers(),
    } })
  }
}

const outside = new Outside()
let isOver = false

function failedEnd(error: unknown): InstanceEnd {
  const known = error instanceof BacktapeError ? error : null
  const text = originalStack(known?.message ?? (error instanceof Error
    ? userStack(error.stack ?? `${error.name}: ${error.message}`) : `The strategy threw ${String(error)}`))
  const at = text.indexOf('\n    at ')
  return {
    end: 'failed', reason: at < 0 ? text : text.slice(0, at), code: known?.code ?? 'STRATEGY_FAILED',
    stack: at < 0 ? null : text.slice(at + 1), faults: known instanceof FaultsError ? known.faults : [],
    fingerprint: null, journalLineCount: files.journal.lineCount, openOrders: [],
    droppedCount: outside.unplayedCount,
  }
}

/** Fails in the middle of whatever runs: nothing of the strategy runs any more. */
function endAtOnce(error: unknown): never {
  if (!isOver) {
    isOver = true
    const end = failedEnd(error)
    files.end(end, { isPartial: true })
    say({ type: 'ended', end })
  }
  return exit(0)
}

function wholeEnd({ isPartial, fingerprint, journalLineCount }: BacktestResult): InstanceEnd {
  const { isStopped, openOrders, unplayedCount: droppedCount } = outside
  const reason = isStopped && isPartial ? 'the run was stopped'
    : isPartial ? 'a gap has ended the run' : 'the data have ended'
  return {
    end: isStopped && isPartial ? 'stopped' : 'whole', reason, code: null, stack: null, faults: [], fingerprint,
    journalLineCount, openOrders: isStopped && isPartial ? openOrders : [], droppedCount,
  }
}

async function play(): Promise<void> {
  const { modulePath, strategyName, bundles = null } = order
  const strategy = await loadStrategy(`${modulePath}#${strategyName}`, '.', bundles)
  const { resume } = files
  const result = await playInstance({
    ...orderOptions(order), strategy, tables: 'none', journal: () => files.journal,
    checkpoints: { take: (checkpoint) => outside.checkpoint(checkpoint) }, ...(resume === null ? {} : { resume }),
    onNote: (text) => { sayMuch({ type: 'logged', timeNs: 0n, level: 'warning', text }) },
  }, outside)
  const end = wholeEnd(result)
  const { configDigest, journalDigest, isPartial, summary } = result
  files.end(end, { configDigest, journalDigest, isPartial, summary })
  isOver = true
  say({ type: 'ended', end })
}

// What a strategy leaves to the event loop, and what nobody catches of a promise.
process.on('uncaughtException', (error) => { endAtOnce(error) })
process.exit = (code): never => endAtOnce(new Error(`The strategy called process.exit(${String(code ?? '')})`))
setInterval(() => { words[WORDS.alive] = (words[WORDS.alive] as number) + 1 }, ALIVE_MS).unref()
play().then(() => exit(0), (error: unknown) => endAtOnce(error))
