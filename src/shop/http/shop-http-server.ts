import { checkoutFault } from '../../protocol/shop/shop-requests.js'
import { SHOP } from '../../protocol/shop/shop-tables.js'
import type { OpenApiWords } from '../../web/rest/openapi-document.js'
import type { RestHandler, RestReply } from '../../web/rest/rest-reply.js'
import { openRest, type RestServer } from '../../web/rest/rest-server.js'
import { refusalPage } from '../pages/shop-page.js'
import { sendSegments } from '../server/segments-writer.js'
import { invalidInput } from '../server/shop-replies.js'
import type { ShopHandler, ShopHandlers, ShopReply } from '../server/shop-reply.js'
import { deliveryText } from './delivery-text.js'

/** The options of {@link openShopHttp}. */
export interface ShopHttpOptions {
  /** Answers by route; a route without one is not there. The descriptions (OpenAPI, llms.txt) are made here. */
  readonly handlers: ShopHandlers
  /** Hosts that a request may name: every address, or those of this machine alone. */
  readonly hosts: 'address' | 'loopback'
  /** Receives a sentence where a request failed: without its query and its body. */
  readonly onLog?: (text: string) => void
  /** A clock that never steps back, milliseconds: of the limits of calls. Default: that of the machine. */
  readonly steadyMs?: () => number
}

const { bearer, account } = SHOP.credentials

/** The words of the description beside the tables. */
const WORDS: OpenApiWords = {
  title: 'Market data shop',
  description: 'Historical tick data by instrument and UTC day: find, quote, buy, download. /llms.txt has the ' +
    'delivery in words.',
  tags: [
    ['Download', /^\/api\/download\//], ['Purchase', /^\/(?:v1\/|api\/quote)/], ['Find', /^\/api\//],
    ['Descriptions', /^\/(?:openapi|\.well-known|llms)/], ['Pages', /./],
  ],
  schemes: {
    bearer: [{ name: 'downloadToken', scheme: { type: 'http', scheme: 'bearer', description: bearer.where } }],
    account: [{ name: 'accountToken', scheme: { type: 'http', scheme: 'bearer', description: account.where } }],
  },
  // The schema of a search takes any word: an unknown one is refused with the vocabulary.
  shown: (route, { class: words, ...rest }) => (
    words === undefined ? rest
      : { ...rest, class: route === 'search' ? { ...words, enum: Object.keys(SHOP.classes) } : words }),
}

/**
 * The shop over HTTP, without a listener of its own: an interface that is made of the tables of `SHOP`. Throws
 * PACKAGE_MISSING without the part `servers`.
 */
export async function openShopHttp({ handlers, ...options }: ShopHttpOptions): Promise<RestServer> {
  const llms: RestHandler = () => ({ kind: 'text', status: 200, media: 'text/plain', text: deliveryText() })
  const own = Object.entries(handlers).map(([name, handler]) => [name, restHandler(handler)])
  return openRest({
    ...options, tables: SHOP, name: 'shop', words: WORDS, refusalPage,
    handlers: { ...Object.fromEntries(own) as Record<string, RestHandler>, llms },
    refusalOf: (route, { body, headers, origin }) => {
      const fault = route === 'checkout' ? checkoutFault(body, headers['idempotency-key'], origin) : null
      return fault === null ? null : invalidInput(fault, 'the body')
    },
  })
}

function restHandler(handler: ShopHandler): RestHandler {
  return async (request) => restReply(await handler(request))
}

/** Bytes are sent in parts, as their client asks for them. */
function restReply(reply: ShopReply): RestReply {
  if (reply.kind !== 'bytes') return reply
  const { segments, media, fileName } = reply
  const name = fileName.replace(/[^\w.-]/g, '_')
  const headers = { 'content-type': media, 'content-disposition': `attachment; filename="${name}"` }
  return { kind: 'sent', send: (request, response) => sendSegments(request, response, segments, { headers }) }
}
