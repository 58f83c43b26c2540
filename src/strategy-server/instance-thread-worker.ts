import { getHeapStatistics } from 'node:v8'
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { originalStack } from '../configuration/strategy-module-reader.js'
import { BacktapeError } from '../model/error.js'
import { FaultsError } from '../model/fault.js'
import type { WorldProgress } from '../results/world-progress.js'
import type { CallbackWatch } from '../strategy/callback-guard.js'
import { userStack } from '../strategy/user-stack.js'
import { InstanceFiles } from './instance-files-writer.js'
import { failedEnd, type InstanceEnd, type InstanceOrder } from './instance-run.js'
import type { SentMessage } from '../venue/channels.js'
import {
  lengthOfWord, messageLength, SAID_LENGTH_MAX, WORDS, type InstanceStart, type InstanceWord,
} from './instance-thread.js'

/** So often the progress of a run is said, milliseconds. */
export const PROGRESS_MS = 250
/** Of so many callbacks one is timed: a look at the clock costs as much as a short callback. */
const TIMED_CALLBACKS = 64
const BYTES_OF_MB = 1_048_576

const { order: own, words: shared, port: mail } = workerData as InstanceStart
const { bufferMb, journalMb } = own.limits
// A strategy may replace it.
const exit = process.exit.bind(process)

/** The order of this thread. */
export const order: InstanceOrder = own
/** The words that the other thread sees. */
export const words: Int32Array = new Int32Array(shared)
/** The mail of this thread. */
export const port: MessagePort = mail
/** The files of its run. */
export const files: InstanceFiles = new InstanceFiles(order.folder, { isResumed: order.isResumed, journalMb })

/** Says something to the other thread. */
export function say(word: InstanceWord): void {
  parentPort?.postMessage(word)
}

/** Says something of a strategy, of which there may be much: it waits while the other thread is behind. */
export function sayMuch(word: InstanceWord): void {
  for (let said = Atomics.load(words, WORDS.said); said > SAID_LENGTH_MAX; said = Atomics.load(words, WORDS.said))
    Atomics.wait(words, WORDS.said, said)
  Atomics.add(words, WORDS.said, lengthOfWord(word))
  say(word)
}

/** Messages were taken out of the mail. */
export function tookMessages(messages: readonly SentMessage[]): void {
  Atomics.sub(words, WORDS.waitingCount, messages.length)
  Atomics.sub(words, WORDS.waitingLength, messages.reduce((sum, one) => sum + messageLength(one), 0))
}

/** Says how far a run is. */
export function sayProgress({ profits: [profit, other], ...progress }: WorldProgress): void {
  const { used_heap_size: heapBytes } = getHeapStatistics()
  say({ type: 'progress', progress: {
    ...progress, profit: other === undefined ? profit ?? null : null, callbackCount: callbacks.count,
    longestCallbackMs: callbacks.longestMs, heapBytes, bufferBytes: checkBuffers(),
  } })
}

/** Counts callbacks, and times some. */
class Callbacks implements CallbackWatch {
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

/** The callbacks of the strategy. */
export const callbacks: CallbackWatch & Pick<Callbacks, 'count' | 'longestMs'> = new Callbacks()

let isOver = false
/** Facts of a run that has failed. */
type FailedFacts = Pick<InstanceEnd, 'droppedCount'> & Readonly<Record<string, unknown>>

const NO_FACTS: FailedFacts = { droppedCount: 0 }
let factsOfFailed = (): FailedFacts => NO_FACTS

/** `facts` says what of a run that fails is known. */
export function knowFailed(facts: () => FailedFacts): void {
  factsOfFailed = (): FailedFacts => {
    try {
      return facts()
    } catch {
      // It failed in the middle of anything.
      return NO_FACTS
    }
  }
}

/** Writes and says how the run has ended, and ends the thread. */
export function endWith(end: InstanceEnd, more: Parameters<InstanceFiles['end']>[1]): never {
  if (!isOver) {
    // Where the end cannot be written, that is the end; it is tried once.
    isOver = end.end === 'failed'
    files.end(end, more)
    isOver = true
    say({ type: 'ended', end })
  }
  return exit(0)
}

/** Fails in the middle of whatever runs: nothing of the strategy runs any more. */
export function endAtOnce(error: unknown): never {
  const known = error instanceof BacktapeError ? error : null
  const text = originalStack(known?.message ?? (error instanceof Error
    ? userStack(error.stack ?? `${error.name}: ${error.message}`) : `The strategy threw ${String(error)}`))
  const at = text.indexOf('\n    at ')
  const { droppedCount, ...more } = factsOfFailed()
  return endWith({
    ...failedEnd(at < 0 ? text : text.slice(0, at), known?.code ?? 'STRATEGY_FAILED'),
    stack: at < 0 ? null : text.slice(at + 1), faults: known instanceof FaultsError ? known.faults : [],
    journalLineCount: files.journal.lineCount, droppedCount,
  }, { ...more, isPartial: true })
}
