import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { afterMs } from '../model/wall-client.js'
import { FEED_NOTICES, type FeedEncoding } from '../protocol/feed-messages.js'
import type { FeedClose, FeedCommand, FeedOutcome, FeedReaction, FeedSession } from '../protocol/feed-session.js'
import { SOCKET_BYTES, WriteQueue } from '../protocol/write-queue.js'
import type { FeedPublisher, FeedReader } from './feed-publisher.js'
import type { FeedConnection } from './feed-source.js'
import { frameEnd, shortFrame, type FrameStream } from './frame-stream.js'
import { Outbox } from './outbox.js'

/** Commands of one connection that may wait to be played; then nothing more is read from it. */
const COMMANDS_MAX = 256
/** Less than this is copied, so that a slow reader does not keep a whole block for it. */
const LYING_BYTES = 32_768
/** Behind so many bytes there is a ping: its pong says that they have been read. */
const PIECE_BYTES = 65_536
const SLOW_CONSUMER = `${FEED_NOTICES.PROTOCOL_VIOLATION}slow consumer`
/** Time that a client has for its close frame. */
const CLOSE_MS = 30_000
/** The same where it answers no pings. */
const SILENT_CLOSE_MS = 1_000
/** The same where it reads slowly, and has much to read before the notice. */
export const SLOW_CLOSE_MS = 600_000

/** True for a notice to a client that answers nothing. */
function isSilence(notice: string): boolean {
  return notice === FEED_NOTICES.PONG || notice === FEED_NOTICES.IMPATIENT
}

/** True for a notice to a client that reads nothing, or far too little: its place is free at once. */
export function isCutOffBy(notice: string): boolean {
  return isSilence(notice) || notice === SLOW_CONSUMER
}

/** The parts of a connection. */
export interface ServerConnectionParts {
  readonly market: string
  readonly encoding: FeedEncoding
  readonly key: string
  readonly session: FeedSession
  readonly socket: Duplex
  readonly webSocket: WebSocket
  readonly publisher: FeedPublisher
  readonly unsentLimitBytes: number
  readonly nowMs: () => number
  /** Plays a task at once or later, in order. */
  readonly post: (task: () => void) => void
  /** The login has come: the response is to be sent. */
  readonly onLogin: (connection: ServerConnection) => void
  /** Nothing is sent any more; `reason` says why, without keys. */
  readonly onClosed: (connection: ServerConnection, reason: string) => void
}

/** One connection of a feed server: its session, its socket, and what waits to be sent. */
export class ServerConnection implements FeedConnection, FeedReader {
  sentCount = 0
  commandCount = 0
  readonly market: string
  readonly encoding: FeedEncoding
  readonly key: string
  readonly #outbox = new Outbox()
  readonly #queue: WriteQueue<Uint8Array>
  #isOpen = true
  #commandsWaiting = 0
  /** Bytes without a ping behind them. */
  #unpingedBytes = 0
  #pongWaiters: { number: number; readonly resolve: (isAnswered: boolean) => void }[] = []

