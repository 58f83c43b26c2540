import type { BacktestOptions } from '../../backtest/backtest-options.js'
import { runBacktest } from '../../backtest/run-backtest.js'
import { setsOf } from '../../configuration/run-strategies.js'
import type { RunOptions } from '../../configuration/run-options.js'
import { BacktapeError } from '../../model/error.js'
import { SILENCE_NS, silenceCountsOf } from '../../model/silence.js'
import { epochNsFromText, isoFromEpochNs } from '../../model/time.js'
import type { BacktestResult } from '../../results/backtest-result.js'
import { isInstrumentDays } from '../../tickfile/data-input.js'
import { knownTerms } from '../known-terms-reader.js'
import {
  answerTimes, compareOrders, foundQueue, type AnswerTimes, type ComparedOrder, type FoundQueue,
} from './live-comparison.js'
import { OrderTracks, type OrderTrack } from './order-tracks.js'
import { sideTotals, type KnownTerms, type SideTotals } from './side-totals.js'

/** A live run beside its backtest. */
export interface LiveComparison {
  /** Span of both, ISO-8601 in UTC. */
  readonly from: string
  readonly to: string
  /** True where no order differs. */
  readonly isEqual: boolean
  /** Orders that differ, in the order of the live run. */
  readonly orders: readonly ComparedOrder[]
  /** From request to answer. */
  readonly latency: { readonly live: AnswerTimes; readonly backtest: AnswerTimes }
  readonly queue: FoundQueue
  readonly totals: { readonly live: SideTotals; readonly backtest: SideTotals }
  /** Sentences about what is not compared. */
  readonly notes: readonly string[]
}

/** The parts of a comparison. */
export interface LiveComparisonParts {
  /** The journal, as errors name it. */
  readonly name: string
  readonly tracks: OrderTracks
  /** The run file's options; its data are those to compare over. */
  readonly options: RunOptions
  /** Epoch nanoseconds; the end does not belong to it. */
  readonly from: bigint
  readonly to: bigint
  readonly extras?: Pick<BacktestOptions, 'signal' | 'cache' | 'onProgress' | 'onNote'>
}

/** The orders of a live run's journal. Throws FILE_UNREADABLE where it is none, or lines are missing. */
export async function readLiveOrders(name: string, lines: AsyncIterable<string>): Promise<OrderTracks> {
  const tracks = new OrderTracks()
  const fault = (why: string): BacktapeError => (
    new BacktapeError('FILE_UNREADABLE', `Cannot compare ${name}: ${why}`, { file: name, line: tracks.lineCount }))
  for await (const text of lines) {
    try {
      tracks.line(text)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      throw fault(`line ${String(tracks.lineCount)} is no line of a journal, or is cut off`)
    }
    const [, number] = /"seq":(\d+)/.exec(text) ?? []
    const line = tracks.lineCount
    if (number !== String(line - 1)) throw fault(`lines are missing before line ${String(line)}`)
    if (text.includes('"side":"exchange"'))
      throw fault('it is the journal of a backtest, which has lines of the exchange; that of a live run is needed')
  }
  if (tracks.lineCount === 0) throw fault('it has no lines')
  return tracks
}

/**
 * Plays a live run's configuration as a backtest over its data, and compares the orders of both by their places in
 * their accounts. Throws OPTION_INVALID where the run file has no such account or the data do not cover the run, and
 * what `runBacktest` throws.
 */
export async function compareLive(parts: LiveComparisonParts): Promise<LiveComparison> {
  const { name, tracks, options, from, to, extras = {} } = parts
  const rename = accountsBetween(name, tracks.orders, options)
  const played = new OrderTracks()
  const [result] = await runBacktest({
    ...options, ...extras, parameters: setsOf(options.parameters), from, to, tables: 'none',
    journal: () => ({ write: (line: string) => { played.line(line) } }),
  })
  if (result === undefined) throw new RangeError('no result')
  const files = options.data.filter((one) => typeof one === 'string' || isInstrumentDays(one))
  const terms = await termsOf(files, extras.signal)
  refuseUncovered(result, parts, terms)
  const backtest = played.orders.map((order) => ({ ...order, account: rename(order.account) }))
  const { differing, pairs } = compareOrders(tracks.orders, backtest)
  const foreign = tracks.foreignFillCount
  return {
    from: isoFromEpochNs(from), to: isoFromEpochNs(to), isEqual: differing.length === 0, orders: differing,
    latency: { live: answerTimes(tracks.orders), backtest: answerTimes(backtest) }, queue: foundQueue(pairs),
    totals: sideTotals(tracks.orders, backtest, terms),
    notes: [
      ...(foreign === 0 ? [] : [`${String(foreign)} fills of the live run are of orders that it did not send`]),
      ...(result.summary.stop === null ? [] : [`the strategy stopped in the backtest: ${result.summary.stop.reason}`]),
    ],
  }
}

async function termsOf(
  files: Parameters<typeof knownTerms>[0], signal: Parameters<typeof knownTerms>[1],
): Promise<KnownTerms> {
  const known = await knownTerms(files, signal)
  return {
    instruments: new Map([...known].map(([id, { instrument }]) => [id, instrument])),
    underlyings: new Map([...known.values()].flatMap(({ underlyings }) => underlyings.map((one) => [one.id, one]))),
  }
}

/** Names of accounts of the backtest as the live run has them: of one account each, whatever their names are. */
function accountsBetween(
  name: string, orders: readonly OrderTrack[], { accounts }: RunOptions,
): (account: string) => string {
  const live = [...new Set(orders.map(({ account }) => account))]
  const known = Object.keys(accounts ?? { account: null })
  const [only] = live
  if (live.length <= 1 && known.length === 1) return (account) => only ?? account
  const lacking = live.find((account) => !known.includes(account))
  if (lacking === undefined) return (account) => account
  const sentence = `Cannot compare ${name}: the run file must state balances and fees of account ${lacking} in ` +
    `accounts, found ${known.join(', ')}`
  throw new BacktapeError('OPTION_INVALID', sentence, { field: 'accounts', expected: lacking, found: known.join(', ') })
}

/** Throws OPTION_INVALID where an instrument that was traded is silent at an end of the run. */
function refuseUncovered(
  { summary: { markets } }: BacktestResult, { name, from, to, tracks }: LiveComparisonParts, terms: KnownTerms,
): void {
  const traded = new Set(tracks.orders.map(({ instrumentId }) => instrumentId))
  for (const { instrument, instrumentId, firstEvent, lastEvent } of markets) {
    if (!traded.has(instrumentId)) continue
    const roomNs = BigInt(SILENCE_NS[silenceCountsOf(terms.instruments.get(instrumentId)?.type ?? '')])
    const isCovered = firstEvent !== null && lastEvent !== null &&
      epochNsFromText(firstEvent, null) - from <= roomNs && to - epochNsFromText(lastEvent, null) <= roomNs
    if (isCovered) continue
    const expected = `${isoFromEpochNs(from)} to ${isoFromEpochNs(to)}`
    const found = `${firstEvent ?? '?'} to ${lastEvent ?? '?'}`
    const sentence = `Cannot compare ${name}: the data of ${instrument} must cover ${expected}, found ${found}`
    throw new BacktapeError('OPTION_INVALID', sentence, { field: 'data', expected, found })
  }
}
