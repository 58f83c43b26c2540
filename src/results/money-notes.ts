import type { Account } from '../exchange/accounts/account.js'
import { hasTraded, openLegs, type AccountPosition } from '../exchange/accounts/account-position.js'
import { isPaidInFull } from '../model/contract.js'
import { sellsFreely } from '../exchange/risk/pre-trade.js'
import { GENERIC_PROFILE } from '../exchange/profile/generic-profile.js'
import type { World } from '../exchange/world.js'
import { instrumentName } from '../model/instrument.js'
import { underlyingCode } from '../venue/venue.js'
import { isOfKind } from '../exchange/profile/venue-kinds.js'

/** The position of an account in an instrument that it ordered or holds; empty where no order was filled. */
export interface OrderedPosition {
  readonly accountId: string
  readonly account: Account
  readonly position: AccountPosition
}

/** The sentences that hold. */
function noted(rows: readonly (readonly [holds: boolean, sentence: string])[]): string[] {
  return rows.flatMap(([holds, sentence]) => (holds ? [sentence] : []))
}

/**
 * Where the profile of an account says something else than the master data of what was ordered on it, or says nothing
 * of it.
 */
function profileNotes({ config }: Account, ordered: readonly AccountPosition[]): string[] {
  const { accountId, profile = GENERIC_PROFILE, predictions } = config
  const { name, kind, margin } = profile
  return ordered.flatMap(({ entry: { instrument }, contract }) => {
    const named = instrumentName(instrument)
    const by = predictions?.has(instrument.id) === true ? "the run's outcomes say" : `the venue profile ${name} says`
    const hasBrackets = margin?.instruments === undefined || Object.hasOwn(margin.instruments, instrument.code)
    return noted([
      [
        contract.kind === 'prediction',
        `${named}: taken for a prediction contract, as ${by}; its master data call it ${instrument.type}`,
      ],
      [
        !isOfKind(kind, instrument),
        `account ${accountId}: its venue profile ${name} is of the kind ${kind}, and ${named} is not: ` +
          'what the profile says may not hold there',
      ],
      [
        !hasBrackets && !isPaidInFull(contract),
        `${named}: margin.instruments of the venue profile ${name} does not name it, so the general ` +
          'brackets hold',
      ],
    ])
  })
}

/**
 * Deviations of a world's money from what data say, and money that could not be counted (exchange rules 8): sentences
 * in the order of accounts, then instruments. `ordered` is in that order too. A world that ordered no derivative has
 * none.
 */
export function moneyNotes(world: World, ordered: readonly OrderedPosition[]): string[] {
  const { named, unvalued, unmarked } = world.money
  return [...world.accounts].flatMap(([accountId, account]) => {
    const own = ordered.filter((one) => one.accountId === accountId)
    const traded = [...account.positions.values()]
      .filter((position) => position.contract.kind !== 'spot' && hasTraded(position))
      .sort((a, b) => a.contract.instrumentId - b.contract.instrumentId)
    const costsNoFee = account.margin !== null && account.config.profile?.margin?.liquidationFeeRate === undefined
    return [
      ...profileNotes(account, own.map(({ position }) => position)),
      ...noted([
        [
          costsNoFee && traded.some(({ contract }) => !isPaidInFull(contract)),
          `account ${accountId}: its venue profile declares no margin.liquidationFeeRate, so a liquidation costs no fee`,
        ],
        [
          sellsFreely(account) && traded.some(({ contract }) => contract.kind === 'option'),
          `account ${accountId}: its venue profile declares no margin.shortOptions, so options could be sold with ` +
            'nothing behind them',
        ],
      ]),
      ...traded.flatMap((held) => {
        const { entry: { instrument }, contract } = held
        const name = instrumentName(instrument)
        const isPrediction = contract.kind === 'prediction'
        return noted([
          [
            instrument.type === 'perpetual' && !isPrediction && !named.has(instrument.id),
            `${name}: its data named no funding while a position was open, so none was paid`,
          ],
          [
            unvalued.has(instrument.id),
            `${name}: a funding was named that was not paid, as neither a mark nor a mid was ever known while a ` +
              'position was open',
          ],
          [
            isPrediction && openLegs(held).length > 0,
            `${name}: no outcome was given, so it stays at the last price that values it`,
          ],
          [
            unmarked.has(instrument.id),
            `${name}: there was no mark price when its position changed, so the exchange valued it by the mid`,
          ],
        ])
      }),
      ...noted([...account.cash].map(([underlyingId, amount]) => [
        amount.isNegative() && !amount.isZero(),
        `account ${accountId}: its balance of ${underlyingCode(world.config.underlyings, underlyingId)} ended below ` +
          `0, at ${amount.toFixed()}`,
      ])),
    ]
  })
}
