import type { OrderError } from '../model/order.js'
import type { InstrumentEntry } from '../venue/venue.js'
import type { Account } from './accounts/account.js'
import { postCorporateAction, type PlannedAction } from './accounts/corporate-actions.js'
import { exchangeError, type ExchangeOrderRecord } from './market/resting-order.js'
import type { WorldConfig, WorldObserver } from './world-config.js'
import type { WorldMessage } from './world-message.js'
import type { AccountNews } from './account-news.js'
import { LOCAL_RESPONSES } from './agenda.js'
import { UNSENT, type Outbox } from './outbox.js'
import { STOPPED } from './matching/stopped-account.js'

const SPLIT = exchangeError('CORPORATE_ACTION', 'cancelled by a split of its instrument')

/** The parts of a world that a corporate action changes. */
export interface ActionHost {
  readonly config: WorldConfig
  readonly actions: readonly PlannedAction[]
  readonly accounts: ReadonlyMap<string, Account>
  readonly observer: WorldObserver
  readonly orders: {
    cancelWhere(isMeant: (order: ExchangeOrderRecord) => boolean, timeNs: number, error: OrderError): void
  }
  readonly money: {
    acted(account: Account, entry: InstrumentEntry, dividendUnderlyingId: number | undefined, timeNs: number): void
  }
  readonly outbox: Outbox
  readonly news: AccountNews
}

/**
 * Performs a corporate action of the plan: orders of the instrument go, positions change, every account of its exchange
 * is informed.
 */
export function performAction(host: ActionHost, timeNs: number, number: number): void {
  const action = host.actions[number]?.action
  const entry = action === undefined ? undefined : host.config.instruments.get(action.instrumentId)
  if (action === undefined || entry === undefined) return
  const { instrumentId } = action
  if (action.split !== undefined)
    host.orders.cancelWhere((order) => order.instrumentId === instrumentId, timeNs, SPLIT)
  for (const [accountId, account] of host.accounts) {
    if (account.config.exchangeCode !== entry.instrument.exchangeCode) continue
    const moved = postCorporateAction(account, action, entry)
    host.outbox.publish(accountId, timeNs, instrumentId, { kind: 'corporateAction', action, adapterTimeNs: UNSENT })
    if (moved === null) continue
    for (const money of moved) host.observer.money?.({ ...money, exchangeTimeNs: timeNs, accountId })
    host.money.acted(account, entry, action.dividend?.underlyingId, timeNs)
    // Coins that were never traded here have no position but their balance.
    if (account.positions.has(instrumentId)) host.news.sendPosition(account, entry, timeNs)
    host.news.sendWallets(account, timeNs, instrumentId)
  }
}

/** The parts of its world that a stop needs. */
export interface StopHost {
  readonly accounts: ReadonlyMap<string, Account>
  readonly orders: {
    cancelWhere(isMeant: (order: ExchangeOrderRecord) => boolean, timeNs: number, why?: OrderError): void
  }
  /** Clients that are logged in to an account. */
  clientsOf(accountId: string): Iterable<string>
  send(timeNs: number, phase: number, instrumentId: number, message: WorldMessage): void
}

/**
 * Stops every client of an account: its open orders are cancelled, nothing more is taken of it on any account, and it
 * is stopped within this instant.
 */
export function stopClients(accountId: string, reason: string, timeNs: number, host: StopHost): void {
  const clients = [...host.clientsOf(accountId)].filter(
    (clientId) => host.accounts.get(accountId)?.stopped.has(clientId) === false,
  )
  for (const account of host.accounts.values()) for (const clientId of clients) account.stopped.add(clientId)
  host.orders.cancelWhere((order) => clients.includes(order.clientId), timeNs, STOPPED)
  for (const clientId of clients) host.send(timeNs, LOCAL_RESPONSES, 0, { way: 'stop', accountId, clientId, reason })
}
