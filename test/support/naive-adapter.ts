import type { AmendEntry, PlaceEntry, ReplaceEntry } from '../../src/venue/messages.js'
import { nearer, NaiveLevels, other, type Side } from './naive-levels.ts'
import { liquidate } from './naive-liquidation.ts'
import { NaiveMargin, type MarginOrder } from './naive-margin.ts'
import { NaiveMoney } from './naive-money.ts'
import { closing, grow, isHidden, isLimited, left, limitOf, marginOrderOf, misfitOf, naiveOrder, shrink, walk, type NaiveOrder } from './naive-order.ts'
import { INSTANTS_PER_HOUR, type NaiveRules } from './naive-rules.ts'
import { NaiveSpot } from './naive-spot.ts'
import { NaiveReferences } from './naive-references.ts'
import type { MarketLine } from './market-lines.ts'

/*
 * The adapter and the exchange behind it once more, one account on one instrument, written to be read: maps and lists that are searched from
 * the front, everything worked out anew. No gaps, no top of book, ticks and lots of 1, no latency, the risk averse queue. The numbers
 * in the comments are the exchange rules.
 */

export class NaiveAdapter {
  readonly orders: NaiveOrder[] = []
  readonly refusals: string[] = []
  readonly money: NaiveMoney
  readonly spot: NaiveSpot | null
  readonly #margin: NaiveMargin
  /** Rates in ten-thousandths by the instant that they are for. */
  readonly #rates: Map<number, number> = new Map()
  #instant = 0
  readonly rules: NaiveRules
  readonly #levels: NaiveLevels = new NaiveLevels()
  readonly #sent: Set<PlaceEntry['ownOrderId']> = new Set()
  readonly #references: NaiveReferences
  #pricedAt = ''
  #ranks = 0

  constructor(rules: NaiveRules) {
    this.rules = rules
    this.money = new NaiveMoney(rules.cash, rules.margin)
    this.spot = rules.coins === null ? null : new NaiveSpot(rules.coins, rules.cash)
    this.#references = new NaiveReferences(this.#levels, this.money)
    this.#margin = new NaiveMargin(this.money, () => this.#references.price())
  }

