import type { PlaceEntry } from '../venue/messages.js'
import type { AccountNews } from './account-news.js'
import type { ExchangeOrders } from './exchange-orders.js'
import type { UnknownBookPeriod } from './market/price-watch.js'
import { exchangeError } from './market/resting-order.js'
import type { GapSink } from './matching/assumptions.js'
import type { OrderGateway } from './order-gateway.js'
import type { TradedInstruments } from './traded-instruments.js'
import type { WorldConfig, WorldHalt, WorldObserver } from './world-config.js'

const SIGHT_LOST = exchangeError(
  'MARKET_DATA_GAP', 'cancelled, as the book is unknown since a gap (gap policy cancelAndWait)',
)

/** The parts of a world that a gap moves. */
export interface GapParts {
  readonly config: WorldConfig
  readonly observer: WorldObserver
  readonly news: AccountNews
  readonly orders: ExchangeOrders
  readonly gateway: OrderGateway
  readonly traded: TradedInstruments
}

/** The effect of an unknown book on a world: its gap policy (exchange rules 6.3). */
export class BookGaps implements GapSink {
  /** Set when a gap ended this world (gap policy `halt`). */
  halt: WorldHalt | null = null

  constructor(private readonly parts: GapParts) {}

  bookLost(instrumentId: number, period: UnknownBookPeriod, isMet = false): void {
    const { config, observer, news, orders, traded } = this.parts
    if (traded.isStopped) return
    const { gaps } = config.assumptions
    observer.bookLost?.(instrumentId, period, isMet)
    if (gaps === 'cancelAndWait') {
      news.sendAllChangedWallets(period.detectedNs, () => {
        orders.cancelWhere((order) => order.instrumentId === instrumentId, period.detectedNs, SIGHT_LOST)
      })
    }
    if (gaps !== 'halt') return
    this.halt = { instrumentId, timeNs: period.detectedNs, reason: period.reason }
    traded.stop()
  }

  bookRecovered(instrumentId: number, timeNs: number): void {
    const { observer, news, gateway, traded } = this.parts
    if (traded.isStopped) return
    observer.bookRecovered?.(instrumentId, timeNs)
    news.sendAllChangedWallets(timeNs, () => { gateway.resume(instrumentId, timeNs) })
  }

  /** A gap that was there before the world's first order in an instrument halts it when that order comes. */
  haltsAt(entries: readonly PlaceEntry[], timeNs: number): boolean {
    if (this.parts.config.assumptions.gaps !== 'halt') return false
    for (const { instrumentId } of entries) {
      const bookUnknown = this.parts.traded.of(instrumentId)?.market.bookUnknown ?? null
      if (bookUnknown !== null && bookUnknown.reason !== 'start')
        this.bookLost(instrumentId, { ...bookUnknown, detectedNs: timeNs }, true)
    }
    return this.halt !== null
  }
}
