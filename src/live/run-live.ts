import { createFeedClient, readFeedInfo } from '../feed/feed-client.js'
import type { FeedInfo } from '../feed/feed-listener.js'
import { readDirectory } from '../feed/instrument-directory.js'
import { BacktapeError } from '../model/error.js'
import { epochDayFromNs } from '../model/time.js'
import { loginOrderEntry } from '../order-entry/order-entry-client.js'
import { lookUpAdapter } from '../order-entry/adapter-lookup.js'
import { isStep, STEP_OPTION } from '../protocol/lock-step-messages.js'
import { checkParameters, parameterInstruments } from '../strategy/parameter-check.js'
import { ParameterError } from '../strategy/instrument-reference.js'
import type { InstrumentDirectory, UnderlyingDirectory } from '../venue/venue.js'
import type { LivePace } from './live-clock.js'
import type { LiveFeed, LiveOptions, LiveResult } from './live-options.js'
import { LiveRun } from './live-run.js'
import { messageRelay } from './message-relay.js'

const VERSION = '1'
/** After a stop, answers to the last requests are waited for so long. */
const FAREWELL_MS = 5_000

/** A feed of the run with what its host says of itself. */
interface KnownFeed extends Required<LiveFeed> {
  readonly info: FeedInfo
}

/**
 * Runs a strategy over sockets: against the vendor's hosts, or against `backtape serve`. The class is the same as in a
 * backtest. Resolves when the strategy stops, the servers say good-bye or the signal says so; in lock-step with a
 * server of Backtape its fills are those of the backtest.
 *
 * Throws OPTION_INVALID for options and parameters that mean nothing, FEED_REFUSED and ADAPTER_REFUSED where a server
 * refuses, STRATEGY_FAILED where the strategy throws.
 *
 * @example
 * ```ts
 * import { runLive, Strategy } from 'backtape'
 * class Nothing extends Strategy {}
 * // Without a server there is nobody to trade with.
 * const options = { feed: 'ws://127.0.0.1:9/api/v6', apiKey: 'k', backend: 'http://127.0.0.1:9', accountId: 'paper' }
 * const failed = await runLive({ strategy: Nothing, ...options }).catch((error: unknown) => error)
 * if (!(failed instanceof Error)) throw new Error('nobody listens there')
 * ```
 */
export async function runLive(options: LiveOptions): Promise<LiveResult> {
  const feeds = await knownFeeds(options)
  const session = await openSession(options, feeds)
  return await session
}

async function knownFeeds({ feed, apiKey }: LiveOptions): Promise<readonly KnownFeed[]> {
  if (apiKey === undefined || apiKey === '')
    throw optionError('apiKey', 'the key of the feed', 'nothing')
  const feeds = typeof feed === 'string' ? [{ url: feed }] : 'url' in feed ? [feed] : feed
  return await Promise.all(feeds.map(async (one) => {
    const info = await readFeedInfo(one.url)
    const { market } = info.extensions
    const code = one.market ?? (typeof market === 'string' ? market : undefined)
    if (code === undefined)
      throw optionError('feed', 'its market beside its url, as the host does not say it', one.url)
    return { url: one.url, market: code, info }
  }))
}

function optionError(field: string, expected: string, found: string): BacktapeError {
  return new BacktapeError(
    'OPTION_INVALID', `Cannot run live: ${field} must be ${expected}, not ${found}`, { field, expected, found },
  )
}

function paceOf(info: FeedInfo): LivePace {
  const { lockstep, speed } = info.extensions
  if (lockstep === true) return 'lockstep'
  if (info.clock === 'wall') return 'wall'
  return typeof speed === 'number' ? speed : 'max'
}

