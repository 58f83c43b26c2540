import type { EntryError, OrderReport } from '../model/order.js'
import { isJsonObject, type JsonObject } from '../model/json-object.js'
import type { AccountState } from '../venue/account-messages.js'
import type { ClientMessage, ClientRequest } from '../venue/order-messages.js'
import type { PlaceResult } from '../venue/messages.js'
import {
  LEGACY_POSITIONS, LOGIN_ERROR, LOGIN_IN_FULL, LOGIN_RESULT, PLACED_IN_FULL, WIRE_CANCEL_ALL, WIRE_ENTRIES,
  WIRE_MESSAGES, type WireShape,
} from './order-entry-fields.js'
import { WireFault, type WireReader } from './order-entry-reader.js'
import { WHOLE_VIEW, type WireView, type WireWriter } from './order-entry-writer.js'
import { foundOnWire } from './wire-json.js'

/** The version of the protocol (spec 2, "Versioning"): 2.1 is the minor form that the document shows. */
export const ORDER_ENTRY_VERSION = '2.1'
/** Where the protocol is served (spec 2, "Versioning"). */
export const ORDER_ENTRY_PATH = '/api/v2'

/** Options of a login (spec 2, "Login request options"), with their defaults. */
export interface LoginOptions {
  readonly includeContext: boolean
  readonly filterByProcessId: boolean
  readonly enableCorporateActions: boolean
  readonly useLegacyPositionEncoding: boolean
}

/** The options of a login that names none. The document gives one default; the others are ours. */
export const DEFAULT_LOGIN_OPTIONS: LoginOptions = {
  includeContext: false, filterByProcessId: false, enableCorporateActions: false, useLegacyPositionEncoding: true,
}

/** A login as a client sends it. */
export interface LoginRequest {
  readonly accountId: string
  readonly requestId: string
  readonly processId: string
  readonly version: string
  readonly options: LoginOptions
  /** Options that the protocol does not know. */
  readonly extraOptions: JsonObject
}

/** The parts of messages that one session receives. */
export interface SessionView extends WireView {
  readonly usesLegacyPositions: boolean
  /** True for our own client: orders in full, where the documents show some fields. */
  readonly isInFull: boolean
}

const text = (value: string): string => JSON.stringify(value)

/** The first message of a connection. */
export function welcomeText(processId: string, version: string): string {
  return JSON.stringify({ msgType: 'welcome', processId, version, protocolVersion: ORDER_ENTRY_VERSION })
}

/** `request` is the offending text, put there as it is where it is an object of JSON. */
export function invalidRequestText(message: string, request: string, isObject: boolean): string {
  return `{"msgType":"invalidRequest","message":${text(message)},"request":${isObject ? request : text(request)}}`
}

function shapeOf(message: ClientMessage, { usesLegacyPositions, isInFull }: SessionView): WireShape {
  if (message.kind === 'positionUpdate' && usesLegacyPositions) return LEGACY_POSITIONS
  if (message.kind === 'placeResponse' && isInFull) return PLACED_IN_FULL
  return WIRE_MESSAGES[message.kind].shape
}

/** A response or an event as a session receives it. */
export function messageText(writer: WireWriter, accountId: string, message: ClientMessage, view: SessionView): string {
  const { kind } = message
  const { flat } = WIRE_MESSAGES[kind]
  let head = `"msgType":"${kind}","accountId":${text(accountId)}`
  if (kind === 'corporateAction') head += `,"adapterTimestampNs":${writer.time(message.adapterTimeNs)}`
  const body = flat === null ? message : (message as unknown as Readonly<Record<string, object>>)[flat]
  // A context that was just set is no context that comes along.
  const isAnswer = kind === 'orderContextResponse' || kind === 'fillContextResponse'
  return writer.object(shapeOf(message, view), body ?? {}, isAnswer ? { ...view, includeContext: true } : view, head)
}

/** A login that was accepted; `extra` are members of the result that the documents do not know. */
export function loginResultText(
  writer: WireWriter, login: Pick<LoginRequest, 'accountId' | 'requestId'>, state: AccountState, view: SessionView,
  extra = '',
): string {
  const result = writer.object(view.isInFull ? LOGIN_IN_FULL : LOGIN_RESULT, state, view)
  const whole = extra === '' ? result : `${result.slice(0, -1)},${extra}}`
  return `{${loginHead(login)},"result":${whole}}`
}

/** A login that was refused. */
export function loginErrorText(
  writer: WireWriter, login: Pick<LoginRequest, 'accountId' | 'requestId'>, error: EntryError,
): string {
  return `{${loginHead(login)},"error":${writer.object(LOGIN_ERROR, error, WHOLE_VIEW)}}`
}

