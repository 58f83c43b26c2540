import type { Account } from '../exchange/accounts/account.js'
import { openLegs } from '../exchange/accounts/account-position.js'
import { isPaidInFull } from '../model/contract.js'
import { sellsFreely } from '../exchange/risk/pre-trade.js'
import { GENERIC_PROFILE } from '../exchange/profile/generic-profile.js'
import type { World } from '../exchange/world.js'
import type { Instrument } from '../model/instrument.js'
import { hasTraded } from './run-warnings.js'
import { isOfKind } from '../exchange/profile/venue-kinds.js'

const nameOf = ({ exchangeCode, code }: Instrument): string => `${exchangeCode}:${code}`

/**
 * Where the profile of an account says something else than the master data of what was traded on it, or says nothing of
 * it.
 */
function profileNotes({ config, positions }: Account): string[] {
  const { accountId, profile = GENERIC_PROFILE, predictions } = config
  const { name, kind, margin } = profile
  const traded = [...positions.values()].sort((a, b) => a.contract.instrumentId - b.contract.instrumentId)
  return traded.flatMap(({ entry: { instrument }, contract }) => {
    const notes: string[] = []
    const by = predictions?.has(instrument.id) === true ? "the run's outcomes say" : `the venue profile ${name} says`
    if (contract.kind === 'prediction')
      notes.push(
        `${nameOf(instrument)}: taken for a prediction contract, as ${by}; its master data call it ${instrument.type}`,
      )
    if (!isOfKind(kind, instrument))
      notes.push(
        `account ${accountId}: its venue profile ${name} is of the kind ${kind}, and ${nameOf(instrument)} is not: ` +
          'what the profile says may not hold there',
      )
    if (
      margin?.instruments !== undefined &&
      !isPaidInFull(contract) &&
      !Object.hasOwn(margin.instruments, instrument.code)
    ) {
      notes.push(
        `${nameOf(instrument)}: margin.instruments of the venue profile ${name} does not name it, so the general ` +
          'brackets hold',
      )
    }
    return notes
  })
}

/**
 * Deviations of a world's money from what data say, and money that could not be counted (exchange rules 8): sentences
 * in the order of accounts, then instruments. A world that traded no derivative has none.
 */
export function moneyNotes(world: World): string[] {
  const notes: string[] = []
  for (const [accountId, account] of world.accounts) {
    notes.push(...profileNotes(account))
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
      const name = nameOf(instrument)
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
      const code = world.config.underlyings.get(underlyingId)?.code ?? String(underlyingId)
      if (amount.isNegative() && !amount.isZero())
        notes.push(`account ${accountId}: its balance of ${code} ended below 0, at ${amount.toFixed()}`)
    }
  }
  return notes
}
