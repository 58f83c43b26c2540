import type { WebSocket } from 'ws'
import { afterMs, steadyMs } from '../model/wall-client.js'
import { ChannelSession, type ChannelSessionHost } from '../protocol/channels/channel-session.js'
import { PongWatch } from '../protocol/pong-watch.js'
import { CHANNELS_MAX } from '../venue/channels.js'
import type { ChannelClient, ChannelHub, PublishedMessage } from './channel-hub.js'

/** Bytes that wait for a reader at most; then it is closed. */
const UNSENT_BYTES_MAX = 8_388_608
/** Time that a client has for its close frame. */
const CLOSE_MS = 1_000

/** One WebSocket client of the channels. */
export class ChannelConnection implements ChannelClient, ChannelSessionHost {
  readonly #session = new ChannelSession(this)
  readonly #channels: Set<string> = new Set()
  readonly #pongs: PongWatch
  #origin: string | null = null
  #isOpen = true

  /** `pongMs`: most time without a pong, milliseconds. */
  constructor(
    private readonly socket: WebSocket, private readonly hub: ChannelHub, pongMs: number,
    private readonly onClosed: (connection: ChannelConnection, reason: string) => void,
  ) {
    this.#pongs = new PongWatch(pongMs)
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (!this.#isOpen) return
      if (isBinary) this.#session.receiveBinary()
      else this.#session.receive(data.toString('utf8'))
    })
    socket.on('pong', (data: Uint8Array) => { this.#pongs.pong(steadyMs(), Number(new TextDecoder().decode(data))) })
    // A broken frame, or one beyond the limit: ws has sent the close frame that says so.
    socket.on('error', (error: Error) => { this.#leave(error.message) })
    socket.on('close', (code: number) => { this.#leave(`closed, code ${String(code)}`) })
  }

  /** The origin of its login; null before it. */
  get origin(): string | null {
    return this.#origin
  }

  get hasLoggedIn(): boolean {
    return this.#session.hasLoggedIn
  }

  receive(message: PublishedMessage): void {
    this.send(message.text())
  }

  logIn(origin: string): string | null {
    if (!this.hub.take(origin, this)) return 'another client has this origin'
    this.#origin = origin
    return null
  }

  subscribe(channel: string): string | null {
    if (!this.#channels.has(channel) && this.#channels.size >= CHANNELS_MAX)
      return `a client has at most ${CHANNELS_MAX} subscriptions`
    this.#channels.add(channel)
    this.hub.subscribe(channel, this)
    return null
  }

  unsubscribe(channel: string): void {
    this.#channels.delete(channel)
    this.hub.unsubscribe(channel, this)
  }

  publish(channel: string, message: string): string | null {
    this.hub.publish(channel, { origin: this.#origin ?? '', message }, this)
    return null
  }

  send(text: string): void {
    if (!this.#isOpen) return
    this.socket.send(text)
    if (this.socket.bufferedAmount > UNSENT_BYTES_MAX) this.end(1008, 'slow reader')
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
    this.hub.leave(this, this.#channels)
    this.onClosed(this, reason)
  }
}
