import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { BacktapeError } from '../model/error.js'

/** An HTTP server that does not listen yet. */
export function createServer(answer: (request: IncomingMessage, response: ServerResponse) => void): Server {
  return createHttpServer(answer)
}

/** Listens, and says at which port. */
export function listening(http: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    http.once('error', (error) => {
      reject(new BacktapeError(
        'OPTION_INVALID', `Cannot listen at ${host}:${String(port)}: ${error.message}`,
        { field: 'httpPort', expected: 'a free port', found: String(port) }, error,
      ))
    })
    http.listen(port, host, () => { resolve((http.address() as AddressInfo).port) })
  })
}

/** Closes a server and its idle connections. */
export function closed(http: Server): Promise<void> {
  return new Promise((resolve) => {
    http.close(() => { resolve() })
    http.closeIdleConnections()
  })
}
