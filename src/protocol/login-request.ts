import { isJsonObject, type JsonObject } from '../model/json-object.js'
import { DEFAULT_LOGIN_OPTIONS, type LoginOptions, type LoginRequest } from './order-entry-codec.js'
import { foundOnWire } from './wire-json.js'

/** A login that cannot be accepted; without ids no response can name it. */
export interface LoginFault {
  readonly accountId: string | null
  readonly requestId: string | null
  readonly reason: string
  readonly type: string
}

const TEXT_LENGTH = 128

/** Reads a login: all its fields, or the first that is malformed. */
export function loginOf(message: JsonObject): LoginRequest | LoginFault {
  const [accountId, requestId, processId, version] = ['accountId', 'requestId', 'processId', 'version'].map((name) =>
    isText(message[name]) ? (message[name] as string) : null)
  const fault = (field: string, expected: string, found: unknown): LoginFault => ({
    accountId: accountId ?? null, requestId: requestId ?? null, type: 'INVALID_REQUEST',
    reason: `${field} must be ${expected}, found ${foundOnWire(found)}`,
  })
  const text = `a text of 1 to ${TEXT_LENGTH} characters`
  if (typeof accountId !== 'string') return fault('accountId', text, message['accountId'])
  if (typeof requestId !== 'string') return fault('requestId', text, message['requestId'])
  if (typeof processId !== 'string') return fault('processId', text, message['processId'])
  if (typeof version !== 'string') return fault('version', text, message['version'])
  const given = message['options'] ?? {}
  if (!isJsonObject(given)) return fault('options', 'an object', given)
  const options: Record<string, unknown> = { ...DEFAULT_LOGIN_OPTIONS }
  const extraOptions: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(DEFAULT_LOGIN_OPTIONS, name)) extraOptions[name] = value
    else if (typeof value === 'boolean') options[name] = value
    else if (value !== null) return fault(`options.${name}`, 'true or false', value)
  }
  return {
    accountId, requestId, processId, version, options: options as unknown as LoginOptions, extraOptions,
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.length <= TEXT_LENGTH
}
