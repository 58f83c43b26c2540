import { BacktapeError } from '../../model/error.js'
import type { BatchScales } from './touch-book.js'

/** Refuses scales that are coarser than those of a market: they never shrink within a pass. */
export function checkGrowth(
  { instrument, priceScale, quantityScale }: BatchScales, marketPriceScale: number, marketQuantityScale: number,
): void {
  if (priceScale >= marketPriceScale && quantityScale >= marketQuantityScale) return
  const found = `${priceScale} and ${quantityScale}`
  throw new BacktapeError(
    'VALUE_INEXACT',
    `Cannot apply ${instrument.code} at scales ${found}: its market is at ${marketPriceScale} and ` +
      `${marketQuantityScale} already`,
    {
      field: 'priceScale', expected: 'scales that only grow', found,
    },
  )
}
