import type { WebSocket } from 'ws'
import { afterMs, steadyMs } from '../model/wall-client.js'
import { PongWatch } from '../protocol/pong-watch.js'

/** Time that a client has for its close frame. */
const CLOSE_MS = 1_000

const AS_TEXT = { binary: false } as const

/** Limits of a connection. */
export interface PeerLimits {
  /** Bytes that wait for a reader at most; then it is closed. */
  readonly unsentBytes: number
  /** Most time without a pong, milliseconds. */
  readonly pongMs: number
}

/** The end of a connection that its frames go to. */
export interface PeerSink {
  text(text: string): void
  binary(): void
  /** Nothing more comes, or can be sent. */
  left(reason: string): void
}

/** One WebSocket client: its frames, its pings, its end. */
export class PeerSocket {
  readonly #pongs: PongWatch
  #isOpen = true

  constructor(
    private readonly socket: WebSocket, private readonly limits: PeerLimits, private readonly sink: PeerSink,
  ) {
    this.#pongs = new PongWatch(limits.pongMs)
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (!this.#isOpen) return
      if (isBinary) sink.binary()
      else sink.text(data.toString('utf8'))
    })
    socket.on('pong', (data: Uint8Array) => { this.#pongs.pong(steadyMs(), Number(new TextDecoder().decode(data))) })
    // A broken frame, or one beyond the limit: ws has sent the close frame that says so.
    socket.on('error', (error: Error) => { this.#leave(error.message) })
    socket.on('close', (code: number) => { this.#leave(`closed, code ${String(code)}`) })
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Bytes that wait for the reader. */
  get unsentBytes(): number {
    return this.socket.bufferedAmount
  }

  /** Sends a frame of text, given as text or as its bytes, which must not change any more. */
  send(frame: string | Uint8Array): void {
    if (!this.#isOpen) return
    this.socket.send(frame, AS_TEXT)
    if (this.socket.bufferedAmount > this.limits.unsentBytes) this.end(1008, 'slow reader')
  }

  /** Asks whether the client is there; ends the connection where it has not answered for too long. */
  ping(): void {
    if (!this.#isOpen) return
    const number = this.#pongs.ping(steadyMs(), 0)
    if (number === null) this.end(1008, 'no pong')
    else this.socket.ping(String(number))
  }

  /** Ends the connection: nothing more is received or sent. */
  end(code: number, reason: string): void {
    if (!this.#isOpen) return
    this.#leave(reason)
    const { socket } = this
    socket.close(code, reason)
    socket.once('close', afterMs(CLOSE_MS, () => { socket.terminate() }))
  }

  #leave(reason: string): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.sink.left(reason)
  }
}
