import { BacktapeError } from '../model/error.js'
import type { EventBatch } from '../model/event-batch.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import { isJsonObject } from '../model/json-object.js'
import { LineMessageDecoder, LineMessageEncoder, MessageBytes } from '../tickfile/lines/line-messages.js'
import type { ArrivingInstrument } from '../tickfile/lines/line-messages.js'
import type { Writable } from '../model/writable.js'
import type { Topics } from '../venue/venue.js'
import {
  readFeedHead, readLoginResponse, readState, writeLoginResponse, writeState, type FeedHead,
} from './feed-json-events.js'
import {
  DEFAULT_TOPICS, FEED_MESSAGES, FEED_TOPICS, FeedViolation, type FeedDecoded, type FeedDecoder, type FeedEncoder,
  type FeedLogin, type FeedLoginResponse, type FeedRequest, type FeedRequestDecoder, type FeedRequestEncoder,
  type FeedState, type FeedSubscribe, type FeedTopicName,
} from './feed-messages.js'

/** The options of a decoder of the feed. */
export interface FeedDecoderOptions {
  /** Instruments whose events are decoded, with the scales from which their columns begin; others are passed. */
  readonly instrumentOf: (instrumentId: number) => ArrivingInstrument | undefined
  /** Base of the times in batches, days since 1970-01-01. */
  readonly epochDay: number
}

/** A decoder that says of how many messages it knew nothing. */
export interface CountingFeedDecoder extends FeedDecoder {
  /** Messages of unknown types and of instruments that it does not know. */
  readonly passedCount: number
}

/**
 * Writes messages as JSON texts: events are lines of the tick file without their newline (spec 4, section 8).
 *
 * @example `createJsonEncoder().state({ instrumentId: 1, time: 5n, state: 'READY', text: '' })` writes
 *   `[5,1,5,"READY",""]`
 */
export function createJsonEncoder(): FeedEncoder {
  return new JsonEncoder()
}

/** Reads what {@link createJsonEncoder} writes, and what other servers write in that layout; times digit by digit. */
export function createJsonDecoder(options: FeedDecoderOptions): CountingFeedDecoder {
  return new JsonDecoder(options)
}

/** Writes and reads what clients send (spec 1, "Realtime feed messages"; spec 4, section 8). */
export function createJsonRequests(): { readonly encoder: FeedRequestEncoder; readonly decoder: FeedRequestDecoder } {
  return { encoder: { encode: encodeRequest }, decoder: { decode: decodeRequest } }
}


class JsonEncoder implements FeedEncoder {
  readonly #lines = new LineMessageEncoder()
  readonly sink: FeedEncoder['sink'] = this.#lines.sink

  line(batch: EventBatch, index: number): boolean {
    this.#lines.encode(batch, index)
    return true
  }

