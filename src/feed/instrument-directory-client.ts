import { plainDecimal } from '../model/decimal.js'
import { BacktapeError } from '../model/error.js'
import { isJsonObject, type JsonObject } from '../model/json-object.js'
import { JsonListFault, JsonListReader } from '../protocol/json-list.js'
import { optionToken } from '../protocol/option-token.js'
import { optionUrl } from '../protocol/option-url.js'
import { masterDataFromLine, type MasterData } from '../tickfile/lines/master-data.js'
import { openHttpText } from './http-text-reader.js'

/** One instrument of a directory (spec 1). Decimals are plain texts; what is absent is null. */
export interface DirectoryInstrument {
  readonly instrumentId: number
  readonly code: string
  readonly type: string
  readonly baseUnderlying: string | null
  readonly counterUnderlying: string | null
  readonly state: string
  readonly tickSize: string | null
  readonly lotSize: string | null
  readonly contractValue: string | null
  readonly multiplier: string | null
  readonly minOrder: string | null
  readonly maxOrder: string | null
  readonly exchangeId: number | null
  readonly exchangeCode: string
  /** The whole terms, which our own servers send; null at a vendor's host. */
  readonly master: MasterData | null
}

/** A directory as it was read. */
export interface DirectoryReading {
  /** The `since` of the next request. */
  readonly generatedAt: string
  readonly market: string
  readonly instruments: readonly DirectoryInstrument[]
}

/** Which rows of a directory are wanted, and how much of each. */
export interface DirectoryRequest {
  /** `generatedAt` of an earlier answer: only what has changed since; default all. */
  readonly since?: string
  /** Line 1 of each tick file too: servers of Backtape have it, the vendor's directory is not asked. Default false. */
  readonly hasMaster?: boolean
}

/**
 * Reads the instrument directory of a market: all of it, or what has changed since a `generatedAt`. Throws
 * OPTION_INVALID for a base URL that is none and a key that cannot be sent, FEED_REJECTED for an unknown market or a
 * rejected key, which look alike, and FEED_UNREACHABLE for everything else that is no directory; `place.expected` says
 * after how long to ask again where the server does.
 */
export async function readDirectory(
  baseUrl: string, market: string, key: string, request: DirectoryRequest = {},
): Promise<DirectoryReading> {
  const instruments: DirectoryInstrument[] = []
  const rows = directoryRows(baseUrl, market, key, request)
  for (;;) {
    const { done, value } = await rows.next()
    if (done === true) return { generatedAt: value, market, instruments }
    instruments.push(value)
  }
}

/**
 * The instruments of a directory as they come, in the memory of one of them; at the end its `generatedAt`. Throws as
 * {@link readDirectory} does, and LIMIT_EXCEEDED for an instrument of over 1 MiB.
 */
export async function* directoryRows(
  baseUrl: string, market: string, key: string, { since, hasMaster = false }: DirectoryRequest = {},
): AsyncGenerator<DirectoryInstrument, string> {
  const base = optionUrl(baseUrl, { option: 'baseUrl', action: 'read a directory', form: 'http://host:port' })
  const sent = optionToken(key, { option: 'key', action: 'read a directory' })
  const url = new URL('/api/realtime/instruments', base)
  url.search = new URLSearchParams({
    market, ...(hasMaster ? { master: '1' } : {}), ...(since === undefined ? {} : { since }),
  }).toString()
  const { status, retryAfterSeconds, pieces, close } = await openHttpText(url, { Authorization: `Bearer ${sent}` })
  const fail: DirectoryFailure = (code, words, expected = 'a directory') => {
    const sentence = `Cannot read the directory ${url.origin}${url.pathname} of ${market}: ${words}`
    return new BacktapeError(code, sentence, { expected, found: `HTTP ${String(status)}` })
  }
  try {
    if (status === 404) throw fail('FEED_REJECTED', 'the market is unknown, or the key is rejected')
    if (status !== 200) {
      const wait = retryAfterSeconds === null ? 'a directory' : `a request after ${String(retryAfterSeconds)} s`
      throw fail('FEED_UNREACHABLE', `HTTP ${String(status)}`, wait)
    }
    return yield* rowsOf(pieces, url.origin, fail)
  } finally {
    close()
  }
}

type DirectoryFailure = (
  code: 'FEED_REJECTED' | 'FEED_UNREACHABLE' | 'LIMIT_EXCEEDED', words: string, expected?: string,
) => BacktapeError

/** Numbers are texts with their digits: decimals may come as JSON numbers too. */
async function* rowsOf(
  pieces: AsyncIterable<string>, origin: string, fail: DirectoryFailure,
): AsyncGenerator<DirectoryInstrument, string> {
  const reader = new JsonListReader({ list: 'instruments', numbers: 'digits' })
  const rest = yield* readRows()
  if (rest === null) throw fail('FEED_UNREACHABLE', 'the answer has no instruments')
  return textOf(rest['generated_at']) ?? ''

  async function* readRows(): AsyncGenerator<DirectoryInstrument, JsonObject | null> {
    try {
      for await (const piece of pieces)
        for (const row of reader.push(piece)) {
          const instrument = isJsonObject(row) ? instrumentFrom(row, origin) : null
          if (instrument === null) throw fail('FEED_UNREACHABLE', 'an instrument lacks its id or its code')
          yield instrument
        }
      return reader.end()
    } catch (error) {
      if (!(error instanceof JsonListFault)) throw error
      if (error.kind === 'too large') throw fail('LIMIT_EXCEEDED', `an instrument is too large: ${error.message}`)
      throw fail('FEED_UNREACHABLE', 'the answer has no instruments')
    }
  }
}

function instrumentFrom(row: JsonObject, origin: string): DirectoryInstrument | null {
  const instrumentId = Number(textOf(row['instrument_id']) ?? NaN)
  const code = textOf(row['code'])
  if (!Number.isSafeInteger(instrumentId) || code === null) return null
  const decimal = (name: string): string | null => plainDecimal(textOf(row[name]) ?? '')
  const exchangeId = Number(textOf(row['exchange_id']) ?? NaN)
  const master = isJsonObject(row['master']) ? JSON.stringify(row['master']) : null
  return {
    instrumentId, code, type: textOf(row['type']) ?? '', baseUnderlying: textOf(row['base_underlying']),
    counterUnderlying: textOf(row['counter_underlying']), state: textOf(row['state']) ?? '',
    tickSize: decimal('ticksize'), lotSize: decimal('lot_size'), contractValue: decimal('contract_value'),
    multiplier: decimal('multiplier'), minOrder: decimal('min_order'), maxOrder: decimal('max_order'),
    exchangeId: Number.isSafeInteger(exchangeId) ? exchangeId : null, exchangeCode: textOf(row['exchange_code']) ?? '',
    master: master === null ? null : masterDataFromLine(master, `the directory of ${origin}`),
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
