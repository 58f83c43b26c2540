import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { createFeedServer } from '../feed/feed-server.js'
import type { FeedServer } from '../feed/feed-source.js'
import { directoryRoute } from '../feed/instrument-directory.js'
import { createOrderEntryServer } from '../order-entry/order-entry-server.js'
import type { OrderEntryServer } from '../order-entry/order-entry-source.js'
import { durationNsFromText } from '../model/duration.js'
import { fault, FaultsError, pathPart, type Fault } from '../model/fault.js'
import { isJsonObject, type JsonObject } from '../model/json-object.js'
import { STEP_OPTION } from '../protocol/lock-step-messages.js'
import { openControl, performControl } from './control-server.js'
import type { PublishedFill } from './control-parts.js'
import { planActions, type ControlPlan } from './control-plan.js'
import { holesText } from './data-holes.js'
import { hostAndPort } from '../web/http-hosts.js'
import { listenHttp } from '../web/http-server.js'
import { Pacer } from './pacer.js'
import { RestartableReplay } from './restartable-replay.js'
import { ownFaults } from './serve-config-reader.js'
import type { ServeAddresses, ServedReplayOptions, ServeKey, ServeOptions } from './serve-options.js'
import { ServedAccess } from './served-access.js'
import { noPath, servedShopOf, type ServedShop } from './served-shop.js'
import { shownFault } from './shown-fault.js'
import { openServedReplay, type ServedReplay } from './served-replay.js'

const VERSION = '1'
const PROCESS_ID = 'backtape-serve'
const DEFAULT_PATIENCE = '5m'
const SERVER_FIELDS: ReadonlySet<string> = new Set<Exclude<keyof ServeOptions, keyof ServedReplayOptions>>([
  'host', 'httpPort', 'controlPort', 'domainSocket', 'markets', 'keys', 'replay', 'controlPlan', 'ping', 'patience',
  'connectionsPerKey', 'shop',
])
const NO_OPTIONS: Fault = { path: '', expected: 'an object with data', found: 'another value' }
/** Fills that can be corrected. */
const FILLS_KEPT = 1_000

/** The clock of the wall: a test may bring its own. */
export interface ServingWall {
  /** Monotonic time, milliseconds. */
  readonly nowMs?: () => number
}

/** A server that listens. */
export interface Serving {
  readonly addresses: ServeAddresses
  readonly pacer: Pacer
  readonly replay: RestartableReplay
  readonly feed: FeedServer
  readonly orderEntry: OrderEntryServer
  readonly plan: ControlPlan
  /** The shop; null: there is none. */
  readonly shop: ServedShop | null
  /** Performs an action of the control port. Throws {@link ControlRefusal}. */
  perform(action: string, fields: JsonObject): Promise<object>
  /** Sentences for the operator before it begins. */
  readonly sentences: readonly string[]
  /** Moves the replay to its end, or until {@link close}. */
  run(): Promise<'ended' | 'stopped'>
  /** Says good-bye to everybody and closes everything; harmless twice. */
  close(): Promise<void>
}

/**
 * Serves recorded days on this machine as the vendor's live system: a feed a market, and one HTTP server with the
 * directory, the lookup and the adapter. Everything listens when it resolves; nothing moves before {@link Serving.run}.
 *
 * Throws OPTION_INVALID for options that mean nothing, ADDRESS_TAKEN for a port or socket that is taken, and the errors
 * of the files.
 */
