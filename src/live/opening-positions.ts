import type { Account } from '../exchange/accounts/account.js'
import { legOf, type Leg } from '../exchange/accounts/account-position.js'
import { Amount, statedAmount, type StatedAmount } from '../model/amount.js'
import { contractValue } from '../model/contract.js'
import { contractOf } from '../report/run-currency.js'
import { markedPrice } from '../results/run-valuation.js'
import { amountOfExact } from '../rows/exact-integer.js'
import type { AccountState } from '../venue/account-messages.js'
import type { InstrumentDirectory, MarketView } from '../venue/venue.js'

/** A leg that is open at a login: signed quantity at the instrument's scale. */
interface OpenLeg {
  readonly instrumentId: number
  readonly leg: Leg
  readonly quantity: number
  readonly averageEntryPrice: StatedAmount | undefined
}

function openLegsOf({ positions, isolatedPositions = [] }: AccountState): OpenLeg[] {
  const net = positions.map(({ instrumentId, longPosition, shortPosition, averageEntryPrice }) => ({
    instrumentId, leg: 'net' as const, quantity: longPosition - shortPosition, averageEntryPrice,
  }))
  const isolated = isolatedPositions.flatMap(({ instrumentId, long, short }) => [
    { instrumentId, leg: 'long' as const, quantity: long.size, averageEntryPrice: long.averageEntryPrice },
    { instrumentId, leg: 'short' as const, quantity: -short.size, averageEntryPrice: short.averageEntryPrice },
  ])
  return [...net, ...isolated].filter(({ quantity }) => quantity !== 0)
}

/**
 * Puts the positions that an account has at its login into its ledger, of instruments that the run follows. They are
 * valued as positions are, by mark or mid: what they gained before is no profit of the run. Returns sentences on those
 * that no price of the market values.
 */
export function openPositions(
  account: Account, state: AccountState,
  { instruments, views }: {
    readonly instruments: InstrumentDirectory
    readonly views: ReadonlyMap<number, MarketView>
  },
): readonly string[] {
  const notes: string[] = []
  for (const { instrumentId, leg, quantity, averageEntryPrice } of openLegsOf(state)) {
    const entry = instruments.get(instrumentId)
    const view = views.get(instrumentId)
    // On spot a position is what lies in the wallet.
    if (entry === undefined || view === undefined || entry.instrument.type === 'spot') continue
    if (contractOf(entry.instrument) === null) continue
    const marked = markedPrice(view)
    const price = marked === null ? averageEntryPrice : amountOfExact(marked.integer, marked.scale)
    const name = `account ${account.config.accountId}: its position in ${entry.instrument.code} at the begin`
    if (price === undefined) {
      notes.push(`${name} has no price: what it gains is not counted`)
      continue
    }
    if (marked === null) notes.push(`${name} is valued at its average entry price: there was no market`)
    const position = account.positionIn(entry)
    const amount = Amount.scaled(quantity, entry.quantityScale)
    const { sums } = legOf(position, leg)
    sums.quantity = amount
    sums.openValue = contractValue(position.contract, amount.abs(), statedAmount(price)).signed(amount.sign)
  }
  return notes
}
