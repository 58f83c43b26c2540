import { BacktapeError } from '../model/error.js'
import { isJsonObject, type JsonObject } from '../model/json-object.js'
import { capabilitiesFrom } from '../protocol/feed-json-events.js'
import { optionUrl } from '../protocol/option-url.js'
import { readHttpText } from './http-text-reader.js'
import type { FeedInfo } from './feed-listener.js'

const KNOWN: ReadonlySet<string> = new Set([
  'process_id', 'protocol_version', 'clock', 'endpoints', 'capabilities',
])

/**
 * Reads `/api/info?all=true` of a feed (spec 1). `url` is any address of its port: `ws://host:14004/api/v6` as well as
 * `http://host:14004/api/info`. Throws OPTION_INVALID for what is no
 * URL, and FEED_UNREACHABLE.
 */
export async function readFeedInfo(url: string): Promise<FeedInfo> {
  const { protocol, host } = optionUrl(url, {
    option: 'url', action: 'read the information of a feed', form: 'http://host:port', alsoSchemes: ['ws'],
  })
  // The scheme of a URL of ws is no other's to set.
  const target = new URL(`${protocol === 'wss:' || protocol === 'https:' ? 'https:' : 'http:'}//${host}`)
  target.pathname = '/api/info'
  target.search = '?all=true'
  const { status, text } = await readHttpText(target, {})
  const info = status === 200 ? jsonObject(text) : null
  if (info !== null && isJsonObject(info['capabilities'])) return infoOf(info, info['capabilities'])
  throw new BacktapeError(
    'FEED_UNREACHABLE', `Cannot read ${target.href}: wanted capabilities in JSON, found HTTP ${String(status)}`,
  )
}

function infoOf(info: JsonObject, capabilities: JsonObject): FeedInfo {
  const endpoints: unknown = info['endpoints']
  return {
    processId: textOf(info['process_id']), protocolVersion: textOf(info['protocol_version']),
    clock: info['clock'] === 'simulated' ? 'simulated' : 'wall',
    endpoints: (Array.isArray(endpoints) ? endpoints : []).filter(isJsonObject).map((one) => (
      { endpoint: textOf(one['endpoint']), encoding: textOf(one['encoding']) }
    )),
    capabilities: capabilitiesFrom(capabilities),
    extensions: Object.fromEntries(Object.entries(info).filter(([name]) => !KNOWN.has(name))),
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

function jsonObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}
