import type { IncomingMessage, ServerResponse } from 'node:http'
import { randomBytes } from 'node:crypto'
import { isJsonObject, type JsonObject } from '../model/json-object.js'
import { NS_PER_MS } from '../model/time.js'
import { RuntimeMetrics } from '../web/runtime-metrics-reader.js'
import { bearerOf, isSameToken } from '../web/bearer-token.js'
import { foreignRequest } from '../web/http-hosts.js'
import { listenHttp } from '../web/http-server.js'
import { passBody, readBody } from '../web/request-body.js'
import { prometheusReply } from '../web/rest/prometheus-reply.js'
import type { TextReply } from '../web/rest/rest-reply.js'
import { requestPath, unescapedPart } from '../web/request-url.js'
import { CONTROL_ACTIONS } from './control-actions.js'
import type { ControlAction } from './control-action.js'
import { ControlBody, ControlRefusal, NO_NAMES } from './control-body.js'
import type { ControlParts, ShopControlParts } from './control-parts.js'
import { serveMetrics } from './serve-metrics.js'
import { ALONE_ACTIONS } from './shop-actions.js'

const BODY_LIMIT_BYTES = 65_536
const TOKEN_BYTES = 24
const HOST = '127.0.0.1'
/** The path of the metrics for Prometheus. */
const METRICS = 'metrics'

/** The options of a control port. */
export interface ControlServerOptions {
  /** Those of a replay, or of a shop alone. */
  readonly parts: ControlParts | ShopControlParts
  /** 0 takes a free one. */
  readonly port: number
  readonly onLog?: (text: string) => void
}

/** A control port that listens. */
export interface OpenControl {
  /** Its address, and the token of every request: a secret. */
  readonly address: { readonly url: string; readonly token: string }
  close(): Promise<void>
}

/** An answer. */
type Answer = Pick<TextReply, 'status' | 'media' | 'text'>

function json(status: number, body: JsonObject): Answer {
  return { status, media: 'application/json', text: JSON.stringify(body) }
}

/**
 * Listens on the loopback for actions: `POST /ACTION` with a JSON body, `GET /` lists them, `GET /metrics` has metrics
 * for Prometheus. Everything needs the token
 * as `Authorization: Bearer`, and names this machine as its `Host`; no page of another origin gets in.
 * Throws ADDRESS_TAKEN and OPTION_INVALID.
 */
export async function openControl(options: ControlServerOptions): Promise<OpenControl> {
  const token = randomBytes(TOKEN_BYTES).toString('hex')
  const runtime = new RuntimeMetrics()
  const { port, close } = await listenHttp({
    request: (request, response) => {
      void answerOf(request, options, token, runtime).catch((error: unknown): Answer => {
        options.onLog?.(`control: ${error instanceof Error ? error.message : String(error)}`)
        return failure(500, 'FAILED', 'the action failed; the server\'s screen says why')
      }).then(async (answer) => {
        await passBody(request)
        send(response, answer)
      })
    },
  }, { host: HOST, port: options.port })
  return {
    address: { url: `http://${HOST}:${String(port)}`, token },
    close: () => {
      runtime.close()
      return close()
    },
  }
}

function isOfReplay(parts: ControlParts | ShopControlParts): parts is ControlParts {
  return 'replay' in parts
}

/** Performs an action by its name. Throws {@link ControlRefusal} for what is unknown or cannot be done. */
export async function performControl(
  parts: ControlParts | ShopControlParts, name: string, fields: JsonObject,
): Promise<object> {
  if (!isOfReplay(parts)) return actionOf(ALONE_ACTIONS, name, fields).perform(parts, new ControlBody(fields, NO_NAMES))
  const action = actionOf(CONTROL_ACTIONS, name, fields)
  const body = bodyOf(parts, fields)
  await action.check?.(parts, body)
  if (action.isOfPace === true) return action.perform(parts, body)
  return new Promise((resolve, reject) => {
    parts.pacer.call(() => {
      try {
        resolve(action.perform(parts, body))
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)))
      }
    })
  })
}

