import { describe, expect, test } from 'vitest'
import type { Order } from '../../../src/strategy/order.js'
import { Bracket, type BracketTerms } from '../../../src/strategy/tactics/bracket.js'
import { StopMarket, TrailingStop } from '../../../src/strategy/tactics/watched-stop.js'
import type { BacktestResult } from '../../../src/results/backtest-result.js'
import { playPrograms, TACTIC_RUNS } from '../../support/tactic-runs.ts'
import { must, WatchedStrategy } from '../../support/watched-strategy.ts'

let left = 0
const number = (value: { toString(): string }): number => Number(value.toString())

/** Orders of the strategy have a context, those of tactics none. */
abstract class Exiting extends WatchedStrategy {
  entry(side: 'BID' | 'ASK', lots: number): Order {
    const { bestBid, bestAsk } = this.instrument
    const touch = side === 'BID' ? bestAsk ?? bestBid : bestBid ?? bestAsk
    const price = touch?.price ?? this.instrument.price('100')
    return this.instrument.placeOrder({ side, quantity: this.quantity(lots), price: this.draw(2) === 0 ? price : this.instrument.stepPrice(price, side === 'BID' ? -1 : 1), postOnly: false, context: { own: true } })
  }

  /** The most that orders of a kind may still come to. */
  most(isMeant: (order: Order) => boolean): number {
    return this.sent.filter(isMeant).reduce((sum, order) => sum + this.boundsOf(order).most, 0)
  }

  override check(): void {
    const open = this.instrument.openOrders.filter(({ context }) => context === undefined)
    must(open.length <= this.tacticCount, `${open.length} exits live`)
    must(this.sent.filter((order) => order.isOpen).every((order) => this.instrument.openOrders.includes(order)), 'an open order is not known')
  }

  get tacticCount(): number { return 1 }
}

/** One bracket after the other, of entries and of quantities, on either side. */
class Bracketing extends Exiting {
  bracket!: Bracket
  /** Orders before the present bracket. */
  before = 0
  protectedOrder: Order | null = null
  side: 'BID' | 'ASK' = 'BID'
  isCancelled = true

  override begin(): void {
    const rests = this.seed % 3 !== 0 && this.fillRecord.orderTypes.includes('STOP_LIMIT') ? 'stop' : 'takeProfit'
    this.bracket = new Bracket(this.instrument, { rests, watch: (['touch', 'trades', 'mark'] as const)[this.seed % 5 % 3]!, stopLimitTicks: this.seed % 2, retryMs: 40 })
  }

  override act(): void {
    const { bracket, instrument } = this
    const what = this.draw(12)
    if (what < 4 && !bracket.isActive && this.nowNs() < 6e9) {
      this.before = this.sent.length
      this.side = this.draw(2) === 0 ? 'BID' : 'ASK'
      const order = this.entry(this.side, 2 + this.draw(7))
      if (order.isDiscarded) return
      this.protectedOrder = order
      this.isCancelled = false
      bracket.protect(order, this.prices())
    } else if (what === 4 && this.protectedOrder?.isOpen === true) this.protectedOrder.cancel()
    else if (what === 5 && this.draw(4) === 0) {
      bracket.cancel()
      this.isCancelled = true
    }
    else if (what === 6 && this.draw(3) === 0) instrument.cancelAll()
    else if (what === 7 && !this.isCancelled && bracket.isActive && bracket.entry !== null) bracket.move(this.prices())
  }

  prices(): BracketTerms {
    const sign = this.side === 'BID' ? 1 : -1
    const middle = number(this.instrument.bestBid?.price ?? 100)
    const [profit, stop] = [middle + sign * (1 + this.draw(3)), middle - sign * (1 + this.draw(3))].map((price) => this.instrument.price(String(price)))
    const which = this.draw(5)
    return which === 0 ? { takeProfit: profit! } : which === 1 ? { stop: stop! } : { takeProfit: profit!, stop: stop! }
  }

