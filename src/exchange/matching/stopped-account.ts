import type { EntryError } from '../../model/order.js'
import { exchangeError } from '../market/resting-order.js'

/** The code of a stop, with which its reason begins. */
export const EQUITY_ZERO = 'EQUITY_ZERO'

/**
 * The error of orders that are cancelled or refused as an account of their client has come to 0 (exchange rules 8.6).
 */
export const STOPPED: EntryError = exchangeError(
  'EQUITY_ZERO', 'no equity is left on an account of the strategy, so the strategy was stopped',
)
