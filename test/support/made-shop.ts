import type { ShopHandlers, ShopRequest } from '../../src/shop/server/shop-reply.js'
import { openShopHttp } from '../../src/shop/http/shop-http-server.js'
import { listenHttp } from '../../src/web/http-server.js'
import { madeHandlers } from './made-shop-handlers.ts'

/** The shop behind a listener, with handlers that remember what they were asked. */
export interface MadeShop {
  readonly port: number
  readonly url: string
  readonly asked: (readonly [name: string, request: ShopRequest])[]
  /** Sentences of the log. */
  readonly log: string[]
  /** The clock of the limits of calls, milliseconds; a minute goes by with every call of it where `isFree`. */
  nowMs: number
  close(): Promise<void>
}

/** Starts one on the loopback. `handlers` stand in place of the made ones; `isFree`: without limits of calls. */
export async function madeShop({ handlers = {}, isFree = true, hosts = 'loopback', port = 0 }: {
  readonly handlers?: ShopHandlers, readonly isFree?: boolean, readonly hosts?: 'address' | 'loopback', readonly port?: number,
} = {}): Promise<MadeShop> {
  const asked: MadeShop['asked'] = []
  const log: string[] = []
  const made = { asked, log, nowMs: 0 }
  const shop = await openShopHttp({
    handlers: { ...madeHandlers(asked), ...handlers }, hosts, onLog: (text) => { log.push(text) },
    steadyMs: () => isFree ? made.nowMs += 60_000 : made.nowMs,
  })
  const http = await listenHttp({
    request(request, response) {
      if (!shop.request(request, response)) response.writeHead(404, { 'x-by': 'another' }).end()
    },
  }, { host: '127.0.0.1', port, closeMs: 100 })
  const close = async (): Promise<void> => {
    await http.close()
    await shop.close()
  }
  return Object.assign(made, { port: http.port, url: `http://127.0.0.1:${String(http.port)}`, close })
}
