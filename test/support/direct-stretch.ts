import { StretchRecorder, type StretchSpan, type WatchedWorld } from '../../src/results/stretch-recorder.js'

/** A book and the open orders of a world, copied as they stood: texts. */
export interface DirectMoment {
  readonly books: ReadonlyMap<string, string>
  readonly orders: string
}

const LEVELS = 12

/**
 * A recorder of a stretch beside which every line of the market is heard a second time: what the client sees then, and
 * what the exchange holds, are copied whole, under the number of the event that was the last one by then.
 */
export class DirectStretch extends StretchRecorder {
  readonly moments: Map<number, DirectMoment> = new Map()
  /** Events that are no line of the market may change orders: at those alone orders are not known directly. */
  readonly heard: Set<number> = new Set()

  constructor(span: StretchSpan) {
    super(span, { levelCount: LEVELS, eventsMax: 100_000, bytesMax: 1e9 })
  }

  override begin(watched: WatchedWorld): void {
    super.begin(watched)
    const { replay, world } = watched
    const note = (): void => {
      const event = this.columns('', []).events.kind.length - 1
      const books = new Map([...replay.views].map(([id, view]) => {
        const sides = (['BID', 'ASK'] as const).map((side) => {
          const [prices, quantities] = [new Float64Array(LEVELS), new Float64Array(LEVELS)]
          const count = view.received().copyShown(side, LEVELS, prices, quantities)
          return Array.from({ length: count }, (_, at) => [prices[at], quantities[at]])
        })
        return [`${replay.directory.get(id)?.instrument.exchangeCode ?? ''}:${replay.directory.get(id)?.instrument.code ?? ''}`, JSON.stringify(sides)]
      }))
      for (const market of replay.markets.values()) market.settleQueues()
      const orders = [...world.orders.openOrders()].map((order) => [order.ownOrderId, order.price, order.totalQuantity, order.executedQuantity, Number.isNaN(order.quantityAhead) ? null : order.quantityAhead])
      this.moments.set(event, { books, orders: JSON.stringify(orders.toSorted()) })
      this.heard.add(event)
    }
    note()
    const topics = { depth: true, trades: true, topOfBook: true }
    for (const subscribers of replay.subscribers.values()) subscribers.subscribe(topics, { onEvent: note, onState: () => {} }, -Infinity)
  }
}