async function openSession(options: LiveOptions, feeds: readonly KnownFeed[]): Promise<LiveResult> {
  const { apiKey = '', backend, clientId = 'strategy', accountId, transport, onNote, signal } = options
  const [first] = feeds
  if (first === undefined) throw optionError('feed', 'at least one feed', 'none')
  const pace = paceOf(first.info)
  const { epochDay: stated } = first.info.extensions
  const epochDay = typeof stated === 'number' ? stated : epochDayFromNs(BigInt(Date.now()) * 1_000_000n)
  const directories = await Promise.all(
    feeds.map(({ market }) => readDirectory(options.directory ?? backend, market, apiKey)))
  const entries = directories.flatMap((one) => one.entries)
  const byId = new Map(entries.map((entry) => [entry.instrument.id, entry]))
  const instruments: InstrumentDirectory = { entries, get: (id) => byId.get(id) }
  const underlyingsById = new Map(directories.flatMap((one) => one.underlyings.map((each) => [each.id, each] as const)))
  const underlyings: UnderlyingDirectory = {
    entries: [...underlyingsById.values()], get: (id) => underlyingsById.get(id),
  }
  const accountIds = typeof accountId === 'string' ? [accountId] : accountId
  const adapters = await Promise.all(accountIds.map((id) => lookUpAdapter(backend, id)))
  const accounts = accountIds.map((id, at) => {
    const { exchangeId } = adapters[at] ?? { exchangeId: null }
    const entry = entries.find(({ instrument }) => instrument.exchangeId === exchangeId)
    return { accountId: id, exchangeCode: entry?.instrument.exchangeCode ?? first.market }
  })
  const { strategy, parameters = {} } = options
  const faults = checkParameters(strategy, parameters, instruments, accounts)
  if (faults.length > 0) throw new ParameterError(strategy.name, faults)
  const followed = new Set([
    ...parameterInstruments(strategy, parameters, instruments, accounts), ...(options.watch ?? []),
  ])
  let conclude: (end: { readonly reason: string; readonly error: unknown }) => void = () => {}
  const concluded = new Promise<{ readonly reason: string; readonly error: unknown }>((resolve) => { conclude = resolve })
  const run = new LiveRun({
    options, clientId, pace, epochDay, instruments, underlyings,
    onEnd: (reason, error) => { conclude({ reason, error }) },
  })
  for (const id of followed) run.follow(id)
  const closes: (() => Promise<void>)[] = []
  const onAbort = (): void => { run.stop('stopped by its signal') }
  try {
    signal?.addEventListener('abort', onAbort)
    for (const [at, account] of accounts.entries()) {
      const inbox = { ...account, client: null, listener: null, receivedCount: 0, items: [] } as typeof run.accounts[number]
      run.accounts.push(inbox)
      const extraOptions = pace === 'lockstep' ? { backtape: true, [STEP_OPTION]: at === 0 } : { backtape: true }
      const client = await loginOrderEntry({
        backend, accountId: account.accountId, processId: clientId, version: VERSION, instruments, epochDay,
        ...(transport === undefined ? {} : { transport }), enableCorporateActions: true,
        ...(first.info.clock === 'simulated' ? { extraOptions } : {}),
        ...(pace === 'wall' ? {} : { reconnect: false as const }),
        listener: {
          ...messageRelay((message) => { run.receiveMessage(inbox, message) }),
          onExtension: (message) => { if (isStep(message)) run.receiveStep(message) },
          onConnection: (state, reason) => {
            onNote?.(`Account ${account.accountId}: ${state}, ${reason}`)
            if (state === 'closed' && pace !== 'wall') run.stop(`the adapter closed: ${reason}`)
          },
          onError: (error) => { run.fail(error) },
        },
      })
      inbox.client = client
      closes.push(() => client.logout())
    }
    for (const { url, market, info } of feeds) {
      const inbox = { market, client: null, receivedCount: 0, items: [] } as typeof run.feeds[number]
      run.feeds.push(inbox)
      const client = createFeedClient({
        url, apiKey, epochDay,
        login: { organization: 'backtape', applicationName: 'runLive', applicationVersion: VERSION, processId: clientId },
        instrumentOf: (id) => instruments.get(id),
        resubscribes: info.clock === 'wall',
        ...(info.clock === 'wall' ? {} : { reconnect: false as const }),
        listener: {
          onLine: (batch, index) => { run.receiveFeed(inbox, { batch, index }) },
          onState: (state) => { run.receiveFeed(inbox, state) },
          onNotice: (text) => { onNote?.(`Feed ${market}: ${text}`) },
          onConnection: (state, reason) => {
            onNote?.(`Feed ${market}: ${state}, ${reason}`)
            if (state === 'closed' && info.clock !== 'wall') run.stop(`the feed closed: ${reason}`)
          },
          onError: (error) => { run.fail(error) },
        },
      })
      inbox.client = client
      closes.push(() => client.close())
      await client.connect()
      for (const id of followed)
        if (instruments.get(id)?.instrument.exchangeCode === market) client.subscribe(id, ALL_TOPICS)
    }
    if (pace !== 'lockstep') await allReady(run)
    if (signal?.aborted === true) onAbort()
    run.begin()
    const { reason, error } = await concluded
    if (error !== undefined) throw error
    if (options.cancelAllAtStop === true) await cancelAll(run)
    return {
      reason, journalDigest: run.journal.digest(), journalLineCount: run.journal.lineCount,
      messageCounts: run.messageCounts, stepCount: run.stepCount,
    }
  } finally {
    signal?.removeEventListener('abort', onAbort)
    for (const close of closes) await close().catch(() => {})
  }
}

const ALL_TOPICS = {
  depth: true, trades: true, topOfBook: true, indexPrice: true, markPrice: true, fundingRate: true, liquidations: true,
}
