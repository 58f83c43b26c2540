import { openQuantity } from '../exchange/accounts/account-position.js'
import type { World } from '../exchange/world.js'
import type { Replay } from '../simulation/replay.js'
import type { LookedJournal } from './look-lines.js'
import type { LookedInstrument, LookedWorld } from './look-recorder.js'
import type { RecordedWorld } from './recorded-world.js'

/** Facts that a simulated world itself does not know. */
interface WorldFacts {
  readonly journal: LookedJournal
  /** Instruments that its strategies have asked for so far, ascending. */
  readonly askedIds: () => readonly number[]
  readonly profits: Profits
}

/** Profits by underlying, decimal texts. */
type Profits = () => readonly { readonly amount: string }[]

/** Positions and profit of a world that is looked at. */
export function lookedMoney(
  { accounts }: Pick<RecordedWorld, 'accounts'>, profits: Profits,
): Pick<LookedWorld, 'positions' | 'positionOf' | 'profit'> {
  return {
    positions: () => [...accounts].flatMap(([accountId, { positions }]) => (
      [...positions].flatMap(([instrumentId, position]) => {
        const quantity = openQuantity(position)
        return quantity.isZero() ? [] : [{ accountId, instrumentId, quantity: quantity.toDecimal() }]
      }))),
    positionOf: (accountId, instrumentId) => {
      const position = accounts.get(accountId)?.positions.get(instrumentId)
      return position === undefined ? '' : openQuantity(position).toFixed()
    },
    profit: () => {
      const [one, other] = profits()
      return one === undefined || other !== undefined ? null : Number(one.amount)
    },
  }
}

/** A simulated world as a live view looks at it. */
export function simulatedWorld(
  { clock, directory, views, markets, subscribers }: Replay, world: World, { journal, askedIds, profits }: WorldFacts,
): LookedWorld {
  const instrument = (instrumentId: number): LookedInstrument | null => {
    const [entry, view, market] = [directory.get(instrumentId), views.get(instrumentId), markets.get(instrumentId)]
    const lines = subscribers.get(instrumentId)
    if (entry === undefined || view === undefined || market === undefined || lines === undefined) return null
    return { entry, view, market, subscribe: (topics, listener) => lines.subscribe(topics, listener, -Infinity) }
  }
  return {
    epochDay: clock.epochDay, journal, nowNs: () => clock.nowNs(), askedIds, instrument,
    openOrders: () => world.orders.openOrders(),
    ...lookedMoney(world, profits), codeOf: (underlyingId) => world.codeOf(underlyingId),
  }
}
