import { Worker } from 'node:worker_threads'
import { BacktapeError } from '../model/error.js'
import type { JournalSink } from '../report/journal-sink.js'
import type { BacktestOptions } from './backtest-options.js'
import type { WorldOutcome } from './checkpoint-state.js'
import { runError } from './run-opening.js'
import type { ThreadProgress, ThreadsProgress } from './thread-progress.js'
import type { JournalEnd, JournalForm, ThreadMessage, ThreadOrder, ThreadRun, ThreadStart } from './thread-run.js'

function errorOf({ code, message, place, faults }: Extract<ThreadMessage, { readonly type: 'failed' }>): Error {
  if (faults !== null) return runError(faults)
  return code === null ? new Error(message) : new BacktapeError(code, message, place)
}

/** The longest that a thread which is given up may take: a strategy may be in an endless loop. */
const CLOSE_MS = 10_000
/** A backlog is one word. */
const BACKLOG_WORD_BYTES = 4
const NO_JOURNAL: JournalEnd = { lineCount: 0, digest: '', openSegment: null }

/** The journals of another thread, for the sinks of this one. */
class ThreadJournals {
  readonly backlog = new SharedArrayBuffer(BACKLOG_WORD_BYTES)
  readonly forms: Map<number, JournalForm> = new Map()
  readonly #sinks: Map<number, JournalSink> = new Map()
  readonly #ends: Map<number, JournalEnd> = new Map()

  constructor(numbers: readonly number[], sinkOf: BacktestOptions['journal']) {
    for (const number of sinkOf === undefined ? [] : numbers) this.#open(number, sinkOf?.(number))
  }

  take(message: Extract<ThreadMessage, { readonly type: 'lines' | 'segment' | 'journal' }>): void {
    const sink = this.#sinks.get(message.number)
    if (message.type === 'journal') {
      this.#ends.set(message.number, message.end)
      return
    }
    if (sink === undefined) return
    if (message.type === 'lines' && 'write' in sink) for (const line of message.lines) sink.write(line)
    if (message.type === 'segment' && 'open' in sink) sink.writeSegment(message.bytes)
    const backlog = new Int32Array(this.backlog)
    Atomics.sub(backlog, 0, message.type === 'lines' ? message.sizeBytes : message.bytes.length)
    Atomics.notify(backlog, 0)
  }

  #open(number: number, sink: JournalSink | undefined): void {
    if (sink === undefined) return
    this.#sinks.set(number, sink)
    this.forms.set(number, 'open' in sink ? 'segments' : 'lines')
    if (!('open' in sink)) return
    const end = (): JournalEnd => this.#ends.get(number) ?? NO_JOURNAL
    sink.open({
      get lineCount() { return end().lineCount },
      digest: () => end().digest,
      openSegment: () => end().openSegment,
    })
  }
}

/** One pass on another thread: its worlds, its notes, its journals. */
class WorldThread {
  error: Error | null = null
  /** Worlds that have ended since they were asked for. */
  readonly outcomes: WorldOutcome[] = []
  /** Settled when all of its worlds have ended. */
  readonly played: Promise<void>
  readonly #worker: Worker

  constructor(run: ThreadRun, options: BacktestOptions, report: ((progress: ThreadProgress) => void) | null) {
    const journals = new ThreadJournals(run.numbers, options.journal)
    const { forms, backlog } = journals
    const start: ThreadStart = { run, journals: forms, backlog, isReporting: report !== null }
    const worker = new Worker(new URL('./world-worker.js', import.meta.url), {
      name: 'backtape worlds', execArgv: [], workerData: start,
    })
    this.#worker = worker
    this.played = new Promise((resolve, reject) => {
      let isPlayed = false
      const fail = (error: Error): void => {
        // A thread that has played ends too.
        if (isPlayed) return
        this.error ??= error
        reject(error)
      }
      worker.on('message', (message: ThreadMessage) => {
        switch (message.type) {
          case 'note': return options.onNote?.(message.sentence)
          case 'progress': return report?.(message.progress)
          case 'failed': return fail(errorOf(message))
          case 'ended': return void this.outcomes.push(...message.outcomes)
          case 'played':
            isPlayed = true
            return resolve()
          default: return journals.take(message)
        }
      })
      worker.on('error', (error) => { fail(error instanceof Error ? error : new Error(String(error))) })
      worker.on('exit', () => {
        fail(new BacktapeError('STRATEGY_FAILED', 'Cannot go on: a strategy ended its thread (process.exit)', {}))
      })
    })
    // Whoever waits for it receives the error; before that nobody does.
    this.played.catch(() => undefined)
  }

  stop(): void {
    this.#tell('stop')
  }

  /** Ends the thread once it has sent what its journals have so far. */
  async close(): Promise<void> {
    this.#tell('giveUp')
    let timer: NodeJS.Timeout | undefined
    const isLate = new Promise<void>((done) => { timer = setTimeout(done, CLOSE_MS) })
    await Promise.race([this.played.catch(() => undefined), isLate])
    clearTimeout(timer)
    await this.#worker.terminate()
  }

  #tell(order: ThreadOrder): void {
    this.#worker.postMessage(order)
  }
}

/** Passes of a run on other threads. */
export class WorldThreads {
  readonly #threads: readonly WorldThread[]
  readonly #stop = (): void => { for (const thread of this.#threads) thread.stop() }

  constructor(
    runs: readonly ThreadRun[], private readonly options: BacktestOptions, progress: ThreadsProgress | null,
  ) {
    const noted = new Set<string>()
    // All passes note the same of the same files.
    const onNote = (sentence: string): void => {
      if (!noted.has(sentence)) options.onNote?.(sentence)
      noted.add(sentence)
    }
    this.#threads = runs.map((run, at) => new WorldThread(
      run, { ...options, onNote }, progress === null ? null : (one) => { progress.take(1 + at, one) },
    ))
    options.signal?.addEventListener('abort', this.#stop)
    if (options.signal?.aborted === true) this.#stop()
  }

  get count(): number {
    return this.#threads.length
  }

  /** True once one of them has failed: no pass need go on. */
  get hasFailed(): boolean {
    return this.#threads.some(({ error }) => error !== null)
  }

  /** The worlds that have ended there since this was asked. */
  ended(): WorldOutcome[] {
    return this.#threads.flatMap((thread) => thread.outcomes.splice(0))
  }

  /** The others, when all have ended. Throws what one of them threw. */
  async rest(): Promise<WorldOutcome[]> {
    await Promise.all(this.#threads.map(({ played }) => played))
    return this.ended()
  }

  /** Ends the threads, also in the middle of their passes: their journals end there. */
  async close(): Promise<void> {
    this.options.signal?.removeEventListener('abort', this.#stop)
    await Promise.all(this.#threads.map((thread) => thread.close()))
  }
}
