import { Amount } from '../model/amount.js'
import { Quantity } from '../model/fixed-decimal.js'
import type { Wallet } from '../venue/account-messages.js'
import type { OpeningTerms } from '../venue/venue.js'
import type { Account } from './account.js'
import type { LastPositions } from './last-positions.js'
import { heldEquity, isHeld, valuationPrice, type Holding } from './held-position.js'
import type { WholePosition } from './order-messages.js'
import { holdingOf, type TradingInstrument } from './trading-instrument.js'

/** The sources of an account's equity beside its wallets. */
export interface EquitySources {
  /** The strategy's instruments on the account, in the order in which they were named. */
  readonly instruments: readonly TradingInstrument[]
  /** Null for an account to which the strategy is not logged in. */
  readonly positions: LastPositions | null
  /** The terms of an instrument that the venue states: they know prediction contracts from perpetuals. */
  readonly termsOf: (instrumentId: number) => OpeningTerms | undefined
}

const ZERO: Amount = Amount.ZERO

/** Equity of an account in its one currency; null where it cannot be known: `Account.equity` says when. */
export function equityOf({ wallets }: Account, { instruments, positions, termsOf }: EquitySources): Amount | null {
  const isOfAnotherType = ({ type = 'ACCOUNT', instrumentId, marginBalance }: Wallet): boolean =>
    type !== 'ACCOUNT' && instrumentId === undefined && !Amount.from(marginBalance).isZero()
  if (positions === null || wallets.some(isOfAnotherType)) return null
  const currency = currencyOf(wallets, instruments)
  const isUnknown = ({ instrumentId, longPosition, shortPosition }: WholePosition): boolean =>
    !instruments.some(({ id }) => id === instrumentId) && (longPosition !== 0 || shortPosition !== 0)
  if (currency === null || positions.all().some(isUnknown)) return null
  const derivatives = instruments
    .filter(({ isSpot }) => !isSpot)
    .map((instrument) => withWallets(holdingOf(instrument), positions.withWallets(instrument.id)))
  const parts = new Map<number, Amount>()
  const add = (underlyingId: number, amount: Amount): void => {
    parts.set(underlyingId, (parts.get(underlyingId) ?? ZERO).plus(amount))
  }
  for (const wallet of wallets) {
    const cash = cashOf(wallet, derivatives)
    if (cash === null) return null
    add(wallet.underlyingId, cash.minus(Amount.from(wallet.borrowed ?? '0')))
  }
  for (const holding of derivatives) {
    if (!isHeld(holding)) continue
    const { kind } = termsOf(holding.instrument.id) ?? {}
    const amount = heldEquity(holding, kind === 'option' || kind === 'prediction')
    if (amount === null || holding.contract === null) return null
    add(holding.contract.settlementUnderlyingId, amount)
  }
  for (const instrument of instruments) {
    const { baseUnderlyingId: base, counterUnderlyingId: counter } = instrument.master
    if (!instrument.isSpot || base === null || counter === null || base === currency) continue
    const amount = parts.get(base) ?? ZERO
    const price = amount.isZero() ? ZERO : valuationPrice(instrument)
    if (price === null) continue
    parts.delete(base)
    add(counter, amount.times(price))
  }
  const equity = parts.get(currency) ?? ZERO
  parts.delete(currency)
  return [...parts.values()].every((amount) => amount.isZero()) ? equity : null
}

/**
 * The currency is what the instruments settle in, coins that a spot instrument sells left out; of an account without
 * instruments that of its only wallet.
 */
function currencyOf(wallets: readonly Wallet[], instruments: readonly TradingInstrument[]): number | null {
  const coins = new Set(instruments.map(({ isSpot, master }) => (isSpot ? master.baseUnderlyingId : null)))
  const settled = new Set(
    instruments.length === 0
      ? wallets.map(({ underlyingId }) => underlyingId)
      : instruments.map((instrument) => holdingOf(instrument).contract?.settlementUnderlyingId ?? null),
  )
  const [only, other] = [...settled].filter((underlyingId) => !coins.has(underlyingId))
  return only === undefined || other !== undefined ? null : only
}

/** Cash of a wallet; where it is not stated, its balance less its profit, of which there is none without a position. */
function cashOf(
  { underlyingId, cashBalance, marginBalance }: Wallet, derivatives: readonly Holding[],
): Amount | null {
  if (cashBalance !== undefined) return Amount.from(cashBalance)
  const isOpen = derivatives.some(
    (holding) => isHeld(holding) && holding.contract?.settlementUnderlyingId === underlyingId,
  )
  return isOpen ? null : Amount.from(marginBalance)
}

/** The holding as it was when the wallets came last. */
function withWallets(holding: Holding, stated: WholePosition | null): Holding {
  if (stated === null) return { ...holding, position: Quantity.ZERO, stated: {} }
  const units = stated.longPosition - stated.shortPosition
  return { ...holding, stated, position: new Quantity(units, holding.instrument.entry.quantityScale) }
}
