import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { WebSocket } from 'ws'
import { createFeedServer } from '../../src/feed/feed-server.js'
import type { FeedServer, FeedServerOptions } from '../../src/feed/feed-source.js'
import { MadeAccess, MadeFeed } from './made-feed.ts'

/** A client that knows nothing of the project: texts of a WebSocket, and its close. */
export class FeedPeer {
  readonly texts: string[] = []
  closeCode: number | null = null
  refusal: { readonly status: number, readonly type: string, readonly body: string, readonly headers: IncomingMessage['headers'] } | null = null
  #wake: (() => void)[] = []

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => {
      this.texts.push(data.toString('utf8'))
      this.#stir()
    })
    socket.on('close', (code) => {
      this.closeCode = code
      this.#stir()
    })
    socket.on('open', () => this.#stir())
    socket.on('error', () => this.#stir())
    socket.on('unexpected-response', (_request, response) => void this.#refused(response))
  }

  async #refused(response: IncomingMessage): Promise<void> {
    let body = ''
    for await (const chunk of response as AsyncIterable<Buffer>) body += chunk.toString('utf8')
    this.refusal = { status: response.statusCode!, type: String(response.headers['content-type']), body, headers: response.headers }
    this.#stir()
  }

  /** Connects; a refused handshake is in `refusal` then. */
  static async connect(url: string, options: { readonly autoPong?: boolean } = {}): Promise<FeedPeer> {
    const peer = new FeedPeer(new WebSocket(url, { perMessageDeflate: false, ...options }))
    await peer.until(() => peer.socket.readyState === WebSocket.OPEN || peer.refusal !== null || peer.closeCode !== null)
    return peer
  }

  send(...texts: string[]): void {
    for (const text of texts) this.socket.send(text)
  }

  /** Resolves when the condition holds, which is looked at with everything that comes. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => this.#wake.push(resolve))
  }

  async received(count: number): Promise<readonly string[]> {
    await this.until(() => this.texts.length >= count || this.closeCode !== null)
    return this.texts
  }

  /** Everything until the close, with its code at the end. */
  async toEnd(): Promise<readonly (string | number)[]> {
    await this.until(() => this.closeCode !== null)
    return [...this.texts, this.closeCode!]
  }

  #stir(): void {
    const waiting = this.#wake
    this.#wake = []
    for (const resolve of waiting) resolve()
  }
}

export const LOGIN = '[13,"org","app","1","p-1"]'

/** A server over a made feed, both markets at free ports, and what it logs. */
export interface MadeServer {
  readonly feed: MadeFeed
  readonly access: MadeAccess
  readonly server: FeedServer
  readonly log: string[]
  url(market?: string, path?: string, query?: string): string
  peer(market?: string): Promise<FeedPeer>
  /** A peer that is logged in and subscribed; the login response is taken off. */
  reader(...requests: string[]): Promise<FeedPeer>
}

const open: FeedServer[] = []

export async function madeServer(options: Partial<FeedServerOptions> = {}, feed = new MadeFeed()): Promise<MadeServer> {
  const access = new MadeAccess()
  const log: string[] = []
  const server = await createFeedServer({
    source: feed, access, processId: 'feed-1', clock: 'simulated', onLog: (text) => log.push(text),
    markets: [{ code: 'test_swap', exchangeId: 1, name: 'Test swaps', port: 0 }, { code: 'test_spot', exchangeId: 2, name: 'Test spot', port: 0 }], ...options,
  })
  open.push(server)
  const portOf = (market: string): number => server.addresses.find((one) => one.market === market)!.port
  const url = (market = 'test_swap', path = '/api/v6', query = '?apiKey=k'): string => `ws://127.0.0.1:${portOf(market)}${path}${query}`
  const peer = (market?: string): Promise<FeedPeer> => FeedPeer.connect(url(market))
  const reader = async (...requests: string[]): Promise<FeedPeer> => {
    const one = await peer()
    one.send(LOGIN)
    await one.received(1)
    one.texts.length = 0
    one.send(...requests)
    return one
  }
  return { feed, access, server, log, url, peer, reader }
}

/** Closes what the tests have opened. */
export async function closeServers(): Promise<void> {
  for (const server of open.splice(0)) await server.close()
}

/** An answer of plain HTTP. */
export async function get(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<{ status: number, type: string, body: string, headers: IncomingMessage['headers'] }> {
  const asked = request(url, { headers, method, agent: false })
  asked.end()
  const [response] = await once(asked, 'response') as [IncomingMessage]
  let body = ''
  for await (const chunk of response as AsyncIterable<Buffer>) body += chunk.toString('utf8')
  return { status: response.statusCode!, type: String(response.headers['content-type']), body, headers: response.headers }
}
