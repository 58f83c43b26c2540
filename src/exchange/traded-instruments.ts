import type { OrderAtExchange } from '../orders/order-at-exchange.js'
import type { ScaleSink } from './matching/assumptions.js'
import { marketLot, type TradedInstrument, type TradedSource } from './matching/order-engine.js'
import type { WorldState } from './world-config.js'

/** The instruments that a world trades: resting and conditional orders, grids and scale factors. */
export class TradedInstruments implements TradedSource, ScaleSink {
  readonly #traded: Map<number, TradedInstrument> = new Map()
  /** True for a world that is over. */
  isStopped = false

  /** Null where the world has sent no order yet. */
  of(instrumentId: number): TradedInstrument | null {
    return this.#traded.get(instrumentId) ?? null
  }

  add(traded: TradedInstrument): void {
    this.#traded.set(traded.entry.instrument.id, traded)
  }

  rescaled(instrumentId: number, priceFactor: number, quantityFactor: number): void {
    const traded = this.#traded.get(instrumentId)
    if (traded === undefined) return
    traded.priceFactor *= priceFactor
    const { quantityDivisor: divisor } = traded
    traded.quantityDivisor = divisor > quantityFactor ? divisor / quantityFactor : 1
    traded.quantityFactor *= quantityFactor / (divisor / traded.quantityDivisor)
    traded.orders.lotSize = marketLot(traded.entry, traded.quantityFactor, traded.quantityDivisor)
    traded.ticks.factor *= priceFactor
    traded.conditions.onRescale(priceFactor, quantityFactor)
  }

  /** Nothing happens any more to the orders of a world that is over. */
  stop(): void {
    this.isStopped = true
    for (const { orders, conditions } of this.#traded.values()) {
      orders.stop()
      conditions.stop()
    }
  }

  /** As plain data; `places` are those of the open orders. */
  state(places: ReadonlyMap<OrderAtExchange, number>): WorldState['instruments'] {
    return [...this.#traded].map(([instrumentId, { orders, conditions }]) => [
      instrumentId, orders.state(places), conditions.state(),
    ])
  }
}
