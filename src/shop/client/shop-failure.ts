import { terminalCell } from '../../files/terminal-text.js'
import { BacktapeError, type ErrorCode } from '../../model/error.js'
import { isJsonObject, type JsonObject } from '../../model/json-object.js'
import { SHOP_TIMES } from '../../protocol/shop/shop-states.js'

/** The answer by which a shop refuses. */
export interface ShopRefusal {
  readonly status: number
  /** `error.code` of the body; null where there is none. */
  readonly shopCode: string | null
  /** `error.details` of the body, empty where there are none. */
  readonly details: JsonObject
  /** Milliseconds of `Retry-After`; null where there is none. */
  readonly retryAfterMs: number | null
}

/** The error of a request that a shop refuses: SHOP_REFUSED with the answer. */
export class ShopRefusedError extends BacktapeError {
  constructor(message: string, readonly refusal: ShopRefusal, found: string) {
    super('SHOP_REFUSED', message, { expected: 'a status from 200 to 299', found: found.slice(0, 80) })
  }

  /**
   * True where a paid order is over: 410, or another refusal once an order of a guest is too old. Before that another
   * refusal may pass. Times in epoch milliseconds.
   */
  isOrderOver(paidMs: number, nowMs: number): boolean {
    return this.refusal.status === 410 || nowMs >= paidMs + SHOP_TIMES.guestOrderMs
  }
}

/** The error of an action of the client, with the place that was asked. */
export function shopError(
  code: ErrorCode, place: string, expected: string, found: string, advice?: string,
): BacktapeError {
  const words = `Cannot ask ${place}: expected ${expected}, found ${found}${advice === undefined ? '' : `; ${advice}`}`
  return new BacktapeError(code, words, { expected, found: found.slice(0, 80) })
}

/** The error of a file that is not the one that was bought. */
export function wrongFile(name: string, expected: string, found: string): BacktapeError {
  const sentence = `Cannot take ${name}: expected ${expected}, found ${found}`
  return new BacktapeError('SHOP_FILE_WRONG', sentence, { file: name, expected, found: found.slice(0, 80) })
}

/** The error of a file of another length than was bought. */
export function wrongLength(name: string, wantedBytes: number, found: string): BacktapeError {
  return wrongFile(name, `${String(wantedBytes)} bytes, as the order says`, found)
}

/** True for a failure that may pass by itself: no answer, 5xx, 429. */
export function isPassing(error: unknown): error is BacktapeError {
  if (error instanceof ShopRefusedError) return error.refusal.status >= 500 || error.refusal.status === 429
  return error instanceof BacktapeError && error.code === 'SHOP_UNREACHABLE'
}

const WORDS_MAX = 200

/** Makes words of a server fit for an error or a note: no secret of the call, no control character. */
export class ServerWords {
  readonly #secrets: readonly string[]

  constructor(secrets: readonly string[]) {
    const all = secrets.filter((one) => one !== '').flatMap((one) => [one, encodeURIComponent(one)])
    this.#secrets = [...new Set(all)].sort((a, b) => b.length - a.length)
  }

  /** The text in one line, at most 200 characters, secrets as `***`. */
  shown(text: string): string {
    return terminalCell(this.masked(text)).slice(0, WORDS_MAX)
  }

  /** The text with secrets as `***`. */
  masked(text: string): string {
    return this.#secrets.reduce((words, secret) => words.replaceAll(secret, '***'), text)
  }

  /** The value with secrets as `***` in its texts and names. */
  maskedValue(value: unknown): unknown {
    if (typeof value === 'string') return this.masked(value)
    if (Array.isArray(value)) return value.map((item) => this.maskedValue(item))
    if (!isJsonObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [this.masked(name), this.maskedValue(one)]))
  }

  /** The error with words that may be shown. */
  safeError(error: BacktapeError): BacktapeError {
    const place = Object.fromEntries(Object.entries(error.place)
      .map(([name, value]) => [name, typeof value === 'string' ? terminalCell(this.masked(value)) : value]))
    return new BacktapeError(error.code, terminalCell(this.masked(error.message)), place)
  }
}
