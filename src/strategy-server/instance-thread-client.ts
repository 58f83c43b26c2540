import { join } from 'node:path'
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads'
import { writeWholeText } from '../files/whole-file-writer.js'
import type { SentMessage } from '../venue/channels.js'
import type { ErrorCode } from '../model/error.js'
import {
  failedEnd, type InstanceEnd, type InstanceOrder, type InstanceRun, type InstanceSink, type StartInstance,
} from './instance-run.js'
import {
  lengthOfWord, messageLength, RESULT_FILE, WORD_BYTES, WORDS, type InstanceMail, type InstanceStart, type InstanceWord,
} from './instance-thread.js'

/** Messages that wait for an instance at most, and their characters: those that come then are dropped. */
const [WAITING_COUNT_MAX, WAITING_LENGTH_MAX] = [10_000, 8_388_608]
/** Looks at a thread while a callback may last. */
const LOOKS = 40
const [LOOK_MS_MIN, LOOK_MS_MAX] = [5, 100]
const BYTES_OF_MB = 1_048_576
/**
 * Nothing says from outside whose the memory of the process is. A thread that does not get on for so long is the one
 * that takes it: where it is alone, as much as it may have; where there are others, so many times that, and the one
 * that has not got on for the longest.
 */
const [SUSPECT_MS, SUSPECT_TIMES] = [300, 4]
const suspects: Set<InstanceThread> = new Set()

/** A run of an instance on a thread of its own. */
class InstanceThread implements InstanceRun {
  readonly #worker: Worker
  readonly #port: MessagePort
  readonly #words: Int32Array<SharedArrayBuffer>
  readonly #lookMs: number
  readonly #looks: NodeJS.Timeout
  #end: InstanceEnd | null = null
  #isKilled = false
  /** True where this thread writes the end of the other one. */
  #isWriting = false
  #isTold = false
  #droppedCount = 0
  /** The words when they were seen first as they are, and looks since then. */
  #callback = 0
  #alive = 0
  #sameCount = 0
  #sameSinceBytes = 0
  /** The longest callback that was seen here, milliseconds. */
  #longestMs = 0

