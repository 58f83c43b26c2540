import { isAbsolute } from 'node:path'
import { isJsonObject, type JsonObject } from '../model/json-object.js'
import { RECORDED } from './latency-options.js'
import { isProfilePath } from './venue-profile-reader.js'

/** The same object with the values of some names replaced, where it has them. */
function replaced(fields: JsonObject, by: Readonly<Record<string, (value: unknown) => unknown>>): JsonObject {
  const own = Object.entries(by).filter(([name]) => Object.hasOwn(fields, name))
  return { ...fields, ...Object.fromEntries(own.map(([name, change]) => [name, change(fields[name])])) }
}

/**
 * The content of a run file with every relative path in it replaced: strategy, data, profiles, recorded latencies,
 * signals. What is no path, or has another form than a run file, stays as it is.
 */
export function withPaths<T>(content: T, replace: (path: string) => string): T
export function withPaths(content: unknown, replace: (path: string) => string): unknown {
  if (!isJsonObject(content)) return content
  const path = (value: unknown): unknown =>
    typeof value !== 'string' || value === '' || isAbsolute(value) || value.includes('://') ? value : replace(value)
  const strategy = (value: unknown): unknown => {
    const at = typeof value === 'string' ? value.lastIndexOf('#') : -1
    return typeof value === 'string' && at > 0 ? `${String(path(value.slice(0, at)))}${value.slice(at)}` : value
  }
  const data = (value: unknown): unknown => (isJsonObject(value) ? replaced(value, { in: path }) : path(value))
  const profile = (value: unknown): unknown =>
    typeof value === 'string' && isProfilePath(value) ? path(value) : value
  const latency = (value: unknown): unknown =>
    typeof value === 'string' && value.startsWith(RECORDED)
      ? `${RECORDED}${String(path(value.slice(RECORDED.length)))}`
      : value
  const account = (value: unknown): unknown =>
    isJsonObject(value) ? replaced(value, { profile, requestLatency: latency, responseLatency: latency }) : value
  const accounts = (value: unknown): unknown =>
    isJsonObject(value) ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, account(one)])) : value
  const assumptions = (value: unknown): unknown =>
    isJsonObject(value) ? replaced(value, { requestLatency: latency, responseLatency: latency }) : value
  const signal = (value: unknown): unknown => (isJsonObject(value) ? replaced(value, { file: path }) : value)
  const entry = (value: unknown): unknown => (isJsonObject(value) ? replaced(value, { strategy }) : value)
  const list = (of: (one: unknown) => unknown) => (value: unknown): unknown =>
    Array.isArray(value) ? value.map(of) : value
  return replaced(content, {
    strategy, account, accounts, assumptions,
    data: list(data), signals: list(signal), strategies: list(entry),
  })
}
