import type { IncomingMessage } from 'node:http'
import { WebSocket } from 'ws'
import { EVENT_FLAGS, type EventBatch } from '../model/event-batch.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import { BacktapeError } from '../model/error.js'
import { wideNumberOf } from '../model/event-rows.js'
import { RandomNumbers } from '../model/random.js'
import { timeFromEpochNs } from '../model/time.js'
import {
  INSTRUMENT_ERRORS, type FeedDecoded, type FeedDecoder, type FeedLoginResponse, type FeedRequest,
  type FeedRequestEncoder, type FeedState,
} from '../protocol/feed-messages.js'
import { optionToken } from '../protocol/option-token.js'
import { shownUrl } from '../protocol/option-url.js'
import type { Topics } from '../venue/venue.js'
import { FEED_ENCODINGS, type FeedEncodingEntry } from './feed-encodings.js'
import type { FeedClient, FeedClientOptions } from './feed-listener.js'

const BACK_OFF = { firstMs: 1000, mostMs: 60_000 }
const RESUBSCRIBE_MS = 1000
const HANDSHAKE_MS = 10_000
/** Looks for a sign of life so often; the server pings every 5 s, so a few looks in vain mean a dead connection. */
const LOOK_MS = 10_000
const LOOKS_MAX = 4
const MESSAGE_MAX_BYTES = 64 * 1024 * 1024
const BODY_MAX_BYTES = 1024
const BRACKET = 0x5b
const SPACE = 0x20
const { CHAIN_GAP, FORCE_RESET } = EVENT_FLAGS

interface ClientSubscription {
  readonly topics: Topics
  readonly topOfBookCoalescing: boolean
  /** The snapshot that follows a subscription has not come: nothing before it is a gap. */
  awaitsSnapshot: boolean
  /** When it was subscribed again last, milliseconds; a second time waits. */
  resubscribedMs: number
  /** True: the answer to our own unsubscribing is to come. */
  isLeft: boolean
  timer: NodeJS.Timeout | null
}

/**
 * A client of a feed. It answers pings after its handlers: `ws` takes frames one after the other and calls the
 * handlers of a message before it looks at the frame behind, so a pong says that everything before its ping was dealt
 * with. Throws OPTION_INVALID for a URL of no known encoding, and for a key that cannot be sent.
 */
export function createFeedClient(options: FeedClientOptions): FeedClient {
  optionToken(options.apiKey, { option: 'apiKey', action: 'open a feed' })
  return new SocketFeedClient(options)
}

class SocketFeedClient implements FeedClient, FeedDecoded {
  receivedCount = 0
  commandCount = 0
  readonly #entry: FeedEncodingEntry
  readonly #decoder: FeedDecoder
  readonly #requests: FeedRequestEncoder
  readonly #subscriptions: Map<number, ClientSubscription> = new Map()
  readonly #jitter: RandomNumbers
  readonly #backOff: { readonly firstMs: number; readonly mostMs: number }
  #socket: WebSocket | null = null
  #isLoggedIn = false
  #isEnded = false
  #first: { resolve(response: FeedLoginResponse): void; reject(error: Error): void } | null = null
  #attempts = 0
  #drawCount = 0
  #openedMs = 0
  #looks = 0
  #timer: NodeJS.Timeout | null = null
  #lookTimer: NodeJS.Timeout | null = null

  constructor(private readonly options: FeedClientOptions) {
    this.#entry = entryOf(options.url)
    this.#decoder = this.#entry.createDecoder({ instrumentOf: options.instrumentOf, epochDay: options.epochDay })
    this.#requests = this.#entry.createRequests().encoder
    this.#jitter = new RandomNumbers(0, `feed ${options.login.processId}`, 0)
    this.#backOff = options.reconnect === false ? BACK_OFF : options.reconnect ?? BACK_OFF
  }

