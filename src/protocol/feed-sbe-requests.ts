import { BacktapeError } from '../model/error.js'
import type { Writable } from '../model/writable.js'
import type { Topics } from '../venue/venue.js'
import { putHeader } from './feed-sbe-encoder.js'
import {
  DEFAULT_TOPICS, FEED_MESSAGES, FEED_TOPICS, FeedViolation, type FeedLogin, type FeedRequest, type FeedSubscribe,
  type FeedTopicName,
} from './feed-messages.js'
import { FrameFault, SbeFrame } from './sbe-frame.js'
import { BLOCK_BYTES, HEADER_BYTES, MESSAGE_FIELDS, NULL_FLAG, SHORT_TEXT_LIMIT } from './sbe-layout.js'
import { putInteger } from './sbe-sink.js'

const TOPIC_NAMES = Object.keys(FEED_TOPICS) as FeedTopicName[]
const LOGIN_TEXTS = ['organization', 'applicationName', 'applicationVersion', 'processId'] as const

/** The frame of a message of a client. Throws VALUE_INEXACT for an id or a text that does not fit. */
export function encodeSbeRequest(request: FeedRequest): Uint8Array {
  if (request.kind === 'login') return loginFrame(request.login)
  if (request.kind === 'unsubscribe') return idFrame(FEED_MESSAGES.UNSUBSCRIBE, request.instrumentId).bytes
  const { instrumentId, topics, topOfBookCoalescing } = request.subscribe
  const { bytes, view } = idFrame(FEED_MESSAGES.SUBSCRIBE, instrumentId)
  TOPIC_NAMES.forEach((name, i) => {
    const topic = topics[FEED_TOPICS[name]]
    view.setUint8(MESSAGE_FIELDS.topics + i, topic === undefined ? NULL_FLAG : Number(topic))
  })
  view.setUint8(MESSAGE_FIELDS.topics + TOPIC_NAMES.length, Number(topOfBookCoalescing))
  return bytes
}

function emptyFrame(template: number, behind: number): { readonly bytes: Uint8Array; readonly view: DataView } {
  const bytes = new Uint8Array(HEADER_BYTES + (BLOCK_BYTES[template] ?? 0) + behind)
  const view = new DataView(bytes.buffer)
  putHeader(view, 0, template)
  return { bytes, view }
}

function idFrame(template: number, instrumentId: number): { readonly bytes: Uint8Array; readonly view: DataView } {
  if (!Number.isSafeInteger(instrumentId) || instrumentId < 0)
    throw new BacktapeError(
      'VALUE_INEXACT', `Cannot encode a request: instrumentId must be an integer from 0, found ${instrumentId}`,
    )
  const frame = emptyFrame(template, 0)
  putInteger(frame.view, MESSAGE_FIELDS.instrumentId, instrumentId)
  return frame
}

function loginFrame(login: FeedLogin): Uint8Array {
  const encoder = new TextEncoder()
  const texts = LOGIN_TEXTS.map((name) => encoder.encode(login[name]))
  const long = texts.findIndex(({ length }) => length > SHORT_TEXT_LIMIT)
  if (long >= 0)
    throw new BacktapeError(
      'VALUE_INEXACT',
      `Cannot encode a login: ${String(LOGIN_TEXTS[long])} must have at most ${SHORT_TEXT_LIMIT} bytes`,
    )
  const behind = texts.reduce((sum, { length }) => sum + 2 + length, 0)
  const { bytes, view } = emptyFrame(FEED_MESSAGES.LOGIN, behind)
  let at = HEADER_BYTES
  for (const text of texts) {
    view.setUint16(at, text.length, true)
    bytes.set(text, at + 2)
    at += 2 + text.length
  }
  return bytes
}

/** Reads what {@link encodeSbeRequest} writes. Throws {@link FeedViolation} with the field and its place. */
export function decodeSbeRequest(bytes: Uint8Array): FeedRequest {
  const frame = new SbeFrame()
  try {
    frame.open(bytes)
    return requestOf(frame)
  } catch (fault) {
    if (!(fault instanceof FrameFault)) throw fault
    // Without a whole header nothing is known of the message.
    throw new FeedViolation(fault.message, bytes.length < HEADER_BYTES ? null : frame.templateId)
  }
}

function requestOf(frame: SbeFrame): FeedRequest {
  switch (frame.templateId) {
    case FEED_MESSAGES.LOGIN: return { kind: 'login', login: loginOf(frame) }
    case FEED_MESSAGES.SUBSCRIBE: return { kind: 'subscribe', subscribe: subscribeOf(frame) }
    case FEED_MESSAGES.UNSUBSCRIBE: {
      const instrumentId = idOf(frame)
      frame.close()
      return { kind: 'unsubscribe', instrumentId }
    }
    default: throw frame.fault('templateId', '11, 12 or 13', String(frame.templateId), frame.start + 2)
  }
}

function idOf(frame: SbeFrame): number {
  frame.passBlock()
  const place = frame.start + MESSAGE_FIELDS.instrumentId
  const id = frame.unsigned(place)
  if (Number.isSafeInteger(id)) return id
  throw frame.fault('instrumentId', 'at most 2^53 - 1', String(frame.view.getBigUint64(place, true)), place)
}

function loginOf(frame: SbeFrame): FeedLogin {
  frame.passBlock()
  const login: Partial<Writable<FeedLogin>> = {}
  for (const name of LOGIN_TEXTS) {
    frame.passShortText(name)
    login[name] = frame.text(name)
  }
  frame.close()
  return login as FeedLogin
}

function subscribeOf(frame: SbeFrame): FeedSubscribe {
  const instrumentId = idOf(frame)
  const topics: Writable<Topics> = { ...DEFAULT_TOPICS }
  TOPIC_NAMES.forEach((name, i) => {
    const flag = flagOf(frame, i, name)
    if (flag !== null) topics[FEED_TOPICS[name]] = flag
  })
  const topOfBookCoalescing = flagOf(frame, TOPIC_NAMES.length, 'topOfBookCoalescing') ?? false
  frame.close()
  return { instrumentId, topics, topOfBookCoalescing }
}

/** Null for what has its default. */
function flagOf(frame: SbeFrame, index: number, name: string): boolean | null {
  const place = frame.start + MESSAGE_FIELDS.topics + index
  const flag = frame.view.getUint8(place)
  if (flag === NULL_FLAG) return null
  if (flag > 1) throw frame.fault(name, '0, 1 or 255', String(flag), place)
  return flag === 1
}
