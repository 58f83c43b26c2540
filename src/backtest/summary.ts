import type { World } from '../exchange/world.js'
import { unrealizedPnl } from '../exchange/ledger.js'
import { Decimal, decimalFromScaled } from '../model/decimal.js'
import type { TimeCounts } from '../replay/exchange-times.js'
import type { Fill } from '../venue/messages.js'
import type { MarketView } from '../venue/venue.js'
import type { OpenPass } from './pass.js'

/** What a world made of one instrument; money in the settlement underlying, plain decimal texts. */
export interface InstrumentSummary {
  readonly instrumentId: number
  readonly accountId: string
  readonly position: string
  readonly realizedPnl: string
  /** At the last mark price, else the last mid; null where there is neither. */
  readonly unrealizedPnl: string | null
  readonly markedBy: 'mark' | 'mid' | 'nothing'
  /** Fees by underlying id; positive is a cost. */
  readonly fees: Readonly<Record<string, string>>
  readonly turnover: string
  readonly fillCount: number
  /** Share of fills that added liquidity, 0 to 1; null without fills. */
  readonly makerShare: number | null
}

/** What a run made, and under which assumptions. */
export interface RunSummary {
  readonly instruments: readonly InstrumentSummary[]
  readonly fillCount: number
  readonly openOrderCount: number
  /** Times that were not taken as recorded, by instrument id (exchange rules 1.1). */
  readonly timeCounts: Readonly<Record<string, TimeCounts>>
  readonly assumptions: Readonly<Record<string, string>>
}

/** The price by which open positions are valued: mark, else mid (exchange rules 8.2). */
function markOf(view: MarketView): { readonly price: Decimal | null; readonly by: InstrumentSummary['markedBy'] } {
  if (!Number.isNaN(view.markPrice)) return { price: decimalFromScaled(view.markPrice, view.markScale), by: 'mark' }
  const twice = view.bestBidPrice + view.bestAskPrice
  if (Number.isNaN(twice)) return { price: null, by: 'nothing' }
  return { price: decimalFromScaled(twice, view.book.priceScale).div(2), by: 'mid' }
}

/** Sums up a world at the end of its run. */
export function summaryOf(world: World, fills: readonly Fill[], pass: OpenPass, assumptions: Readonly<Record<string, string>>): RunSummary {
  const instruments: InstrumentSummary[] = []
  let openOrderCount = 0
  for (const [accountId, account] of world.accounts) {
    openOrderCount += world.handler.openReports(accountId, pass.clock.nowNs()).length
    for (const [instrumentId, { contract, sums, fees }] of account.positions) {
      const own = fills.filter((fill) => fill.instrumentId === instrumentId)
      const local = pass.instruments.find(({ feed }) => feed.instrumentId === instrumentId)?.local
      const mark = local === undefined ? { price: null, by: 'nothing' as const } : markOf(local)
      instruments.push({
        instrumentId,
        accountId,
        position: sums.quantity.toFixed(),
        realizedPnl: sums.realizedPnl.toFixed(),
        unrealizedPnl: mark.price === null ? null : unrealizedPnl(contract, sums, mark.price).toFixed(),
        markedBy: mark.by,
        fees: Object.fromEntries([...fees].map(([underlyingId, amount]) => [String(underlyingId), amount.toFixed()])),
        turnover: sums.turnover.toFixed(),
        fillCount: own.length,
        makerShare: own.length === 0 ? null : own.filter((fill) => fill.addedLiquidity).length / own.length,
      })
    }
  }
  const timeCounts = Object.fromEntries(pass.instruments.map(({ feed }) => [String(feed.instrumentId), feed.times.counts]))
  return { instruments, fillCount: fills.length, openOrderCount, timeCounts, assumptions }
}
