import { ORDER_ENTRY_PATH, ORDER_ENTRY_VERSION } from '../protocol/order-entry-codec.js'
import { isLoopback } from '../web/http-hosts.js'
import { unescapedPart } from '../web/request-url.js'

/** An adapter, as lookup and information say it. */
export interface AdapterAddress {
  readonly processId: string
  readonly version: string
  /** Null: no domain socket. */
  readonly domainSocket: string | null
}

/** An answer of one of the two routes (spec 2, "Adapter lookup"). */
export interface LookupAnswer {
  readonly status: number
  readonly body: object
}

/** A request as the routes need it: addresses are those of its connection, never of its headers. */
export interface LookupRequest {
  readonly path: string
  readonly remoteAddress: string
  /** The address and port at which the request arrived: an adapter that listens everywhere has several. */
  readonly localAddress: string
  readonly localPort: number
}

const LOOKUP = /^\/api\/accounts\/([^/]+)\/tradingservers$/
/** The answer of a route of order entry; null for any other path. */
export function lookupAnswer(
  { path, remoteAddress, localAddress, localPort }: LookupRequest, address: AdapterAddress,
  accounts: ReadonlyMap<string, { readonly exchangeId: number | null }>, extensions: object,
): LookupAnswer | null {
  if (path === '/api/info') {
    const { processId, version, domainSocket } = address
    const endpoints = [{ endpoint: ORDER_ENTRY_PATH, protocol_version: ORDER_ENTRY_VERSION }]
    const isShown = domainSocket !== null && isLoopback(remoteAddress)
    return {
      status: 200,
      body: {
        ...extensions, process_id: processId, version, endpoints,
        ...(isShown ? { domain_socket: { path: domainSocket, protocol_version: ORDER_ENTRY_VERSION } } : {}),
      },
    }
  }
  const named = LOOKUP.exec(path)?.[1]
  if (named === undefined) return null
  const account = accounts.get(unescapedPart(named))
  if (account === undefined)
    return { status: 404, body: { status: 'error', result: 'unknown account', count: 0, data: [] } }
  const ip = localAddress.replace(/^::ffff:/, '')
  const server = {
    server_id: address.processId, exchange_id: account.exchangeId, host: ip, port: localPort, ip,
  }
  return { status: 200, body: { status: 'ok', result: 'ok', count: 1, data: [server] } }
}
