import { createFeedClient } from '../feed/feed-client.js'
import { readFeedInfo } from '../feed/feed-info-client.js'
import type { FeedInfo } from '../feed/feed-listener.js'
import { readDirectory, type DirectoryReading } from '../feed/instrument-directory-client.js'
import { isJsonObject } from '../model/json-object.js'
import { nearTimeFromEpochNs } from '../model/time.js'
import { wallEpochDay } from '../model/wall-client.js'
import { lookUpAdapter } from '../order-entry/adapter-lookup-client.js'
import { loginOrderEntry } from '../order-entry/order-entry-client.js'
import { FEED_NOTICES } from '../protocol/feed-messages.js'
import { isStep, STEP_OPTION } from '../protocol/lock-step-messages.js'
import { optionToken } from '../protocol/option-token.js'
import { optionUrl, shownUrl } from '../protocol/option-url.js'
import type { StrategyAccount } from '../strategy/instrument-registry.js'
import type { InstrumentDirectory, UnderlyingDirectory } from '../venue/venue.js'
import type { DayRecording } from './day-recording-writer.js'
import { directoryEntries } from './directory-entries.js'
import type { DirectoryRefreshParts } from './directory-refresh-client.js'
import { knownTerms } from './known-terms-reader.js'
import type { HostWatch } from './host-watch-client.js'
import type { LivePace } from './live-clock-client.js'
import { liveOptionError } from './live-option-error.js'
import type { LiveFeed, LiveOptions } from './live-options.js'
import { subscribeAll, type AccountInbox, type FeedInbox, type FeedItem } from './live-inboxes.js'
import type { LiveRun } from './live-run.js'
import { messageRelay } from './message-relay.js'
import { OpenOrders } from './open-orders.js'

const VERSION = '1'
const ACTION = 'run live'
const REPLAY_BACK_OFF = { firstMs: 100, mostMs: 2_000 }

/** A feed of the run with what its host says of itself. */
export interface KnownFeed extends Required<LiveFeed> {
  readonly info: FeedInfo
}

/** The markets of a run and their instruments. */
export interface KnownMarkets {
  readonly feeds: readonly KnownFeed[]
  readonly pace: LivePace
  /** Base of all times, days since 1970-01-01. */
  readonly epochDay: number
  readonly instruments: InstrumentDirectory
  readonly underlyings: UnderlyingDirectory
  /** The way to ask its directory again. */
  readonly refreshed: Omit<DirectoryRefreshParts, 'onNote'>
}

/** The venue of a run before anybody is logged in: its markets, instruments and accounts. */
export interface KnownVenue extends KnownMarkets {
  readonly accounts: readonly StrategyAccount[]
}

/** Asks the hosts of a run what they are, and reads their instruments. */
export async function knownVenue(options: LiveOptions): Promise<KnownVenue> {
  const { backend, directory = backend, accountId } = options
  optionUrl(backend, { option: 'backend', action: ACTION, form: 'http://host:port' })
  const markets = await knownMarkets({ ...options, directory })
  const accountIds = typeof accountId === 'string' ? [accountId] : accountId
  const accounts = await Promise.all(accountIds.map(async (id) => {
    const { exchangeId, extensions } = await lookUpAdapter(backend, id)
    checkClock(options, backend, extensions['clock'])
    const entry = markets.instruments.entries.find(({ instrument }) => instrument.exchangeId === exchangeId)
    return { accountId: id, exchangeCode: entry?.instrument.exchangeCode ?? markets.feeds[0]?.market ?? null }
  }))
  return { ...markets, accounts }
}

