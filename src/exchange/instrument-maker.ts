import { BacktapeError } from '../model/error.js'
import { factorBetween } from '../model/scale-factor.js'
import type { WorldAgenda } from './agenda.js'
import type { ExchangeMarket } from './market/exchange-market.js'
import type { ExecutionSink } from './market/resting-order.js'
import type { OrderAtExchange } from '../orders/order-at-exchange.js'
import { TickGrid } from './market/tick-grid.js'
import type { GapSink } from './matching/assumptions.js'
import { ConditionalOrders } from './matching/conditional-orders.js'
import { marketLot, mayBeCoarse, type TradedInstrument } from './matching/order-engine.js'
import { riskAverseQueue } from './matching/queue-model.js'
import { RestingOrders } from './matching/resting-orders.js'
import type { TradedInstruments } from './traded-instruments.js'
import type { WorldConfig, WorldState } from './world-config.js'

/**
 * Makes the instruments of a world when an order first names them. The market calls what is made here, so it is the
 * last part of a world: everything that an execution or a gap moves stands by then.
 */
export class InstrumentMaker {
  constructor(
    private readonly config: WorldConfig,
    private readonly markets: ReadonlyMap<number, ExchangeMarket>,
    private readonly agenda: WorldAgenda,
    private readonly traded: TradedInstruments,
    /** Receives executions of the orders that rest there. */
    private readonly executions: ExecutionSink,
    private readonly gaps: GapSink,
  ) {}

  /** The instrument as the world trades it, made where it is new; null where the run has no such instrument. */
  of(instrumentId: number): TradedInstrument | null {
    const known = this.traded.of(instrumentId)
    if (known !== null) return known
    const { config } = this
    const entry = config.instruments.get(instrumentId)
    const market = this.markets.get(instrumentId)
    if (entry === undefined || market === undefined) return null
    const { instrument, priceScale, quantityScale } = entry
    const { queue, fills, gaps, switches } = config.assumptions
    if (market.priceScale < priceScale) market.bringTo({ instrument, priceScale, quantityScale: market.quantityScale })
    // The other queue models divide: their fills may have every digit of the lot.
    if (queue !== riskAverseQueue || !mayBeCoarse(entry)) market.refine(instrument, quantityScale)
    const priceFactor = factorBetween(priceScale, market.priceScale)
    const quantityFactor = factorBetween(quantityScale, market.quantityScale)
    const quantityDivisor = factorBetween(market.quantityScale, quantityScale)
    const rules = {
      queue, fills, gaps, notShown: switches.notShown, lotSize: marketLot(entry, quantityFactor, quantityDivisor),
      unit: factorBetween(0, market.quantityScale),
    }
    const orders = new RestingOrders(config.number, market, rules, this.executions, this.gaps, this.traded)
    const traded: TradedInstrument = {
      entry, market, orders, priceFactor, quantityFactor, quantityDivisor, ticks: new TickGrid(entry, priceFactor),
      conditions: new ConditionalOrders(market, orders, (timeNs) => {
        this.agenda.plan(timeNs, instrumentId, { kind: 'conditions', instrumentId })
      }),
      expiryNs: config.money?.expiries.get(instrumentId) ?? Infinity,
    }
    this.traded.add(traded)
    return traded
  }

  /** Makes the instruments of a state again; `open` are the open orders, which are back already. */
  restore(state: WorldState['instruments'], open: readonly OrderAtExchange[]): void {
    for (const order of open) this.of(order.instrumentId)?.conditions.add(order)
    for (const [instrumentId, orders, conditions] of state) {
      const traded = this.of(instrumentId)
      traded?.orders.restore(orders, (place) => {
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
