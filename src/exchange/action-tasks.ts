import type { AccountNews } from './account-news.js'
import type { Account } from './accounts/account.js'
import { postCorporateAction, type PlannedAction } from './accounts/corporate-actions.js'
import type { WorldAgenda } from './agenda.js'
import type { ExchangeOrders } from './exchange-orders.js'
import type { FundingAndMargin } from './funding-and-margin.js'
import { exchangeError } from './market/resting-order.js'
import type { TradedSource } from './matching/order-engine.js'
import { UNSENT, type Outbox } from './outbox.js'
import type { WorldConfig, WorldObserver } from './world-config.js'

const SPLIT = exchangeError('CORPORATE_ACTION', 'cancelled by a split of its instrument')

/** Corporate actions of a world: those of the run, then those that were asked for. */
export class ActionTasks {
  readonly #actions: PlannedAction[]

  constructor(
    private readonly config: WorldConfig,
    private readonly accounts: ReadonlyMap<string, Account>,
    private readonly agenda: WorldAgenda,
    private readonly observer: WorldObserver,
    private readonly orders: ExchangeOrders,
    private readonly money: FundingAndMargin,
    private readonly outbox: Outbox,
    private readonly news: AccountNews,
    private readonly traded: TradedSource,
  ) {
    this.#actions = [...(config.corporateActions ?? [])]
  }

  /** Plans those of the run that are still to come. */
  begin(nowNs: number): void {
    for (const [number, action] of (this.config.corporateActions ?? []).entries())
      if (action.timeNs >= nowNs) this.#plan(action, number)
  }

  /** Plans one more. */
  add(action: PlannedAction): void {
    this.#plan(action, this.#actions.push(action) - 1)
  }

  #plan({ timeNs, action: { instrumentId } }: PlannedAction, number: number): void {
    this.agenda.plan(timeNs, instrumentId, { kind: 'corporateAction', number })
  }

  /** Performs one: orders of the instrument go, positions change, every account of its exchange is informed. */
  perform(number: number, timeNs: number): void {
    const action = this.#actions[number]?.action
    const entry = action === undefined ? undefined : this.config.instruments.get(action.instrumentId)
    if (action === undefined || entry === undefined) return
    const { instrumentId } = action
    if (action.split !== undefined) {
      this.orders.cancelWhere((order) => order.instrumentId === instrumentId, timeNs, SPLIT)
      // A split position may have every digit of the lot.
      this.traded.of(instrumentId)?.market.refine(entry.instrument, entry.quantityScale)
    }
    for (const [accountId, account] of this.accounts) {
      if (account.config.exchangeCode !== entry.instrument.exchangeCode) continue
      const moved = postCorporateAction(account, action, entry)
      this.outbox.publish(accountId, timeNs, instrumentId, { kind: 'corporateAction', action, adapterTimeNs: UNSENT })
      if (moved === null) continue
      for (const event of moved) this.observer.money?.({ ...event, exchangeTimeNs: timeNs, accountId })
      this.money.acted(account, entry, action.dividend?.underlyingId, timeNs)
      // Coins that were never traded here have no position but their balance.
      if (account.positions.has(instrumentId)) this.news.sendPosition(account, entry, timeNs)
      this.news.sendWallets(account, timeNs, instrumentId)
    }
  }
}
