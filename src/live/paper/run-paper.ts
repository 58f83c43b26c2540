import { playInstance } from '../../backtest/run-backtest.js'
import { accountEntries, type AccountsOptions } from '../../configuration/account-options.js'
import { namedAccounts } from '../../configuration/named-accounts.js'
import type { RunOptions } from '../../configuration/run-options.js'
import { runStrategies, setsOf } from '../../configuration/run-strategies.js'
import { durationOf } from '../../model/duration.js'
import { NS_PER_MS, epochNsFromTime } from '../../model/time.js'
import { stoppedError } from '../../model/stop-signal.js'
import { showAs } from '../../model/display.js'
import type { BacktestResult } from '../../results/backtest-result.js'
import { shownResult } from '../../results/result-display.js'
import { ParameterError } from '../../strategy/instrument-reference.js'
import type { StrategyAccount } from '../../strategy/instrument-registry.js'
import { checkParameters, parameterInstruments } from '../../strategy/parameter-check.js'
import { isInstrumentDays } from '../../tickfile/data-input.js'
import type { DayRecording } from '../day-recording-writer.js'
import { HostWatch } from '../host-watch-client.js'
import { liveOptionError } from '../live-option-error.js'
import type { LiveOptions, RecordedDayFile } from '../live-options.js'
import { knownMarkets, openFeed, type KnownMarkets } from '../live-session-client.js'
import { recordingOf } from '../run-live.js'
import { PaperMarket } from './paper-market-client.js'
import { PaperOutside } from './paper-outside.js'

/** So far a run stays behind its feed where nothing else is said. */
const DEFAULT_LAG = '1s'

/** The options of a paper run. */
export interface PaperOptions extends Pick<
  LiveOptions, 'feed' | 'apiKey' | 'watch' | 'giveUpAfter' | 'record' | 'journal' | 'signal' | 'onNote' | 'onLog'
> {
  /**
   * The backtest that it is, of one set of parameters: its strategies, accounts, assumptions. Files of its data state
   * the terms of instruments where the directory does not, and warm bars up; `from` and `to` are not read.
   */
  readonly run: RunOptions
  /** Where the instrument directory is. */
  readonly directory: string
  /** Accounts by name; one that the run does not state has money of its own. Default: those that it states. */
  readonly accountId?: readonly string[]
  /**
   * The run stays so far behind the feed, as a duration from 1ms to 1min: lines that come within it are put in the
   * order of their times. Default 1s.
   */
  readonly lag?: string
  /** False: orders that are open when the run ends are left. Default true. */
  readonly cancelsAtStop?: boolean
}

/** The end of a paper run: the result of a backtest. */
export interface PaperResult extends BacktestResult {
  /** Why it ended. */
  readonly reason: string
  /** Messages of feeds that could not be read. */
  readonly unreadableMessageCount: number
  /** Days that `record` has written, by their paths. */
  readonly recorded: readonly RecordedDayFile[]
}

/**
 * Runs a strategy over live feeds whose orders go to the simulated exchange, in this process: the backtest of the day
 * that is being sent. The run stays a lag behind the feed, and so exchange and strategy have one order of events; what
 * comes later than the lag is counted, and its summary says so. Resolves when the strategy stops, a replay ends, a host
 * stays away too long or the signal says so.
 *
 * Throws OPTION_INVALID for options and parameters that mean nothing, CONNECTION_FAILED where a server cannot be
 * reached or refuses, STRATEGY_FAILED where the strategy throws, STOPPED where it is stopped before it begins.
 */
export async function playPaper(options: PaperOptions): Promise<PaperResult> {
  const { run: { data }, signal, onNote } = options
  const note = (sentence: string): void => { onNote?.(sentence) }
  const lagNs = lagOf(options.lag ?? DEFAULT_LAG)
  const venue = await knownMarkets({
    ...options, terms: data.filter((one) => typeof one === 'string' || isInstrumentDays(one)),
  })
  const followed = followedIds(options, venue)
  let end = (_reason: string): void => {}
  const market = new PaperMarket({ venue, followed, lagNs, onNote: note, onStop: (reason) => { end(reason) } })
  const { pace } = venue
  const hosts = new HostWatch(
    options.giveUpAfter ?? (pace === 'wall' ? null : '60s'), (reason) => { market.stop(reason) })
  const recording = await recordingOf(options, venue, market, followed)
  const onAbort = (): void => { end('stopped by its signal') }
  signal?.addEventListener('abort', onAbort)
  try {
    for (const feed of venue.feeds) await openFeed({ run: market, venue, options, hosts, recording }, feed, followed)
    await readyOrStopped(market, signal)
    const run = paperRun(options, venue, market, followed)
    end = run.end
    if (market.endReason !== null && !market.isReplayOver) end(market.endReason)
    return await finished(await run.play(), { market, recording, reason: run.reason, note })
  } finally {
    signal?.removeEventListener('abort', onAbort)
    market.leave()
    hosts.stop()
    await Promise.allSettled(market.feeds.flatMap(({ client }) => (client === null ? [] : [client.close()])))
    await recording?.close().catch(() => undefined)
  }
}

