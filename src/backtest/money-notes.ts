import { openLegs } from '../exchange/account-position.js'
import { isPaidInFull } from '../exchange/contract.js'
import { sellsFreely } from '../exchange/pre-trade.js'
import type { World } from '../exchange/world.js'

/**
 * What of a world's money was not as data say it, or could not be (exchange rules 8): sentences in the order of accounts, then instruments.
 * A world that traded no derivative has none.
 */
export function moneyNotes(world: World): string[] {
  const notes: string[] = []
  for (const [accountId, account] of world.accounts) {
    const traded = [...account.positions.values()].filter(({ contract }) => contract.kind !== 'spot').sort((a, b) => a.contract.instrumentId - b.contract.instrumentId)
    if (account.margin === null && traded.some(({ contract }) => !isPaidInFull(contract))) {
      notes.push(`account ${accountId}: its venue profile declares no margin, so nothing was blocked and nothing liquidated`)
    }
    if (sellsFreely(account) && traded.some(({ contract }) => contract.kind === 'option')) {
      notes.push(`account ${accountId}: its venue profile declares no margin.shortOptions, so options could be sold with nothing behind them`)
    }
    for (const held of traded) {
      const { entry, contract } = held
      const { instrument } = entry
      const name = `${instrument.exchangeCode}:${instrument.code}`
      const isPerpetual = instrument.type === 'perpetual' && contract.kind !== 'prediction'
      if (isPerpetual && !world.money.named.has(instrument.id)) notes.push(`${name}: its data named no funding while a position was open, so none was paid`)
      const isHeld = openLegs(held).length > 0
      if (contract.kind === 'prediction' && isHeld) notes.push(`${name}: no outcome was given, so it stays at the last price that values it`)
      if (world.money.unmarked.has(instrument.id)) notes.push(`${name}: there was no mark price when its position changed, so the exchange valued it by the mid`)
    }
    for (const [underlyingId, amount] of account.cash) {
      const code = world.config.underlyings.get(underlyingId)?.code ?? String(underlyingId)
      if (amount.isNegative() && !amount.isZero()) notes.push(`account ${accountId}: its balance of ${code} ended below 0, at ${amount.toFixed()}`)
    }
  }
  return notes
}