  constructor(private readonly parts: ServerConnectionParts) {
    this.market = parts.market
    this.encoding = parts.encoding
    this.key = parts.key
    const { webSocket, socket } = parts
    const isReady = (): boolean =>
      socket.writableLength < SOCKET_BYTES && parts.session.mayBeGiven(this.#queue.givenBytes)
    this.#queue = new WriteQueue({
      get isReady() { return isReady() },
      write: (bytes, onTaken) => {
        // Behind a close frame, which ws writes itself where its client closes, nothing is written.
        if (webSocket.readyState === webSocket.OPEN) socket.write(bytes, onTaken)
      },
    })
    webSocket.on('message', (data: Buffer, isBinary: boolean) => this.#react(parts.session.receive(data, isBinary)))
    webSocket.on('ping', (data: Buffer) => this.#write(shortFrame('pong', data)))
    webSocket.on('pong', (data: Buffer) => this.#onPong(data))
    // A broken frame, a message beyond the limit: ws has sent the close frame that says so.
    webSocket.on('error', (error: Error) => this.#shut(`broken frame: ${error.message}`))
    webSocket.on('close', (code: number) => this.#shut(`closed by the client, code ${String(code)}`))
  }

  get processId(): string | null {
    return this.parts.session.login?.processId ?? null
  }

  get unsentBytes(): number {
    return this.#outbox.byteCount + this.#queue.waitingBytes + this.parts.socket.writableLength
  }

  get takenBytes(): number {
    return this.parts.session.readBytes
  }

  get unreadBytes(): number {
    return this.#outbox.byteCount + this.#queue.waitingBytes + this.#queue.givenBytes - this.takenBytes
  }

  get isStalled(): boolean {
    return this.#queue.isHeld
  }

  set isStalled(isStalled: boolean) {
    this.#queue.isHeld = isStalled
  }

  /** Adds a frame of the stream of its encoding; true where it is the first that waits. */
  take(from: number, to: number): boolean {
    if (!this.#isOpen) return false
    const isFirst = this.#outbox.byteCount === 0
    this.#outbox.add(from, to)
    this.sentCount++
    return isFirst
  }

  /** The same for a top-of-book line, which may take the place of one that waits. */
  takeTop(instrumentId: number, from: number, to: number): boolean {
    if (this.parts.session.subscriptions.get(instrumentId)?.topOfBookCoalescing !== true) return this.take(from, to)
    if (!this.#isOpen) return false
    const isFirst = this.#outbox.byteCount === 0
    if (!this.#outbox.addTop(instrumentId, from, to)) this.sentCount++
    return isFirst
  }

  /** Hands what waits to the socket. */
  flush(): void {
    if (!this.#isOpen) return
    const stream = this.parts.publisher.stream(this.encoding)
    if (this.#writeLying(stream)) return
    const bytes = this.#outbox.drain(stream.bytes)
    if (bytes !== null) this.#write(bytes)
  }

  /**
   * Writes messages that lie side by side as they are, without a copy, where the socket takes them at once or reads
   * from the block meanwhile: one block a connection at most, and not for little. False: they must be copied.
   */
  #writeLying(stream: FrameStream): boolean {
    const { byteCount } = this.#outbox
    if (this.isStalled || byteCount < LYING_BYTES || this.unsentBytes > byteCount) return false
    const bytes = this.#outbox.lying(stream.bytes)
    if (bytes === null) return false
    this.#outbox.clear()
    this.#write(bytes)
    // What is not taken at once is read later.
    if (this.unsentBytes > 0) stream.lend()
    return true
  }

  /** Ends the subscription of an instrument with an instrument-level error. */
  end(instrumentId: number, text: string): void {
    this.#play(this.parts.session.end(instrumentId, text))
  }

  /** An instrument whose permission is lost is unsubscribed. */
  recheck(): void {
    for (const outcome of this.parts.session.recheck()) this.#play(outcome)
  }

  /** The periodic ping. */
  sendPing(): void {
    if (this.#isOpen && !this.isStalled) this.#ping()
  }

  ping(): Promise<boolean> {
    if (!this.#isOpen) return Promise.resolve(false)
    this.flush()
    return new Promise((resolve) => {
      const waiter = { number: Infinity, resolve }
      this.#pongWaiters.push(waiter)
      this.#queue.then(() => { waiter.number = this.#ping() ?? Infinity })
    })
  }

  close(notice: string | null): void {
    if (notice !== null) return this.#close(this.parts.session.close(notice))
    this.#shut('closed by the server')
    this.parts.socket.destroy()
  }

  /** A ping behind what the socket has been given. */
  #ping(): number | null {
    const { session, nowMs, webSocket, socket } = this.parts
    if (webSocket.readyState !== webSocket.OPEN) return null
    const number = session.ping(nowMs(), this.#queue.givenBytes)
    if (typeof number !== 'number') {
      this.#close(number)
      return null
    }
    socket.write(shortFrame('ping', Buffer.from(String(number))))
    return number
  }

  #onPong(data: Buffer): void {
    const text = data.toString('latin1')
    if (!/^\d{1,15}$/.test(text)) return
    const number = Number(text)
    this.parts.session.pong(number, this.parts.nowMs())
    this.#queue.give()
    const waiters = this.#pongWaiters
    this.#pongWaiters = waiters.filter((waiter) => waiter.number > number)
    for (const waiter of waiters) if (waiter.number <= number) waiter.resolve(true)
  }

  #react(reaction: FeedReaction): void {
    if (!this.#isOpen) return
    switch (reaction.kind) {
      case 'close': return this.#close(reaction)
      case 'command': return this.#post(reaction)
      case 'loginResponse':
        this.parts.onLogin(this)
        this.sentCount = 0
        break
      default:
    }
  }

  /** A client that asks faster than it is served waits: its socket is not read meanwhile. */
  #post(command: FeedCommand): void {
    const { parts } = this
    if (++this.#commandsWaiting === COMMANDS_MAX) parts.webSocket.pause()
    parts.post(() => {
      if (this.#commandsWaiting-- === COMMANDS_MAX && this.#isOpen) parts.webSocket.resume()
      if (!this.#isOpen) return
      this.commandCount++
      this.#play(parts.session.play(command))
    })
  }

  #play(outcome: FeedOutcome | null): void {
    if (outcome === null || !this.#isOpen) return
    const { publisher } = this.parts
    if (outcome.kind === 'subscribed') return publisher.subscribe(this, outcome.subscribe)
    publisher.unsubscribe(this, outcome.instrumentId)
    publisher.sendState(this, outcome.instrumentId, 'ERROR', outcome.text)
  }

  /** Every byte to the socket goes through here. */
  #write(bytes: Uint8Array): void {
    if (!this.#isOpen) return
    const { socket } = this.parts
    // One write for all: a small one for each ping would cost the client a turn.
    socket.cork()
    for (let rest = bytes; rest.length > 0;) {
      const end = frameEnd(rest, PIECE_BYTES - this.#unpingedBytes)
      this.#queue.push(rest.subarray(0, end))
      this.#unpingedBytes += end
      if (this.#unpingedBytes >= PIECE_BYTES) {
        this.#unpingedBytes = 0
        this.#queue.then(() => { this.#ping() })
      }
      rest = rest.subarray(end)
    }
    socket.uncork()
    if (this.unsentBytes - this.#outbox.byteCount <= this.parts.unsentLimitBytes) return
    this.#queue.clear()
    this.#close(this.parts.session.close(SLOW_CONSUMER))
  }

  /** Notice, close frame, and nothing else. */
  #close({ notice, code }: FeedClose): void {
    if (!this.#isOpen) return
    const { webSocket, socket, unsentLimitBytes } = this.parts
    if (this.unsentBytes <= unsentLimitBytes) this.flush()
    // The flush may have found that too much is unsent, and closed.
    if (!this.#shut(notice)) return
    this.#queue.isHeld = false
    // A client that answers no pings reads nothing of what waits.
    if (isSilence(notice)) this.#queue.clear()
    this.#queue.then(() => {
      webSocket.send(notice)
      webSocket.close(code)
    })
    const ms = isSilence(notice) ? SILENT_CLOSE_MS : notice === SLOW_CONSUMER ? SLOW_CLOSE_MS : CLOSE_MS
    socket.once('close', afterMs(ms, () => { socket.destroy() }))
    webSocket.resume()
  }

  /** Ends it for the publisher; false where it was ended before. */
  #shut(reason: string): boolean {
    const { isOpen, parts } = { isOpen: this.#isOpen, parts: this.parts }
    if (!isOpen) return false
    this.#isOpen = false
    for (const instrumentId of parts.session.subscriptions.keys()) parts.publisher.unsubscribe(this, instrumentId)
    parts.session.isClosed = true
    this.#outbox.clear()
    for (const { resolve } of this.#pongWaiters) resolve(false)
    this.#pongWaiters = []
    parts.onClosed(this, reason)
    return true
  }
}
