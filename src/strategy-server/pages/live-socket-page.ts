import type { LiveFrame, ReplayAction, ViewerFrame } from './live-frames.js'

/** Milliseconds before another try. */
const RETRY_MS = 1_000

/** The socket of the live view: it is opened again where it has closed, and says again which instance is watched. */
export class LiveSocket {
  #socket: WebSocket | null = null
  /** Null: the served replay; undefined: nothing. */
  #watched: string | null | undefined = undefined

  constructor(
    private readonly onFrame: (frame: LiveFrame) => void, private readonly onState: (isOpen: boolean) => void,
  ) {
    this.#open()
  }

  /** Watches an instance, or the served replay (null), in the place of the one before. */
  watch(instanceId: string | null): void {
    this.#watched = instanceId
    this.#send({ op: 'watch', instanceId })
  }

  /** Moves the served replay. */
  control(action: ReplayAction, fields: Readonly<Record<string, unknown>>): void {
    this.#send({ op: 'control', action, fields })
  }

  /** The last frame is drawn: the next may come. */
  shown(): void {
    this.#send({ op: 'shown' })
  }

  #open(): void {
    const { protocol, host } = globalThis.location
    const socket = new WebSocket(`${protocol === 'https:' ? 'wss' : 'ws'}://${host}/ws/live`)
    this.#socket = socket
    socket.addEventListener('open', () => {
      this.onState(true)
      if (this.#watched !== undefined) this.#send({ op: 'watch', instanceId: this.#watched })
    })
    socket.addEventListener('message', ({ data }) => { this.onFrame(JSON.parse(String(data)) as LiveFrame) })
    socket.addEventListener('close', () => {
      this.onState(false)
      setTimeout(() => { this.#open() }, RETRY_MS)
    })
  }

  #send(frame: ViewerFrame): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame))
  }
}