function loginHead({ accountId, requestId }: Pick<LoginRequest, 'accountId' | 'requestId'>): string {
  return `"msgType":"loginResponse","accountId":${text(accountId)},"requestId":${text(requestId)}`
}

/** A request as a client sends it. */
export function requestText(writer: WireWriter, accountId: string, request: ClientRequest): string {
  const head = `"msgType":"${request.kind}","accountId":${text(accountId)}`
  if (request.kind === 'cancelAll') return writer.object(WIRE_CANCEL_ALL, request, WHOLE_VIEW, head)
  const shape = WIRE_ENTRIES[request.kind]
  return `{${head},"entries":[${request.entries.map((one) => writer.object(shape, one, WHOLE_VIEW)).join(',')}]}`
}

/** A login as a client sends it. */
export function loginText({ options, extraOptions, ...login }: LoginRequest): string {
  return JSON.stringify({ msgType: 'login', ...login, options: { ...options, ...extraOptions } })
}

/** A logout as a client sends it. */
export function logoutText(accountId: string, requestId: string): string {
  return JSON.stringify({ msgType: 'logout', accountId, requestId })
}

/** Reads a response or an event. Throws {@link WireFault}; null for a message type that the protocol does not know. */
export function messageOf(reader: WireReader, value: JsonObject): ClientMessage | null {
  const kind = value['msgType']
  if (typeof kind !== 'string' || !Object.hasOwn(WIRE_MESSAGES, kind)) return null
  const known = kind as ClientMessage['kind']
  const { shape, flat } = WIRE_MESSAGES[known]
  const body = known === 'corporateAction' ? actionOf(value) : value
  const fields = reader.object(known === 'placeResponse' ? PLACED_IN_FULL : shape, body, '')
  if (flat === null) {
    if (known === 'placeResponse') fields['results'] = (fields['results'] as PlaceResult[]).map(withIds)
    return { kind, ...fields } as unknown as ClientMessage
  }
  const time = fields['adapterTimeNs'] ?? (known === 'corporateAction' ? timeOf(reader, value) : undefined)
  return {
    kind, [flat]: fields, ...(time === undefined ? {} : { adapterTimeNs: time }),
  } as unknown as ClientMessage
}

const STAMP = {
  ...WIRE_CANCEL_ALL, fields: WIRE_CANCEL_ALL.fields.filter(({ unit }) => unit === 'timeNs').map((field) => ({
    ...field, wire: 'adapterTimestampNs',
  })),
}

/** `adapterTimestampNs` of a message, nanoseconds since the midnight of the epoch day. */
export function timeOf(reader: WireReader, value: JsonObject): number {
  return reader.object(STAMP, value, '')['createTimeNs'] as number
}

/** The documents show the fields of a corporate action, not where they stand. */
function actionOf(value: JsonObject): unknown {
  if (value['instrumentId'] !== undefined) return value
  const { data, action } = value
  return (Array.isArray(data) ? (data as unknown[])[0] : data) ?? action ?? value
}

/** The order that is echoed has the ids of its entry, and its time. */
function withIds(one: PlaceResult): PlaceResult {
  if (one.result === undefined) return one
  const { ownOrderId, clientOrderId, exchangeTimeNs, result } = one
  const time: Partial<OrderReport> =
    result.exchangeTimeNs === undefined && exchangeTimeNs !== undefined ? { exchangeTimeNs } : {}
  return { ...one, result: { ...result, ownOrderId, clientOrderId, ...time } }
}

/** The outcome of a login. */
export type LoginOutcome =
  | { readonly state: AccountState; readonly extra: JsonObject }
  | { readonly error: EntryError }

const RESULT_FIELDS: ReadonlySet<string> = new Set(LOGIN_IN_FULL.fields.map(({ wire }) => wire))

/** Reads a loginResponse. Throws {@link WireFault}. */
export function loginOutcomeOf(reader: WireReader, value: JsonObject): LoginOutcome {
  const { error, result } = value
  if (error !== undefined && error !== null)
    return { error: reader.object(LOGIN_ERROR, error, 'error') as unknown as EntryError }
  if (!isJsonObject(result)) throw new WireFault('result', 'an object', foundOnWire(result))
  const state = reader.object(LOGIN_IN_FULL, result, 'result')
  state['capabilities'] ??= reader.object(capabilitiesShape(), {}, 'result.capabilities')
  const extra = Object.fromEntries(Object.entries(result).filter(([name]) => !RESULT_FIELDS.has(name)))
  return { state: state as unknown as AccountState, extra }
}

function capabilitiesShape(): WireShape {
  const inner = LOGIN_IN_FULL.fields.find(({ name }) => name === 'capabilities')?.inner
  if (inner === null || inner === undefined) throw new RangeError('the login result has no capabilities')
  return inner
}
