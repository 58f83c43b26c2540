import { Decimal } from '../model/decimal.js'
import { Quantity } from '../model/fixed-decimal.js'
import type { Side } from '../model/side.js'
import type { StockSplit } from '../venue/messages.js'
import type { TradingInstrument } from './trading-instrument.js'

/** The net traded quantity of an instrument with one fill more, whose quantity is an integer at the instrument's scale. Throws where it is beyond 2^53. */
export function withFill({ netTraded, entry: { quantityScale } }: TradingInstrument, side: Side, quantity: number): Quantity {
  const signed = side === 'BID' ? quantity : -quantity
  const sum = netTraded.integer + signed
  if ((netTraded.scale === quantityScale || netTraded.integer === 0) && Number.isSafeInteger(sum)) return new Quantity(sum, quantityScale)
  return Quantity.from(netTraded.toDecimal().plus(new Quantity(signed, quantityScale).toDecimal()).toFixed())
}

/** The same after a split: whole lots, what is beyond them cut off where fractions are liquidated, else rounded half-even. */
export function afterSplit({ netTraded, entry, master }: TradingInstrument, { buyVolume, sellVolume, liquidateFractionalShares }: StockSplit): Quantity {
  const lot = new Decimal(master.lotSize ?? new Decimal(10).pow(-entry.quantityScale))
  const lots = netTraded.toDecimal().times(buyVolume).div(new Decimal(sellVolume).times(lot))
  return Quantity.from(lots.toDecimalPlaces(0, liquidateFractionalShares ? Decimal.ROUND_DOWN : Decimal.ROUND_HALF_EVEN).times(lot).toFixed())
}
