import { join } from 'node:path'
import type { OpenBroker } from '../broker/broker.js'
import { userCacheFolder, userStateFolder } from '../files/user-folder-reader.js'
import { closing, type Closing } from '../model/closing.js'
import { STRATEGY_EXAMPLES } from '../protocol/strategies/strategy-examples.js'
import { STRATEGIES } from '../protocol/strategies/strategy-tables.js'
import { steadyMs } from '../model/wall-client.js'
import { hostAndPort } from '../web/http-hosts.js'
import { listenHttp } from '../web/http-server.js'
import { RuntimeMetrics } from '../web/runtime-metrics-reader.js'
import { requestPath } from '../web/request-url.js'
import type { OpenApiWords } from '../web/rest/openapi-document.js'
import { openRest } from '../web/rest/rest-server.js'
import { ServerBroker } from './server-broker.js'
import { ChannelHub } from './channel-hub.js'
import { ChannelServer } from './channel-server.js'
import { Explorer } from './explorer-server.js'
import { loginPage, refusedPage } from './login-page.js'
import { InstanceFolders } from './instance-folders-writer.js'
import type { InstanceLimits, StartInstance } from './instance-run.js'
import { openInstanceStore, type InstanceStore } from './instance-store-writer.js'
import { Instances } from './instances.js'
import { LiveServer } from './live-server.js'
import { ServedView, type ShownServing } from './served-view.js'
import { ServerAccess } from './server-access.js'
import type { StrategyFolder } from './strategy-folder-reader.js'
import { strategyHandlers } from './strategy-handlers.js'
import { checkedConfig, readToken } from './strategy-server-config-reader.js'
import type { StrategyServerConfig, StrategyServerLimits } from './strategy-server-options.js'
import { VenueRuns } from './venue-runs.js'

const DEFAULT_PORT = 8_000
/** The bar on top of the explorer. */
const EXPLORER_LINKS = [
  ['/live', 'Live view'], ['/openapi.json', 'OpenAPI'], ['/api/v1/metrics', 'Metrics'],
  ['/metrics', 'Metrics for Prometheus'],
] as const
const LIMITS: Required<StrategyServerLimits> = {
  instances: STRATEGIES.limits['instances']?.value ?? 0, heapMb: 1_024, bufferMb: 1_024, callbackMs: 10_000,
  journalMb: 1_024,
}

/** The words of the description beside the tables: a server without a token needs none. */
const wordsFor = (hasToken: boolean): OpenApiWords => ({
  title: 'Strategy server',
  description: 'Creates, starts, stops and deletes strategy instances, reports on them, and carries messages of ' +
    'channels.\n\nThe WebSocket at `/ws/v1` takes and sends objects of JSON: `login` first, then `subscribe`, ' +
    '`unsubscribe` and `publish`; messages come as `event`. `ChannelFrames` below has all of them.',
  tags: [
    ['Instances', /^\/api\/v1\/strategy/], ['Channels', /^\/(?:api\/v1\/channel|ws)/],
    ['Metrics', /^\/(?:api\/v1\/)?metrics/], ['Login', /^\/log/], ['Descriptions', /./],
  ],
  examples: STRATEGY_EXAMPLES,
  schemes: !hasToken ? {} : {
    token: [
      { name: 'token', scheme: { type: 'http', scheme: 'bearer' } },
      { name: 'session', scheme: { type: 'apiKey', in: 'cookie', name: 'backtape_server_PORT' } },
    ],
  },
})

/** A strategy server that listens. */
export interface StrategyServer extends Closing {
  /** `http://host:port`. */
  readonly url: string
  /** Ends every run, whose instances are INTERRUPTED then, and every connection; harmless twice. */
  close(): Promise<void>
}

/** The means by which a server runs code of users. */
export interface ServerMeans {
  readonly start: StartInstance
  /** Keys of hosts by the names of their venues, where neither a file nor the environment has them. */
  readonly keys?: Readonly<Record<string, string>>
  readonly strategiesOf: (folder: string, bundles: string) => StrategyFolder
  /** A clock that never steps back, milliseconds: of the limits of calls. Default: that of the machine. */
  readonly steadyMs?: () => number
  readonly openBroker: OpenBroker
  /** A replay that is served beside it, which its live view shows. Default: none. */
  readonly serving?: ShownServing
}

/** Opens a strategy server by means of others; errors as those of `openStrategyServer`. */
export async function openStrategyServerWith(
  means: ServerMeans, given: StrategyServerConfig,
): Promise<StrategyServer> {
  const config = await checkedConfig(given)
  const token = await readToken(config)
  const store = config.store ?? join(userStateFolder(), 'strategy-server')
  const instanceStore = await openInstanceStore(store)
  let parts: ServerParts | null = null
  try {
    const opened = parts = new ServerParts(means, config, { store, instanceStore, token })
    const url = await opened.listen()
    return { url, ...closing(() => opened.close()) }
  } catch (error) {
    await parts?.close()
    instanceStore.close()
    throw error
  }
}

/** The places of a server that is being opened. */
interface ServerPlaces {
  readonly store: string
  readonly instanceStore: InstanceStore
  readonly token: string | null
}

