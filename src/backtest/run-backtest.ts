import type { ParameterConfig } from '../strategy/parameter-values.js'
import type { BacktestOptions } from './backtest-options.js'
import type { BacktestResult } from '../results/backtest-result.js'
import type { StretchRecorder } from '../results/stretch-recorder.js'
import { Passes, type RunTimes } from './passes.js'
import type { RunOutside } from './run-outside.js'

/**
 * Runs a strategy over recorded days and says what it did. Deterministic: the same inputs, configuration and seed give
 * the same journal byte for byte. An array of parameters gives an array of results, each equal to that of a run alone.
 *
 * A class that is handed over is run as it stands: nothing is known of its source, so calls of `Date.now` or
 * `Math.random` in it are not noted, as the command line does for modules of run files. A strategy that calls
 * `process.exit` ends the program; the command line ends its run as failed.
 *
 * Throws OPTION_INVALID for a configuration that means nothing, STRATEGY_FAILED where the strategy throws, and the
 * errors of the files.
 *
 * @example
 * ```ts
 * import { runBacktest, Strategy, Parameter, TradingInstrument } from 'backtape'
 * class OneBid extends Strategy {
 *   @Parameter(TradingInstrument) instrument!: TradingInstrument
 *   override onStart(): void {
 *     this.after(60_000, () => this.bid())
 *   }
 *   bid(): void {
 *     const { bestBid } = this.instrument
 *     if (bestBid === null) return
 *     const quantity = this.instrument.quantity('100')
 *     this.instrument.placeOrder({ side: 'BID', quantity, price: bestBid.price })
 *   }
 * }
 * const result = await runBacktest({
 *   strategy: OneBid,
 *   data: ['datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst'],
 *   parameters: { instrument: 'XRPUSDT' },
 *   account: { balances: { USDT: '1000' }, fees: { maker: '0.0002', taker: '0.0005' } },
 * })
 * if (!result.fingerprint.startsWith('bt3:')) throw new Error(result.fingerprint)
 * ```
 */
export async function runBacktest(
  options: BacktestOptions & { readonly parameters: readonly ParameterConfig[] },
): Promise<BacktestResult[]>
export async function runBacktest(
  options: BacktestOptions & { readonly parameters?: ParameterConfig },
): Promise<BacktestResult>
export async function runBacktest(options: BacktestOptions): Promise<BacktestResult | BacktestResult[]> {
  return playBacktest(options, null)
}

/** The same of one world, and with a program around it. */
export async function playInstance(options: BacktestOptions, outside: RunOutside): Promise<BacktestResult> {
  const [result] = await new Passes(options, null, outside).play()
  return result as BacktestResult
}

/**
 * The same, and of the first world a stretch is watched that the times of the run say: null for none. Behind the
 * stretch the run ends.
 */
export async function playBacktest(
  options: BacktestOptions, stretchOf: ((times: RunTimes) => StretchRecorder | null) | null,
): Promise<BacktestResult | BacktestResult[]> {
  const results = await new Passes(options, stretchOf).play()
  const [only] = results
  return Array.isArray(options.parameters) || only === undefined ? results : only
}
