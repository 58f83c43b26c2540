import { BacktapeError } from '../../model/error.js'
import type { ShopTime } from './shop-settings.js'

/** An ISO-8601 time in UTC, with a `Z`. */
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z$/

/** The wall's clock; with `now`, an ISO-8601 time in UTC, one that runs on from there. Throws OPTION_INVALID. */
export function shopClock(now?: string): ShopTime {
  if (now === undefined) return { nowMs: () => Date.now() }
  const startMs = MOMENT.test(now) ? Date.parse(now) : NaN
  // A day that is not there, such as 2024-02-30, is taken for a later one.
  if (Number.isNaN(startMs) || !new Date(startMs).toISOString().startsWith(now.slice(0, 16))) {
    const expected = 'a time in UTC such as 2024-08-10T12:00:00Z'
    const found = JSON.stringify(now).slice(0, 80)
    throw new BacktapeError(
      'OPTION_INVALID', `Cannot open the shop: now must be ${expected}, found ${found}`,
      { field: 'now', expected, found },
    )
  }
  const begunMs = performance.now()
  return { nowMs: () => startMs + Math.floor(performance.now() - begunMs) }
}
