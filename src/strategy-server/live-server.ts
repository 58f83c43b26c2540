import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Instance } from './instance.js'
import { LiveConnection } from './live-connection.js'
import { LiveWatch, type WatchedRun } from './live-watch.js'
import type { LiveFrame, LiveInstance, LivePlace } from './pages/live-frames.js'
import type { ServedView } from './served-view.js'
import { SocketServer, type HandshakeRefusal } from './socket-server.js'

/** The path of the live view's WebSocket. */
const LIVE_PATH = '/ws/live'
const VIEWERS_MAX = 64
const FRAME_BYTES_MAX = 4_096
/** Between two lists of instances: four in a second. */
const LIST_MS = 250

/** The instances of a server, for its live view. */
export interface LiveParts {
  readonly all: () => readonly Instance[]
  /** The configured ones, the default first. */
  readonly venues: readonly LivePlace[]
  /** The replay that is served beside; null: there is none. */
  readonly served: ServedView | null
  readonly refusalOf: (headers: IncomingHttpHeaders) => HandshakeRefusal | null
}

/** The WebSocket of the live view: who watches gets the list of instances, and the run of one of them. */
export class LiveServer {
  readonly #sockets: SocketServer<LiveConnection>
  /** By the ids of instances; null: the served replay. */
  readonly #watches: Map<string | null, LiveWatch> = new Map()
  /** Instances as viewers have them, by their ids. */
  #listed: ReadonlyMap<string, string> = new Map()
  /** The served replay as viewers have it. */
  #replay = ''
  readonly #lists: NodeJS.Timeout

  constructor(private readonly parts: LiveParts) {
    const terms = { path: LIVE_PATH, frameBytes: FRAME_BYTES_MAX, connections: VIEWERS_MAX }
    this.#sockets = new SocketServer(terms, parts.refusalOf, (socket, onClosed) => {
      const viewer = new LiveConnection(socket, {
        watchOf: (id) => this.#watchOf(id),
        control: async (action, fields) => (
          parts.served === null ? 'No replay is served here' : parts.served.perform(action, fields)),
      }, onClosed)
      viewer.tell({ op: 'venues', venues: parts.venues })
      const replay = this.#replayFrame()
      if (replay !== null) viewer.tell(replay)
      viewer.list(this.#list(), new Map())
      return viewer
    })
    this.#lists = setInterval(() => { this.#sendLists() }, LIST_MS)
    this.#lists.unref()
  }

  /** Takes an upgrade of its path; false: it is another one's. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    return this.#sockets.upgrade(request, socket, head)
  }

  /** Ends every connection. */
  close(): void {
    clearInterval(this.#lists)
    this.#sockets.close()
  }

  #watchOf(instanceId: string | null): LiveWatch | null {
    const known = this.#watches.get(instanceId)
    if (known !== undefined) return known
    const run = instanceId === null ? this.parts.served : this.#runOf(instanceId)
    if (run === null) return null
    const watch = new LiveWatch(run, () => { this.#watches.delete(instanceId) })
    this.#watches.set(instanceId, watch)
    return watch
  }

  #runOf(instanceId: string): WatchedRun | null {
    const instance = this.parts.all().find(({ terms }) => terms.instanceId === instanceId)
    if (instance === undefined) return null
    return {
      instanceId, look: () => { instance.look() }, watchBy: (watcher) => { instance.watchBy(watcher) },
      get named() {
        const { terms: { instanceName: name, strategyName, parameters, venue } } = instance
        return {
          name, facts: [['strategy', strategyName], ['parameters', JSON.stringify(parameters)], ['venue', venue]],
        } as const
      },
    }
  }

  #replayFrame(): LiveFrame | null {
    const { served } = this.parts
    return served === null ? null : { op: 'replay', replay: served.state }
  }

  #list(): ReadonlyMap<string, string> {
    return new Map(this.parts.all().map((instance) => {
      const listed: LiveInstance = {
        instance: instance.wire(), status: instance.status(), place: this.#placeOf(instance.terms.venue),
      }
      return [instance.terms.instanceId, JSON.stringify(listed)]
    }))
  }

  #placeOf(name: string): LivePlace {
    return this.parts.venues.find(({ venue }) => venue === name) ?? { venue: name, kind: 'missing' }
  }

  #sendLists(): void {
    const { connections } = this.#sockets
    if (connections.size === 0) return
    const [before, now] = [this.#listed, this.#list()]
    this.#listed = now
    for (const viewer of connections) viewer.list(now, before)
    this.parts.served?.lookIfDue()
    const replay = this.#replayFrame()
    const text = JSON.stringify(replay)
    if (replay === null || text === this.#replay) return
    this.#replay = text
    for (const viewer of connections) viewer.tell(replay)
  }
}