/** Asks the feeds of a run what they are, and a directory for their instruments. */
export async function knownMarkets(
  options: Pick<LiveOptions, 'apiKey' | 'feed' | 'terms' | 'signal' | 'clock'> & { readonly directory: string },
): Promise<KnownMarkets> {
  const { apiKey, directory } = options
  if (apiKey === undefined || apiKey === '') throw liveOptionError('apiKey', 'the key of the feed', 'nothing')
  optionToken(apiKey, { option: 'apiKey', action: ACTION })
  for (const { url } of feedsOf(options))
    optionUrl(url, { option: 'feed', action: ACTION, form: 'ws://host:port/api/v6' })
  optionUrl(directory, { option: 'directory', action: ACTION, form: 'http://host:port' })
  const feeds = await Promise.all(feedsOf(options).map(knownFeed))
  const [first] = feeds
  if (first === undefined) throw liveOptionError('feed', 'at least one feed', 'none')
  for (const { url, info } of feeds) checkClock(options, url, info.clock)
  // Servers of Backtape replay; the vendor's directory has no row of that kind.
  const simulated = new Set(feeds.flatMap(({ market, info }) => (info.clock === 'simulated' ? [market] : [])))
  const read = (market: string, since?: string): Promise<DirectoryReading> => (
    readDirectory(directory, market, apiKey, {
      hasMaster: simulated.has(market), ...(since === undefined ? {} : { since }),
    }))
  const readings = await Promise.all(feeds.map(({ market }) => read(market)))
  const terms = await knownTerms(options.terms ?? [], options.signal)
  const { instruments, underlyings, take } = directoryEntries(readings, terms)
  const { epochDay } = first.info.extensions
  return {
    feeds, pace: paceOf(first.info),
    epochDay: typeof epochDay === 'number' ? epochDay : wallEpochDay(),
    instruments, underlyings,
    refreshed: { readings, take, read },
  }
}

function checkClock({ clock }: Pick<LiveOptions, 'clock'>, url: string, found: unknown): void {
  if (clock !== undefined && found !== clock)
    throw liveOptionError('clock', 'simulated, as that of `backtape serve`', `another one at ${shownUrl(url)}`)
}

function feedsOf({ feed }: Pick<LiveOptions, 'feed'>): readonly LiveFeed[] {
  // Programs without types pass anything: what has no url is refused by its own kind.
  return (Array.isArray(feed) ? feed as readonly unknown[] : [feed]).map((one) => (
    isJsonObject(one) && 'url' in one ? one as unknown as LiveFeed : { url: one as string }))
}

async function knownFeed({ url, market }: LiveFeed): Promise<KnownFeed> {
  const info = await readFeedInfo(url)
  const { market: stated } = info.extensions
  const code = market ?? (typeof stated === 'string' ? stated : undefined)
  if (code === undefined)
    throw liveOptionError('feed', 'a url and its market, as the host does not say it', shownUrl(url))
  return { url, market: code, info }
}

function paceOf({ clock, extensions: { lockstep, speed } }: FeedInfo): LivePace {
  if (lockstep === true) return 'lockstep'
  if (clock === 'wall') return 'wall'
  return typeof speed === 'number' ? speed : 'max'
}

/** A run as its feeds see it. */
export type FeedTaker =
  Pick<LiveRun, 'feeds' | 'hear' | 'receiveFeed' | 'stop' | 'fail'> & { isReplayOver: boolean }

/** A run, and what opens its feeds. */
export interface FeedSession {
  readonly run: FeedTaker
  readonly venue: KnownMarkets
  readonly options: Pick<LiveOptions, 'apiKey' | 'clientId' | 'onNote'>
  readonly hosts: HostWatch
  /** Takes what feeds send, where it is recorded. */
  readonly recording: DayRecording | null
}

/** A run, and what opens its connections. */
export interface LiveSession extends FeedSession {
  readonly run: LiveRun
  readonly venue: KnownVenue
  readonly options: LiveOptions
}

/** A replay is on this machine or near: it is tried sooner than a vendor's host. In lock-step nothing may be missed. */
function reconnectOf(
  pace: LivePace,
): { readonly reconnect?: false | { readonly firstMs: number; readonly mostMs: number } } {
  if (pace === 'wall') return {}
  return { reconnect: pace === 'lockstep' ? false : REPLAY_BACK_OFF }
}