  override saveOwn(): unknown { return [this.protectedOrder?.ownOrderId ?? null, this.side, this.isCancelled] }
  override restoreOwn(own: unknown): void {
    const [id, side, isCancelled] = own as [string | null, 'BID' | 'ASK', boolean]
    this.side = side
    this.isCancelled = isCancelled
    this.protectedOrder = this.instrument.openOrders.find(({ ownOrderId }) => ownOrderId === id) ?? null
  }

  override placed(order: Order): void {
    if (order.context !== undefined) return
    must(order.side !== this.side, 'an exit on the side of its entry')
    const entered = this.boundsOf(this.protectedOrder!).least
    const exits = this.sent.slice(this.before).filter(({ context }) => context === undefined)
    const most = exits.reduce((sum, exit) => sum + this.boundsOf(exit).most, 0)
    must(most <= entered, `${most} may leave of ${entered} entered`)
  }
}

/** A stop, or a trailing one, over positions that come and go. */
class Stopping extends Exiting {
  fixed!: StopMarket
  trailing!: TrailingStop
  /** Orders before each stop was set. */
  target = 0
  before = 0

  override begin(): void {
    const watch = (['touch', 'trades', 'mark'] as const)[this.seed % 3]!
    this.fixed = new StopMarket(this.instrument, { watch, retryMs: 40 })
    this.trailing = new TrailingStop(this.instrument, { watch, retryMs: 40 })
  }

  get stopper(): StopMarket | TrailingStop { return this.seed % 2 === 0 ? this.fixed : this.trailing }

  override act(): void {
    const { instrument } = this
    const what = this.draw(10)
    const held = number(instrument.isSpot ? instrument.netTraded : instrument.position)
    if (what < 4 && instrument.openOrders.length < 3) this.entry(this.draw(2) === 0 ? 'BID' : 'ASK', 2 + this.draw(5))
    else if (what < 7 && held !== 0 && this.stopper.phase === 'idle' && instrument.openOrders.every(({ context }) => context !== undefined)) {
      const side = held > 0 ? 'ASK' as const : 'BID' as const
      const isWhole = !instrument.isSpot && this.draw(2) === 0
      this.target = isWhole ? Infinity : 2 + this.draw(6)
      this.before = this.sent.length
      const quantity = isWhole ? {} : { quantity: String(this.target) }
      const near = number(instrument.bestBid?.price ?? 100)
      if (this.stopper === this.fixed) this.fixed.set({ side, price: instrument.price(String(near + (side === 'ASK' ? -1 : 1) * this.draw(4))), ...quantity })
      else this.trailing.set({ side, ...(this.draw(2) === 0 ? { trailTicks: 1 + this.draw(3) } : { trail: instrument.price('1.5') }), ...quantity })
    } else if (what === 7 && this.draw(4) === 0) this.stopper.disarm()
  }

  override placed(order: Order): void {
    if (order.context !== undefined) return
    const exits = this.sent.slice(this.before).filter(({ context }) => context === undefined)
    const most = exits.reduce((sum, exit) => sum + this.boundsOf(exit).most, 0)
    must(most <= this.target, `${most} may leave of ${this.target}`)
    if (this.instrument.isSpot) return
    const position = number(this.instrument.position)
    must(order.side === 'ASK' ? number(order.totalQuantity) <= position : number(order.totalQuantity) <= -position, `${order.side} ${order.totalQuantity.toString()} of the position ${position}`)
  }

  override saveOwn(): unknown { return null }
}

function count({ fills, orders }: BacktestResult): void {
  const executed = new Map<string, number>()
  for (const { own_order_id: id, qty } of fills.rows) executed.set(id, (executed.get(id) ?? 0) + Number(qty))
  for (const row of orders.rows) must(Number(row.executed_qty) === (executed.get(row.own_order_id) ?? 0), 'fills and orders differ')
  if (fills.rows.length > 1) left++
}

describe('whatever races, gaps and faults there are', () => {
  test.each([['a bracket leaves what was entered, with one order at a time', Bracketing], ['a stop takes what it was set for, with one order at a time', Stopping]])('%s', async (_words, strategy) => {
    left = 0
    await playPrograms(strategy, count)
    expect(left).toBeGreaterThan(TACTIC_RUNS / 4)
  }, 3_600_000)
})
