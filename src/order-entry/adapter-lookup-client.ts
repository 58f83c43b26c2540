import { BacktapeError } from '../model/error.js'
import { isJsonObject, type JsonObject } from '../model/json-object.js'
import { optionUrl } from '../protocol/option-url.js'
import { ORDER_ENTRY_PATH } from '../protocol/order-entry-codec.js'
import { foundOnWire, parseWireJson } from '../protocol/wire-json.js'

/** Where an adapter can be reached, and what it says of itself (spec 2, "Adapter lookup"). */
export interface FoundAdapter {
  /** `ws://host:port/api/v2` */
  readonly webSocket: string
  /** Number of its exchange; null where the answer does not say it. */
  readonly exchangeId: number | null
  /** Path of its domain socket; null where it shows none. */
  readonly domainSocket: string | null
  /** Fields of `/api/info` that the documents do not know. */
  readonly extensions: JsonObject
}

const ANSWER_LIMIT_BYTES = 1_048_576
const ANSWER_MS = 10_000
const KNOWN: ReadonlySet<string> = new Set(['process_id', 'version', 'endpoints', 'domain_socket'])

/** The major number of a protocol version: 2 of `2.1`. */
export function majorOf(version: unknown): string {
  return String(version).split('.')[0] ?? ''
}

/**
 * Finds the adapter of an account and asks it for its endpoints. Throws OPTION_INVALID for a backend that is no
 * URL, and CONNECTION_FAILED where one of the two cannot be reached, does not know the account or says something else.
 */
export async function lookUpAdapter(backend: string, accountId: string): Promise<FoundAdapter> {
  const path = `/api/accounts/${encodeURIComponent(accountId)}/tradingservers`
  const action = `look up the adapter of account ${accountId}`
  const base = optionUrl(backend, { option: 'backend', action, form: 'http://host:port' })
  const found = await readJson(new URL(path, base), action)
  const data = found['data']
  const server: unknown = Array.isArray(data) ? data[0] : undefined
  if (!isJsonObject(server) || typeof server['host'] !== 'string' || typeof server['port'] !== 'number')
    throw failure(action, 'data with host and port', foundOnWire(data))
  const { port } = server
  const host = server['host'].includes(':') ? `[${server['host']}]` : server['host']
  const address = `http://${host}:${port}/api/info`
  if (!URL.canParse(address)) throw failure(action, 'data with host and port', foundOnWire(server))
  const info = await readJson(new URL(address), 'read the information of the adapter')
  const { endpoints, domain_socket: domain } = info
  const known = (Array.isArray(endpoints) ? (endpoints as unknown[]) : []).filter(isJsonObject)
  const endpoint = known.find(({ protocol_version: version }) => majorOf(version) === '2')?.['endpoint']
  return {
    webSocket: `ws://${host}:${port}${isPath(endpoint) ? endpoint : ORDER_ENTRY_PATH}`,
    exchangeId: typeof server['exchange_id'] === 'number' ? server['exchange_id'] : null,
    domainSocket: isJsonObject(domain) && typeof domain['path'] === 'string' ? domain['path'] : null,
    extensions: Object.fromEntries(Object.entries(info).filter(([name]) => !KNOWN.has(name))),
  }
}

/** The error of an action that needs a server. */
export function failure(action: string, expected: string, found: string, cause?: unknown): BacktapeError {
  const sentence = `Cannot ${action}: expected ${expected}, found ${found}`
  return new BacktapeError('CONNECTION_FAILED', sentence, { expected, found: found.slice(0, 80) }, cause)
}

function isPath(endpoint: unknown): endpoint is string {
  return typeof endpoint === 'string' && endpoint.startsWith('/') && !/[\s#]/.test(endpoint)
}

async function readJson(url: URL, action: string): Promise<JsonObject> {
  const { host } = url
  let status: number
  let text: string
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) })
    status = response.status
    text = await boundedText(response, action)
  } catch (error) {
    if (error instanceof BacktapeError) throw error
    const cause = (error as { readonly cause?: { readonly code?: string } }).cause
    const words = cause?.code ?? (error instanceof Error ? error.message : String(error))
    throw failure(action, `an answer of ${host}`, words, error)
  }
  let value: unknown
  try {
    value = parseWireJson(text).value
  } catch {
    value = undefined
  }
  if (status !== 200) {
    const words = isJsonObject(value) && typeof value['result'] === 'string' ? ` (${value['result'].slice(0, 80)})` : ''
    throw failure(action, `status 200 of ${host}`, `${status}${words}`)
  }
  if (!isJsonObject(value)) throw failure(action, `a JSON object of ${host}`, 'another answer')
  return value
}

async function boundedText({ body }: Response, action: string): Promise<string> {
  if (body === null) return ''
  const decoder = new TextDecoder()
  let [text, count] = ['', 0]
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    count += chunk.length
    if (count > ANSWER_LIMIT_BYTES) throw failure(action, `at most ${ANSWER_LIMIT_BYTES} bytes`, 'more')
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
