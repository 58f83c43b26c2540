import { Amount } from '../model/amount.js'
import { Decimal } from '../model/decimal.js'
import { Quantity } from '../model/fixed-decimal.js'
import type { Side } from '../model/side.js'
import type { OwnFills } from './own-fills.js'
import type { TradingInstrument } from './trading-instrument.js'
import type { StockSplit } from '../venue/account-messages.js'

/** A split behind which fills from before it may still come, plain data. */
export interface OpenSplit {
  readonly split: StockSplit
  /** Net traded before it, with every fill from before it that has come since. */
  before: string
}

/**
 * Net traded with a fill more that was executed before the splits from `place` on, each of which applies to the whole
 * that was there before it.
 */
export function withLateFill(
  instrument: TradingInstrument, side: Side, quantity: number,
  { splits, place }: { readonly splits: readonly OpenSplit[]; readonly place: number },
): Quantity {
  const {
    netTraded, entry: { quantityScale },
  } = instrument
  let change = new Quantity(side === 'BID' ? quantity : -quantity, quantityScale).toDecimal()
  for (const open of splits.slice(place)) {
    const before = new Decimal(open.before)
    const now = before.plus(change)
    change = splitOf(instrument, now, open.split).minus(splitOf(instrument, before, open.split))
    open.before = now.toFixed()
  }
  return Quantity.from(netTraded.toDecimal().plus(change).toFixed())
}

/**
 * The net traded quantity of an instrument with one fill more, whose quantity is an integer at the instrument's scale.
 * Throws where it is beyond 2^53.
 */
export function withFill(
  { netTraded, entry: { quantityScale } }: TradingInstrument, side: Side, quantity: number,
): Quantity {
  const signed = side === 'BID' ? quantity : -quantity
  const sum = netTraded.integer + signed
  if ((netTraded.scale === quantityScale || netTraded.integer === 0) && Number.isSafeInteger(sum))
    return new Quantity(sum, quantityScale)
  return Quantity.from(netTraded.toDecimal().plus(new Quantity(signed, quantityScale).toDecimal()).toFixed())
}

/**
 * The same after a split: whole lots, what is beyond them cut off where fractions are liquidated, else rounded
 * half-even.
 */
export function afterSplit(instrument: TradingInstrument, split: StockSplit): Quantity {
  return Quantity.from(splitOf(instrument, instrument.netTraded.toDecimal(), split).toFixed())
}

/** The same for what own fills add up to, whose fraction of a lot has no price of its own. */
export function splitOwnFills(own: OwnFills, instrument: TradingInstrument, split: StockSplit): void {
  const before = instrument.netTraded.toDecimal()
  own.split(
    Amount.from(splitOf(instrument, before, split)),
    Amount.from(before.times(split.buyVolume).div(split.sellVolume)),
  )
}

function splitOf(
  { entry, master }: TradingInstrument, quantity: Decimal,
  { buyVolume, sellVolume, liquidateFractionalShares }: StockSplit,
): Decimal {
  const lot = new Decimal(master.lotSize ?? new Decimal(10).pow(-entry.quantityScale))
  const lots = quantity.times(buyVolume).div(new Decimal(sellVolume).times(lot))
  return lots.toDecimalPlaces(0, liquidateFractionalShares ? Decimal.ROUND_DOWN : Decimal.ROUND_HALF_EVEN).times(lot)
}
