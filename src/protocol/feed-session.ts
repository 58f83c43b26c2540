import {
  FEED_MESSAGES, FEED_NOTICES, FeedViolation, INSTRUMENT_ERRORS, type FeedLogin, type FeedRequest,
  type FeedRequestDecoder, type FeedSubscribe,
} from './feed-messages.js'
import { PongWatch } from './pong-watch.js'

/** Close codes after a notice, and after `service shutdown`. */
const FEED_CLOSES = { POLICY: 1008, GOING_AWAY: 1001 } as const

/** A close: the notice to send before it, and its code. */
export interface FeedClose {
  readonly kind: 'close'
  readonly notice: string
  readonly code: number
}

/** A request that is to be played, in the order of arrival: {@link FeedSession.play}. */
export interface FeedCommand {
  readonly kind: 'command'
  readonly request: Exclude<FeedRequest, { readonly kind: 'login' }>
}

/** The reaction to a frame of a client. */
export type FeedReaction = FeedClose | FeedCommand | { readonly kind: 'loginResponse' } | { readonly kind: 'none' }

/** The outcome of a played request: a state ERROR, or READY and the current state of a subscription. */
export type FeedOutcome =
  | { readonly kind: 'error'; readonly instrumentId: number; readonly text: string }
  | { readonly kind: 'subscribed'; readonly subscribe: FeedSubscribe }

/** The options of a session. */
export interface FeedSessionOptions {
  readonly decoder: FeedRequestDecoder
  /** True where frames of the encoding are binary. */
  readonly isBinary: boolean
  /** True for an instrument of this endpoint. */
  readonly isAvailable: (instrumentId: number) => boolean
  /** True where the key may have the instrument now. */
  readonly isPermitted: (instrumentId: number) => boolean
  /** Most time without a pong since the first unanswered ping and the last pong, milliseconds. */
  readonly pongMs: number
}

const NOTHING: FeedReaction = { kind: 'none' }

/**
 * One connection of a feed server from its handshake to its close (spec 1, "Realtime feed"; wire decisions, "Feed").
 * Pure: it has no socket and no clock; frames, pongs and times come in, reactions go out. After a close it reacts to
 * nothing.
 */
export class FeedSession {
  /** Null before the login. */
  login: FeedLogin | null = null
  isClosed = false
  /** By instrument. */
  readonly subscriptions: Map<number, FeedSubscribe> = new Map()
  readonly #pongs: PongWatch

  constructor(private readonly options: FeedSessionOptions) {
    this.#pongs = new PongWatch(options.pongMs)
  }

  /** One message of the client. */
  receive(frame: Uint8Array, isBinary: boolean): FeedReaction {
    if (this.isClosed) return NOTHING
    const { options } = this
    try {
      if (isBinary !== options.isBinary)
        throw new FeedViolation(`a message must be ${options.isBinary ? 'a binary' : 'a text'} frame`)
      return this.#take(options.decoder.decode(frame))
    } catch (error) {
      if (!(error instanceof FeedViolation)) throw error
      const isLogin = error.messageType === FEED_MESSAGES.LOGIN
      if (this.login === null && !isLogin) return this.close(FEED_NOTICES.NOT_LOGGED_IN)
      return this.close(FEED_NOTICES.PROTOCOL_VIOLATION + error.message)
    }
  }

  #take(request: FeedRequest): FeedReaction {
    if (request.kind !== 'login')
      return this.login === null ? this.close(FEED_NOTICES.NOT_LOGGED_IN) : { kind: 'command', request }
    if (this.login !== null) return this.close(FEED_NOTICES.LOGGED_IN_ALREADY)
    this.login = request.login
    return { kind: 'loginResponse' }
  }

  /** Plays a request that {@link receive} handed out; null after a close. */
  play({ request }: FeedCommand): FeedOutcome | null {
    if (this.isClosed) return null
    if (request.kind === 'unsubscribe') return this.end(request.instrumentId, INSTRUMENT_ERRORS.UNSUBSCRIBED)
    const { subscribe } = request
    const { instrumentId } = subscribe
    if (!this.options.isAvailable(instrumentId)) return this.end(instrumentId, INSTRUMENT_ERRORS.NOT_AVAILABLE)
    if (!this.options.isPermitted(instrumentId)) return this.end(instrumentId, INSTRUMENT_ERRORS.NOT_PERMITTED)
    this.subscriptions.set(instrumentId, subscribe)
    return { kind: 'subscribed', subscribe }
  }

  /** Ends the subscription of an instrument, where there is one, with an instrument-level error. */
  end(instrumentId: number, text: string): FeedOutcome {
    this.subscriptions.delete(instrumentId)
    return { kind: 'error', instrumentId, text }
  }

  /** Looks at the permissions of what is subscribed again: an error for each instrument that is lost. */
  recheck(): FeedOutcome[] {
    const lost = [...this.subscriptions.keys()].filter((instrumentId) => !this.options.isPermitted(instrumentId))
    return lost.map((instrumentId) => this.end(instrumentId, INSTRUMENT_ERRORS.EXPIRED))
  }

  /** Bytes that the client has read, as far as its pongs say. */
  get readBytes(): number {
    return this.#pongs.readBytes
  }

  /** True where a client that was given so many bytes may be given more. */
  mayBeGiven(givenBytes: number): boolean {
    return this.#pongs.mayBeGiven(givenBytes)
  }

  /** A ping is due behind so many bytes: its number, or the close where no pong has come for too long. */
  ping(nowMs: number, givenBytes = 0): number | FeedClose {
    return this.#pongs.ping(nowMs, givenBytes) ?? this.close(FEED_NOTICES.PONG)
  }

  /** The pong of a ping has come; without a time it says nothing of the next ones. */
  pong(number: number, nowMs: number = -Infinity): void {
    this.#pongs.pong(nowMs, number)
  }

  /** The close with a notice; `service shutdown` has a code of its own. */
  close(notice: string): FeedClose {
    this.isClosed = true
    const code = notice === FEED_NOTICES.SHUTDOWN ? FEED_CLOSES.GOING_AWAY : FEED_CLOSES.POLICY
    return { kind: 'close', notice, code }
  }
}
