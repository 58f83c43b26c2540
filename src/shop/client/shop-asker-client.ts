import { BacktapeError } from '../../model/error.js'
import { isJsonObject, type JsonObject } from '../../model/json-object.js'
import type { RandomNumbers } from '../../model/random.js'
import { refuseStopped, stoppedError, type StopSignal } from '../../model/stop-signal.js'
import { systemCode } from '../../files/output-fault.js'
import { shownUrl } from '../../protocol/option-url.js'
import { checkedAnswer } from '../../protocol/shop/shop-check.js'
import type { ShopSchemaName, Taken } from '../../protocol/shop/shop-schemas.js'
import { parseWireJson } from '../../protocol/wire-json.js'
import { CallLimits } from './call-limits.js'
import { fetchBehindRedirects, SHOP_NETWORK, type ShopNetwork } from './redirect-client.js'
import { backOffMs, retryAfterMs } from './retry-times.js'
import { isRepeatable, routeOf, shopAddress, shopRequest, type ShopCall } from './shop-call.js'
import { waited, WALL_CLOCK, type ShopClock } from './shop-clock-client.js'
import { isPassing, ServerWords, shopError, ShopRefusedError } from './shop-failure.js'

/** The options of an asker. */
export interface ShopAskerOptions {
  /** The address of the shop. */
  readonly url: string
  /** Default: the wall's. */
  readonly clock?: ShopClock
  /** The part of the waits that chance decides. */
  readonly random: RandomNumbers
  /** Default: the network of this process. */
  readonly network?: ShopNetwork
  /** Attempts of a call at most; default 6. */
  readonly attemptsMax?: number
  /** Longest wait for an answer of JSON with its body, and for the head of a file, milliseconds; default 30 s. */
  readonly answerMs?: number
  /** Longest body of JSON, bytes; default 16 MiB. */
  readonly jsonBytesMax?: number
  /** Receives a sentence whenever a call is going to be sent again, fit for a terminal. */
  readonly onNote?: (sentence: string) => void
}

/** An answer of JSON. */
export interface ShopJson<Name extends ShopSchemaName> {
  /** 200 to 299. */
  readonly status: number
  readonly answer: Taken<Name>
  /** Milliseconds of `Retry-After`; null where there is none. */
  readonly retryAfterMs: number | null
}

/** The head of an answer whose body is bytes. */
export interface OpenedBody {
  readonly response: Response
  /** The request in words, without query. */
  readonly place: string
  /** Ends the connection; harmless behind the end of the body. */
  close(): void
}

/** The repetition of work that may fail for a while. */
export interface CallPatience {
  readonly place: string
  readonly isRepeatable: boolean
  readonly signal?: StopSignal | undefined
  /** A number that grows with what was reached: attempts are counted from the last growth. */
  readonly progress?: () => number
}

const ATTEMPTS_MAX = 6
const ANSWER_MS = 30_000
const JSON_BYTES_MAX = 16 * 1024 * 1024
const REFUSAL_BYTES_MAX = 64 * 1024
/** A wait that a server asks for ends the work where it is longer. */
const RETRY_AFTER_MAX_MS = 600_000
const DAY = /^\d{4}-\d{2}-\d{2}$/
const DAYS_SHOWN = 20
const SHOWN_TYPE = /^[\w.+/-]{1,60}/

/** Asks one shop, within its limits. */
export class ShopAsker {
  readonly shop: URL
  readonly #options: ShopAskerOptions
  readonly #clock: ShopClock
  readonly #network: ShopNetwork
  readonly #limits: CallLimits = new CallLimits()
  #drawCount = 0

  /** Throws OPTION_INVALID for an address that is none of a shop. */
  constructor(options: ShopAskerOptions) {
    this.shop = shopAddress(options.url)
    this.#options = options
    this.#clock = options.clock ?? WALL_CLOCK
    this.#network = options.network ?? SHOP_NETWORK
  }