  connect(): Promise<FeedLoginResponse> {
    if (this.#socket !== null || this.#isEnded)
      throw new BacktapeError('OPTION_INVALID', 'Cannot connect to the feed: the client is connected, or was closed')
    return new Promise((resolve, reject) => {
      this.#first = { resolve, reject }
      this.#open()
    })
  }

  subscribe(instrumentId: number, topics: Topics, topOfBookCoalescing = false): void {
    clearTimer(this.#subscriptions.get(instrumentId)?.timer)
    const subscription = {
      topics, topOfBookCoalescing, awaitsSnapshot: true, resubscribedMs: -Infinity, isLeft: false, timer: null,
    }
    this.#subscriptions.set(instrumentId, subscription)
    if (this.#isLoggedIn) this.#sendSubscribe(instrumentId, subscription)
  }

  unsubscribe(instrumentId: number): void {
    const subscription = this.#subscriptions.get(instrumentId)
    if (subscription === undefined) return
    clearTimer(subscription.timer)
    this.#subscriptions.delete(instrumentId)
    if (this.#isLoggedIn) this.#command({ kind: 'unsubscribe', instrumentId })
  }

  close(): Promise<void> {
    const socket = this.#socket
    this.#end(new BacktapeError('STOPPED', 'Stopped: the feed client was closed'), true)
    if (socket === null || socket.readyState === WebSocket.CLOSED) return Promise.resolve()
    return new Promise((resolve) => {
      socket.once('close', () => resolve())
      if (socket.readyState === WebSocket.CONNECTING) socket.terminate()
      else socket.close(1000)
    })
  }

  onLine(batch: EventBatch, index: number): void {
    const wide = this.options.refusesWide === true ? wideNumberOf(batch, index) : null
    if (wide !== null) return this.onUnreadable(batch.instrument.id, faultOfWide(wide))
    this.options.listener.onLine(batch, index)
    if (this.options.resubscribes === true && (batch.kind[index] as number) <= EVENT_KINDS.update)
      this.#lookForGap(batch, index)
  }

  onState(state: FeedState): void {
    const { instrumentId, time, text } = state
    const fault = faultOfTime(time, this.options.epochDay)
    if (fault !== null) return this.onUnreadable(instrumentId, fault)
    const subscription = this.#subscriptions.get(instrumentId)
    const isOurs = subscription?.isLeft === true && text === INSTRUMENT_ERRORS.UNSUBSCRIBED
    if (subscription !== undefined) subscription.isLeft = false
    if (!isOurs) this.options.listener.onState(state)
  }

  onUnreadable(instrumentId: number, error: BacktapeError): void {
    if (this.options.resubscribes !== true) throw error
    this.options.listener.onUnreadable?.(instrumentId, error)
    const subscription = this.#subscriptions.get(instrumentId)
    if (subscription !== undefined) this.#resubscribe(instrumentId, subscription)
  }

  onLoginResponse(response: FeedLoginResponse): void {
    this.receivedCount = 0
    this.commandCount = 0
    this.#isLoggedIn = true
    this.options.listener.onLogin?.(response)
    this.#first?.resolve(response)
    this.#first = null
    for (const [instrumentId, subscription] of this.#subscriptions) this.#sendSubscribe(instrumentId, subscription)
  }

  #open(): void {
    const { url, apiKey, login } = this.options
    const target = new URL(url)
    target.search = `?apiKey=${encodeURIComponent(apiKey)}`
    const socket = new WebSocket(target, {
      perMessageDeflate: false, handshakeTimeout: HANDSHAKE_MS, maxPayload: MESSAGE_MAX_BYTES,
    })
    this.#socket = socket
    let reason = 'the connection ended'
    socket.on('open', () => {
      this.#openedMs = performance.now()
      this.#watch()
      this.options.listener.onConnection?.('open', '')
      this.#send({ kind: 'login', login })
    })
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      reason = this.#take(data, isBinary) ?? reason
    })
    socket.on('ping', () => { this.#looks = 0 })
    socket.on('unexpected-response', (request, response) => {
      void this.#refuse(response).finally(() => request.destroy())
    })
    socket.on('error', (error) => { reason = error.message })
    socket.on('close', (code) => this.#onClose(socket, `${reason}, code ${String(code)}`))
  }

  /** One message; the text of a notice, after which the server closes. */
  #take(data: Buffer, isBinary: boolean): string | null {
    this.#looks = 0
    if (this.#isEnded) return null
    const first = data[0] ?? 0
    const isNotice = !isBinary && (this.#entry.isBinary || (first !== BRACKET && first > SPACE))
    try {
      if (isNotice) {
        const notice = data.toString('utf8')
        this.options.listener.onNotice?.(notice)
        return notice
      }
      this.receivedCount++
      this.#decoder.decode(data, this)
    } catch (error) {
      this.#end(error instanceof Error ? error : new Error(String(error)))
      this.#socket?.close(1000)
    }
    return null
  }

  /** Of a rejected key nothing else is to be expected: it ends the client. Other refusals may pass. */
  async #refuse(response: IncomingMessage): Promise<void> {
    const status = response.statusCode ?? 0
    const body = await bodyText(response)
    const error = new BacktapeError(
      'FEED_REJECTED', `Cannot connect to ${shownUrl(this.options.url)}: HTTP ${String(status)}, ${body}`,
      { field: 'apiKey', found: body },
    )
    if (status === 401 || this.#first !== null) this.#end(error)
    else this.#onClose(this.#socket, error.message)
    this.#socket?.terminate()
  }

  #onClose(socket: WebSocket | null, reason: string): void {
    if (socket === null || socket !== this.#socket) return
    this.#socket = null
    this.#isLoggedIn = false
    this.#stopTimers()
    if (this.#openedMs > 0) this.options.listener.onConnection?.('closed', reason)
    const isLong = this.#openedMs > 0 && performance.now() - this.#openedMs >= this.#backOff.mostMs
    this.#openedMs = 0
    if (this.#isEnded) return
    const words = `Cannot use the feed ${shownUrl(this.options.url)}: ${reason}`
    if (this.#first !== null || this.options.reconnect === false)
      return this.#end(new BacktapeError('FEED_UNREACHABLE', words))
    if (isLong) this.#attempts = 0
    this.#timer = setTimeout(() => this.#open(), this.#delayMs())
  }

  /** Grows with each attempt; the jitter keeps clients of one server apart. Never below half of the first. */
  #delayMs(): number {
    const { firstMs, mostMs } = this.#backOff
    let delayMs = firstMs
    for (let i = 0; i < this.#attempts && delayMs < mostMs; i++) delayMs *= 2
    this.#attempts++
    return Math.min(delayMs, mostMs) * (0.5 + this.#jitter.uniform(this.#drawCount++) / 2)
  }

  /** A connection on which nothing comes, not even pings, is dead. */
  #watch(): void {
    this.#looks = 0
    this.#lookTimer = setInterval(() => {
      if (++this.#looks >= LOOKS_MAX) this.#socket?.terminate()
    }, LOOK_MS)
    this.#lookTimer.unref()
  }

  /** A gap of the depth chain, or a snapshot with forceReset, unless a snapshot is awaited anyway. */
  #lookForGap(batch: EventBatch, index: number): void {
    const subscription = this.#subscriptions.get(batch.instrument.id)
    if (subscription === undefined) return
    const isSnapshot = batch.kind[index] === EVENT_KINDS.snapshot
    const isGap = ((batch.flags[index] as number) & (isSnapshot ? FORCE_RESET : CHAIN_GAP)) !== 0
    const wasAwaited = subscription.awaitsSnapshot
    if (isSnapshot) subscription.awaitsSnapshot = false
    if (isGap && !wasAwaited) this.#resubscribe(batch.instrument.id, subscription)
  }

  /** At most once in a while: a server that sends nothing but gaps is not asked in a tight loop. */
  #resubscribe(instrumentId: number, subscription: ClientSubscription): void {
    subscription.awaitsSnapshot = true
    if (subscription.timer !== null) return
    const nowMs = performance.now()
    const waitMs = subscription.resubscribedMs + (this.options.resubscribeMs ?? RESUBSCRIBE_MS) - nowMs
    if (waitMs <= 0) return this.#sendAgain(instrumentId, subscription)
    subscription.timer = setTimeout(() => this.#sendAgain(instrumentId, subscription), waitMs)
  }

  #sendAgain(instrumentId: number, subscription: ClientSubscription): void {
    subscription.timer = null
    if (!this.#isLoggedIn) return
    subscription.resubscribedMs = performance.now()
    this.options.listener.onResubscribe?.(instrumentId)
    this.#command({ kind: 'unsubscribe', instrumentId })
    this.#sendSubscribe(instrumentId, subscription)
    subscription.isLeft = true
  }

  #sendSubscribe(instrumentId: number, subscription: ClientSubscription): void {
    subscription.awaitsSnapshot = true
    subscription.isLeft = false
    const { topics, topOfBookCoalescing } = subscription
    this.#command({ kind: 'subscribe', subscribe: { instrumentId, topics, topOfBookCoalescing } })
  }

  #command(request: FeedRequest): void {
    this.commandCount++
    this.#send(request)
  }

  #send(request: FeedRequest): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(this.#requests.encode(request))
  }

  #end(error: Error, isAsked = false): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#isLoggedIn = false
    this.#stopTimers()
    clearTimer(this.#timer)
    if (this.#first !== null) this.#first.reject(error)
    else if (!isAsked) this.options.listener.onError(error)
    this.#first = null
  }

  #stopTimers(): void {
    clearTimer(this.#lookTimer)
    for (const subscription of this.#subscriptions.values()) {
      clearTimer(subscription.timer)
      subscription.timer = null
    }
  }
}

function clearTimer(timer: NodeJS.Timeout | null | undefined): void {
  if (timer !== null && timer !== undefined) clearTimeout(timer)
}

/** The encoding by the path of a URL. */
function entryOf(url: string): FeedEncodingEntry {
  const shown = shownUrl(url)
  const [entry] = FEED_ENCODINGS.filter(({ path }) => shown.endsWith(path))
  if (entry !== undefined && /^wss?:/.test(shown)) return entry
  throw new BacktapeError(
    'OPTION_INVALID', `Cannot use the feed ${shown}: its URL must be ws://host:port/api/v6, or end with /api/v6/sbe`,
    { field: 'url', found: shown },
  )
}

/** Why a time cannot be counted from a day; null where it can. */
function faultOfTime(time: bigint, epochDay: number): BacktapeError | null {
  try {
    timeFromEpochNs(time, epochDay)
    return null
  } catch (error) {
    if (error instanceof BacktapeError) return error
    throw error
  }
}

/** The fault of a line for a reader that holds prices and quantities as safe integers alone. */
function faultOfWide({ field, found }: NonNullable<ReturnType<typeof wideNumberOf>>): BacktapeError {
  const expected = 'at most 2^53 - 1 without its point'
  return new BacktapeError(
    'VALUE_INEXACT', `Cannot take a line of the feed: ${field} must be ${expected}, found ${found.slice(0, 80)}`,
    { field, expected, found: found.slice(0, 80) },
  )
}

async function bodyText(response: IncomingMessage): Promise<string> {
  let text = ''
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      text += chunk.toString('utf8')
      if (text.length > BODY_MAX_BYTES) break
    }
  } catch {
    // What came of it is all there is.
  }
  return text.slice(0, BODY_MAX_BYTES)
}
