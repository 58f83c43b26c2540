import type { IncomingMessage, ServerResponse } from 'node:http'
import { BacktapeError } from '../model/error.js'
import { policyHeader } from '../web/answer-headers.js'
import { foreignRequest } from '../web/http-hosts.js'
import { listenHttp } from '../web/http-server.js'
import { passBody } from '../web/request-body.js'
import { requestPath } from '../web/request-url.js'

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
  const { port: taken, close } = await listenHttp({
    request: (request, response) => {
      void passBody(request).then(() => { answer(request, response, page, policy) })
    },
  }, { host: '127.0.0.1', port, closeMs: 0 }).catch((error: unknown) => { throw portTaken(port, error) })
  const ended = new Promise<void>((resolve) => {
    const end = (): void => { resolve(close()) }
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
  return { url: `http://127.0.0.1:${String(taken)}/`, ended }
}

function portTaken(port: number, error: unknown): BacktapeError {
  const expected = 'a free port of 127.0.0.1; --serve alone takes one'
  const found = `${String(port)}: ${error instanceof Error ? error.message : String(error)}`
  return new BacktapeError('OPTION_INVALID', `Cannot use --serve: it must be ${expected}, found ${found}`, {
    field: 'serve', expected, found: String(port),
  }, error)
}

function answer(request: IncomingMessage, response: ServerResponse, page: Buffer, policy: string): void {
  const { method = '', url = '', headers } = request
  const isHere = foreignRequest(headers, 'loopback') === null
  const isPage = requestPath(url) === '/'
  const isRead = method === 'GET' || method === 'HEAD'
  const status = !isHere ? 403 : !isRead ? 405 : isPage ? 200 : 404
  const body = status === 200 ? page : Buffer.alloc(0)
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8', 'content-length': body.length, ...policyHeader(policy),
  })
  response.end(method === 'HEAD' ? undefined : body)
}