  /**
   * The answer to a call whose body is JSON, checked by its schema. 5xx, 429 and silence are asked again. Throws
   * SHOP_REFUSED ({@link ShopRefusedError}), SHOP_UNREACHABLE, SHOP_REDIRECTED, SHOP_ANSWER_INVALID, LIMIT_EXCEEDED,
   * OPTION_INVALID, STOPPED.
   */
  async ask<Name extends ShopSchemaName>(call: ShopCall, schema: Name): Promise<ShopJson<Name>> {
    const place = this.placeOf(call)
    return this.patiently({ place, isRepeatable: isRepeatable(call), signal: call.signal }, async () => {
      const { response, close } = await this.open(call)
      try {
        const text = await this.#text(response, close, this.#options.jsonBytesMax ?? JSON_BYTES_MAX)
        if (text === null) throw shopError('LIMIT_EXCEEDED', place, 'an answer within its limit of bytes', 'more')
        const value = jsonOf(text)
        if (value === undefined) throw shopError('SHOP_ANSWER_INVALID', place, 'JSON', mediaOf(response))
        const answer = checkedAnswer(schema, value, place)
        return { status: response.status, answer, retryAfterMs: this.#retryAfterMs(response) }
      } catch (error) {
        throw this.safeError(error, call, place)
      } finally {
        close()
      }
    })
  }

  /**
   * The answer to a call, once, its body not yet read. Throws as `ask` does; a status that `takes` does not name is
   * SHOP_REFUSED.
   */
  async open(
    call: ShopCall, headers: Readonly<Record<string, string>> = {}, takes?: readonly number[],
  ): Promise<OpenedBody> {
    const request = shopRequest(this.shop, { ...call, headers: { ...call.headers, ...headers } })
    const [place, words] = [`${request.method} ${shownUrl(request.url.href)}`, wordsOf(call)]
    await this.#turn(call, place)
    const abort = new AbortController()
    const release = this.#ending(abort, call.signal)
    let response: Response | null = null
    try {
      response = await fetchBehindRedirects(request, this.#network, abort.signal)
      if (takes?.includes(response.status) ?? response.ok) {
        release.time()
        const close = (): void => {
          release.all()
          abort.abort()
        }
        return { response, place, close }
      }
      throw await this.#refusal(response, place, words, () => { abort.abort() })
    } catch (error) {
      release.all()
      abort.abort()
      throw this.safeError(error, call, place)
    }
  }

  /**
   * The bytes of an opened answer as they come. Throws SHOP_UNREACHABLE where its connection fails, or nothing comes
   * for `stallMs`; STOPPED.
   */
  async *chunks(
    { response, place, close }: OpenedBody, call: ShopCall, stallMs: number,
  ): AsyncGenerator<Uint8Array, void> {
    const chunks: AsyncIterable<unknown> | null = response.body
    let release = this.#clock.afterMs(stallMs, close)
    try {
      for await (const chunk of chunks ?? []) {
        release()
        if (chunk instanceof Uint8Array) yield chunk
        release = this.#clock.afterMs(stallMs, close)
      }
    } catch (error) {
      throw this.safeError(error, call, place)
    } finally {
      release()
      close()
    }
  }

  /** A failure as an error that may be shown; the network's own words may hold an address with its query. */
  safeError(error: unknown, call: ShopCall, place: string = this.placeOf(call)): BacktapeError {
    if (call.signal?.aborted === true) return stoppedError(place, call.signal)
    if (error instanceof ShopRefusedError) return error
    return wordsOf(call).safeError(error instanceof BacktapeError ? error : networkError(error, place))
  }

  /** The method and the URL of a call, without query. */
  placeOf(call: ShopCall): string {
    const { method, url } = shopRequest(this.shop, call)
    return wordsOf(call).shown(`${method} ${shownUrl(url.href)}`)
  }

  /**
   * The result of work, which is repeated where it fails for a while: after `Retry-After`, or longer each time. The
   * last failure is thrown where it is one too many.
   */
  async patiently<T>(patience: CallPatience, work: () => Promise<T>): Promise<T> {
    const { place, isRepeatable: mayRepeat, signal, progress } = patience
    const { random, onNote, attemptsMax = ATTEMPTS_MAX } = this.#options
    let [attempt, reached] = [0, progress?.() ?? 0]
    for (;;) {
      refuseStopped(signal, place)
      try {
        return await work()
      } catch (error) {
        if (!isPassing(error) || !mayRepeat) throw error
        const now = progress?.() ?? 0
        if (now > reached) [attempt, reached] = [0, now]
        const statedMs = error instanceof ShopRefusedError ? error.refusal.retryAfterMs : null
        if (++attempt >= attemptsMax || (statedMs ?? 0) > RETRY_AFTER_MAX_MS) throw error
        const waitMs = Math.max(statedMs ?? 0, backOffMs(attempt - 1, random, this.#drawCount++))
        onNote?.(`${error.message}; asked again in ${String(Math.ceil(waitMs / 1000))} s`)
        await waited(this.#clock, waitMs, place, signal)
      }
    }
  }

  /** Waits until the limits of the shop allow the call. */
  async #turn(call: ShopCall, place: string): Promise<void> {
    for (;;) {
      refuseStopped(call.signal, place)
      const waitMs = this.#limits.waitMs(routeOf(call).bucket, this.#clock.nowMs())
      if (waitMs === 0) return
      await waited(this.#clock, waitMs, place, call.signal)
    }
  }

  /** Lets the signal of a call and the longest wait end its connection. */
  #ending(abort: AbortController, signal: StopSignal | undefined): { time(): void; all(): void } {
    const time = this.#clock.afterMs(this.#options.answerMs ?? ANSWER_MS, () => { abort.abort() })
    const stop = (): void => { abort.abort() }
    signal?.addEventListener('abort', stop)
    const all = (): void => {
      time()
      signal?.removeEventListener('abort', stop)
    }
    return { time, all }
  }

  /** The text of a body; null where it is longer than a limit. It is given up after the time of an answer. */
  async #text({ body }: Response, giveUp: () => void, bytesMax: number): Promise<string | null> {
    if (body === null) return ''
    const chunks: AsyncIterable<unknown> = body
    const release = this.#clock.afterMs(this.#options.answerMs ?? ANSWER_MS, giveUp)
    const decoder = new TextDecoder()
    let [text, count] = ['', 0]
    try {
      for await (const chunk of chunks) {
        if (!(chunk instanceof Uint8Array)) continue
        count += chunk.length
        if (count > bytesMax) return null
        text += decoder.decode(chunk, { stream: true })
      }
      return text + decoder.decode()
    } finally {
      release()
    }
  }

  async #refusal(
    response: Response, place: string, words: ServerWords, giveUp: () => void,
  ): Promise<ShopRefusedError> {
    const { status } = response
    const text = await this.#text(response, giveUp, REFUSAL_BYTES_MAX).catch(() => null)
    const body = words.maskedValue(jsonOf(text ?? ''))
    const fault: unknown = isJsonObject(body) ? body['error'] : undefined
    const { code, message, details } = isJsonObject(fault) ? fault : { code: undefined, message: fault, details: {} }
    const said = [code, message].filter((one) => typeof one === 'string').map((one) => words.shown(one))
    const shopCode = typeof code === 'string' ? code : null
    const refusal = {
      status, shopCode, details: isJsonObject(details) ? details : {}, retryAfterMs: this.#retryAfterMs(response),
    }
    const found = [`status ${String(status)}`, ...said].join(': ') + daysWords(refusal.details)
    return new ShopRefusedError(`The shop refuses ${words.shown(place)}: ${found}`, refusal, found)
  }

  #retryAfterMs(response: Response): number | null {
    return retryAfterMs(response.headers.get('retry-after'), this.#clock.nowMs())
  }
}

/** The error of a connection that failed. */
function networkError(error: unknown, place: string): BacktapeError {
  const cause = error instanceof Error ? error.cause : undefined
  const isLate = error instanceof Error && error.name === 'AbortError'
  const code = systemCode(cause) || systemCode(error)
  const found = isLate ? 'none in time' : /^[A-Z][A-Z\d_]{1,60}$/.test(code) ? code : 'a connection that failed'
  return shopError('SHOP_UNREACHABLE', place, 'an answer', found)
}

function wordsOf({ token }: ShopCall): ServerWords {
  return new ServerWords(token === undefined ? [] : [token])
}

/** The value of a text of JSON; undefined where it is none. */
function jsonOf(text: string): unknown {
  try {
    return parseWireJson(text).value
  } catch {
    return undefined
  }
}

/** The days that the details of a refusal name as missing or owned: at most 20 of each, more are counted. */
function daysWords({ missing, owned }: JsonObject): string {
  return [missing, owned].map((list) => {
    const days = (Array.isArray(list) ? list : []).flatMap((one) => {
      const { instrument_id: id, date } = isJsonObject(one) ? one : {}
      return Number.isSafeInteger(id) && typeof date === 'string' && DAY.test(date) ? [`${String(id)} ${date}`] : []
    })
    const more = days.length > DAYS_SHOWN ? [`${String(days.length - DAYS_SHOWN)} more`] : []
    return days.length === 0 ? '' : ` (${[...days.slice(0, DAYS_SHOWN), ...more].join(', ')})`
  }).join('')
}

/** The media type of an answer as an error shows it. */
export function mediaOf(response: { readonly headers: Headers }): string {
  return SHOWN_TYPE.exec(response.headers.get('content-type') ?? '')?.[0] ?? 'another form'
}
