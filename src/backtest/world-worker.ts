import { parentPort, workerData } from 'node:worker_threads'
import { BacktapeError } from '../model/error.js'
import { FaultsError } from '../model/fault.js'
import { loadStrategy, strategySourceDigest } from '../configuration/strategy-module-reader.js'
import type { StrategiesOptions } from '../configuration/run-strategies.js'
import type { JournalSink, LineSink, OpenJournal, SegmentSink } from '../report/journal-sink.js'
import type { BacktestOptions } from './backtest-options.js'
import { playWorlds } from './passes.js'
import {
  BACKLOG_BYTES, type JournalForm, type ThreadMessage, type ThreadOrder, type ThreadRun, type ThreadStart,
  type ThreadStrategy,
} from './thread-run.js'

/** Characters of lines that are sent at once. */
const BUNDLE_LENGTH = 262_144

const port = parentPort
const { run, journals, backlog: word, isReporting } = workerData as ThreadStart
const backlog = new Int32Array(word)
const controller = new AbortController()
let isGivenUp = false

function send(message: ThreadMessage): void {
  port?.postMessage(message)
}

/** Waits until a journal may send so many bytes more. */
function awaitRoom(sizeBytes: number): void {
  for (let bytes = Atomics.load(backlog, 0); bytes > BACKLOG_BYTES; bytes = Atomics.load(backlog, 0))
    Atomics.wait(backlog, 0, bytes)
  Atomics.add(backlog, 0, sizeBytes)
}

/** The lines of one journal on their way to the thread that writes them. */
class SentLines implements LineSink {
  #lines: string[] = []
  #length = 0

  constructor(private readonly number: number) {}

  write(line: string): void {
    this.#lines.push(line)
    this.#length += line.length
    if (this.#length >= BUNDLE_LENGTH) this.finish()
  }

  finish(): void {
    if (this.#lines.length === 0) return
    awaitRoom(this.#length)
    send({ type: 'lines', number: this.number, lines: this.#lines, sizeBytes: this.#length })
    this.#lines = []
    this.#length = 0
  }
}

/** The segments of one journal on their way there. */
class SentSegments implements SegmentSink {
  #journal: OpenJournal | null = null

  constructor(private readonly number: number) {}

  open(journal: OpenJournal): void {
    this.#journal = journal
  }

  writeSegment(bytes: Uint8Array): void {
    awaitRoom(bytes.length)
    // A copy: the journal uses its bytes again.
    send({ type: 'segment', number: this.number, bytes: bytes.slice() })
  }

  finish(): void {
    const journal = this.#journal
    if (journal === null) return
    const end = { lineCount: journal.lineCount, digest: journal.digest(), openSegment: journal.openSegment() }
    send({ type: 'journal', number: this.number, end })
  }
}

function sentJournal(number: number, form: JournalForm): SentLines | SentSegments {
  return form === 'lines' ? new SentLines(number) : new SentSegments(number)
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
  const sinks = new Map([...journals].map(([number, form]) => [number, sentJournal(number, form)]))
  const options: BacktestOptions = {
    ...run.options, ...(await strategiesOf(run)), signal: controller.signal,
    onNote: (sentence) => { send({ type: 'note', sentence }) },
    ...(sinks.size > 0 ? { journal: (number) => sinks.get(number) as JournalSink } : {}),
  }
  try {
    await playWorlds(options, run, {
      take: (outcomes) => { send({ type: 'ended', outcomes }) }, isGivenUp: () => isGivenUp,
      report: isReporting ? (progress) => { send({ type: 'progress', progress }) } : null,
    })
  } finally {
    // Also the journals of a run that failed, up to there.
    for (const sink of sinks.values()) sink.finish()
  }
  send({ type: 'played' })
}

port?.on('message', (message: ThreadOrder) => {
  if (message === 'stop') controller.abort()
  else isGivenUp = true
})
play().catch((error: unknown) => {
  const known = error instanceof BacktapeError ? error : null
  send({
    type: 'failed', code: known?.code ?? null, place: known?.place ?? {},
    message: known?.message ?? (error instanceof Error ? (error.stack ?? error.message) : String(error)),
    faults: error instanceof FaultsError ? error.faults : null,
  })
}).finally(() => { port?.unref() })