export async function openServing(options: ServeOptions, wall: ServingWall = {}): Promise<Serving> {
  // Programs without types pass anything.
  if (!isJsonObject(options)) throw new FaultsError('OPTION_INVALID', 'Cannot serve', [NO_OPTIONS], 'the options')
  const run = runOptionsOf(options)
  const faults = await ownFaults(ownOptionsOf(options))
  if (faults.length > 0) throw new FaultsError('OPTION_INVALID', 'Cannot serve', faults, 'the options')
  const fills: PublishedFill[] = []
  const open = async (): Promise<ServedReplay> => {
    fills.length = 0
    const opened = await openServedReplay(run, {
      onFill: (accountId, instrumentId, fill) => {
        fills.push({ accountId, instrumentId, fill })
        if (fills.length > FILLS_KEPT) fills.shift()
      },
    })
    await opened.begin()
    return opened
  }
  const replay = new RestartableReplay(await open(), open)
  const closes: (() => Promise<void>)[] = [() => replay.close()]
  const close = async (): Promise<void> => {
    for (const one of closes.splice(0).reverse()) await one()
  }
  try {
    const shop = await servedShopOf(options, () => replay.feed.clock.now())
    if (shop !== null) closes.push(() => shop.close())
    return { ...await listen(options, { replay, fills, closes, wall, shop }), close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The options of the run alone: those of a server would be unknown to it. */
function runOptionsOf(options: ServeOptions): ServedReplayOptions {
  const own = Object.entries(options).filter(([name]) => !SERVER_FIELDS.has(name))
  return Object.fromEntries(own) as unknown as ServedReplayOptions
}

/** The options that are the server's own. */
function ownOptionsOf(options: ServeOptions): JsonObject {
  const own = Object.entries(options).filter(([name, value]) => SERVER_FIELDS.has(name) && value !== undefined)
  return Object.fromEntries(own)
}

/** A replay that is to be served, and the things to close afterwards, the last first. */
interface Opened {
  readonly replay: RestartableReplay
  readonly fills: readonly PublishedFill[]
  readonly closes: (() => Promise<void>)[]
  readonly wall: ServingWall
  readonly shop: ServedShop | null
}

/** Opens every port and socket. */
async function listen(
  options: ServeOptions, { replay, fills, closes, wall, shop }: Opened,
): Promise<Omit<Serving, 'close'>> {
  const { host = '127.0.0.1', httpPort = 8_080, domainSocket, replay: stated, controlPort, connectionsPerKey } = options
  const how = typeof stated === 'object' ? stated : {}
  const { speed = 1, start = 'first-subscription', loop: isLooping = false, step = 'ping', holes = 'play' } = how
  const patienceMs = patienceMsOf(options.patience)
  // A program at a breakpoint answers no ping: in lock-step it is waited for anyway.
  const { everySeconds, pongSeconds } = options.ping ?? { everySeconds: 5, pongSeconds: 30 }
  const ping = { everySeconds, pongSeconds: speed === 'lockstep' ? patienceMs / 1_000 : pongSeconds }
  const { codes, keys, access } = accessOf(options, replay, shop)
  const known = codes.map((code) => ({ code, name: code, exchangeId: exchangeIdOf(replay, code) }))
  const onLog = (text: string): void => { options.onNote?.(text) }
  let pacer: Pacer | null = null
  const post = (task: () => void): void => {
    if (pacer === null) task()
    else pacer.post(task)
  }
  const extensions = {
    speed, [STEP_OPTION]: speed === 'lockstep', epochDay: replay.clock.epochDay, ...(step === 'post' ? { step } : {}),
  }
  const common = { processId: PROCESS_ID, post, onLog, ping }
  const feed = await createFeedServer({
    ...common, source: replay.feed, host, access, clock: 'simulated', extensions, connectionsPerKey,
    markets: known.map((market) => ({ ...market, port: options.markets?.[market.code]?.feedPort ?? 0 })),
  })
  closes.push(() => feed.close())
  const orderEntry = createOrderEntryServer({
    ...common, source: replay.orderEntry, version: VERSION, extensionTypes: ['stepped'],
    extensions: { ...extensions, clock: 'simulated' }, ...domainSocket === undefined ? {} : { domainSocket },
    onExtension: (connection, message) => { pacer?.lockStep.receive(connection, message) },
  })
  const skipsHoles = holes === 'skip'
  const own = new Pacer({ replay, feed, orderEntry, speed, start, isLooping, step, patienceMs, skipsHoles, ...wall })
  pacer = own
  const directory = { isUp: true }
  const route = directoryRoute({ source: replay.feed, access, markets: known, isAvailable: () => directory.isUp })
  const answers = [route, orderEntry.request.bind(orderEntry), ...(shop === null ? [] : [shop.request.bind(shop)])]
  const { port, close: closeHttp } = await listenHttp({
    request: (request, response) => { if (!answers.some((one) => one(request, response))) noPath(request, response) },
    upgrade: (request, socket, head) => orderEntry.upgrade(request, socket, head),
  }, { host, port: httpPort })
  closes.push(closeHttp, () => orderEntry.close())
  await orderEntry.open()
  const stop = (): void => { own.stop() }
  const parts = { pacer: own, replay, feed, orderEntry, access, markets: codes, fills, directory, shop, stop }
  const plan = await planActions(parts, {
    plan: options.controlPlan ?? [], keys: keys.map(({ key }) => key), onLog,
  })
  const control = controlPort === undefined ? null : await openControl({ parts, port: controlPort, onLog })
  closes.push(...(control === null ? [] : [(): Promise<void> => control.close()]), () => {
    stop()
    return Promise.resolve()
  })
  const addresses: ServeAddresses = {
    http: `http://${hostAndPort(host, port)}`, feeds: feed.addresses,
    domainSocket: domainSocket === undefined ? null : resolve(domainSocket),
    accounts: [...replay.orderEntry.accounts.keys()], keys: keys.map(({ key }) => key),
    control: control === null ? null : control.address,
  }
  const run = async (): Promise<'ended' | 'stopped'> => {
    const end = await own.run()
    if (end === 'ended') plan.end()
    return end
  }
  const sentence = holesText(replay.holes, { epochDay: replay.clock.epochDay, speed, isSkipping: skipsHoles })
  const sentences = sentence === null ? [] : [sentence]
  const perform: Serving['perform'] = (action, fields) => performControl(parts, action, fields)
  return { addresses, pacer: own, replay, feed, orderEntry, plan, run, shop, sentences, perform }
}

/** Milliseconds of a patience. Throws OPTION_INVALID. */
function patienceMsOf(text = DEFAULT_PATIENCE): number {
  if (text === 'off') return Infinity
  const refused = (expected: string): Error => new FaultsError(
    'OPTION_INVALID', 'Cannot serve', [fault('patience', `off, or ${expected}`, text)], 'the options')
  return durationNsFromText(text, {}, refused) / 1e6
}

/** Market codes that no data have: a mistyped one would open and serve nothing, silently. */
function marketFaults({ markets = {}, keys = [], shop }: ServeOptions, codes: readonly string[]): Fault[] {
  const expected = `one of ${codes.join(', ')}: the data have no other market`
  const unknown = (code: string): boolean => !codes.includes(code)
  const faultsIn = (place: string, grants: readonly Pick<ServeKey, 'markets'>[]): Fault[] => (
    grants.flatMap((grant, at) => (grant.markets ?? []).flatMap((code, index) => (
      unknown(code) ? [fault(`${place}[${String(at)}].markets[${String(index)}]`, expected, code)] : []
    ))))
  const { accounts = [] } = typeof shop === 'object' ? shop : {}
  return [
    ...Object.keys(markets).filter(unknown).map((code) => fault(`markets${pathPart(code)}`, expected, code)),
    ...faultsIn('keys', keys),
    ...accounts.flatMap(({ realtimeDays = [] }, at) => (
      faultsIn(`shop.accounts[${String(at)}].realtimeDays`, realtimeDays))),
  ]
}

/** The markets of the data, and the keys that open them. Throws OPTION_INVALID for markets that the data lack. */
function accessOf(
  options: ServeOptions, { feed }: RestartableReplay, shop: ServedShop | null,
): { readonly codes: readonly string[]; readonly keys: readonly ServeKey[]; readonly access: ServedAccess } {
  const { entries } = feed.instruments
  const codes = [...new Set(entries.map(({ instrument }) => instrument.exchangeCode))].sort()
  const faults = marketFaults(options, codes).map(shownFault)
  if (faults.length > 0) throw new FaultsError('OPTION_INVALID', 'Cannot serve', faults, 'the options')
  const keys = options.keys ?? [{ key: randomUUID(), markets: codes, days: 'always' as const }]
  const byId = new Map(entries.map(({ instrument: { id, exchangeCode } }) => [id, exchangeCode]))
  const access = new ServedAccess({
    keys, markets: codes, marketOf: (id) => byId.get(id), now: () => feed.clock.now(),
    accounts: shop?.service.accounts,
  })
  return { codes, keys, access }
}

function exchangeIdOf({ feed }: RestartableReplay, code: string): number | null {
  const entry = feed.instruments.entries.find(({ instrument }) => instrument.exchangeCode === code)
  return entry?.instrument.exchangeId ?? null
}
