import { WebSocket } from 'ws'
import { isJsonObject } from '../model/json-object.js'
import { BacktapeError } from '../model/error.js'
import { CHANNELS_PATH } from '../protocol/channels/channel-session.js'
import { addressAt } from './server-address.js'

/** A message of a channel, as it came. */
export interface ChannelEvent {
  readonly channel: string
  readonly origin: string
  readonly message: string
}

/** Receives the events of a client of a channel. */
export interface ChannelPeerSink {
  message(event: ChannelEvent): void
  /** A publish that the server refused, in words. */
  refused(sentence: string): void
}

/** A client of one channel of a strategy server. */
export interface ChannelPeer {
  publish(message: string): void
  /** Resolves when {@link close} was called; rejects with CONNECTION_FAILED where the connection ended before. */
  readonly ended: Promise<void>
  close(): void
}

/**
 * Logs in to the channels of a strategy server, `http://host:port`, and subscribes one. Throws OPTION_INVALID for
 * another address, CONNECTION_FAILED where the server cannot be reached, and LOGIN_REFUSED where it refuses.
 */
export async function openChannelPeer(
  { server, channel, origin, token }: {
    readonly server: string, readonly channel: string, readonly origin: string, readonly token: string | null,
  }, sink: ChannelPeerSink,
): Promise<ChannelPeer> {
  const url = addressAt(server, CHANNELS_PATH).href.replace(/^http/, 'ws')
  const socket = new WebSocket(url, token === null ? {} : { headers: { authorization: `Bearer ${token}` } })
  const frames = new Frames(socket, url, sink)
  await frames.opened
  await frames.asked({ op: 'login', origin })
  await frames.asked({ op: 'subscribe', channel })
  return {
    publish: (message) => { frames.send({ op: 'publish', channel, message }) },
    ended: frames.ended, close: () => { frames.close() },
  }
}

/** The frames of a connection: answers for those that ask, events for the sink. */
class Frames {
  readonly opened: Promise<void>
  readonly ended: Promise<void>
  #waiting: ((frame: Readonly<Record<string, unknown>> | Error) => void) | null = null
  #isClosed = false

  constructor(
    private readonly socket: WebSocket, private readonly url: string, private readonly sink: ChannelPeerSink,
  ) {
    this.opened = new Promise((resolve, reject) => {
      socket.once('open', resolve)
      socket.once('error', (error: Error) => { reject(this.#failure(error.message)) })
    })
    this.ended = new Promise((resolve, reject) => {
      socket.once('close', (code: number, reason: Buffer) => {
        if (this.#isClosed) return resolve()
        const failure = this.#failure(`it ended, ${reason.toString('utf8') || `code ${String(code)}`}`)
        this.#waiting?.(failure)
        reject(failure)
      })
    })
    // Who does not wait for the end has another error before.
    this.ended.catch(() => undefined)
    socket.on('message', (data: Buffer) => { this.#take(data.toString('utf8')) })
  }

  send(frame: object): void {
    this.socket.send(JSON.stringify(frame))
  }

  async asked(frame: object): Promise<void> {
    const answer = await new Promise<Readonly<Record<string, unknown>> | Error>((resolve) => {
      this.#waiting = resolve
      this.send(frame)
    })
    this.#waiting = null
    if (answer instanceof Error) throw answer
    const { error } = answer
    if (typeof error !== 'string') return
    this.close()
    throw new BacktapeError('LOGIN_REFUSED', `Cannot use the channel of ${this.url}: ${error}`, {
      found: error.slice(0, 80),
    })
  }

  close(): void {
    this.#isClosed = true
    this.socket.close()
  }

  #take(text: string): void {
    const frame = JSON.parse(text) as unknown
    if (!isJsonObject(frame)) return
    const { op, channel, origin, message, error } = frame
    if (op === 'event')
      this.sink.message({ channel: String(channel), origin: String(origin), message: String(message) })
    else if (this.#waiting !== null) this.#waiting(frame)
    else this.sink.refused(String(error))
  }

  #failure(why: string): BacktapeError {
    return new BacktapeError('CONNECTION_FAILED', `Cannot keep the connection to ${this.url}: ${why}`, { found: why })
  }
}