/** The action of a name, whose fields it knows. Throws {@link ControlRefusal}. */
function actionOf<Parts>(
  actions: Readonly<Record<string, ControlAction<Parts>>>, name: string, fields: JsonObject,
): ControlAction<Parts> {
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (action === undefined)
    throw new ControlRefusal(404, '', `one of ${Object.keys(actions).join(', ')}`, JSON.stringify(name))
  const known = Object.keys(action.fields)
  for (const field of Object.keys(fields)) {
    if (known.includes(field)) continue
    const expected = known.length === 0 ? 'no field' : `one of ${known.join(', ')}`
    // It may be a key where one is wanted.
    throw new ControlRefusal(400, known.includes('key') ? '' : field.slice(0, 80), expected, 'an unknown field')
  }
  return action
}

/** Fields with the names that the replay knows. */
export function bodyOf({ replay, markets }: ControlParts, fields: JsonObject): ControlBody {
  return new ControlBody(fields, {
    instruments: replay.feed.instruments, accounts: [...replay.orderEntry.accounts.keys()], markets,
    epochDay: replay.clock.epochDay,
  })
}

async function answerOf(
  request: IncomingMessage, options: ControlServerOptions, token: string, runtime: RuntimeMetrics,
): Promise<Answer> {
  const { method = '', url = '/', headers } = request
  const foreign = foreignRequest(headers, 'loopback')
  if (foreign !== null) return failure(403, 'FORBIDDEN', foreign)
  if (!isSameToken(bearerOf(headers) ?? '', token))
    return failure(401, 'UNAUTHORIZED', 'Authorization: Bearer must have the token of this server')
  const name = unescapedPart(requestPath(url).slice(1))
  if (name === '') {
    const body = listing(isOfReplay(options.parts) ? CONTROL_ACTIONS : ALONE_ACTIONS)
    return method === 'GET' ? json(200, body) : failure(405, 'METHOD', 'GET alone')
  }
  if (name === METRICS && method === 'GET') return prometheusReply(serveMetrics(options.parts, runtime.read()))
  if (method !== 'POST') return failure(405, 'METHOD', 'POST alone')
  const sent = await readBody(request, BODY_LIMIT_BYTES)
  if (sent === 'tooLong') return failure(413, 'TOO_LARGE', `a body has at most ${String(BODY_LIMIT_BYTES)} bytes`)
  const fields = sent === 'cutOff' ? null : fieldsOf(sent.toString('utf8'))
  if (fields === null) return failure(400, 'INVALID', 'the body must be a JSON object, or empty')
  try {
    const said = await performControl(options.parts, name, fields)
    options.onLog?.(`control: ${name}`)
    return json(200, { ok: true, time: String(nowOf(options.parts)), ...said })
  } catch (error) {
    if (!(error instanceof ControlRefusal)) throw error
    const { status, field, expected, found } = error
    const code = status === 404 ? 'UNKNOWN' : status === 409 ? 'NOT_NOW' : 'INVALID'
    return json(status, { ok: false, error: code, message: error.message, field, expected, found })
  }
}

function failure(status: number, error: string, message: string): Answer {
  return json(status, { ok: false, error, message })
}

/** Epoch nanoseconds of the clock of the replay, or of a shop alone. */
function nowOf(parts: ControlParts | ShopControlParts): bigint {
  if (isOfReplay(parts)) return parts.replay.clock.now()
  return BigInt(parts.shop?.service.time.nowMs() ?? 0) * BigInt(NS_PER_MS)
}

function listing(
  actions: Readonly<Record<string, Pick<ControlAction, 'fields' | 'does' | 'receives' | 'ends'>>>,
): JsonObject {
  return {
    actions: Object.entries(actions).map(([name, { fields, does, receives, ends }]) => (
      { name, fields, does, receives, ends }
    )),
  }
}

function fieldsOf(text: string): JsonObject | null {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}

function send(response: ServerResponse, { status, media, text }: Answer): void {
  response.writeHead(status, { 'content-type': media, 'content-length': Buffer.byteLength(text) })
  response.end(text)
}