function lagOf(text: string): number {
  const ns = durationOf(text, { leastNs: NS_PER_MS, mostNs: 60_000 * NS_PER_MS })
  if (typeof ns === 'string') throw liveOptionError('lag', ns, JSON.stringify(text))
  return ns
}

/** Instruments that the run follows. Throws OPTION_INVALID for parameters that mean nothing. */
function followedIds(options: PaperOptions, { instruments, feeds }: KnownMarkets): ReadonlySet<number> {
  const { run, accountId, watch = [] } = options
  const [set = {}] = setsOf(run.parameters)
  const stated = new Map(accountEntries(run))
  const accounts = (accountId ?? [...stated.keys()]).map((text): StrategyAccount => {
    const [name = '', exchange] = text.split(':')
    return { accountId: name, exchangeCode: exchange ?? stated.get(name)?.exchange ?? feeds[0]?.market ?? null }
  })
  const followed = new Set(watch)
  for (const { strategy, parametersOf } of runStrategies(run)) {
    const parameters = parametersOf(set)
    const faults = checkParameters(strategy, parameters, instruments, accounts)
    if (faults.length > 0) throw new ParameterError(strategy.name, faults)
    for (const id of parameterInstruments(strategy, parameters, instruments, accounts)) followed.add(id)
  }
  if (followed.size > 0) return followed
  throw liveOptionError('parameters', 'values that name at least one instrument, as no other is simulated', 'none')
}

/** The accounts of the run: those that it names, of which its options state some. */
function paperAccounts(
  { run: { account, accounts }, accountId, onNote }: PaperOptions, { instruments, underlyings }: KnownMarkets,
  followed: ReadonlySet<number>,
): AccountsOptions {
  const own = { ...(account === undefined ? {} : { account }), ...(accounts === undefined ? {} : { accounts }) }
  if (accountId === undefined) return own
  const stated = account === undefined && accounts === undefined ? [] : accountEntries(own)
  const known = stated.filter(([name]) => accountId.includes(name))
  const made = namedAccounts(
    accountId.filter((name) => !known.some(([one]) => one === name)),
    [...followed].flatMap((id) => instruments.get(id)?.instrument ?? []), underlyings.entries)
  for (const sentence of made.sentences) onNote?.(sentence)
  return { accounts: { ...Object.fromEntries(known), ...made.accounts } }
}

async function readyOrStopped(market: PaperMarket, signal: PaperOptions['signal']): Promise<void> {
  let stop = (): void => {}
  const stopped = new Promise<void>((resolve) => { stop = resolve })
  signal?.addEventListener('abort', stop)
  if (signal?.aborted === true) stop()
  await Promise.race([market.ready, stopped])
  signal?.removeEventListener('abort', stop)
  if (signal?.aborted === true) throw stoppedError('the paper run', signal)
}

interface PaperRun {
  readonly reason: () => string
  readonly end: (reason: string) => void
  readonly play: () => Promise<BacktestResult>
}

/** The backtest that the run is, from now on. */
function paperRun(
  options: PaperOptions, venue: KnownMarkets, market: PaperMarket, followed: ReadonlySet<number>,
): PaperRun {
  const { run: { account: _, accounts: __, to: ___, signal: ____, ...run }, cancelsAtStop = true } = options
  const { onLog, onNote, journal } = options
  const input = market.begin()
  let reason: string | null = null
  const end = (why: string): void => {
    reason ??= why
    outside.end()
    market.close()
  }
  const outside: PaperOutside = new PaperOutside({
    market: input, wishAtStop: cancelsAtStop ? 'cancel' : 'stop',
    stoppedCount: runStrategies(run).length,
    onStopped: (why) => {
      reason ??= why
      market.close()
    },
    onNote: (sentence) => { onNote?.(sentence) }, onLog: (text) => { onLog?.(text) },
  })
  return {
    end, reason: () => reason ?? market.endReason ?? 'the data have ended',
    play: () => playInstance({
      ...run, ...paperAccounts(options, venue, followed),
      from: epochNsFromTime(input.live?.fromNs ?? 0, venue.epochDay),
      ...(onNote === undefined ? {} : { onNote }), ...(journal === undefined ? {} : { journal: () => journal }),
    }, outside),
  }
}

/** The result with what only a live run has. */
async function finished(
  result: BacktestResult,
  { market, recording, reason, note }: {
    readonly market: PaperMarket, readonly recording: DayRecording | null, readonly reason: () => string,
    readonly note: (sentence: string) => void
  },
): Promise<PaperResult> {
  const { unreadableCount: unreadableMessageCount } = market
  if (unreadableMessageCount > 0)
    note(`${unreadableMessageCount} messages of the feed could not be read: their instruments were subscribed again`)
  const recorded = await recording?.close() ?? []
  return showAs<PaperResult>({ ...result, reason: reason(), unreadableMessageCount, recorded }, shownResult)
}
