import { isAtWork } from '../protocol/strategies/instance-states.js'
import { strategyMetrics } from '../protocol/strategies/strategy-metrics.js'
import type { StrategyRouteName } from '../protocol/strategies/strategy-routes.js'
import type { Wire } from '../protocol/strategies/strategy-schemas.js'
import { prometheusReply } from '../web/rest/prometheus-reply.js'
import type { RestHandler, RestReply, RestRequest } from '../web/rest/rest-reply.js'
import type { ChannelHub } from './channel-hub.js'
import type { Instance } from './instance.js'
import type { InstanceFolders } from './instance-folders-writer.js'
import { isRefusal, type Instances, type Refusal } from './instances.js'
import { livePage, liveScript, liveStyle } from './pages/live-html.js'
import { readLiveScript } from './pages/live-script-reader.js'
import { journalPage, PAGE_KINDS, type PageName } from './journal-page-reader.js'
import type { StrategyFolder } from './strategy-folder-reader.js'

/** The parts of a server that its routes answer with. */
export interface HandlerParts {
  readonly instances: Instances
  readonly strategies: StrategyFolder
  readonly folders: InstanceFolders
  readonly hub: ChannelHub
  /** The metrics of the runtime. */
  readonly runtime: () => Wire<'RuntimeMetrics'>
}

/** The handlers of all routes but those of descriptions and of the login. */
export type StrategyHandlers = {
  readonly [Name in Exclude<StrategyRouteName, 'openApi' | 'login' | 'logIn' | 'logOut'>]: RestHandler
}

const UPGRADE_REQUIRED: RestReply = {
  kind: 'refusal', error: 'upgradeRequired', headers: { upgrade: 'websocket' },
}

/** An answer of an object of the tables. */
function json(body: object, status = 200): RestReply {
  return { kind: 'json', status, body }
}

function ofOne(found: Instance | Refusal, answer: (instance: Instance) => object, status = 200): RestReply {
  return isRefusal(found) ? found : json(answer(found), status)
}

function ofAll(found: readonly Instance[] | Refusal): RestReply {
  return isRefusal(found) ? found : json(found.map((one) => one.status()))
}

function ofFirst(found: readonly Instance[] | Refusal): RestReply {
  if (isRefusal(found)) return found
  const [only] = found
  return only === undefined ? { kind: 'refusal', error: 'failed' } : json(only.status())
}

/** The body of a request, which its schema has checked. */
function bodyOf<
  Name extends 'InstanceConfig' | 'Reconfiguration' | 'StartOptions' | 'StopOptions' | 'DeleteOptions' | 'InstanceIds',
>(_name: Name, { body }: RestRequest): Wire<Name> {
  return body as Wire<Name>
}

/** The handlers of the routes: each request as its schemas have checked it. */
export function strategyHandlers(parts: HandlerParts): StrategyHandlers {
  const { instances, strategies, hub } = parts
  const idOf = ({ path }: RestRequest): string => String(path['instanceId'])
  const idsOf = (request: RestRequest): readonly string[] => bodyOf('InstanceIds', request).instanceIds
  const gone = (found: readonly Instance[] | Refusal): RestReply => (isRefusal(found) ? found : { kind: 'empty' })
  return {
    strategies: async () => json(await strategies.list()),
    instances: () => json(instances.all().map((one) => one.wire())),
    statuses: () => json(instances.all().map((one) => one.status())),
    create: async (request) => ofOne(
      await instances.create(bodyOf('InstanceConfig', request)), (one) => one.wire(), 201),
    start: (request) => ofFirst(instances.start([idOf(request)], bodyOf('StartOptions', request).resume ?? false)),
    stop: (request) => ofFirst(instances.stop([idOf(request)], bodyOf('StopOptions', request).cancelOrders ?? true)),
    delete: (request) => gone(
      instances.delete([idOf(request)], bodyOf('DeleteOptions', request).leaveOrders ?? false)),
    send: ({ path, query, body }) => {
      hub.publish(String(path['channelName']), { origin: String(query['origin']), message: String(body) }, null)
      return { kind: 'empty' }
    },
    startSeveral: (request) => ofAll(instances.start(idsOf(request), false)),
    stopSeveral: (request) => ofAll(instances.stop(idsOf(request), true)),
    deleteSeveral: (request) => gone(instances.delete(idsOf(request))),
    reconfigure: async (request) => ofOne(
      await instances.reconfigure(idOf(request), bodyOf('Reconfiguration', request)), (one) => one.wire()),
    stopAll: () => ofAll(instances.stopAll()),
    instance: (request) => ofOne(
      instances.get(idOf(request)), (one) => ({ instance: one.wire(), status: one.status() })),
    ...pages(parts),
    metrics: () => json(metrics(parts)),
    prometheus: async () => prometheusReply(strategyMetrics(metrics(parts))),
    channels: () => UPGRADE_REQUIRED,
    liveFrames: () => UPGRADE_REQUIRED,
    live: () => livePage,
    liveScript: async () => liveScript(await readLiveScript()),
    liveStyle: () => liveStyle,
  }
}

/** The pages of the journal of an instance. */
function pages({ instances, folders }: HandlerParts): Pick<StrategyHandlers, PageName> {
  const page = (name: PageName): RestHandler => async ({ path, query }) => {
    const found = instances.get(String(path['instanceId']))
    if (isRefusal(found)) return found
    return json(await journalPage(folders.of(found.terms.instanceId), PAGE_KINDS[name], query, found.isAtWork))
  }
  return {
    journal: page('journal'), log: page('log'), orders: page('orders'), fills: page('fills'),
    positions: page('positions'),
  }
}

function metrics({ instances, runtime }: HandlerParts): Wire<'Metrics'> {
  const strategies = instances.all().map((one) => one.status())
  const sumOf = (field: 'events' | 'gaps' | 'suspectBooks', of = strategies): number => (
    of.reduce((sum, { progress }) => sum + (progress?.[field] ?? 0), 0))
  const atWork = strategies.filter(({ state }) => isAtWork(state))
  const marketData = { events: sumOf('events'), gaps: sumOf('gaps'), suspectBooks: sumOf('suspectBooks', atWork) }
  return { strategies, marketData, runtime: runtime() }
}
