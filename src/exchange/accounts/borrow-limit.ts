import { Decimal } from '../../model/decimal.js'
import type { Account } from './account.js'

/**
 * The amount that an account may still borrow of an underlying; null where its profile declares no bound or no rate.
 */
export function availableBorrow({ config, loans }: Account, underlyingId: number, code: string): Decimal | null {
  const limit = config.profile?.borrowLimits?.[code]
  return limit === undefined || config.profile?.borrowRates?.[code] === undefined
    ? null
    : Decimal.max(0, new Decimal(limit).minus(loans.owed(underlyingId)))
}
