import { parentPort, workerData } from 'node:worker_threads'
import { BacktapeError } from '../model/error.js'
import { FaultsError } from '../model/fault.js'
import { loadStrategy, strategySourceDigest } from '../configuration/strategy-module-reader.js'
import type { StrategiesOptions } from '../configuration/run-strategies.js'
import type { LineSink } from '../report/journal.js'
import type { BacktestOptions } from './backtest-options.js'
import { playWorlds } from './run-backtest.js'
import { BACKLOG_BYTES, type ThreadMessage, type ThreadRun, type ThreadStrategy } from './thread-run.js'

/** Characters of lines that are sent at once. */
const BUNDLE_LENGTH = 262_144

const port = parentPort
const run = workerData as ThreadRun
const controller = new AbortController()

function send(message: ThreadMessage): void {
  port?.postMessage(message)
}

/** The lines of one journal on their way to the thread that writes them. */
class SentLines implements LineSink {
  #lines: string[] = []
  #length = 0

  constructor(private readonly number: number, private readonly backlog: Int32Array) {}

  write(line: string): void {
    this.#lines.push(line)
    this.#length += line.length
    if (this.#length >= BUNDLE_LENGTH) this.flush()
  }

  flush(): void {
    if (this.#lines.length === 0) return
    for (let bytes = Atomics.load(this.backlog, 0); bytes > BACKLOG_BYTES; bytes = Atomics.load(this.backlog, 0))
      Atomics.wait(this.backlog, 0, bytes)
    Atomics.add(this.backlog, 0, this.#length)
    send({ type: 'lines', number: this.number, lines: this.#lines, sizeBytes: this.#length })
    this.#lines = []
    this.#length = 0
  }
}

async function loaded({ reference, digest }: ThreadStrategy): Promise<NonNullable<StrategiesOptions['strategy']>> {
  const strategy = await loadStrategy(reference, '.')
  if (strategySourceDigest(strategy) === digest) return strategy
  throw new BacktapeError(
    'STRATEGY_NOT_FOUND', `Cannot run ${reference} on two threads: its sources changed since the run began`,
    { field: 'strategy' },
  )
}

async function strategiesOf({ strategies }: ThreadRun): Promise<StrategiesOptions> {
  const [only] = strategies
  if (only?.name === null) return { strategy: await loaded(only) }
  return {
    strategies: await Promise.all(strategies.map(async (one) => ({
      strategy: await loaded(one), ...(one.name === null ? {} : { name: one.name }),
      ...(one.parameters === undefined ? {} : { parameters: one.parameters }),
    }))),
  }
}

async function play(): Promise<void> {
  const backlog = new Int32Array(run.backlog)
  const sinks = new Map(run.numbers.map((number) => [number, new SentLines(number, backlog)]))
  const options: BacktestOptions = {
    ...run.options, ...(await strategiesOf(run)), signal: controller.signal,
    onNote: (sentence) => { send({ type: 'note', sentence }) },
    ...(run.sendsLines ? { journal: (number) => sinks.get(number) as SentLines } : {}),
  }
  const outcomes = await playWorlds(options, run.numbers)
  for (const sink of sinks.values()) sink.flush()
  send({ type: 'played', outcomes })
}

port?.on('message', () => { controller.abort() })
play().catch((error: unknown) => {
  const known = error instanceof BacktapeError ? error : null
  send({
    type: 'failed', code: known?.code ?? null, place: known?.place ?? {},
    message: known?.message ?? (error instanceof Error ? (error.stack ?? error.message) : String(error)),
    faults: error instanceof FaultsError ? error.faults : null,
  })
}).finally(() => { port?.unref() })
