import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { playPaper, type PaperOptions, type PaperResult } from '../../src/live/paper/run-paper.js'
import type { BacktestResult } from '../../src/results/backtest-result.js'
import { openServing } from '../../src/serve/serving-server.js'
import type { ReplaySpeed } from '../../src/serve/serve-options.js'
import type { ParameterConfig } from '../../src/strategy/parameter-values.js'

interface Played<Result> {
  readonly lines: readonly string[]
  readonly result: Result
}

/** The journal of a backtest, both sides of it, and its result. */
export async function backtestJournal(options: BacktestOptions): Promise<Played<BacktestResult>> {
  const lines: string[] = []
  const parameters = (options.parameters ?? {}) as ParameterConfig
  const result = await runBacktest({ ...options, parameters, journal: () => ({ write: (line) => lines.push(line) }) })
  return { lines, result }
}

/** The same of a paper run over a server that replays the days of the options. */
export async function paperJournal(
  options: BacktestOptions, { speed = 'lockstep', encoding = 'json', ...more }: Partial<PaperOptions> & { readonly speed?: ReplaySpeed, readonly encoding?: 'json' | 'sbe' } = {},
): Promise<Played<PaperResult> & { readonly notes: readonly string[] }> {
  const { strategy: _, strategies: __, parameters: ___, ...rest } = options
  const serving = await openServing({ ...rest, httpPort: 0, replay: { speed } })
  const lines: string[] = []
  const notes: string[] = []
  try {
    // A replay that is over says so when its server closes.
    const played = serving.run().then(() => serving.close())
    const { from: _from, to: _to, ...run } = options
    const result = await playPaper({
      run, feed: serving.addresses.feeds.map(({ json, sbe, market }) => ({ url: encoding === 'json' ? json : sbe, market })),
      apiKey: serving.addresses.keys[0], directory: serving.addresses.http,
      journal: { write: (line) => lines.push(line) }, onNote: (note) => notes.push(note), ...more,
    })
    await played
    return { lines, result, notes }
  } finally {
    await serving.close()
  }
}
