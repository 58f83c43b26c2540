import { Amount } from '../../model/amount.js'
import { contractFromInstrument, contractValue, isValueInverse } from '../../model/contract.js'
import { instrumentName, type Instrument, type Underlying } from '../../model/instrument.js'
import type { OrderTrack, TrackedFill } from './order-tracks.js'

/** The trading of a side in one instrument. Exact decimal texts. */
export interface TradedInstrument {
  /** `binance_swap:BTCUSDT`; its number where its terms are not known. */
  readonly instrument: string
  readonly fillCount: number
  readonly makerFillCount: number
  readonly bought: string
  readonly sold: string
  /**
   * The gain of its fills, without fees, the position that they leave valued at {@link TradedInstrument.valuedAt}; null
   * where its terms do not say.
   */
  readonly profit: string | null
  /** Price of the last fill of the live run, else of the backtest: of both sides, so that profits compare. */
  readonly valuedAt: string
  /** The code in which profit is counted; null where it is not known. */
  readonly underlying: string | null
}

/** The totals of a side. */
export interface SideTotals {
  readonly orderCount: number
  readonly refusedCount: number
  readonly fillCount: number
  readonly instruments: readonly TradedInstrument[]
  /** By code of the underlying, as fills state them. */
  readonly fees: readonly { readonly underlying: string; readonly amount: string }[]
}

/** Terms that totals need. */
export interface KnownTerms {
  readonly instruments: ReadonlyMap<number, Instrument>
  readonly underlyings: ReadonlyMap<number, Underlying>
}

type SidedFill = TrackedFill & Pick<OrderTrack, 'side' | 'instrumentId'>

function fillsOf(orders: readonly OrderTrack[]): SidedFill[] {
  return orders.flatMap(({ fills, side, instrumentId }) => (
    [...fills.values()].map((fill) => ({ ...fill, side, instrumentId }))))
}

/** Prices of the last fills by instrument: those of `live` where it has any. */
function lastPrices(live: readonly OrderTrack[], backtest: readonly OrderTrack[]): Map<number, string> {
  const prices = new Map<number, string>()
  for (const orders of [backtest, live])
    for (const { instrumentId, price } of fillsOf(orders).sort((a, b) => Number(a.time - b.time)))
      if (instrumentId !== null) prices.set(instrumentId, price)
  return prices
}

/** The totals of both sides. */
export function sideTotals(
  live: readonly OrderTrack[], backtest: readonly OrderTrack[], terms: KnownTerms,
): { readonly live: SideTotals; readonly backtest: SideTotals } {
  const prices = lastPrices(live, backtest)
  return { live: totalsOf(live, prices, terms), backtest: totalsOf(backtest, prices, terms) }
}

function totalsOf(orders: readonly OrderTrack[], prices: ReadonlyMap<number, string>, terms: KnownTerms): SideTotals {
  const fills = fillsOf(orders)
  const fees = new Map<string, Amount>()
  for (const { fees: amount, feeUnderlyingId: id } of fills) {
    if (amount === null) continue
    const code = id === null ? '?' : (terms.underlyings.get(id)?.code ?? String(id))
    fees.set(code, (fees.get(code) ?? Amount.ZERO).plus(Amount.from(amount)))
  }
  return {
    orderCount: orders.length, fillCount: fills.length,
    refusedCount: orders.filter(({ answer }) => answer !== null && answer.refusal !== null).length,
    instruments: [...prices].map(([id, price]) => (
      tradedOf(id, fills.filter(({ instrumentId }) => instrumentId === id), price, terms))),
    fees: [...fees].map(([underlying, amount]) => ({ underlying, amount: amount.toFixed() })),
  }
}

function tradedOf(id: number, fills: readonly SidedFill[], price: string, terms: KnownTerms): TradedInstrument {
  const instrument = terms.instruments.get(id)
  const quantityOf = (side: string): Amount => fills.filter((fill) => fill.side === side)
    .reduce((sum, { quantity }) => sum.plus(Amount.from(quantity)), Amount.ZERO)
  const [bought, sold] = [quantityOf('BID'), quantityOf('ASK')]
  const gain = instrument === undefined ? null : gainOf(instrument, fills, price)
  return {
    instrument: instrument === undefined ? String(id) : instrumentName(instrument), fillCount: fills.length,
    makerFillCount: fills.filter(({ isMaker }) => isMaker).length, bought: bought.toFixed(), sold: sold.toFixed(),
    profit: gain?.profit.toFixed() ?? null, valuedAt: price,
    underlying: gain === null ? null : (terms.underlyings.get(gain.underlyingId)?.code ?? String(gain.underlyingId)),
  }
}

/** The gain of fills at a price; null where the master data do not say enough. */
function gainOf(
  instrument: Instrument, fills: readonly SidedFill[], price: string,
): { readonly profit: Amount; readonly underlyingId: number } | null {
  try {
    const contract = contractFromInstrument(instrument)
    let profit = Amount.ZERO
    for (const fill of fills) {
      const quantity = Amount.from(fill.quantity)
      const now = contractValue(contract, quantity, Amount.from(price))
      const change = now.minus(contractValue(contract, quantity, Amount.from(fill.price)))
      profit = (fill.side === 'BID') === isValueInverse(contract) ? profit.minus(change) : profit.plus(change)
    }
    return { profit, underlyingId: contract.settlementUnderlyingId }
  } catch {
    return null
  }
}
