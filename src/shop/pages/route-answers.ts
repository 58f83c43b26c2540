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
  readonly days: 'Days'
  readonly bundles: 'Bundles'
  readonly bundleDays: 'Days'
  readonly quote: 'Quote'
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

  /** Every day of an instrument or a series, newest first. */
  async days(id: number | string): Promise<readonly Sent<'DaySize'>[]> {
    const all: Sent<'DaySize'>[] = []
    let before: string | null = null
    do {
      const query: Record<string, string | number> = { limit: DAYS_AT_ONCE, ...before === null ? {} : { before } }
      const path: Record<string, string | number> = typeof id === 'number' ? { id } : { series_key: id }
      const answer: Sent<'Days'> = await this.of(typeof id === 'number' ? 'days' : 'bundleDays', { path, query })
      all.push(...answer.days)
      before = answer.next_cursor ?? null
    } while (before !== null)
    return all
  }
}

/** The most that a route gives at once. */
const DAYS_AT_ONCE = 1000
