import type { OrderError } from '../model/order.js'
import type { Account } from './accounts/account.js'
import type { ExchangeOrderRecord } from './market/resting-order.js'
import type { WorldMessage } from './world-config.js'
import { STOPPED } from './matching/stopped-account.js'

/** The parts of its world that a stop needs. */
export interface StopHost {
  readonly accounts: ReadonlyMap<string, Account>
  readonly handler: {
    cancelWhere(isMeant: (order: ExchangeOrderRecord) => boolean, timeNs: number, why?: OrderError): void
  }
  /** Clients that are logged in to an account. */
  clientsOf(accountId: string): Iterable<string>
  send(timeNs: number, phase: number, instrumentId: number, message: WorldMessage): void
}

const LOCAL_SIDE = 4

/**
 * Stops every client of an account: its open orders are cancelled, nothing more is taken of it on any account, and it
 * is stopped within this instant.
 */
export function stopClients(accountId: string, reason: string, timeNs: number, host: StopHost): void {
  const clients = [...host.clientsOf(accountId)].filter(
    (clientId) => host.accounts.get(accountId)?.stopped.has(clientId) === false,
  )
  for (const account of host.accounts.values()) for (const clientId of clients) account.stopped.add(clientId)
  host.handler.cancelWhere((order) => clients.includes(order.clientId), timeNs, STOPPED)
  for (const clientId of clients) host.send(timeNs, LOCAL_SIDE, 0, { way: 'stop', accountId, clientId, reason })
}
