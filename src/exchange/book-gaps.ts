import type { PlaceEntry } from '../venue/messages.js'
import type { AccountNews } from './account-news.js'
import type { ExchangeOrders } from './exchange-orders.js'
import type { UnknownBookPeriod } from './market/unknown-book-time.js'
import { exchangeError } from './market/resting-order.js'
import type { GapPolicy, GapSink } from './matching/assumptions.js'
import type { OrderGateway } from './order-gateway.js'
import type { TradedInstruments } from './traded-instruments.js'
import type { WorldHalt, WorldObserver } from './world-config.js'

const SIGHT_LOST = exchangeError(
  'MARKET_DATA_GAP', 'cancelled, as the book is unknown since a gap (gap policy cancelAndWait)',
)

/** The effect of an unknown book on a world: its gap policy (exchange rules 6.3). */
export class BookGaps implements GapSink {
  /** Set when a gap ended this world (gap policy `halt`). */
  halt: WorldHalt | null = null

  constructor(
    private readonly policy: GapPolicy,
    private readonly observer: WorldObserver,
    private readonly news: AccountNews,
    private readonly orders: ExchangeOrders,
    private readonly gateway: OrderGateway,
    private readonly traded: TradedInstruments,
  ) {}

  bookLost(instrumentId: number, period: UnknownBookPeriod, isMet = false): void {
    if (this.traded.isStopped) return
    this.observer.bookLost?.(instrumentId, period, isMet)
    if (this.policy === 'cancelAndWait') {
      this.news.sendAllChangedWallets(period.detectedNs, () => {
        this.orders.cancelWhere((order) => order.instrumentId === instrumentId, period.detectedNs, SIGHT_LOST)
      })
    }
    if (this.policy !== 'halt') return
    this.halt = { instrumentId, timeNs: period.detectedNs, reason: period.reason }
    this.traded.stop()
  }

  bookRecovered(instrumentId: number, timeNs: number): void {
    if (this.traded.isStopped) return
    this.observer.bookRecovered?.(instrumentId, timeNs)
    this.news.sendAllChangedWallets(timeNs, () => { this.gateway.resume(instrumentId, timeNs) })
  }

  /** A gap that was there before the world's first order in an instrument halts it when that order comes. */
  haltsAt(entries: readonly PlaceEntry[], timeNs: number): boolean {
    if (this.policy !== 'halt') return false
    for (const { instrumentId } of entries) {
      const bookUnknown = this.traded.of(instrumentId)?.market.bookUnknown ?? null
      if (bookUnknown !== null && bookUnknown.reason !== 'start')
        this.bookLost(instrumentId, { ...bookUnknown, detectedNs: timeNs }, true)
    }
    return this.halt !== null
  }
}
