import { expect, test } from 'vitest'
import type { Order } from '../../../src/strategy/order.js'
import { QuoteKeeper, type QuoteSide } from '../../../src/strategy/tactics/quote-keeper.js'
import { playPrograms, TACTIC_RUNS } from '../../support/tactic-runs.ts'
import { must, WatchedStrategy } from '../../support/watched-strategy.ts'

let filled = 0
interface Wish { readonly price: number, readonly quantity: number, executed: number }

/** Quotes that change at random, with cancels of the strategy in between. */
class Quoting extends WatchedStrategy {
  keeper!: QuoteKeeper
  wishes: Record<'BID' | 'ASK', Wish | null> = { BID: null, ASK: null }
  counted = new Map<string, number>()

  override begin(): void {
    this.keeper = new QuoteKeeper(this.instrument, { toleranceTicks: this.seed % 3, retryMs: 40 })
  }

  override act(): void {
    const what = this.draw(10)
    if (what === 0) this.instrument.cancelAll(this.draw(2) === 0 ? 'BID' : undefined)
    else if (what === 1) this.ask(null, null)
    else if (what < 8) {
      const bid = 97 + this.draw(5)
      this.ask(this.draw(6) === 0 ? null : [bid, 2 + this.draw(6)], this.draw(6) === 0 ? null : [bid + 1 + this.draw(3), 2 + this.draw(6)])
    }
  }

  ask(bid: readonly [number, number] | null, ask: readonly [number, number] | null): void {
    const side = (given: readonly [number, number] | null): QuoteSide | null => (given === null ? null : { price: this.instrument.price(String(given[0])), quantity: String(given[1]) })
    this.count()
    for (const [name, given] of [['BID', bid], ['ASK', ask]] as const) this.wishes[name] = given === null ? null : { price: given[0], quantity: given[1], executed: 0 }
    this.keeper.quote({ bid: side(bid), ask: side(ask) })
  }

  /** What orders have executed since the last quote. */
  count(): void {
    for (const order of this.sent) {
      const executed = Number(order.executedQuantity.toString())
      const wish = this.wishes[order.side]
      if (wish !== null) wish.executed += executed - (this.counted.get(order.ownOrderId) ?? 0)
      this.counted.set(order.ownOrderId, executed)
    }
  }

  override saveOwn(): unknown { return this.wishes }
  override restoreOwn(own: unknown): void { this.wishes = own as typeof this.wishes }

  override placed(order: Order): void {
    this.count()
    const wish = this.wishes[order.side]
    must(wish !== null, 'an order without a quote')
    must(Number(order.price!.toString()) === wish!.price, `placed at ${order.price!.toString()}, quoted ${wish!.price}`)
    must(Number(order.totalQuantity.toString()) <= wish!.quantity - wish!.executed, `placed ${order.totalQuantity.toString()}, quoted ${wish!.quantity}, executed ${wish!.executed}`)
    must(order.postOnly, 'not post-only')
  }

  override check(): void {
    const { openOrders } = this.instrument
    for (const side of ['BID', 'ASK'] as const) must(openOrders.filter((order) => order.side === side).length <= 1, `two orders live on ${side}`)
    must(this.sent.filter((order) => order.isOpen).every((order) => openOrders.includes(order)), 'an open order is not known')
  }
}

test('a side never has two orders, nor more than its quote, whatever races, gaps and faults there are', async () => {
  await playPrograms(Quoting, ({ fills, orders }) => {
    if (fills.rows.length > 0) filled++
    const executed = new Map<string, number>()
    for (const { own_order_id: id, qty } of fills.rows) executed.set(id, (executed.get(id) ?? 0) + Number(qty))
    for (const row of orders.rows) must(Number(row.executed_qty) === (executed.get(row.own_order_id) ?? 0), 'fills and orders differ')
  })
  expect(filled).toBeGreaterThan(TACTIC_RUNS / 4)
}, 3_600_000)
