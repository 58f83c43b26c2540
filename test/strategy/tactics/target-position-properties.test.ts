import { expect, test } from 'vitest'
import type { Order } from '../../../src/strategy/order.js'
import { TargetPosition } from '../../../src/strategy/tactics/target-position.js'
import { playPrograms, TACTIC_RUNS } from '../../support/tactic-runs.ts'
import { must, WatchedStrategy } from '../../support/watched-strategy.ts'

/** Targets of the orders of the run just now, by own id. */
const targets = new Map<string, number>()
let reached = 0

/** Several targets in a row, of all styles, by an own tactic and by the short form in turn. */
class Targeting extends WatchedStrategy {
  own!: TargetPosition
  isShort = false
  hasOthers = false
  target: number | null = null
  lastNs = -1
  changedNs = -1

  override begin(): void {
    this.own = new TargetPosition(this.instrument, { retryMs: 50 })
    this.isShort = this.seed % 3 === 0
    this.hasOthers = this.seed % 4 === 1
    if (!this.resuming) targets.clear()
    if (this.draw(3) === 0) this.wish()
  }

  override act(): void {
    const what = this.draw(16)
    if (what < 5 && this.nowNs() < 7e9) this.wish()
    else if (what === 5) this.instrument.cancelAll(([undefined, 'BID', 'ASK'] as const)[this.draw(3)])
    else if (what < 9 && this.hasOthers) this.other()
    else if (what === 9 && !this.isShort) {
      this.own.stop()
      this.target = null
    }
  }

  /** With orders of its own a position may be known before the update of the order that changed it. */
  stated(): { readonly high: number, readonly low: number } {
    const { high, low } = this.worst()
    if (this.instrument.isSpot) return { high, low }
    const position = Number(this.instrument.position.toString())
    const open = (side: string): number => this.sent.filter((order) => order.side === side && order.isOpen).reduce((sum, order) => sum + this.boundsOf(order).most - this.boundsOf(order).least, 0)
    return { high: Math.min(high, position + open('BID')), low: Math.max(low, position - open('ASK')) }
  }

  /** An order of the strategy itself, which counts. */
  other(): void {
    this.instrument.placeOrder({ side: this.draw(2) === 0 ? 'BID' : 'ASK', quantity: this.quantity(1 + this.draw(4)), price: this.instrument.price(String(97 + this.draw(7))), postOnly: false, context: { own: true } })
  }

  wish(): void {
    const target = this.draw(15) - 7
    const price = this.instrument.price(String(98 + this.draw(5)))
    const style = (['take', 'take', 'join', 'join', 'limit'] as const)[this.draw(5)]!
    const options = {
      style, ...(style === 'limit' || (style === 'take' && this.draw(4) === 0) ? { price } : {}), ...(style === 'join' && this.draw(2) === 0 ? { timeoutMs: 50 + this.draw(900) } : {}),
      ...(this.draw(3) === 0 ? { offsetTicks: this.draw(3) } : {}),
    }
    this.target = target
    this.changedNs = this.nowNs()
    if (this.isShort) this.instrument.target(String(target), options)
    else this.own.target(this.quantity(target), options)
  }

  override saveOwn(): unknown { return [this.target] }
  override restoreOwn(own: unknown): void { [this.target] = own as [number | null] }

  override placed(order: Order): void {
    if (order.context !== undefined) return
    const { high, low } = this.hasOthers ? this.stated() : this.worst()
    const target = this.target
    must(target !== null, 'an order without a target')
    must(order.side === 'BID' ? high <= target! : low >= target!, `from ${low} to ${high} may come of ${order.side} ${order.totalQuantity.toString()} for the target ${target}`)
    must(this.hasOthers || this.nowNs() !== this.lastNs || this.nowNs() === this.changedNs, 'two orders of one instant for one target')
    this.lastNs = this.nowNs()
    targets.set(order.ownOrderId, target!)
  }

  override check(): void {
    must(this.instrument.openOrders.filter(({ context }) => context === undefined).length <= 1, 'two orders live')
    must(this.sent.filter((order) => order.isOpen).every((order) => this.instrument.openOrders.includes(order)), 'an open order is not known')
  }
}

test('a target is never passed, whatever races, gaps and faults there are', async () => {
  await playPrograms(Targeting, ({ fills, orders }) => {
    if (fills.rows.length > 0) reached++
    // What the strategy itself has bought and sold may pass any target.
    if (orders.rows.some((row) => !targets.has(row.own_order_id) && row.state !== 'DISCARDED')) return
    let position = 0
    for (const { own_order_id: ownOrderId, side, qty: quantity } of fills.rows) {
      position += side === 'BID' ? Number(quantity) : -Number(quantity)
      const target = targets.get(ownOrderId)!
      must(side === 'BID' ? position <= target : position >= target, `${position} is beyond the target ${target}`)
    }
    must(orders.rows.length > 0 || fills.rows.length === 0, 'fills without orders')
  })
  expect(reached).toBeGreaterThan(TACTIC_RUNS / 3)
}, 3_600_000)
