import { checkParameters, parameterInstruments } from '../strategy/parameter-check.js'
import { ParameterError } from '../strategy/instrument-reference.js'
import { showAs } from '../model/display.js'
import { joinedPath, type Fault } from '../model/fault.js'
import { wallTimeNs } from '../model/wall-client.js'
import { shownResult } from '../results/result-display.js'
import { openDayRecording, recordingFault, type DayRecording } from './day-recording-writer.js'
import { DirectoryRefresh } from './directory-refresh-client.js'
import { cancelOrders } from './farewell-client.js'
import { HostWatch } from './host-watch-client.js'
import type { LiveOptions, LiveResult } from './live-options.js'
import { LiveRun } from './live-run.js'
import { knownVenue, openAccount, openFeed, type KnownMarkets, type LiveSession } from './live-session-client.js'

/** The end of a run. */
interface LiveEnd {
  readonly reason: string
  readonly error: unknown
}

/**
 * Runs a strategy over sockets: against the vendor's hosts, or against `backtape serve`. The class is the same as in a
 * backtest. Resolves when the strategy stops, a replay ends, a host stays away too long or the signal says so; in
 * lock-step with a server of Backtape its fills are those of the backtest. A lost connection is made again outside of
 * lock-step: market data are in state ERROR meanwhile, requests fail, and then the account's whole state is taken.
 *
 * Throws OPTION_INVALID for options and parameters that mean nothing, CONNECTION_FAILED where a server cannot be
 * reached or refuses, STRATEGY_FAILED where the strategy throws.
 *
 * @example
 * ```ts
 * import { runLive, Strategy } from 'backtape'
 * class Idle extends Strategy {}
 * // Nobody listens there.
 * const hosts = { feed: 'ws://127.0.0.1:9/api/v6', backend: 'http://127.0.0.1:9' }
 * const failed: unknown = await runLive({ strategy: Idle, ...hosts, apiKey: 'k', accountId: 'paper' })
 *   .catch((error: unknown) => error)
 * if (!(failed instanceof Error)) throw new Error('not refused')
 * ```
 */
export async function runLive(options: LiveOptions): Promise<LiveResult> {
  return playLive(options, () => undefined)
}

/** The same; `onRun` gets the run before it begins. */
export async function playLive(options: LiveOptions, onRun: (run: LiveRun) => void): Promise<LiveResult> {
  const { strategy, parameters = {}, clientId = 'strategy', signal } = options
  const venue = await knownVenue(options)
  const { accounts, instruments, underlyings, pace, epochDay } = venue
  const faults = checkParameters(strategy, parameters, instruments, accounts)
  if (faults.length > 0) throw new ParameterError(strategy.name, faults)
  let conclude: (end: LiveEnd) => void = () => {}
  const concluded = new Promise<LiveEnd>((resolve) => { conclude = resolve })
  const run = new LiveRun({
    options, clientId, pace, epochDay, instruments, underlyings,
    onEnd: (reason, error) => { conclude({ reason, error }) },
  })
  const hosts = new HostWatch(options.giveUpAfter ?? (pace === 'wall' ? null : '60s'), (reason) => { run.stop(reason) })
  onRun(run)
  const followed = new Set([
    ...parameterInstruments(strategy, parameters, instruments, accounts), ...(options.watch ?? []),
  ])
  for (const id of followed) run.follow(id)
  const recording = await recordingOf(options, venue, run, followed)
  const session: LiveSession = { run, venue, options, hosts, recording }
  const note = (sentence: string): void => { options.onNote?.(sentence) }
  const refresh = pace === 'lockstep' ? null : new DirectoryRefresh({ ...venue.refreshed, onNote: note })
  const onAbort = (): void => { run.stop('stopped by its signal') }
  signal?.addEventListener('abort', onAbort)
  try {
    for (const account of accounts) await openAccount(session, account)
    for (const feed of venue.feeds) await openFeed(session, feed, followed)
    // Of no instrument there is no state to wait for.
    const isAwaiting = [...followed].some((id) => instruments.get(id) !== undefined)
    if (pace !== 'lockstep' && isAwaiting) await run.ready
    if (signal?.aborted === true) onAbort()
    else run.begin()
    const { reason, error } = await concluded
    const { cancelAllAtStop: cancels = false } = options
    const warnings = cancels !== false && !run.isReplayOver ? await cancelOrders(run, cancels === 'own') : []
    for (const sentence of warnings) options.onNote?.(sentence)
    if (error !== undefined) throw error
    const { messageCounts, stepCount, unreadableMessageCount } = run
    const recorded = await recording?.close() ?? []
    const fault = recordingFault(recorded)
    const all = fault === null ? warnings : [...warnings, `not all was recorded: ${fault.message}`]
    return showAs<LiveResult>(
      { ...run.result(all), reason, messageCounts, stepCount, unreadableMessageCount, recorded, warnings }, shownResult)
  } finally {
    signal?.removeEventListener('abort', onAbort)
    refresh?.stop()
    await endSession(run, hosts)
    await recording?.close().catch(() => undefined)
  }
}

/** Begins to record what the feeds of a run send, where that is wished. */
export async function recordingOf(
  { record, onNote }: Pick<LiveOptions, 'record' | 'onNote'>, venue: KnownMarkets, run: Pick<LiveRun, 'heardNs'>,
  followed: Iterable<number>,
): Promise<DayRecording | null> {
  if (record === undefined) return null
  const { instruments, underlyings, epochDay, pace } = venue
  const isOnWall = pace === 'wall'
  return openDayRecording({
    folder: record, instruments, underlyings, epochDay, isOnWall, followed,
    nowNs: () => (isOnWall ? wallTimeNs(epochDay) : run.heardNs),
    onNote: (sentence) => { onNote?.(sentence) },
  })
}

/** The faults of parameters, compared with the instruments and accounts of the hosts, by the paths of a run file. */
export async function hostFaults(options: LiveOptions): Promise<readonly Fault[]> {
  const { strategy, parameters = {} } = options
  const { accounts, instruments } = await knownVenue(options)
  return checkParameters(strategy, parameters, instruments, accounts).map((one) => (
    { ...one, path: joinedPath('parameters', one.path) }))
}

/** Ends the connections of a run: nothing is received any more. */
export async function endSession(run: LiveRun, hosts: HostWatch): Promise<void> {
  run.leave()
  hosts.stop()
  await Promise.allSettled([
    ...run.accounts.map(({ client }) => client?.logout()), ...run.feeds.map(({ client }) => client?.close()),
  ])
}
