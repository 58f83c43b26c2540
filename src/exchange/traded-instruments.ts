import { BacktapeError } from '../model/error.js'
import { factorBetween } from '../model/scale-factor.js'
import type { ExchangeMarket } from './market/exchange-market.js'
import type { WorldAgenda } from './agenda.js'
import type { ExchangeOrderRecord } from './market/resting-order.js'
import { TickGrid } from './market/tick-grid.js'
import { ConditionalOrders } from './matching/conditional-orders.js'
import { lotUnits, type TradedInstrument } from './matching/order-engine.js'
import type { RestingOrdersHost } from './matching/assumptions.js'
import { RestingOrders } from './matching/resting-orders.js'
import type { WorldConfig, WorldState } from './world-config.js'

/** The parts of its world that the instruments need. */
export interface TradedInstrumentsNeeds {
  readonly config: WorldConfig
  readonly markets: ReadonlyMap<number, ExchangeMarket>
  readonly agenda: WorldAgenda
  readonly host: RestingOrdersHost
}

/** The instruments that a world trades: resting and conditional orders, grids and scale factors. */
export class TradedInstruments {
  readonly #traded: Map<number, TradedInstrument> = new Map()

  constructor(private readonly needs: TradedInstrumentsNeeds) {}

  /** One that has been traded. */
  known(instrumentId: number): TradedInstrument | undefined {
    return this.#traded.get(instrumentId)
  }

  /** The instrument as the world trades it, made when it is first traded; null where the run has no such instrument. */
  of(instrumentId: number): TradedInstrument | null {
    return this.#traded.get(instrumentId) ?? this.#make(instrumentId)
  }

  #make(instrumentId: number): TradedInstrument | null {
    const { config, markets, agenda, host } = this.needs
    const entry = config.instruments.get(instrumentId)
    const market = markets.get(instrumentId)
    if (entry === undefined || market === undefined) return null
    const { instrument, priceScale, quantityScale } = entry
    if (market.priceScale < priceScale || market.quantityScale < quantityScale) {
      market.bringTo({
        instrument, priceScale: Math.max(priceScale, market.priceScale),
        quantityScale: Math.max(quantityScale, market.quantityScale),
      })
    }
    const { queue, fills, gaps, switches } = config.assumptions
    const priceFactor = factorBetween(priceScale, market.priceScale)
    const quantityFactor = factorBetween(quantityScale, market.quantityScale)
    const rules = {
      queue, fills, gaps, notShown: switches.notShown, lotSize: lotUnits(entry) * quantityFactor,
      unit: factorBetween(0, market.quantityScale),
    }
    const orders = new RestingOrders(config.number, market, rules, host)
    const traded: TradedInstrument = {
      entry, market, orders, priceFactor, quantityFactor, ticks: new TickGrid(entry, priceFactor),
      conditions: new ConditionalOrders(market, orders, (timeNs) => {
        agenda.plan(timeNs, instrumentId, { kind: 'conditions', instrumentId })
      }),
      expiryNs: config.money?.expiries.get(instrumentId) ?? Infinity,
    }
    this.#traded.set(instrumentId, traded)
    return traded
  }

  rescaled(instrumentId: number, priceFactor: number, quantityFactor: number): void {
    const traded = this.#traded.get(instrumentId)
    if (traded === undefined) return
    traded.priceFactor *= priceFactor
    traded.quantityFactor *= quantityFactor
    traded.ticks.factor *= priceFactor
    traded.conditions.onRescale(priceFactor, quantityFactor)
  }

  /** Nothing happens any more to the orders of a world that is over. */
  stop(): void {
    for (const { orders, conditions } of this.#traded.values()) {
      orders.stop()
      conditions.stop()
    }
  }

  /** As plain data; `places` are those of the open orders. */
  state(places: ReadonlyMap<ExchangeOrderRecord, number>): WorldState['instruments'] {
    return [...this.#traded].map(([instrumentId, { orders, conditions }]) => [
      instrumentId, orders.state(places), conditions.state(),
    ])
  }

  /** Takes a state back; `open` are the open orders, which are back already. */
  restore(state: WorldState['instruments'], open: readonly ExchangeOrderRecord[]): void {
    for (const [instrumentId, levels, conditions] of state) {
      const traded = this.of(instrumentId)
      traded?.orders.restore(levels, (place) => {
        const order = open[place]
        if (order !== undefined) return order
        throw new BacktapeError(
          'OPTION_INVALID', `Cannot restore the orders of instrument ${instrumentId}: one rests that is not open`,
          { field: 'instruments', expected: `a place below ${open.length}`, found: String(place) },
        )
      })
      traded?.conditions.restore(conditions)
    }
  }
}