  state(state: FeedState): void {
    writeState(this.#lines.sink, state)
  }

  loginResponse(response: FeedLoginResponse): void {
    writeLoginResponse(this.#lines.sink, response)
  }
}

class JsonDecoder implements CountingFeedDecoder {
  passedCount = 0
  readonly #bytes = new MessageBytes()
  readonly #head: FeedHead = { type: 0, instrumentId: 0 }
  readonly #lines: Map<number, LineMessageDecoder> = new Map()
  #number = 0

  constructor(private readonly options: FeedDecoderOptions) {}

  decode(frame: Uint8Array, to: FeedDecoded): void {
    const number = ++this.#number
    readFeedHead(frame, number, this.#head)
    const { type, instrumentId } = this.#head
    if (type === EVENT_KINDS.state) return this.#decodeState(frame, number, to, instrumentId)
    if (type === FEED_MESSAGES.LOGIN_RESPONSE) return to.onLoginResponse(readLoginResponse(frame, number))
    const lines = this.#lines.get(instrumentId) ?? this.#known(instrumentId)
    if (lines === null) {
      this.passedCount++
      return
    }
    // The bytes may be others afterwards.
    const end = this.#bytes.put(frame)
    let index: number
    try {
      index = lines.decode(this.#bytes.bytes, 0, end, number)
    } catch (error) {
      return handUnreadable(to, instrumentId, error)
    }
    if (index < 0) this.passedCount++
    else to.onLine(lines.events.batch, index)
  }

  #decodeState(frame: Uint8Array, number: number, to: FeedDecoded, instrumentId: number): void {
    let state: FeedState | null
    try {
      state = readState(frame, number)
    } catch (error) {
      return handUnreadable(to, instrumentId, error)
    }
    if (state === null) this.passedCount++
    else to.onState(state)
  }

  /** Only instruments that are known are remembered: a server may make up ids without end. */
  #known(instrumentId: number): LineMessageDecoder | null {
    const from = this.options.instrumentOf(instrumentId)
    if (from === undefined) return null
    const lines = new LineMessageDecoder(from, this.options.epochDay)
    this.#lines.set(instrumentId, lines)
    return lines
  }
}

/** Hands over the error of a message whose instrument is known; throws it where nobody takes it. */
function handUnreadable(to: FeedDecoded, instrumentId: number, error: unknown): void {
  if (to.onUnreadable === undefined || instrumentId < 0 || !(error instanceof BacktapeError)) throw error
  to.onUnreadable(instrumentId, error)
}

const TOPIC_NAMES = Object.keys(FEED_TOPICS) as FeedTopicName[]
const COALESCING = 'topOfBookCoalescing'

function encodeRequest(request: FeedRequest): string {
  if (request.kind === 'unsubscribe') return JSON.stringify([FEED_MESSAGES.UNSUBSCRIBE, request.instrumentId])
  if (request.kind === 'login') {
    const { organization, applicationName, applicationVersion, processId } = request.login
    return JSON.stringify([FEED_MESSAGES.LOGIN, organization, applicationName, applicationVersion, processId])
  }
  const { instrumentId, topics, topOfBookCoalescing } = request.subscribe
  const named = TOPIC_NAMES.filter((name) => topics[FEED_TOPICS[name]] !== undefined)
  const selected: Record<string, boolean> = {}
  for (const name of named) selected[name] = topics[FEED_TOPICS[name]] === true
  if (topOfBookCoalescing) selected[COALESCING] = true
  const tail = Object.keys(selected).length === 0 ? [] : [selected]
  return JSON.stringify([FEED_MESSAGES.SUBSCRIBE, instrumentId, ...tail])
}

function decodeRequest(frame: Uint8Array): FeedRequest {
  const message = parsedMessage(frame)
  const type: unknown = message[0]
  switch (type) {
    case FEED_MESSAGES.LOGIN: return { kind: 'login', login: loginOf(message) }
    case FEED_MESSAGES.SUBSCRIBE: return { kind: 'subscribe', subscribe: subscribeOf(message) }
    case FEED_MESSAGES.UNSUBSCRIBE: {
      if (message.length !== 2) throw new FeedViolation('unsubscribe must be [12, instrumentId]', type)
      return { kind: 'unsubscribe', instrumentId: idOf(message, 'unsubscribe') }
    }
    default:
      throw new FeedViolation(
        `the message type must be 11, 12 or 13, found ${shown(type)}`, typeof type === 'number' ? type : null,
      )
  }
}

function parsedMessage(frame: Uint8Array): readonly unknown[] {
  let message: unknown
  try {
    message = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(frame))
  } catch {
    throw new FeedViolation('a message must be a JSON array, found no JSON')
  }
  if (!Array.isArray(message)) throw new FeedViolation(`a message must be a JSON array, found ${shown(message)}`)
  return message
}

function loginOf(message: readonly unknown[]): FeedLogin {
  const texts = message.slice(1)
  const [organization, applicationName, applicationVersion, processId] = texts
  const isWhole =
    texts.length === 4 && typeof organization === 'string' && typeof applicationName === 'string' &&
    typeof applicationVersion === 'string' && typeof processId === 'string'
  if (isWhole) return { organization, applicationName, applicationVersion, processId }
  throw new FeedViolation(
    'login must be [13, organization, application_name, application_version, process_id], four texts',
    FEED_MESSAGES.LOGIN,
  )
}

function idOf(message: readonly unknown[], what: string): number {
  const id: unknown = message[1]
  if (typeof id === 'number' && Number.isSafeInteger(id) && id >= 0) return id
  throw new FeedViolation(`the instrumentId of ${what} must be an integer from 0, found ${shown(id)}`)
}

function subscribeOf(message: readonly unknown[]): FeedSubscribe {
  if (message.length > 3) throw new FeedViolation('subscribe must be [11, instrumentId] or [11, instrumentId, topics]')
  const instrumentId = idOf(message, 'subscribe')
  const topics: Writable<Topics> = { ...DEFAULT_TOPICS }
  let topOfBookCoalescing = false
  const selected: unknown = message[2] ?? {}
  if (!isJsonObject(selected))
    throw new FeedViolation(`the topics of subscribe must be an object, found ${shown(selected)}`)
  for (const [name, value] of Object.entries(selected)) {
    const isTopic = Object.hasOwn(FEED_TOPICS, name)
    if (!isTopic && name !== COALESCING) throw new FeedViolation(`subscribe names an unknown topic, ${shown(name)}`)
    if (typeof value !== 'boolean') throw new FeedViolation(`${name} must be true or false, found ${shown(value)}`)
    if (isTopic) topics[FEED_TOPICS[name as FeedTopicName]] = value
    else topOfBookCoalescing = value
  }
  return { instrumentId, topics, topOfBookCoalescing }
}

/** The value that stood there, short: it goes into a notice. */
function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' && value !== null ? 'an object' : JSON.stringify(value).slice(0, 40)
}
