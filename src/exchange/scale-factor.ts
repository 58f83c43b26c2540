import { BacktapeError } from '../model/error.js'
import type { BatchScales } from './fused-book.js'

/** 10^(to - from) by multiplication; 1 where `to` is not above `from`. */
export function factorBetween(from: number, to: number): number {
  let factor = 1
  for (let i = from; i < to; i++) factor *= 10
  return factor
}

/** Refuses scales that are coarser than those of a market: they never shrink within a pass. */
export function checkGrowth({ instrument, priceScale, quantityScale }: BatchScales, marketPriceScale: number, marketQuantityScale: number): void {
  if (priceScale >= marketPriceScale && quantityScale >= marketQuantityScale) return
  const found = `${priceScale} and ${quantityScale}`
  throw new BacktapeError('VALUE_INEXACT', `Cannot apply ${instrument.code} at scales ${found}: its market is at ${marketPriceScale} and ${marketQuantityScale} already`, {
    field: 'priceScale', expected: 'scales that only grow', found,
  })
}
