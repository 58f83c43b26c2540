import type { ShopRouteName } from '../../protocol/shop/shop-routes.js'
import type { Sent, ShopSchemaName } from '../../protocol/shop/shop-schemas.js'
import type { RefusalReply, ShopHandlers, ShopRequest } from '../server/shop-reply.js'

/** Thrown where a route refuses what a page asks it: the page refuses alike. */
export class PageRefusal extends Error {
  constructor(readonly reply: RefusalReply) {
    super(reply.error)
  }
}

/** The names of schemas by the routes that pages ask. */
interface Answers {
  readonly search: 'Search'
  readonly bundles: 'Bundles'
  readonly checkout: 'Checkout'
  readonly order: 'Order'
}

/** The answers of the routes for programs, for pages: they have no rules of their own. */
export class RouteAnswers {
  constructor(private readonly handlers: ShopHandlers, private readonly request: ShopRequest) {}

  /** The object that a route answers with. Throws {@link PageRefusal}. */
  async of<Name extends keyof Answers & ShopRouteName>(
    route: Name, parts: Partial<Pick<ShopRequest, 'path' | 'query' | 'body' | 'headers'>>,
  ): Promise<Sent<Answers[Name] & ShopSchemaName>> {
    const { origin, headers } = this.request
    const reply = await this.handlers[route]?.({ path: {}, query: {}, body: undefined, headers, origin, ...parts })
    if (reply?.kind === 'refusal') throw new PageRefusal(reply)
    if (reply?.kind !== 'json') throw new Error(`The page needs the answer of ${route}`)
    return reply.body as Sent<Answers[Name] & ShopSchemaName>
  }
}
