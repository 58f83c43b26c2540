import type { WebSocket } from 'ws'
import { wireObject } from '../protocol/wire-json.js'
import type { LiveViewer, LiveWatch } from './live-watch.js'
import type { LiveFrame, ViewerFrame } from './pages/live-frames.js'
import { PeerSocket } from './peer-socket.js'

/** Bytes that wait for a reader at most; then it is closed. */
const UNSENT_BYTES_MAX = 33_554_432
/** Behind so many, lists of instances wait. */
const LIST_BYTES_MAX = 1_048_576
/** Refused frames at most. */
const ERRORS_MAX = 20
/** Most time without a pong, milliseconds. */
const PONG_MS = 90_000

/** The means of a viewer. */
interface LiveMeans {
  /** The watch of an instance, or of the served replay (null); null where there is none. */
  readonly watchOf: (instanceId: string | null) => LiveWatch | null
  /** Moves the served replay; the reason why it is refused, null where it is done. */
  readonly control: (action: unknown, fields: unknown) => Promise<string | null>
}

/** One browser that watches: it is sent the list of instances, and what follows of one run. */
export class LiveConnection implements LiveViewer {
  readonly #peer: PeerSocket
  #watch: LiveWatch | null = null
  #errorCount = 0
  #isListed = false
  #isControlling = false
  /** Instances that have changed, or are no more, since it was sent a list. */
  readonly #owed: Set<string> = new Set()
  hasCredit = false

  constructor(
    socket: WebSocket, private readonly means: LiveMeans,
    onClosed: (connection: LiveConnection) => void,
  ) {
    this.#peer = new PeerSocket(socket, { unsentBytes: UNSENT_BYTES_MAX, pongMs: PONG_MS }, {
      text: (text) => { this.#receive(text) },
      binary: () => { this.#refuse('a frame must be a text') },
      left: () => {
        this.#leave()
        onClosed(this)
      },
    })
  }

  send(frame: LiveFrame): void {
    this.hasCredit = false
    this.tell(frame)
  }

  /** Sends a frame that waits for nothing. */
  tell(frame: LiveFrame): void {
    this.#peer.send(JSON.stringify(frame))
  }

  /** Sends the instances that are others than before, as texts by their ids; later where much waits for it already. */
  list(now: ReadonlyMap<string, string>, before: ReadonlyMap<string, string>): void {
    for (const [id, text] of now) if (before.get(id) !== text) this.#owed.add(id)
    for (const id of before.keys()) if (!now.has(id)) this.#owed.add(id)
    const isFirst = !this.#isListed
    if ((this.#owed.size === 0 && !isFirst) || this.#peer.unsentBytes > LIST_BYTES_MAX) return
    this.#isListed = true
    const [op, ids]: [LiveFrame['op'], readonly string[]] = ['instances', [...this.#owed]]
    this.#owed.clear()
    const deleted = ids.filter((id) => !now.has(id))
    const instances = ids.flatMap((id) => now.get(id) ?? [])
    this.#peer.send(`{"op":"${op}","instances":[${instances.join()}],"deleted":${JSON.stringify(deleted)}}`)
  }

  ping(): void {
    this.#peer.ping()
  }

  end(code: number, reason: string): void {
    this.#peer.end(code, reason)
  }

  #receive(text: string): void {
    const frame = wireObject(text)
    if (frame === null) return this.#refuse('a frame must be an object of JSON')
    switch (frame['op'] as ViewerFrame['op'] | undefined) {
      case 'watch': return this.#begin(frame['instanceId'])
      case 'leave': return this.#leave()
      case 'shown':
        this.hasCredit = true
        return this.#watch?.shown(this)
      case 'control':
        void this.#control(frame)
        return
      default: this.#refuse('op must be one of watch, leave, shown, control')
    }
  }

  #begin(instanceId: unknown): void {
    const isNamed = typeof instanceId === 'string' || instanceId === null
    const found = isNamed ? this.means.watchOf(instanceId) : null
    if (found === null) return this.#refuse('instanceId must be that of an instance, or null of a served replay')
    // Joined before the other is left: where both are the same it goes on.
    const before = this.#watch
    this.#watch = found
    if (before !== found) before?.leave(this)
    this.hasCredit = true
    found.join(this)
  }

  /** One action after the other. */
  async #control({ action, fields }: Readonly<Record<string, unknown>>): Promise<void> {
    if (this.#isControlling) {
      this.tell({ op: 'controlled', refusal: 'The action before is not done yet' })
      return
    }
    this.#isControlling = true
    const refusal = await this.means.control(action, fields)
    this.#isControlling = false
    this.tell({ op: 'controlled', refusal })
  }

  #leave(): void {
    const watch = this.#watch
    this.#watch = null
    watch?.leave(this)
  }

  #refuse(message: string): void {
    this.tell({ op: 'error', message })
    if (++this.#errorCount >= ERRORS_MAX) this.end(1008, 'too many errors')
  }
}
