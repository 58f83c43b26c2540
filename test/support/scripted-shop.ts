import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { etagOf } from './faulty-shop.ts'
import { jsonAnswer, type SeenRequest } from './scripted-network.ts'

/** A secret that must be nowhere but in its own file. */
export const SHOP_SECRET = 'sentinel-77aa/Token+00ff'

/** A file of the scripted shop: bytes, and the states that it goes through, the last one again and again. */
export interface ScriptedFile {
  readonly bytes: Uint8Array
  readonly states: string[]
}

/** An item as it goes over the wire. */
export interface WireItem { readonly instrument_id: number, readonly date: string, readonly kind?: string }

/** A shop that does what spec 1 says, from what a test puts into it; faults are put before it. */
export class ScriptedShop {
  /** Files by what asks for them: `7 2024-08-08`, `7 2024-08-08 trades.parquet`, `zip 9 2024-08-08`, `range 9 FROM TO`, `sample 7 2024-08-08`. */
  readonly files: Map<string, ScriptedFile> = new Map()
  /** Members of archives by the same words. */
  readonly members: Map<string, readonly object[]> = new Map()
  /** Names of instruments and bundles. */
  readonly codes: Map<number, string> = new Map([[7, 'BTC/USDT'], [9, 'btc-options']])
  /** Checkouts by their keys. */
  readonly sessions: Map<string, { readonly id: string, readonly orderId: string, readonly body: string, readonly items: readonly WireItem[], status: string }> = new Map()
  readonly calls: string[] = []
  readonly keys: string[] = []
  /** Called before an answer; what it returns is answered instead. */
  before: (request: SeenRequest, path: string) => Response | Error | null = () => null

  constructor(readonly origin: string = 'https://shop.example') {}

  readonly answer = (request: SeenRequest): Response | Error => {
    const url = new URL(request.url)
    const { searchParams: query, pathname: path } = url
    this.calls.push(`${request.method} ${path}${url.search.replace(/[?&]t=[^&]*/, '')}`)
    const early = this.before(request, path)
    if (early !== null) return early
    if (path === '/api/search') return this.#search(Number(query.get('q')))
    if (path === '/api/quote') return this.#quote((JSON.parse(request.body!) as { items: WireItem[] }).items)
    if (path === '/v1/checkout/session') return this.#checkout(request)
    const session = /^\/v1\/checkout\/session\/(.+)$/.exec(path)?.[1]
    if (session !== undefined) return this.#session(session)
    const order = /^\/v1\/orders\/(.+)$/.exec(path)?.[1]
    if (order !== undefined) return request.headers['authorization'] === `Bearer ${SHOP_SECRET}` ? this.#order(order) : gone()
    const sample = /^\/api\/download\/sample\/(\d+)\/(.+)$/.exec(path)
    if (sample !== null) return this.#bytes(`sample ${sample[1]!} ${sample[2]!}${query.has('format') ? ` ${query.get('format')!}` : ''}`, request, true)
    const [, , id = '', date = ''] = /^\/api\/download\/order\/([^/]+)\/(\d+)\/(.+)$/.exec(path) ?? []
    return query.get('t') === SHOP_SECRET ? this.#download(id, date, query, request) : gone()
  }

  /** Marks every session as paid. */
  pay(): void {
    for (const session of this.sessions.values()) if (session.status === 'pending') session.status = 'paid'
  }