  /** After what happened in an instant: positions are judged, funding paid, interest charged. */
  endInstant(): void {
    this.#judge83()
    this.#grow()
    const rate = this.#rates.get(++this.#instant)
    const price = this.#references.price()
    if (rate !== undefined && price !== null) this.money.fund(price, rate)
    if (this.#instant % INSTANTS_PER_HOUR === 0) this.spot?.accrue()
    this.#judge83()
  }

  /** Lines of one instant, trades first (1.1), then what the exchange does of its own accord (1.3). */
  instant(lines: readonly MarketLine[]): void {
    for (const line of [...lines].sort((a, b) => Number(b.kind === 'trades') - Number(a.kind === 'trades'))) {
      if (line.kind === 'trades') for (const [code, price, quantity] of line.rows!) this.#trade(code === 1 ? 'BID' : 'ASK', price, quantity)
      else if (line.kind === 'mark') this.#references.mark = line.value!
      else if (line.kind === 'funding') this.#rates.set(line.nextFundingNs!, line.value!)
      else this.#depth(line)
      this.#notice()
    }
    this.#judge83()
    for (const order of this.orders) if (order.state === 'CONFIRMED' && order.place === 'waiting' && order.triggered) this.#enterTriggered(order)
    const touch = `${this.#levels.best('BID')} ${this.#levels.best('ASK')}`
    if (touch !== this.#pricedAt) this.#movePegs()
    this.#pricedAt = touch
    this.#grow()
  }

  place(entry: PlaceEntry): void {
    const misfit = this.#sent.has(entry.ownOrderId) ? 'ORDER_ID_DUPLICATE' : misfitOf(entry)
    if (misfit !== null) return void this.refusals.push(`${String(entry.ownOrderId)} ${misfit}`)
    this.#sent.add(entry.ownOrderId)
    this.#placeAtExchange(entry)
  }

  cancel(id: string): void {
    const order = this.#open(id)
    if (order === undefined) this.refusals.push(`${id} ORDER_NOT_FOUND`)
    else this.#end(order)
  }

  cancelAll(): void {
    for (const order of this.orders) if (order.state === 'CONFIRMED') this.#end(order)
  }

  replace(entry: ReplaceEntry): void {
    if (this.#sent.has(entry.newOwnOrderId)) return void this.refusals.push(`${String(entry.newOwnOrderId)} ORDER_ID_DUPLICATE`)
    this.#sent.add(entry.newOwnOrderId)
    const order = this.#open(entry.currentOwnOrderId)
    if (order === undefined) return void this.refusals.push(`${String(entry.newOwnOrderId)} ORDER_NOT_FOUND`)
    this.#end(order)
    const { type, triggerPrice: _old, ...terms } = order.entry
    const trigger = entry.triggerPrice ?? order.trigger
    this.#placeAtExchange({
      ...terms, type, ownOrderId: entry.newOwnOrderId, price: type.endsWith('PEGGED') ? null : (entry.price ?? order.price), totalQuantity: entry.totalQuantity ?? left(order),
      pegOffsetValue: order.offset, ...(trigger === undefined ? {} : { triggerPrice: trigger }),
    }, order.triggered && entry.triggerPrice === undefined)
  }

  amend(entry: AmendEntry): void {
    const order = this.#open(entry.ownOrderId)
    const error = order === undefined ? 'ORDER_NOT_FOUND' : this.#amend(order, entry)
    if (error !== null) this.refusals.push(`${String(entry.ownOrderId)} ${error}`)
  }

  #amend(order: NaiveOrder, amend: AmendEntry): string | null {
    const { type, postOnly } = order.entry
    const isPeg = type.endsWith('PEGGED')
    if ((isPeg ? amend.price : amend.pegOffsetValue) !== undefined || (order.entry.closeOnly === true && amend.totalQuantity !== undefined)) return 'INVALID_REQUEST'
    if (amend.triggerPrice !== undefined && (type !== 'STOP_LIMIT' || order.triggered)) return 'INVALID_REQUEST'
    let total = amend.totalQuantity ?? order.total
    if (total <= order.executed) return 'INVALID_QUANTITY'
    if (isLimited(order.entry)) total = Math.min(total, order.executed + this.money.closable(order.side, order.entry.openClose))
    const trigger = amend.triggerPrice ?? order.trigger
    let price = amend.price ?? order.price
    if (order.place === 'waiting') {
      const isPast = this.#isReached(order.side, trigger!)
      if (isPast && !this.rules.triggersAtArrival) return 'TRIGGER_ALREADY_REACHED'
      const short = this.#marginRefusal({ ...order, total, price }, order)
      if (short !== null) return short
      Object.assign(order, { total, price, trigger })
      if (!isPast) return null
      order.triggered = true
      this.#enterTriggered(order)
      return null
    }
    const offset = amend.pegOffsetValue ?? order.offset
    if (amend.pegOffsetValue !== undefined) price = this.#pegPrice(order, offset)
    const stays = price === order.price && (total === order.total || (total < order.total && this.rules.amendKeepsQueue === 'smallerQuantity'))
    if (!stays) {
      if (Number.isNaN(price)) return 'REFERENCE_PRICE_UNKNOWN'
      if (postOnly && price !== order.price && this.#crosses(order.side, price!)) return 'POST_ONLY_WOULD_CROSS'
      if (this.#crossesOwn({ ...order, price, total }, () => true)) return 'SELF_TRADE'
    }
    const short = this.#marginRefusal({ ...order, total, price }, order)
    if (short !== null) return short
    Object.assign(order, { total, price, offset, shown: Math.min(order.shown, total - order.executed) })
    if (!stays) this.#enter(order)
    return null
  }

  /** 8.3: all orders go, then the positions that are due. */
  #judge83(): void {
    const due = this.rules.margin === null ? [] : this.#margin.due()
    if (due.length === 0) return
    this.cancelAll()
    liquidate(this.money, due, this.#references.price()!)
    this.#references.note()
  }

  /** Whether the account has the margin for an order beside its others; limited ones need none. */
  #marginRefusal(order: NaiveOrder, borrower = order): string | null {
    if ((this.rules.margin ?? this.spot) === null || isLimited(order.entry)) return null
    const own = this.#marginOrder(order)
    const others = this.orders.filter((one) => one.state === 'CONFIRMED' && one.id !== order.id && !isLimited(one.entry)).map((one) => this.#marginOrder(one)!)
    if (own === null) return null
    const replaced = this.orders.find((one) => one.state === 'CONFIRMED' && one.id === order.id)
    if (this.spot === null) return this.#margin.refusal(own, others, replaced === undefined ? null : this.#marginOrder(replaced))
    return this.spot.refusal(own, others, order.entry.autoBorrow === true, (amount) => (borrower.borrowed += amount))
  }

  #marginOrder(order: NaiveOrder): MarginOrder | null {
    return marginOrderOf(order, this.#levels.reachable(order.side, limitOf(order)), this.#references.price(), this.spot === null)
  }

  /** "Triggered" is what replaces an order that was, by the same trigger. */
  #placeAtExchange(entry: PlaceEntry, isTriggered = false): void {
    const order = Object.assign(naiveOrder(entry), { triggered: isTriggered })
    const error = this.#refusal(order) ?? this.#marginRefusal(order)
    if (error !== null) return void this.refusals.push(`${order.id} ${error}`)
    this.orders.push(order)
    if (entry.closeOnly === true && this.rules.closeOnlyCancelsOthers) for (const one of this.orders) if (one !== order && one.state === 'CONFIRMED') this.#end(one)
    if (order.place !== 'waiting') this.#enter(order)
  }

  #refusal(order: NaiveOrder): string | null {
    const { entry, side } = order
    if (isLimited(entry)) {
      order.total = closing(order, this.spot ?? this.money)
      if (order.total === 0) return 'NO_POSITION_TO_REDUCE'
    }
    if (entry.type === 'STOP_LIMIT' && !order.triggered) {
      if (this.rules.triggerBy === 'mark' && Number.isNaN(this.#references.mark)) return 'REFERENCE_PRICE_UNKNOWN'
      order.triggered = this.#isReached(side, order.trigger!)
      if (order.triggered && !this.rules.triggersAtArrival) return 'TRIGGER_ALREADY_REACHED'
      order.place = order.triggered ? order.place : 'waiting'
      if (!order.triggered) return null
    }
    if (entry.type.endsWith('PEGGED')) {
      order.price = this.#pegPrice(order, order.offset)
      return Number.isNaN(order.price) ? 'REFERENCE_PRICE_UNKNOWN' : null
    }
    return this.#entryRefusal(order)
  }

  /** 4.2, 3.5. */
  #entryRefusal(order: NaiveOrder): string | null {
    if (order.entry.postOnly && this.#crosses(order.side, limitOf(order))) return 'POST_ONLY_WOULD_CROSS'
    const isSpared = order.entry.closeOnly === true && this.rules.closeOnlyCancelsOthers && order.place !== 'waiting'
    return !isSpared && this.#crossesOwn(order, () => true) ? 'SELF_TRADE' : null
  }

  /** 7.1 */
  #enterTriggered(order: NaiveOrder): void {
    if (isLimited(order.entry)) order.total = closing(order, this.spot ?? this.money)
    const error = this.#entryRefusal(order)
    order.place = 'nowhere'
    if (error === null) this.#enter(order)
    else this.#end(order)
  }

  /** 4.1 */
  #enter(order: NaiveOrder): void {
    order.place = 'nowhere'
    const limit = limitOf(order)
    const isAggressive = this.#crosses(order.side, limit)
    const { timeInForce } = order.entry
    if (timeInForce === 'FILL_OR_KILL' && this.#levels.reachable(order.side, limit).reduce((sum, [, quantity]) => sum + quantity, 0) < left(order)) return this.#end(order)
    for (const [price, available] of this.#levels.reachable(order.side, limit)) {
      const quantity = Math.min(available, left(order))
      if (quantity <= 0) continue
      this.#levels.take(other(order.side), price, quantity)
      this.#execute(order, price, quantity, false)
    }
    if (order.state !== 'CONFIRMED') return
    if (timeInForce !== 'GOOD_TILL_CANCEL' || order.price === null) this.#end(order)
    else this.#join(order, order.price, isAggressive ? 0 : this.#levels.displayed(order.side, order.price))
  }

  #join(order: NaiveOrder, price: number, ahead: number): void {
    const { displayQuantity } = order.entry
    Object.assign(order, { price, ahead, place: 'resting', rank: this.#ranks++, shown: displayQuantity === undefined ? left(order) : Math.min(displayQuantity, left(order)) })
  }

  /** 7.2, twice: a peg may have been in the way of another. */
  #movePegs(): void {
    for (let pass = 0; pass < 2; pass++) {
      for (const order of this.orders) {
        if (order.state !== 'CONFIRMED' || !order.entry.type.endsWith('PEGGED')) continue
        const price = this.#pegPrice(order, order.offset)
        if (!Number.isNaN(price) && price !== order.price) this.#join(order, price, this.#levels.displayed(order.side, price))
      }
    }
  }

  #pegPrice({ side, entry }: NaiveOrder, offset: number): number {
    const reference = this.#levels.best(entry.type === 'MARKET_PEGGED' ? other(side) : side)
    const sign = side === 'BID' ? 1 : -1
    let price = reference + sign * offset
    const opposite = [this.#levels.best(other(side)), ...this.#resting(other(side)).map((one) => one.price!)].filter((one) => !Number.isNaN(one))
    for (const one of opposite) if (nearer(side, price, one) >= 0) price = one - sign
    return price > 0 ? price : NaN
  }

  /** 3.2: an aggressor of the other side meets own orders of `side`. */
  #trade(side: Side, tradePrice: number, quantity: number): void {
    let units = quantity
    for (const price of this.#ownPrices(side)) {
      if (nearer(side, price, tradePrice) < 0) break
      if (price !== tradePrice) units = this.#serveAll(this.#resting(side, price), units)
      else this.#serveQueue(side, price, units)
    }
    this.#references.lastTrade = tradePrice
    this.#notice()
  }

