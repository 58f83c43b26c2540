import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { runLive } from '../../src/live/run-live.js'
import type { LiveResult } from '../../src/live/live-options.js'
import type { BacktestResult } from '../../src/results/backtest-result.js'
import { openServing } from '../../src/serve/serving-server.js'
import type { ParameterConfig } from '../../src/strategy/parameter-values.js'
import type { Strategy } from '../../src/strategy/strategy.js'

/** The encoding and the transport between the two. */
export interface Wire {
  readonly encoding: 'json' | 'sbe'
  readonly transport: 'websocket' | 'domainSocket'
}

export const WIRES: readonly Wire[] = [
  { encoding: 'json', transport: 'websocket' }, { encoding: 'sbe', transport: 'domainSocket' },
  { encoding: 'json', transport: 'domainSocket' },
]

/** Lines that are of the client's side, without their number: what the strategy sent, received, and wrote down itself. */
function ownLines(lines: readonly string[]): string[] {
  return lines.flatMap((line) => {
    const { seq: _, ...rest } = JSON.parse(line) as { seq: number, side: string, kind: string }
    return rest.side === 'local' && rest.kind !== 'gap' ? [JSON.stringify(rest)] : []
  })
}

export async function backtestLines(options: BacktestOptions): Promise<string[]> {
  return (await backtestRun(options)).lines
}

/** The run with its result. */
export async function backtestRun(options: BacktestOptions): Promise<{ readonly lines: string[], readonly result: BacktestResult }> {
  const lines: string[] = []
  const parameters = options.parameters as ParameterConfig
  const result = await runBacktest({ ...options, parameters, journal: () => ({ write: (line) => lines.push(line) }) })
  return { lines: ownLines(lines), result }
}

/** The same run over sockets, in lock-step. */
export async function liveLines(options: BacktestOptions, { encoding, transport }: Wire): Promise<{ readonly lines: string[], readonly steps: number, readonly result: LiveResult }> {
  const { strategy, parameters, strategies: _, entryStates = {}, shuffleSeed, ...rest } = options
  const folder = await mkdtemp(join(tmpdir(), 'backtape-live-'))
  const serving = await openServing({
    ...rest, httpPort: 0, domainSocket: join(folder, 's.sock'), replay: { speed: 'lockstep' },
  })
  const lines: string[] = []
  const notes: string[] = []
  try {
    const played = serving.run()
    const result = await runLive({
      strategy: strategy as new () => Strategy, parameters: (parameters ?? {}) as never,
      feed: serving.addresses.feeds.map(({ json, sbe, market }) => ({ url: encoding === 'json' ? json : sbe, market })),
      apiKey: serving.addresses.keys[0], backend: serving.addresses.http, accountId: serving.addresses.accounts,
      seed: options.seed ?? 1, transport, entryStates, ...(shuffleSeed === undefined ? {} : { shuffleSeed }), journal: { write: (line) => lines.push(line) }, onNote: (note) => notes.push(note),
    })
    await played
    return { lines: ownLines(lines), steps: result.stepCount, result }
  } finally {
    await serving.close()
    await rm(folder, { recursive: true })
  }
}
