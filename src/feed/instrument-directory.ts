import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Instrument } from '../model/instrument.js'
import { epochNsFromText, epochNsFromTime, isoFromEpochNs } from '../model/time.js'
import { underlyingCode, type InstrumentEntry } from '../venue/venue.js'
import { bearerOf } from '../web/bearer-token.js'
import { queryValue, requestPath } from '../web/request-url.js'
import type { FeedAccess, FeedMarket, FeedSource } from './feed-source.js'
import { masterLine, underlyingsOf } from './master-line.js'

/** The columns of the directory in their order (spec 1, "Realtime instrument directory"). */
const DIRECTORY_COLUMNS = [
  'instrument_id', 'code', 'type', 'base_underlying', 'counter_underlying', 'state', 'ticksize', 'lot_size',
  'contract_value', 'multiplier', 'min_order', 'max_order', 'exchange_id', 'exchange_code',
] as const

/** The options of the directory route. */
export interface DirectoryOptions {
  readonly source: Pick<FeedSource, 'clock' | 'instruments' | 'underlyings'>
  readonly markets: readonly Omit<FeedMarket, 'port'>[]
  readonly access: Pick<FeedAccess, 'rejection'>
  /** False: access cannot be checked, and every request is answered 503 (fault `directory-down`). Default true. */
  readonly isAvailable?: () => boolean
}

type DirectoryRow = { readonly [Column in (typeof DIRECTORY_COLUMNS)[number]]: string | number | null }

const PATH = '/api/realtime/instruments'
const RETRY_AFTER_SECONDS = 30

/**
 * `GET /api/realtime/instruments?market=&format=csv&since=` (spec 1). The key stands in the header `Authorization:
 * Bearer` alone. `generated_at` is the `as_of` of the next `since`: then instruments are listed whose terms are later.
 * Ours: with `master=1` each instrument of the JSON form has `master`, line 1 of its tick file. The function returned
 * answers a request that is its own and returns true; false for any other.
 */
export function directoryRoute(
  options: DirectoryOptions,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const route = new DirectoryRoute(options)
  return (request, response) => {
    if (requestPath(request.url ?? '') !== PATH) return false
    route.answer(request, response)
    return true
  }
}

class DirectoryRoute {
  /** When the instruments of the first day were listed, epoch nanoseconds. */
  readonly #listedNs: bigint

  constructor(private readonly options: DirectoryOptions) {
    this.#listedNs = options.source.clock.now()
  }

  answer(request: IncomingMessage, response: ServerResponse): void {
    const { method, headers, url = '' } = request
    if (method !== 'GET' && method !== 'HEAD') return refuse(response, 405, 'METHOD_NOT_ALLOWED', { Allow: 'GET' })
    if (this.options.isAvailable?.() === false)
      return refuse(response, 503, 'UNAVAILABLE', { 'Retry-After': String(RETRY_AFTER_SECONDS) })
    const [code, format, since, master] = ['market', 'format', 'since', 'master'].map((name) => queryValue(url, name))
    const market = this.options.markets.find((one) => one.code === code)
    const key = bearerOf(headers) ?? ''
    // Both are looked at, so that an unknown market takes as long as a rejected key.
    const rejection = this.options.access.rejection(key, code ?? '')
    if (market === undefined || rejection !== null) return refuse(response, 404, 'NOT_FOUND')
    const sinceNs = since === '' ? null : timeOf(since ?? null)
    if (sinceNs === undefined || (format !== '' && format !== 'csv' && format !== 'json'))
      return refuse(response, 400, 'INVALID_INPUT')
    const entries = this.#entries(market.code, sinceNs)
    if (format === 'csv') return send(response, 'text/csv; charset=utf-8', this.#csv(entries, market))
    send(response, 'application/json', this.#json(entries, market, master === '1'))
  }

  #entries(market: string, sinceNs: bigint | null): InstrumentEntry[] {
    const { instruments, clock } = this.options.source
    const { entries } = instruments
    return entries.filter(({ instrument, termsFromNs }) => {
      const changedNs = termsFromNs === undefined ? this.#listedNs : epochNsFromTime(termsFromNs, clock.epochDay)
      return instrument.exchangeCode === market && isListed(instrument) && (sinceNs === null || changedNs > sinceNs)
    })
  }

  #row({ instrument }: InstrumentEntry, market: Omit<FeedMarket, 'port'>): DirectoryRow {
    return {
      instrument_id: instrument.id, code: instrument.code, type: instrument.type,
      base_underlying: this.#codeOf(instrument.baseUnderlyingId),
      counter_underlying: this.#codeOf(instrument.counterUnderlyingId), state: stateOf(instrument),
      ticksize: instrument.tickSize, lot_size: instrument.lotSize, contract_value: instrument.contractValue,
      multiplier: instrument.multiplier, min_order: instrument.minOrder, max_order: instrument.maxOrder,
      exchange_id: instrument.exchangeId ?? market.exchangeId, exchange_code: instrument.exchangeCode,
    }
  }

  #codeOf(underlyingId: number | null): string | null {
    return underlyingId === null ? null : underlyingCode(this.options.source.underlyings, underlyingId)
  }

  #json(entries: readonly InstrumentEntry[], market: Omit<FeedMarket, 'port'>, hasMaster: boolean): string {
    const { clock, underlyings } = this.options.source
    return JSON.stringify({
      market: { exchange_id: market.exchangeId, code: market.code, name: market.name },
      generated_at: isoFromEpochNs(clock.now()), count: entries.length,
      instruments: entries.map((entry) => {
        const row = this.#row(entry, market)
        if (!hasMaster) return row
        const { instrument } = entry
        return { ...row, master: masterLine(instrument, underlyingsOf(instrument, (id) => underlyings.get(id))) }
      }),
    })
  }

  #csv(entries: readonly InstrumentEntry[], market: Omit<FeedMarket, 'port'>): string {
    const rows = entries.map((entry) => {
      const row = this.#row(entry, market)
      return DIRECTORY_COLUMNS.map((column) => csvCell(row[column])).join(',')
    })
    return [DIRECTORY_COLUMNS.join(','), ...rows, ''].join('\r\n')
  }
}

/** True for an instrument that is listed and can be subscribed: of a closed one nothing is sold (spec 1). */
export function isListed({ state }: Instrument): boolean {
  return state !== 'closed'
}

/** Only sellable instruments are listed (spec 1): a recorded state that is not known is `review`. */
function stateOf({ state }: Instrument): 'open' | 'review' {
  return state === null || state === 'open' ? 'open' : 'review'
}

function csvCell(value: string | number | null): string {
  const text = value === null ? '' : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Epoch nanoseconds of `since`; undefined for what is no time. */
function timeOf(text: string | null): bigint | undefined {
  if (text === null) return undefined
  try {
    return epochNsFromText(text, null)
  } catch {
    return undefined
  }
}

function send(response: ServerResponse, type: string, body: string): void {
  response.writeHead(200, { 'Content-Type': type })
  response.end(body)
}

function refuse(
  response: ServerResponse, status: number, code: string, headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
  response.end(JSON.stringify({ error: { code } }))
}
