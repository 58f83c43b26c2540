import type { ByteWriter } from '../model/byte-writer.js'
import { BacktapeError } from '../model/error.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import { isJsonObject } from '../model/json-object.js'
import { parseDigitsJson } from './digits-json.js'
import {
  FEED_MESSAGES, FEED_TOPICS, type FeedCapabilities, type FeedLoginResponse, type FeedState, type FeedTopicName,
} from './feed-messages.js'

/** The first two elements of a message; -1 for an instrument id that is none. */
export interface FeedHead {
  type: number
  instrumentId: number
}

const OPEN = 91
const COMMA = 44
const ZERO = 48
/** Digits that surely stay below 2^53. */
const DIGITS_MAX = 15
const SLOW_HEAD = /^\s*\[\s*(\d{1,15})\s*(?:\]|,\s*(?:(\d{1,15})\s*[,\]])?)/

/** A state event: `[5, id, ts, state, text]` (spec 1). */
export function writeState(sink: ByteWriter, { instrumentId, time, state, text }: FeedState): void {
  sink.text(`[${String(EVENT_KINDS.state)},${String(instrumentId)},${String(time)},"${state}",`)
  sink.text(JSON.stringify(text))
  sink.text(']')
}

/** A login response: `[14, processId, protocolVersion, serverTimeNs, capabilities]` (spec 4, section 8). */
export function writeLoginResponse(sink: ByteWriter, response: FeedLoginResponse): void {
  const { processId, protocolVersion, serverTime, capabilities } = response
  const texts = `${JSON.stringify(processId)},${JSON.stringify(protocolVersion)}`
  const type = String(FEED_MESSAGES.LOGIN_RESPONSE)
  sink.text(`[${type},${texts},${String(serverTime)},${JSON.stringify(capabilities)}]`)
}

/** Reads message type and instrument id of a message; throws LINE_MALFORMED where it has no type. */
export function readFeedHead(frame: Uint8Array, number: number, head: FeedHead): void {
  let at = 1
  let type = 0
  const { length } = frame
  let digit = (frame[at] ?? 0) - ZERO
  const typeEnd = Math.min(length, 4)
  for (; at < typeEnd && digit >= 0 && digit <= 9; digit = (frame[++at] ?? 0) - ZERO) type = type * 10 + digit
  const isType = frame[0] === OPEN && at > 1 && frame[at] === COMMA
  const start = ++at
  let id = 0
  digit = (frame[at] ?? 0) - ZERO
  const idEnd = Math.min(length, start + DIGITS_MAX)
  for (; at < idEnd && digit >= 0 && digit <= 9; digit = (frame[++at] ?? 0) - ZERO) id = id * 10 + digit
  if (isType && at > start && frame[at] === COMMA) {
    head.type = type
    head.instrumentId = id
  } else readSlowHead(frame, number, head)
}

/** The same with white space, or without an id. */
function readSlowHead(frame: Uint8Array, number: number, head: FeedHead): void {
  const match = SLOW_HEAD.exec(new TextDecoder().decode(frame.subarray(0, 256)))
  if (match === null) throw malformed(number, 'message', 'an array that begins with a message type', frame)
  head.type = Number(match[1])
  head.instrumentId = match[2] === undefined ? -1 : Number(match[2])
}

/** The error of a message of a feed that cannot be read. */
function malformed(number: number, field: string, expected: string, frame: Uint8Array): BacktapeError {
  const found = JSON.stringify(new TextDecoder().decode(frame.subarray(0, 80)))
  return new BacktapeError(
    'LINE_MALFORMED',
    `Cannot decode message ${String(number)} of the feed: ${field} must be ${expected}, found ${found}`,
    { field, expected, found },
  )
}

function elementsOf(frame: Uint8Array, number: number): readonly unknown[] {
  try {
    const message = parseDigitsJson(new TextDecoder('utf-8', { fatal: true }).decode(frame))
    if (Array.isArray(message)) return message
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error
  }
  throw malformed(number, 'message', 'a JSON array', frame)
}

/** Reads a state event, its time digit by digit; null for a word that is no known state. A text of null is empty. */
export function readState(frame: Uint8Array, number: number): FeedState | null {
  const [, id, time, state, text] = elementsOf(frame, number)
  const instrumentId = typeof id === 'string' && /^\d{1,16}$/.test(id) ? Number(id) : NaN
  if (!Number.isSafeInteger(instrumentId)) throw malformed(number, 'instrumentId', 'an integer', frame)
  if (typeof time !== 'string' || !/^\d{1,20}$/.test(time)) throw malformed(number, 'ts', 'epoch nanoseconds', frame)
  if (typeof state !== 'string') throw malformed(number, 'state', 'a text', frame)
  if (typeof text !== 'string' && text !== null && text !== undefined)
    throw malformed(number, 'text', 'a text', frame)
  if (state !== 'READY' && state !== 'ERROR') return null
  return { instrumentId, time: BigInt(time), state, text: text ?? '' }
}

/** Reads a login response. Of what other servers may leave out only the capabilities are needed. */
export function readLoginResponse(frame: Uint8Array, number: number): FeedLoginResponse {
  const [, processId, protocolVersion, serverTime, capabilities] = elementsOf(frame, number)
  if (!isJsonObject(capabilities)) throw malformed(number, 'capabilities', 'an object at index 4', frame)
  const isTime = typeof serverTime === 'string' && /^\d{1,20}$/.test(serverTime)
  return {
    processId: typeof processId === 'string' ? processId : '',
    protocolVersion: typeof protocolVersion === 'string' ? protocolVersion : '',
    serverTime: isTime ? BigInt(serverTime) : 0n,
    capabilities: capabilitiesFrom(capabilities),
  }
}

/** Capabilities by the names of the topics; a topic that is not named is null, as a market lacks it then. */
export function capabilitiesFrom(named: Readonly<Record<string, unknown>>): FeedCapabilities {
  const found: Partial<Record<FeedTopicName, { readonly eventIdType: string } | null>> = {}
  for (const name of Object.keys(FEED_TOPICS) as FeedTopicName[]) {
    const capability = Object.hasOwn(named, name) ? named[name] : null
    if (!isJsonObject(capability)) found[name] = null
    else found[name] = { eventIdType: typeof capability['eventIdType'] === 'string' ? capability['eventIdType'] : '' }
  }
  return found as FeedCapabilities
}