/** Logs the run in to an account; what its adapter says comes to the run. */
export async function openAccount(
  { run, venue, options, hosts }: LiveSession, account: StrategyAccount,
): Promise<AccountInbox> {
  const { backend, clientId = 'strategy', transport, onNote } = options
  const { pace, instruments, epochDay } = venue
  const host = `adapter of ${account.accountId}`
  const inbox: AccountInbox = {
    ...account, client: null, entry: null, listener: null, receivedCount: 0, items: [], isAway: false, step: null,
    openOrders: new OpenOrders(options.ownOrderIds),
  }
  const extraOptions = { backtape: true, ...(pace === 'lockstep' ? { [STEP_OPTION]: true } : {}) }
  run.accounts.push(inbox)
  inbox.client = await loginOrderEntry({
    backend, accountId: account.accountId, processId: clientId, version: VERSION, instruments, epochDay,
    enableCorporateActions: true,
    ...(transport === undefined ? {} : { transport }), ...(pace === 'wall' ? {} : { extraOptions }),
    ...reconnectOf(pace),
    listener: {
      ...messageRelay((message) => { run.receiveMessage(inbox, message) }),
      onExtension: (message) => { if (isStep(message)) run.receiveStep(inbox, message) },
      onInvalidRequest: (message) => { onNote?.(`Account ${account.accountId}: invalid request: ${message}`) },
      onConnection: (state, reason) => {
        onNote?.(`Account ${account.accountId}: ${state}${reason === '' ? '' : `, ${reason}`}`)
        if (state === 'open') hosts.back(host)
        else if (pace === 'lockstep') run.stop('the adapter has closed')
        else {
          inbox.isAway = true
          hosts.away(host)
        }
      },
      onError: (error) => { run.fail(error) },
    },
  })
  // All orders of the account, those of before too.
  inbox.openOrders.settle(inbox.client.initial)
  return inbox
}

/** Connects the run to a feed and subscribes the instruments of its market that the run follows. */
export async function openFeed(
  { run, venue, options, hosts, recording }: FeedSession, { url, market }: KnownFeed, followed: ReadonlySet<number>,
): Promise<FeedInbox> {
  const { apiKey = '', clientId = 'strategy', onNote } = options
  const { instruments, epochDay, pace } = venue
  const host = `feed of ${market}`
  const inbox: FeedInbox = { market, client: null, receivedCount: 0, items: [] }
  run.feeds.push(inbox)
  const receive = (item: FeedItem): void => {
    recording?.receive(market, item)
    run.receiveFeed(inbox, item)
  }
  const client = createFeedClient({
    url, apiKey, epochDay, resubscribes: pace !== 'lockstep', refusesWide: true,
    ...reconnectOf(pace),
    login: { organization: 'backtape', applicationName: 'runLive', applicationVersion: VERSION, processId: clientId },
    instrumentOf: (id) => instruments.get(id),
    listener: {
      onLine: (batch, index) => { receive({ batch, index }) },
      onState: (state) => { receive(state) },
      onUnreadable: (id, error) => {
        onNote?.(`Feed ${market}: ${error.message}; instrument ${id} is subscribed again`)
        receive({ unreadableId: id })
      },
      onResubscribe: (id) => { receive({ resubscribedId: id }) },
      onLogin: ({ serverTime }) => {
        run.hear(nearTimeFromEpochNs(serverTime, epochDay))
        hosts.back(host)
      },
      onNotice: (text) => {
        onNote?.(`Feed ${market}: ${text}`)
        // A replay that is over does not come back; a host on the wall's time does, behind its maintenance.
        if (text === FEED_NOTICES.SHUTDOWN && pace !== 'wall' && pace !== 'lockstep') {
          run.isReplayOver = true
          run.stop(`the feed said ${text}`)
        }
      },
      onConnection: (state, reason) => {
        onNote?.(`Feed ${market}: ${state}${reason === '' ? '' : `, ${reason}`}`)
        if (state === 'open') return
        if (pace === 'lockstep') return run.stop('the feed has closed')
        receive({ isLost: true })
        hosts.away(host)
      },
      onError: (error) => { run.fail(error) },
    },
  })
  inbox.client = client
  await client.connect()
  for (const id of followed)
    if (instruments.get(id)?.instrument.exchangeCode === market) subscribeAll([inbox], market, id)
  return inbox
}
