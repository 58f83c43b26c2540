import { Worker } from 'node:worker_threads'
import { BacktapeError } from '../model/error.js'
import type { LineSink } from '../report/journal.js'
import type { BacktestOptions } from './backtest-options.js'
import type { WorldOutcome } from './checkpoint-state.js'
import type { OtherPasses } from './run.js'
import { runError } from './run-opening.js'
import type { ThreadMessage, ThreadRun } from './thread-run.js'

function errorOf({ code, message, place, faults }: Extract<ThreadMessage, { readonly type: 'failed' }>): Error {
  if (faults !== null) return runError(faults)
  return code === null ? new Error(message) : new BacktapeError(code, message, place)
}

/** One pass on another thread: its worlds, its notes, the lines of its journals. */
class WorldThread {
  error: Error | null = null
  readonly outcomes: Promise<readonly WorldOutcome[]>
  readonly #worker: Worker

  constructor(run: ThreadRun, options: BacktestOptions) {
    const sinks = new Map<number, LineSink>()
    if (options.journal !== undefined)
      for (const number of run.numbers) sinks.set(number, options.journal(number))
    const backlog = new Int32Array(run.backlog)
    const worker = new Worker(new URL('./world-worker.js', import.meta.url), {
      name: 'backtape worlds', execArgv: [], workerData: run,
    })
    this.#worker = worker
    this.outcomes = new Promise((resolve, reject) => {
      let isPlayed = false
      const fail = (error: Error): void => {
        // A thread that has played ends too.
        if (isPlayed) return
        this.error ??= error
        reject(error)
      }
      worker.on('message', (message: ThreadMessage) => {
        switch (message.type) {
          case 'lines': {
            const sink = sinks.get(message.number)
            for (const line of message.lines) sink?.write(line)
            Atomics.sub(backlog, 0, message.sizeBytes)
            Atomics.notify(backlog, 0)
            return
          }
          case 'note': return options.onNote?.(message.sentence)
          case 'played':
            isPlayed = true
            return resolve(message.outcomes)
          case 'failed': return fail(errorOf(message))
        }
      })
      worker.on('error', (error) => { fail(error instanceof Error ? error : new Error(String(error))) })
      worker.on('exit', () => {
        fail(new BacktapeError('STRATEGY_FAILED', 'Cannot go on: a strategy ended its thread (process.exit)', {}))
      })
    })
    // Whoever waits for it is told; before that nobody does.
    this.outcomes.catch(() => undefined)
  }

  stop(): void {
    this.#worker.postMessage('stop')
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }
}

/** Passes of a run on other threads. */
export class WorldThreads implements OtherPasses {
  readonly #threads: readonly WorldThread[]
  readonly #stop = (): void => { for (const thread of this.#threads) thread.stop() }

  constructor(runs: readonly ThreadRun[], private readonly options: BacktestOptions) {
    const noted = new Set<string>()
    // All passes note the same of the same files.
    const onNote = (sentence: string): void => {
      if (!noted.has(sentence)) options.onNote?.(sentence)
      noted.add(sentence)
    }
    this.#threads = runs.map((run) => new WorldThread(run, { ...options, onNote }))
    options.signal?.addEventListener('abort', this.#stop)
    if (options.signal?.aborted === true) this.#stop()
  }

  get hasFailed(): boolean {
    return this.#threads.some(({ error }) => error !== null)
  }

  async outcomes(): Promise<readonly WorldOutcome[]> {
    return (await Promise.all(this.#threads.map(({ outcomes }) => outcomes))).flat()
  }

  /** Ends the threads, also in the middle of their passes. */
  async close(): Promise<void> {
    this.options.signal?.removeEventListener('abort', this.#stop)
    await Promise.all(this.#threads.map((thread) => thread.close()))
  }
}