/** The parts of a server, and their end. */
class ServerParts {
  readonly #hub = new ChannelHub()
  readonly #runtime = new RuntimeMetrics()
  readonly #broker: ServerBroker | null
  readonly #access: ServerAccess
  readonly #channels: ChannelServer
  readonly #live: LiveServer
  readonly #strategies: StrategyFolder
  readonly #folders: InstanceFolders
  readonly #instances: Instances
  /** Ends of the parts that have been opened, the last first. */
  readonly #ends: (() => Promise<void> | void)[] = []
  #closed: Promise<void> | null = null

  constructor(
    private readonly means: ServerMeans, private readonly config: StrategyServerConfig, places: ServerPlaces,
  ) {
    const { host = '127.0.0.1', strategies, venues, limits = {} } = config
    const { store, instanceStore, token } = places
    const onNote = (sentence: string): void => { config.onNote?.(sentence) }
    const { instances: most, ...ofInstance } = { ...LIMITS, ...limits }
    const cache = userCacheFolder()
    const bundles = join(cache, 'strategies')
    this.#access = new ServerAccess(host, token, means.steadyMs ?? steadyMs)
    this.#ends.push(() => { instanceStore.close() }, () => { this.#runtime.close() })
    this.#channels = new ChannelServer(this.#hub, (headers) => this.#access.handshakeRefusal(headers), onNote)
    this.#ends.push(() => { this.#channels.close() })
    this.#broker = ServerBroker.of(config, this.#hub, onNote)
    this.#ends.push(() => this.#broker?.close())
    this.#strategies = means.strategiesOf(strategies, bundles)
    this.#folders = new InstanceFolders(join(store, 'instances'))
    const own: InstanceLimits = ofInstance
    const keys = new Map(Object.entries(means.keys ?? {}).flatMap(([name, key]) => {
      const venue = venues[name]
      return venue === undefined ? [] : [[venue, key] as const]
    }))
    const venueRuns = new VenueRuns({ start: means.start, keys, onNote })
    this.#ends.push(() => venueRuns.close())
    this.#instances = new Instances({
      store: instanceStore, hub: this.#hub, start: venueRuns.start, venueRuns, nowMs: () => Date.now(), onNote,
      folders: this.#folders, strategies: this.#strategies, venues, most, limits: own, bundles,
      cache: join(cache, 'days'),
      ...this.#broker === null ? {} : { topics: this.#broker.topics },
    })
    this.#live = new LiveServer({
      all: () => this.#instances.all(),
      venues: Object.entries(venues).map(([venue, { type: kind }]) => ({ venue, kind })),
      served: means.serving === undefined ? null : new ServedView(means.serving, onNote),
      refusalOf: (headers) => this.#access.handshakeRefusal(headers),
    })
    this.#ends.push(() => { this.#live.close() }, () => this.#instances.close())
  }

  /** Listens, and resumes what was interrupted where that is asked for; the address. */
  async listen(): Promise<string> {
    const { host = '127.0.0.1', port = DEFAULT_PORT, onNote, resume = false } = this.config
    const { steadyMs, openBroker } = this.means
    await this.#broker?.open(openBroker, (isOne, reason) => this.#instances.stopWhereOpen(isOne, reason))
    const rest = await openRest({
      tables: STRATEGIES, name: 'strategies', words: wordsFor(this.#access.hasToken), hosts: this.#access.hosts,
      entryRefusal: (headers, method) => this.#access.tokenRefusal(headers, method),
      refusalPage: (status, sentence, url) => (
        status === 401 ? loginPage(requestPath(url), { status }) : refusedPage(status, sentence)),
      handlers: {
        ...this.#access.handlers, ...strategyHandlers({
          instances: this.#instances, strategies: this.#strategies, folders: this.#folders, hub: this.#hub,
          runtime: () => this.#metrics(),
        }),
      },
      ...onNote === undefined ? {} : { onLog: onNote }, ...steadyMs === undefined ? {} : { steadyMs },
    })
    this.#ends.push(() => rest.close())
    const explorer = new Explorer(this.#access, EXPLORER_LINKS, (sentence) => { onNote?.(sentence) })
    const http = await listenHttp({
      request: (request, response) => {
        if (this.#closed !== null) response.writeHead(503, { connection: 'close' }).end()
        else if (!explorer.request(request, response)) rest.answer(request, response)
      },
      upgrade: (request, socket, head) => (
        this.#closed === null &&
          (this.#channels.upgrade(request, socket, head) || this.#live.upgrade(request, socket, head))),
    }, { host, port, purpose: 'the strategy server' })
    this.#ends.push(async () => {
      // The last messages of instances go out; then its connections that are WebSockets by now end first.
      await this.#instances.close()
      this.#channels.close()
      this.#live.close()
      return http.close()
    })
    if (resume) this.#instances.resumeInterrupted()
    // Those that go on know their own orders.
    void this.#instances.askLeft()
    return `http://${hostAndPort(host, http.port)}`
  }

  #metrics(): ReturnType<Parameters<typeof strategyHandlers>[0]['runtime']> {
    const threads = this.#instances.all().filter((one) => one.isAtWork).length
    const { channelCount: channels } = this.#hub
    const broker = this.#broker?.counts ?? []
    return { ...this.#runtime.read(), threads, channels, channelClients: this.#channels.connectionCount, broker }
  }

  close(): Promise<void> {
    return this.#closed ??= this.#close()
  }

  async #close(): Promise<void> {
    for (const end of this.#ends.splice(0).reverse()) await end()
  }
}
