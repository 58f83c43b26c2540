import type { BacktestOptions } from '../backtest/backtest-options.js'
import { BacktapeError } from '../model/error.js'
import { checkedSort, checkMeasure } from '../backtest/sort-check.js'
import { bestSet } from './best-set.js'
import {
  boundsOf, checkPartable, drawCountOf, hasEvents, isStop, playPart, setsOf, tripsOfPart, withoutTables,
  type ChoiceOptions, type PartBounds, type PartResult,
} from './part-run.js'
import { splitParts } from './part-plan.js'
import { optionsOfLegs } from './parts-progress.js'
import { randomBaseline, type RandomBaseline } from './random-baseline.js'
import { presentPart, runStretch } from './run-stretch.js'

/** The options of a split run. */
export interface SplitOptions extends ChoiceOptions {
  /**
   * `60/40`: shares of its time in percent; or times after a comma each, at which the next part begins: `2024-07-19`.
   */
  readonly split: string
}

/** All sets on one part. */
export interface SplitPart extends PartBounds {
  /** By number of the set. */
  readonly results: readonly PartResult[]
  /** Random entries beside the chosen set, by underlying; null where none was asked for, or it was stopped. */
  readonly baseline: readonly RandomBaseline[] | null
}

/** The outcome of a split run. */
export interface SplitResult {
  /** The measure by which the set was chosen. */
  readonly sort: string
  /** Sets that were tried. */
  readonly setCount: number
  /** The number of the set that was best on the first part alone. */
  readonly chosen: number
  /** In order of time; the first is the one of the choice. */
  readonly parts: readonly SplitPart[]
  /** True where it was stopped: the parts are those that were played to their ends. */
  readonly isPartial: boolean
}

/**
 * Runs every parameter set over parts of the data, chooses the best one on the first part, and reports it on all. Each
 * part is a run of its own over [from, to): fresh accounts, open positions valued at its end as any run values them.
 * Nothing of a later part reaches the choice, which is made before it is played. Of equal sets the first is chosen.
 *
 * A stop by `signal` ends it with the parts so far; in the first part it throws STOPPED, as nothing is chosen.
 *
 * Throws OPTION_INVALID for parts that do not add up or lie outside of the data, and what `runBacktest` throws.
 *
 * @example
 * ```ts
 * import { runSplit, Parameter, Strategy, TradingInstrument } from 'backtape'
 * class Buyer extends Strategy {
 *   @Parameter(TradingInstrument) instrument!: TradingInstrument
 *   @Parameter(Number) atMs = 1000
 *   override onStart(): void {
 *     this.after(this.atMs, () => {
 *       const quantity = this.instrument.quantity('10')
 *       this.instrument.placeOrder({ side: 'BID', quantity, type: 'MARKET', timeInForce: 'IMMEDIATE_OR_CANCEL' })
 *     })
 *   }
 * }
 * const { chosen, parts } = await runSplit({
 *   strategy: Buyer,
 *   data: ['datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst'],
 *   from: '23:55', to: '23:56',
 *   parameters: [1000, 20_000].map((atMs) => ({ instrument: 'XRPUSDT', atMs })),
 *   account: { balances: { USDT: '1000' } },
 * }, { split: '60/40', baseline: 100 })
 * if (parts.length !== 2 || chosen > 1) throw new Error('two parts, one choice')
 * ```
 */
export async function runSplit(options: BacktestOptions, how: SplitOptions): Promise<SplitResult> {
  const { split } = how
  const draws = drawCountOf(how.baseline)
  if (how.sort !== undefined) checkMeasure(how.sort)
  checkPartable(options)
  const data = await runStretch(options)
  const wholes = splitParts(split, data.stretch)
  const [first] = wholes
  const sort = await checkedSort(options, how.sort, first === undefined ? 0 : first.toNs - first.fromNs)
  const planned = wholes.map((whole) => {
    const { part, missing } = presentPart(whole, data)
    if (part === null) throw emptyPart(boundsOf(whole, data.stretch, missing))
    return { ...boundsOf(part, data.stretch, missing), lengthNs: part.toNs - part.fromNs }
  })
  const sets = setsOf(options)
  // The sets of each part; then of each part the chosen one, and its best prices.
  const legs = optionsOfLegs(options, [
    ...planned.map(({ lengthNs }) => ({ lengthNs, runCount: sets.length })),
    ...(draws === 0 ? [] : planned.flatMap(({ lengthNs }) => [{ lengthNs, runCount: 1 }, { lengthNs, runCount: 1 }])),
  ])
  const results: PartResult[][] = []
  let chosen = 0
  let isPartial = false
  for (const [number, bounds] of planned.entries()) {
    const own = await playPart(legs[number] ?? options, bounds, sets).catch(stopAfter(results.length))
    if (own === null) {
      isPartial = true
      break
    }
    if (!hasEvents(own)) throw silentPart(bounds)
    results.push(own.map(withoutTables))
    if (number === 0) chosen = bestSet(own, sort).set
  }
  const parts: SplitPart[] = []
  for (const [number, own] of results.entries()) {
    const bounds = planned[number] as PartBounds
    const isDrawn: boolean = draws > 0 && !isPartial
    const baseline: RandomBaseline[] | null =
      isDrawn ? await baselineOf(bounds, number).catch(stopAfter(results.length)) : null
    isPartial ||= draws > 0 && baseline === null
    parts.push({ ...bounds, results: own, baseline })
  }
  return { sort, setCount: sets.length, chosen, parts, isPartial }

  /** Plays the chosen set once more, with its fills. */
  async function baselineOf(bounds: PartBounds, number: number): Promise<RandomBaseline[]> {
    const [again = options, pricing = options] = legs.slice(planned.length + 2 * number)
    const [result] = await playPart(again, bounds, sets.slice(chosen, chosen + 1), 'memory')
    if (result === undefined) return []
    return randomBaseline([tripsOfPart(pricing, bounds, number, result)], draws)
  }
}

/** Makes null of a stop, where a part was played before; throws what else there is. */
function stopAfter(playedCount: number): (error: unknown) => null {
  return (error) => {
    if (playedCount > 0 && isStop(error)) return null
    throw error
  }
}

function emptyPart({ from, to, missing }: PartBounds): BacktapeError {
  const found = `${from} to ${to ?? 'its last event'}, of which none holds ${missing.join(', ')}`
  return splitRefusal('parts of which a file holds a day', found)
}

function silentPart({ from, to }: PartBounds): BacktapeError {
  const found = `none from ${from} to ${to ?? 'the end of the data'}: state a to where the recording ends earlier`
  return splitRefusal('parts that hold events', found)
}

function splitRefusal(expected: string, found: string): BacktapeError {
  return new BacktapeError('OPTION_INVALID', `Cannot split a run: split must be ${expected}, found ${found}`, {
    field: 'split', expected, found,
  })
}
