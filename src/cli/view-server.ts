import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { BacktapeError } from '../model/error.js'
import { foreignRequest } from '../protocol/http-hosts.js'

/** A page that is served to this machine alone. */
export interface ServedPage {
  /** `http://127.0.0.1:41234/`. */
  readonly url: string
  /** Ends once the signal has come and every connection is closed. */
  readonly ended: Promise<void>
}

/**
 * Serves one page at 127.0.0.1 and nothing else: no other path, no file, no other method than GET and HEAD, and no
 * request that names another host, as that of a page of somebody else would. Port 0 takes a free one. Throws
 * OPTION_INVALID for a port that is taken.
 */
export async function servePage(
  html: string,
  { port, policy, signal }: { readonly port: number; readonly policy: string; readonly signal: AbortSignal },
): Promise<ServedPage> {
  const page = Buffer.from(html)
  const server = createServer((request, response) => { answer(request, response, page, policy) })
  await listening(server, port)
  const { port: taken } = server.address() as AddressInfo
  const ended = new Promise<void>((resolve) => {
    const end = (): void => {
      server.close(() => { resolve() })
      server.closeAllConnections()
    }
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
  return { url: `http://127.0.0.1:${String(taken)}/`, ended }
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const expected = 'a free port of 127.0.0.1; --serve alone takes one'
      const found = `${String(port)}: ${error.message}`
      reject(new BacktapeError('OPTION_INVALID', `Cannot use --serve: it must be ${expected}, found ${found}`, {
        field: 'serve', expected, found: String(port),
      }, error))
    })
    server.listen(port, '127.0.0.1', resolve)
  })
}

function answer(request: IncomingMessage, response: ServerResponse, page: Buffer, policy: string): void {
  const { method = '', url = '', headers } = request
  const isHere = foreignRequest(headers, 'loopback') === null
  const isPage = url.split('?')[0] === '/'
  const isRead = method === 'GET' || method === 'HEAD'
  const status = !isHere ? 403 : !isRead ? 405 : isPage ? 200 : 404
  const body = status === 200 ? page : Buffer.alloc(0)
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8', 'content-length': body.length, 'cache-control': 'no-store',
    'content-security-policy': `${policy}; frame-ancestors 'none'`, 'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer', 'cross-origin-resource-policy': 'same-origin',
  })
  response.end(method === 'HEAD' ? undefined : body)
}
