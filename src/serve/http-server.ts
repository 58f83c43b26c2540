import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { listenFailure } from '../order-entry/listen-failure.js'

const HEADERS_MS = 10_000

/** The answers of an HTTP server. */
export interface HttpAnswers {
  request(request: IncomingMessage, response: ServerResponse): void
  /** False: nobody takes the upgrade, and its connection ends. */
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): boolean
}

/** An HTTP server that listens. */
export interface ListeningHttp {
  readonly port: number
  /** Resolves when every connection has ended; those that wait for nothing are ended. */
  close(): Promise<void>
}

/** Listens at an address; port 0 takes a free one. Throws ADDRESS_TAKEN and OPTION_INVALID. */
export async function listenHttp(
  { request, upgrade }: HttpAnswers, { host, port }: { readonly host: string; readonly port: number },
): Promise<ListeningHttp> {
  const http = createServer({ headersTimeout: HEADERS_MS, requestTimeout: HEADERS_MS }, request)
  http.on('upgrade', (asked, socket, head: Buffer) => {
    if (upgrade?.(asked, socket, head) !== true) socket.destroy()
  })
  await new Promise<void>((resolve, reject) => {
    http.once('error', (error) => { reject(listenFailure(error, `${host}:${String(port)}`)) })
    http.listen(port, host, resolve)
  })
  return {
    port: (http.address() as AddressInfo).port,
    close: () => new Promise((resolve) => {
      http.close(() => { resolve() })
      http.closeIdleConnections()
    }),
  }
}