  #search(id: number): Response {
    const code = this.codes.get(id)
    const data = { days: 1, first_day: null, last_day: null, total_bytes: 1 }
    const hit = { instrument_id: id, code, type: 'spot', exchange: { code: 'a_spot', name: 'A' }, state: 'open', data }
    return jsonAnswer({ query: {}, filters: {}, total: 1, results: code === undefined ? [] : [hit] })
  }

  #quote(items: readonly WireItem[]): Response {
    return jsonAnswer({
      items_requested: items.length, items_available: items.length, total_cents: items.length * 100, total_eur: `${items.length}.00`, currency: 'EUR', price_eur_per_day: '1.00',
      available: items.map((item) => ({ kind: 'tick', ...item })), missing: [], vat_note: '', terms_url: '', checkout: { method: 'POST', url: '/v1/checkout/session', headers: {} },
    })
  }

  #checkout({ headers, body }: SeenRequest): Response {
    const key = headers['idempotency-key']!
    this.keys.push(key)
    const known = this.sessions.get(key)
    if (known !== undefined && known.body !== body) return jsonAnswer({ error: { code: 'INVALID_INPUT' } }, 400)
    const { items } = JSON.parse(body!) as { items: WireItem[] }
    const number = String(this.sessions.size + 1)
    const session = known ?? { id: `s${number}`, orderId: `o${number}`, body: body!, items, status: 'pending' }
    this.sessions.set(key, session)
    return jsonAnswer({
      order_id: session.orderId, session_id: session.id, checkout_url: `${this.origin}/shop/pay/${session.id}`, currency: 'EUR', item_count: items.length, subtotal_cents: items.length * 100,
    }, 201)
  }

  #session(id: string): Response {
    const session = [...this.sessions.values()].find((one) => one.id === id)
    if (session === undefined) return gone()
    const { status, orderId } = session
    return jsonAnswer(status === 'paid' ? { status, order_id: orderId, download_token: SHOP_SECRET, invoice_hosted_url: `${this.origin}/r?t=${SHOP_SECRET}` } : { status })
  }

  #order(id: string): Response {
    const items = [...this.sessions.values()].find(({ orderId, status }) => orderId === id && status === 'paid')?.items
    if (items === undefined) return gone()
    const rows = items.map(({ instrument_id: instrument, date, kind = 'tick' }) => {
      const bytes = this.files.get(`${instrument} ${date}`)?.bytes.length ?? 1
      return { instrument_id: instrument, code: this.codes.get(instrument), exchange_code: 'a_spot', type: 'spot', date, kind, bytes, price_cents: 100 }
    })
    return jsonAnswer({
      order_id: id, status: 'paid', paid_at: '2026-01-05T00:00:00Z', currency: 'EUR', total_cents: rows.length * 100, item_count: rows.length, items: rows,
      invoice_hosted_url: `${this.origin}/shop/receipt/${id}?t=${encodeURIComponent(SHOP_SECRET)}`,
    })
  }

  #download(id: string, date: string, query: URLSearchParams, request: SeenRequest): Response {
    const range = date === 'range' ? `range ${id} ${query.get('from')!} ${query.get('to')!}` : null
    const zip = query.get('kind') === 'series_day' && range === null ? `zip ${id} ${date}` : null
    const name = range ?? zip ?? `${id} ${date}${query.has('format') ? ` ${query.get('format')!}` : ''}`
    if (query.has('manifest')) return jsonAnswer({ members: this.members.get(name) })
    if (range !== null && (query.has('status') || query.has('restore'))) return jsonAnswer(counts(this.#state(range)))
    if (query.has('status') || query.has('restore') || query.has('probe')) return jsonAnswer({ state: this.#state(name) })
    return this.#bytes(name, request, query.has('format'))
  }

  #state(name: string): string {
    const states = this.files.get(name)?.states ?? ['empty']
    return states.length > 1 ? states.shift()! : states[0]!
  }

  #bytes(name: string, request: SeenRequest, isStateful: boolean): Response {
    const file = this.files.get(name)
    if (file === undefined) return gone()
    const state = isStateful ? this.#state(name) : file.states.at(-1)!
    if (state !== 'ready') return jsonAnswer({ state: 'pending', reason: 'converting' }, 202, { 'retry-after': '7' })
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers['range'] ?? '')?.[1] ?? 0)
    const bytes = file.bytes.slice(from)
    const headers = { 'content-type': 'application/octet-stream', 'content-length': String(bytes.length), etag: etagOf(file.bytes) }
    return from === 0 ? new Response(bytes, { headers })
      : new Response(bytes, { status: 206, headers: { ...headers, 'content-range': `bytes ${from}-${file.bytes.length - 1}/${file.bytes.length}` } })
  }
}

function gone(): Response {
  return jsonAnswer({ error: { message: 'not found' } }, 404)
}

function counts(state: string): object {
  return { ready: state === 'ready' ? 2 : 0, pending: state === 'pending' ? 2 : 0, cold: state === 'cold' ? 2 : 0 }
}

/** The shop behind a socket; `close` ends it. */
export async function listeningShop(shop: ScriptedShop): Promise<{ readonly url: string, close(): void }> {
  const server: Server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const body = parts.length === 0 ? null : Buffer.concat(parts).toString()
      const url = `http://${request.headers.host!}${request.url!}`
      const given = shop.answer({ url, method: request.method!, headers: request.headers as Record<string, string>, body })
      if (given instanceof Error) return request.destroy()
      return void given.arrayBuffer().then((bytes) => {
        response.writeHead(given.status, Object.fromEntries(given.headers)).end(Buffer.from(bytes))
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = (): void => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${String(port)}`, close }
}
