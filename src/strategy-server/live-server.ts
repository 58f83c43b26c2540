import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Instance } from './instance.js'
import { LiveConnection } from './live-connection.js'
import { LiveWatch } from './live-watch.js'
import type { LiveInstance, LivePlace } from './pages/live-frames.js'
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
  readonly refusalOf: (headers: IncomingHttpHeaders) => HandshakeRefusal | null
}

/** The WebSocket of the live view: who watches gets the list of instances, and the run of one of them. */
export class LiveServer {
  readonly #sockets: SocketServer<LiveConnection>
  readonly #watches: Map<string, LiveWatch> = new Map()
  /** Instances as viewers have them, by their ids. */
  #listed: ReadonlyMap<string, string> = new Map()
  readonly #lists: NodeJS.Timeout

  constructor(private readonly parts: LiveParts) {
    const terms = { path: LIVE_PATH, frameBytes: FRAME_BYTES_MAX, connections: VIEWERS_MAX }
    this.#sockets = new SocketServer(terms, parts.refusalOf, (socket, onClosed) => {
      const viewer = new LiveConnection(socket, (id) => this.#watchOf(id), onClosed)
      viewer.tell({ op: 'venues', venues: parts.venues })
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

  #watchOf(instanceId: string): LiveWatch | null {
    const known = this.#watches.get(instanceId)
    if (known !== undefined) return known
    const instance = this.parts.all().find(({ terms }) => terms.instanceId === instanceId)
    if (instance === undefined) return null
    const watch = new LiveWatch(instance, () => { this.#watches.delete(instanceId) })
    this.#watches.set(instanceId, watch)
    return watch
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
  }
}
