import type { WebSocket } from 'ws'
import { ChannelSession, type ChannelSessionHost } from '../protocol/channels/channel-session.js'
import { CHANNELS_MAX } from '../venue/channels.js'
import type { ChannelClient, ChannelHub, PublishedMessage } from './channel-hub.js'
import { PeerSocket } from './peer-socket.js'

/** Bytes that wait for a reader at most; then it is closed. */
const UNSENT_BYTES_MAX = 8_388_608

/** One WebSocket client of the channels. */
export class ChannelConnection implements ChannelClient, ChannelSessionHost {
  readonly #session = new ChannelSession(this)
  readonly #channels: Set<string> = new Set()
  readonly #peer: PeerSocket
  #origin: string | null = null

  /** `pongMs`: most time without a pong, milliseconds. */
  constructor(
    socket: WebSocket, private readonly hub: ChannelHub, pongMs: number,
    onClosed: (connection: ChannelConnection, reason: string) => void,
  ) {
    this.#peer = new PeerSocket(socket, { unsentBytes: UNSENT_BYTES_MAX, pongMs }, {
      text: (text) => { this.#session.receive(text) },
      binary: () => { this.#session.receiveBinary() },
      left: (reason) => {
        hub.leave(this, this.#channels)
        onClosed(this, reason)
      },
    })
  }

  /** The origin of its login; null before it. */
  get origin(): string | null {
    return this.#origin
  }

  get hasLoggedIn(): boolean {
    return this.#session.hasLoggedIn
  }

  receive(message: PublishedMessage): void {
    this.#peer.send(message.frame())
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
    this.#peer.send(text)
  }

  /** Asks whether the client is there; ends the connection where it has not answered for too long. */
  ping(): void {
    this.#peer.ping()
  }

  /** Ends the connection: nothing more is received or sent. */
  end(code: number, reason: string): void {
    this.#peer.end(code, reason)
  }
}
