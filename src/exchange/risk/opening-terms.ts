import type { InstrumentEntry, OpeningTerms } from '../../venue/venue.js'
import { isHeld, type Account } from '../accounts/account.js'
import { sellsFreely } from './pre-trade.js'

/**
 * The terms of opening an instrument that the venue states to a client, by the profile of its account: the rates by
 * which `PreTrade` judges. Undefined where nothing limits it: no declared balances, checks `none`, no margin section;
 * and for spot, whose wallets say it all.
 */
export function openingTermsOf(account: Account, entry: InstrumentEntry): OpeningTerms | undefined {
  if (!isHeld(account)) return undefined
  const { kind, size: contractSize, settlementUnderlyingId } = account.prospect(entry).contract
  const { margin } = account
  if (kind === 'spot') return undefined
  if (kind === 'prediction')
    return { kind, contractSize, settlementUnderlyingId, isCoverFree: true, shortSale: 'stake' }
  if (kind === 'option') {
    const isUnstated = margin === null ? sellsFreely(account) : margin.shortOptions !== null
    return {
      kind, contractSize, settlementUnderlyingId, isCoverFree: margin !== null,
      shortSale: isUnstated ? 'unstated' : 'refused',
    }
  }
  const initialMargin = margin?.bracketsOf(entry.instrument) ?? []
  if (margin === null || initialMargin.length === 0) return undefined
  return { kind, contractSize, settlementUnderlyingId, initialMargin, isIsolated: margin.isIsolated('long') }
}
