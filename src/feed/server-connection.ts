import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { FEED_NOTICES, type FeedEncoding } from '../protocol/feed-messages.js'
import type { FeedClose, FeedCommand, FeedOutcome, FeedReaction, FeedSession } from '../protocol/feed-session.js'
import type { FeedPublisher, FeedReader } from './feed-publisher.js'
import type { FeedConnection } from './feed-source.js'
import { shortFrame, type FrameStream } from './frame-stream.js'
import { Outbox } from './outbox.js'

/** Commands of one connection that may wait to be played; then nothing more is read from it. */
const COMMANDS_MAX = 256
/** Less than this is copied, so that a slow reader does not keep a whole block for it. */
const LYING_BYTES = 32_768

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
  /** Written while the connection is stalled. */
  #held: Uint8Array[] = []
  #heldBytes = 0
  #writtenBytes = 0
  #isStalled = false
  #isOpen = true
  #commandsWaiting = 0
  #pongWaiters: { readonly number: number; readonly resolve: (isAnswered: boolean) => void }[] = []

  constructor(private readonly parts: ServerConnectionParts) {
    this.market = parts.market
    this.encoding = parts.encoding
    this.key = parts.key
    const { webSocket } = parts
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
    return this.#outbox.byteCount + this.#heldBytes + this.parts.socket.writableLength
  }

  get takenBytes(): number {
    return this.#writtenBytes - this.parts.socket.writableLength
  }

  get isStalled(): boolean {
    return this.#isStalled
  }

  set isStalled(isStalled: boolean) {
    this.#isStalled = isStalled
    if (isStalled || !this.#isOpen) return
    const held = this.#held
    this.#dropHeld()
    for (const bytes of held) this.#pass(bytes)
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
    const { socket } = this.parts
    if (this.#isStalled || this.#outbox.byteCount < LYING_BYTES || socket.writableLength > 0) return false
    const bytes = this.#outbox.lying(stream.bytes)
    if (bytes === null) return false
    this.#outbox.clear()
    this.#write(bytes)
    // What is not taken at once is read later.
    if (socket.writableLength > 0) stream.lend()
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
    if (this.#isOpen && !this.#isStalled) this.#ping()
  }

  ping(): Promise<boolean> {
    const number = this.#isOpen ? this.#ping() : null
    if (number === null) return Promise.resolve(false)
    return new Promise((resolve) => this.#pongWaiters.push({ number, resolve }))
  }

  close(notice: string | null): void {
    if (notice !== null) return this.#close(this.parts.session.close(notice))
    this.#shut('closed by the server')
    this.parts.socket.destroy()
  }

  #ping(): number | null {
    const number = this.parts.session.ping(this.parts.nowMs())
    if (typeof number !== 'number') {
      this.#close(number)
      return null
    }
    this.flush()
    this.#write(shortFrame('ping', Buffer.from(String(number))))
    return number
  }

  #onPong(data: Buffer): void {
    const text = data.toString('latin1')
    if (!/^\d{1,15}$/.test(text)) return
    const number = Number(text)
    this.parts.session.pong(number)
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
    const { socket, unsentLimitBytes, session } = this.parts
    if (this.#isStalled) {
      this.#held.push(bytes)
      this.#heldBytes += bytes.length
    } else this.#pass(bytes)
    if (this.#heldBytes + socket.writableLength <= unsentLimitBytes) return
    this.#dropHeld()
    this.#close(session.close(`${FEED_NOTICES.PROTOCOL_VIOLATION}slow consumer`))
  }

  #pass(bytes: Uint8Array): void {
    this.#writtenBytes += bytes.length
    this.parts.socket.write(bytes)
  }

  #dropHeld(): void {
    this.#held = []
    this.#heldBytes = 0
  }

  /** Notice, close frame, and nothing else. */
  #close({ notice, code }: FeedClose): void {
    if (!this.#isOpen) return
    const { webSocket } = this.parts
    if (this.unsentBytes <= this.parts.unsentLimitBytes) this.flush()
    // The flush may have found that too much is unsent, and closed.
    if (!this.#shut(notice)) return
    for (const bytes of this.#held) this.#pass(bytes)
    this.#dropHeld()
    webSocket.send(notice)
    webSocket.close(code)
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
