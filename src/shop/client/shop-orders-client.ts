import { BacktapeError } from '../../model/error.js'
import { isToken } from '../../protocol/option-token.js'
import { SHOP_TIMES } from '../../protocol/shop/shop-states.js'
import type { ShopAsker } from './shop-asker-client.js'
import type { ShopCall } from './shop-call.js'
import type { ShopClock } from './shop-clock-client.js'
import { shopError, ShopRefusedError } from './shop-failure.js'
import { fieldsOf } from './shop-fields.js'
import type { ShopOrderOptions, ShopStop } from './shop-options.js'
import { orderOf, type KeptOrder, type ShopOrder } from './shop-order.js'
import type { OrderRecord } from './shop-records.js'
import type { ShopStore } from './shop-store-writer.js'

/** Reads orders, with the tokens that are kept. */
export class ShopOrders {
  constructor(
    private readonly asker: ShopAsker, private readonly store: ShopStore, private readonly clock: ShopClock,
    private readonly account: { readonly token?: string },
  ) {}

  /** The orders whose tokens are kept, newest first. */
  async kept(): Promise<readonly KeptOrder[]> {
    const { orders } = await this.store.records()
    return orders.toReversed().map(({ orderId, paidMs, items }) => (
      { orderId, paidAt: new Date(paidMs).toISOString(), items }))
  }

  /**
   * An order as the shop has it; `last` is the newest that is kept. Throws OPTION_INVALID for one without a token,
   * SHOP_REFUSED where the shop does not know it (404) or it is older than 30 days (410), and as `ShopAsker.ask` does.
   */
  async order(orderId: string, { token: given, signal }: ShopOrderOptions = {}): Promise<ShopOrder> {
    const { orders } = await this.store.records()
    const kept = orderId === 'last' ? orders.at(-1) : orders.find((one) => one.orderId === orderId)
    const token = given ?? kept?.token ?? this.account.token
    if (token === undefined || (orderId === 'last' && kept === undefined)) throw unknownOrder(orderId, orders)
    const isAccount = token === this.account.token
    const order = await this.read({ orderId: kept?.orderId ?? orderId, token, signal }, isAccount)
    // A kept token that still reads its order stays: the other one may be an account's.
    const isNew = given !== undefined && given !== kept?.token && !isAccount
    const stop = signal === undefined ? {} : { signal }
    if (isNew && (kept === undefined || (await this.going({ ...kept, ...stop })) === 'unknown')) {
      const items = order.items.map(({ instrumentId, date, kind }) => ({ instrumentId, date, kind }))
      await this.keep({ orderId: order.orderId, token: given, items }, 'an order')
    }
    return order
  }

  /** The order of a token; one that an account's token has read cannot be downloaded. */
  async read(
    { orderId, token, signal }: Pick<OrderRecord, 'orderId' | 'token'> & { readonly signal?: ShopStop['signal'] },
    isAccount = false,
  ): Promise<ShopOrder> {
    const call: ShopCall = { route: 'order', path: { order_id: orderId }, token, signal }
    const { answer } = await this.asker.ask(call, 'Order')
    return orderOf(fieldsOf('Order', answer), token, isAccount)
  }

  /** The state of a paid order: `over` where it was refunded or is too old, else `unknown` where the shop has none. */
  async going(order: Pick<OrderRecord, 'orderId' | 'token'> & ShopStop): Promise<'known' | 'unknown' | 'over'> {
    try {
      return (await this.read(order)).status === 'refunded' ? 'over' : 'known'
    } catch (error) {
      if (!(error instanceof ShopRefusedError) || ![401, 403, 404, 410].includes(error.refusal.status)) throw error
      const nowMs = this.clock.nowMs()
      const { paidMs = nowMs } = (await this.store.records()).orders.find((one) => one.orderId === order.orderId) ?? {}
      return error.isOrderOver(paidMs, nowMs) ? 'over' : 'unknown'
    }
  }

  /** Keeps the token of an order. Throws SHOP_ANSWER_INVALID for one that cannot be sent. */
  async keep(order: Omit<OrderRecord, 'paidMs'>, place: string): Promise<void> {
    if (!isToken(order.token))
      throw shopError('SHOP_ANSWER_INVALID', place, 'a token of visible letters of ASCII', '***')
    const nowMs = this.clock.nowMs()
    await this.store.keepOrder({ ...order, paidMs: nowMs }, nowMs - SHOP_TIMES.guestOrderMs)
  }
}

function unknownOrder(orderId: string, orders: readonly OrderRecord[]): BacktapeError {
  const expected = orders.length === 0 ? 'an order with its token' : 'an order that is kept, or its token'
  const found = JSON.stringify(orderId.slice(0, 60))
  const sentence = `Cannot read the order: expected ${expected}, found ${found}`
  return new BacktapeError('OPTION_INVALID', sentence, { field: 'orderId', expected, found })
}