  constructor(private readonly order: InstanceOrder, private readonly sink: InstanceSink) {
    const { port1, port2 } = new MessageChannel()
    const { heapMb, callbackMs } = order.limits
    const words = new SharedArrayBuffer(WORD_BYTES)
    this.#port = port1
    this.#words = new Int32Array(words)
    const start: InstanceStart = { order, words, port: port2 }
    const worker = new Worker(new URL('./instance-worker.js', import.meta.url), {
      name: `instance ${order.instanceId}`, execArgv: [], workerData: start, transferList: [port2],
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    })
    this.#worker = worker
    this.#lookMs = Math.min(LOOK_MS_MAX, Math.max(LOOK_MS_MIN, callbackMs / LOOKS))
    this.#looks = setInterval(() => { this.#look() }, this.#lookMs)
    worker.on('message', (word: InstanceWord) => { this.#take(word) })
    worker.on('error', (error) => {
      const isHeap = (error as { readonly code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY'
      if (isHeap) this.#fail('LIMIT_EXCEEDED', `The instance uses too much memory: at most ${heapMb} MiB of heap`)
      else this.#fail('STRATEGY_FAILED', error instanceof Error ? error.message : String(error))
    })
    worker.on('exit', () => { this.#exited() })
  }

  receive(channel: string, message: SentMessage): void {
    const words = this.#words
    const [count, length] = [Atomics.load(words, WORDS.waitingCount), Atomics.load(words, WORDS.waitingLength)]
    if (this.#end !== null || this.#isKilled) return
    const ownLength = messageLength(message)
    if (count >= WAITING_COUNT_MAX || length + ownLength > WAITING_LENGTH_MAX) {
      if (this.#droppedCount++ === 0)
        this.sink.logged(0n, 'warning', `Messages of channel ${channel} are dropped: ${count} wait already`)
      return
    }
    Atomics.add(words, WORDS.waitingCount, 1)
    Atomics.add(words, WORDS.waitingLength, ownLength)
    this.#send({ type: 'message', channel, message })
  }

  stop(cancelOrders: boolean): void {
    this.#send({ type: 'stop', cancelOrders })
  }

  look(): void {
    this.#send({ type: 'look' })
  }

  unlook(): void {
    this.#send({ type: 'unlook' })
  }

  over(): void {
    this.#send({ type: 'over' })
  }

  async kill(): Promise<void> {
    this.#isKilled = true
    this.#lookNoMore()
    await this.#worker.terminate()
    this.#port.close()
  }

  #send(mail: InstanceMail): void {
    this.#port.postMessage(mail)
    Atomics.add(this.#words, WORDS.call, 1)
  }

  #take(word: InstanceWord): void {
    const length = lengthOfWord(word)
    if (length > 0) {
      Atomics.sub(this.#words, WORDS.said, length)
      Atomics.notify(this.#words, WORDS.said)
    }
    if (this.#isKilled || this.#end !== null) return
    switch (word.type) {
      case 'running': return this.sink.running()
      case 'opened': return this.sink.opened(word.channel)
      case 'published': return this.sink.published(word.channel, word.message, word.record)
      case 'logged': return this.sink.logged(word.timeNs, word.level, word.text)
      case 'look': return this.sink.looked(word.look)
      case 'progress': {
        const { longestCallbackMs } = word.progress
        return this.sink.progressed({
          ...word.progress, longestCallbackMs: Math.max(longestCallbackMs, this.#longestMs),
        })
      }
      case 'ended':
        this.#end = word.end
        // Everything is written: what its strategy still does goes nowhere.
        void this.#worker.terminate()
    }
  }

  /** Looks whether the thread gets on. Looks are counted, not time: a process that slept has looked at nothing. */
  #look(): void {
    Atomics.add(this.#words, WORDS.call, 1)
    const [callback, alive] = [this.#words[WORDS.callback] as number, this.#words[WORDS.alive] as number]
    // Before its first word it is being loaded.
    if (alive === 0 || callback !== this.#callback || alive !== this.#alive) {
      this.#callback = callback
      this.#alive = alive
      this.#sameCount = 0
      suspects.delete(this)
      return
    }
    const { callbackMs, bufferMb } = this.order.limits
    if (this.#sameCount++ === 0) this.#sameSinceBytes = process.memoryUsage.rss()
    const ms = this.#sameCount * this.#lookMs
    if (callback > 0) this.#longestMs = Math.max(this.#longestMs, ms)
    if (ms >= callbackMs)
      this.#fail('LIMIT_EXCEEDED', callback > 0
        ? `A callback of the strategy did not return within ${callbackMs} ms`
        : `The strategy kept its thread for ${callbackMs} ms outside of a callback`)
    else if (ms >= SUSPECT_MS && this.#takesMemory())
      this.#fail('LIMIT_EXCEEDED', `A callback uses too much memory: at most ${bufferMb} MiB of buffers`)
  }

  #takesMemory(): boolean {
    // In the order in which they came to be.
    suspects.add(this)
    const [first] = suspects
    const { heapMb, bufferMb } = this.order.limits
    const limitBytes = (heapMb + bufferMb) * BYTES_OF_MB * (suspects.size === 1 ? 1 : SUSPECT_TIMES)
    return first === this && process.memoryUsage.rss() - this.#sameSinceBytes > limitBytes
  }

  #fail(code: ErrorCode, reason: string): void {
    if (this.#end !== null || this.#isKilled) return
    this.#isWriting = true
    this.#end = failedEnd(reason, code)
    // Whatever of it was to be written is lost with the thread, so it is written here.
    const path = join(this.order.folder, RESULT_FILE)
    const written = writeWholeText(path, `${JSON.stringify(this.#end, null, 2)}\n`, { force: true })
    void written.catch((error: unknown) => {
      this.sink.logged(0n, 'warning', `Cannot write ${path}: ${error instanceof Error ? error.message : String(error)}`)
    }).finally(() => { void this.#worker.terminate().then(() => { this.#tellEnd() }) })
  }

  #lookNoMore(): void {
    clearInterval(this.#looks)
    suspects.delete(this)
  }

  #exited(): void {
    this.#lookNoMore()
    this.#port.close()
    if (this.#isKilled) return
    if (this.#end === null) this.#fail('STRATEGY_FAILED', 'The thread of the instance has ended')
    else if (!this.#isWriting) this.#tellEnd()
  }

  #tellEnd(): void {
    const end = this.#end
    if (end === null || this.#isTold || this.#isKilled) return
    this.#isTold = true
    this.sink.ended({ ...end, droppedCount: end.droppedCount + this.#droppedCount })
  }
}

/** Starts the run of an instance on a thread of its own. */
export const startInstance: StartInstance = (order, sink) => new InstanceThread(order, sink)