  /** Orders that were passed, shown ones before hidden ones; returns what is left. */
  #serveAll(orders: readonly NaiveOrder[], units: number): number {
    let unitsLeft = units
    for (const order of [...orders.filter((one) => !isHidden(one)), ...orders.filter(isHidden)]) {
      const quantity = Math.min(unitsLeft, left(order))
      if (order.state !== 'CONFIRMED' || quantity <= 0) continue
      unitsLeft -= quantity
      this.#execute(order, order.price!, quantity, true)
    }
    this.#refill(orders)
    return unitsLeft
  }

  #serveQueue(side: Side, price: number, units: number): void {
    const orders = this.#resting(side, price)
    const shown = orders.filter((one) => !isHidden(one))
    let beyond = units - this.#levels.displayed(side, price) - shown.reduce((sum, one) => sum + Math.min(one.shown, left(one)), 0)
    // The queue unit by unit: others' units and ours, in the sequence in which they stand.
    let unitsLeft = units
    let others = 0
    const fills = new Map<NaiveOrder, number>()
    for (const order of shown) {
      if (Number.isNaN(order.ahead)) break
      while (unitsLeft > 0 && others < order.ahead) {
        others++
        unitsLeft--
      }
      if (unitsLeft <= 0 || order.state !== 'CONFIRMED') continue
      const quantity = Math.min(unitsLeft, order.shown, left(order))
      if (quantity <= 0) continue
      fills.set(order, quantity)
      unitsLeft -= quantity
      this.#execute(order, price, quantity, true)
    }
    for (const order of orders) order.ahead = Math.max(0, order.ahead - others)
    for (const order of orders.filter(isHidden)) {
      const quantity = Math.min(beyond, left(order))
      if (!(quantity > 0) || order.state !== 'CONFIRMED') continue
      beyond -= quantity
      this.#execute(order, price, quantity, true)
    }
    this.#refill(orders)
  }

  /** 7.3: a part that is used up is followed by the next, at the back. */
  #refill(orders: readonly NaiveOrder[]): void {
    for (const order of orders) {
      const { displayQuantity = 0 } = order.entry
      if (order.state !== 'CONFIRMED' || displayQuantity === 0 || order.shown > 0) continue
      while (order.shown <= 0) order.shown += displayQuantity
      order.shown = Math.min(order.shown, left(order))
      order.rank = this.#ranks++
      order.ahead = this.#levels.displayed(order.side, order.price!)
    }
  }

  #depth(line: MarketLine): void {
    for (const [side, price, now] of this.#levels.apply(line)) {
      for (const order of this.#resting(side, price)) order.ahead = Number.isNaN(order.ahead) ? now : Math.min(order.ahead, now)
    }
    this.#references.note()
    this.#judge('BID')
    this.#judge('ASK')
  }

  /** 3.2: what the other side shows at or through own orders fills them. */
  #judge(side: Side): void {
    for (const [price, available] of this.#levels.reachable(side, this.#ownPrices(side)[0] ?? NaN)) {
      let unitsLeft = available
      for (const own of this.#ownPrices(side)) {
        if (unitsLeft <= 0 || nearer(side, own, price) < 0) break
        const before = unitsLeft
        unitsLeft = this.#serveAll(this.#resting(side, own), unitsLeft)
        if (before > unitsLeft) this.#levels.take(other(side), price, before - unitsLeft)
        if (this.#resting(side, own).length > 0) break
      }
    }
  }

  #execute(order: NaiveOrder, price: number, quantity: number, isMaker: boolean): void {
    order.executed += quantity
    if (!isHidden(order)) order.shown -= quantity
    if (left(order) === 0) order.state = 'FILLED'
    const { openClose, autoRepay = false } = order.entry
    ;(this.spot ?? this.money).post(order.side, quantity, price, isMaker, openClose, autoRepay)
    this.#references.note()
    shrink(this.orders, this.money, (one) => { this.#end(one) })
  }

  #grow(): void {
    grow(this.orders, this.money, (one) => { this.#enter(one) })
  }

  #crossesOwn(order: NaiveOrder, counts: (own: NaiveOrder) => boolean): boolean {
    const limit = limitOf(order)
    const met = this.#resting(other(order.side)).filter((own) => counts(own) && nearer(order.side, limit, own.price!) >= 0)
    if (met.length === 0) return false
    const { last, lacking } = walk(this.#levels.reachable(order.side, limit), left(order))
    if (lacking > 0) return order.entry.timeInForce !== 'FILL_OR_KILL'
    return met.some((own) => nearer(order.side, last, own.price!) >= 0)
  }

  #crosses(side: Side, limit: number): boolean {
    return nearer(side, limit, this.#levels.best(other(side))) >= 0
  }

  #ownPrices(side: Side): number[] {
    return [...new Set(this.#resting(side).map((order) => order.price!))]
  }

  /** Own orders that rest, best price first, then queue order. */
  #resting(side: Side, price?: number): NaiveOrder[] {
    return this.orders.filter((one) => one.state === 'CONFIRMED' && one.place === 'resting' && one.side === side && (price === undefined || one.price === price))
      .sort((a, b) => nearer(side, b.price!, a.price!) || a.rank - b.rank)
  }

  #isReached = (side: Side, trigger: number): boolean => this.#references.isReached(this.rules.triggerBy, side, trigger)

  #notice(): void {
    for (const order of this.orders) if (order.state === 'CONFIRMED' && order.place === 'waiting' && this.#isReached(order.side, order.trigger!)) order.triggered = true
  }

  #open(id: PlaceEntry['ownOrderId']): NaiveOrder | undefined {
    return this.orders.find((order) => order.id === String(id) && order.state === 'CONFIRMED')
  }

  /** What it borrowed and does not need goes back. */
  #end(order: NaiveOrder): void {
    order.state = 'CANCELED'
    const others = this.orders.filter((one) => one.state === 'CONFIRMED').map((one) => this.#marginOrder(one)!)
    if (order.borrowed > 0n) this.spot?.repayUnused(order.borrowed, order.side, others, order.price === null ? null : this.#marginOrder(order))
  }
}
