import type { Account } from '../exchange/accounts/account.js'
import { hasTraded, openLegs, type AccountPosition } from '../exchange/accounts/account-position.js'
import { isPaidInFull } from '../model/contract.js'
import { sellsFreely } from '../exchange/risk/pre-trade.js'
import { GENERIC_PROFILE, isOfKind } from '../exchange/profile/venue-profile.js'
import type { World } from '../exchange/world.js'
import { instrumentName } from '../model/instrument.js'
import { underlyingCode } from '../venue/venue.js'

/** The position of an account in an instrument that it ordered or holds; empty where no order was filled. */
export interface OrderedPosition {
  readonly accountId: string
  readonly account: Account
  readonly position: AccountPosition
}

/**
 * Where the profile of an account says something else than the master data of what was ordered on it, or says nothing
 * of it.
 */
function profileNotes({ config }: Account, ordered: readonly AccountPosition[]): string[] {
  const { accountId, profile = GENERIC_PROFILE, predictions } = config
  const { name, kind, margin } = profile
  return ordered.flatMap(({ entry: { instrument }, contract }) => {
    const notes: string[] = []
    const named = instrumentName(instrument)
    const by = predictions?.has(instrument.id) === true ? "the run's outcomes say" : `the venue profile ${name} says`
    if (contract.kind === 'prediction')
      notes.push(
        `${named}: taken for a prediction contract, as ${by}; its master data call it ${instrument.type}`,
      )
    if (!isOfKind(kind, instrument))
      notes.push(
        `account ${accountId}: its venue profile ${name} is of the kind ${kind}, and ${named} is not: ` +
          'what the profile says may not hold there',
      )
    if (
      margin?.instruments !== undefined &&
      !isPaidInFull(contract) &&
      !Object.hasOwn(margin.instruments, instrument.code)
    ) {
      notes.push(
        `${named}: margin.instruments of the venue profile ${name} does not name it, so the general ` +
          'brackets hold',
      )
    }
    return notes
  })
}

/**
 * Deviations of a world's money from what data say, and money that could not be counted (exchange rules 8): sentences
 * in the order of accounts, then instruments. `ordered` is in that order too. A world that ordered no derivative has
 * none.
 */
export function moneyNotes(world: World, ordered: readonly OrderedPosition[]): string[] {
  const notes: string[] = []
  for (const [accountId, account] of world.accounts) {
    const own = ordered.filter((one) => one.accountId === accountId)
    notes.push(...profileNotes(account, own.map(({ position }) => position)))
    const traded = [...account.positions.values()]
      .filter((position) => position.contract.kind !== 'spot' && hasTraded(position))
      .sort((a, b) => a.contract.instrumentId - b.contract.instrumentId)
    if (
      account.margin !== null &&
      account.config.profile?.margin?.liquidationFeeRate === undefined &&
      traded.some(({ contract }) => !isPaidInFull(contract))
    ) {
      notes.push(
        `account ${accountId}: its venue profile declares no margin.liquidationFeeRate, so a liquidation costs no fee`,
      )
    }
    if (sellsFreely(account) && traded.some(({ contract }) => contract.kind === 'option')) {
      notes.push(
        `account ${accountId}: its venue profile declares no margin.shortOptions, so options could be sold with ` +
          'nothing behind them',
      )
    }
    for (const held of traded) {
      const { entry, contract } = held
      const { instrument } = entry
      const name = instrumentName(instrument)
      const isPerpetual = instrument.type === 'perpetual' && contract.kind !== 'prediction'
      if (isPerpetual && !world.money.named.has(instrument.id))
        notes.push(`${name}: its data named no funding while a position was open, so none was paid`)
      if (world.money.unvalued.has(instrument.id))
        notes.push(
          `${name}: a funding was named that was not paid, as neither a mark nor a mid was ever known while a ` +
            'position was open',
        )
      const isHeld = openLegs(held).length > 0
      if (contract.kind === 'prediction' && isHeld)
        notes.push(`${name}: no outcome was given, so it stays at the last price that values it`)
      if (world.money.unmarked.has(instrument.id))
        notes.push(`${name}: there was no mark price when its position changed, so the exchange valued it by the mid`)
    }
    for (const [underlyingId, amount] of account.cash) {
      if (!amount.isNegative() || amount.isZero()) continue
      const code = underlyingCode(world.config.underlyings, underlyingId)
      notes.push(`account ${accountId}: its balance of ${code} ended below 0, at ${amount.toFixed()}`)
    }
  }
  return notes
}
