import type { OrderEntryListener } from '../venue/venue.js'
import type { Account } from './accounts/account.js'
import type { AdapterGate } from './adapter/adapter-gate.js'
import type { AdapterOrderIndex } from './adapter/adapter-order-index.js'
import {
  ClientChannel, NO_LISTENER, loggedInAlready, unknownAccount, type ClientChannelOptions,
} from './client-channel.js'
import type { Addressee, ChannelState } from './world-config.js'

/** The parts of a world that logins need. */
interface LoginHost extends Pick<ClientChannelOptions, 'world' | 'observer'> {
  readonly accounts: ReadonlyMap<string, Account>
  readonly adapters: ReadonlyMap<string, AdapterOrderIndex>
  readonly gates: ReadonlyMap<string, AdapterGate>
}

/** The login of a channel that nobody listens at: no message is for it. */
const NOBODY = -1

/** The clients that are logged in to the accounts of a world, each with its channel. */
export class ClientLogins {
  /**
   * Logins by account, then client, in the order of logging in. An account stays here when all have left: its status
   * goes on being watched.
   */
  readonly channels: Map<string, Map<string, ClientChannel>> = new Map()

  constructor(private readonly host: LoginHost) {}

  /**
   * Logs a client in. Throws OPTION_INVALID for an account that the world does not have, and for a client that is
   * logged in to it already.
   */
  open(
    clientId: string, accountId: string, listener: OrderEntryListener, nowNs: () => number, login: number,
  ): ClientChannel {
    const channel = this.#channel(clientId, accountId, listener, nowNs, login)
    if (channel === undefined) throw unknownAccount(accountId, [...this.host.accounts.keys()])
    const clients = this.channels.get(accountId) ?? new Map<string, ClientChannel>()
    if (clients.has(clientId)) throw loggedInAlready(clientId, accountId)
    this.channels.set(accountId, clients.set(clientId, channel))
    return channel
  }

  /** Ends a login. */
  close(clientId: string, accountId: string): void {
    this.channels.get(accountId)?.delete(clientId)
  }

  /** The channel of a client; a mute one where it has left, or where that login of it has ended. */
  requester(accountId: string, clientId: string, login?: Addressee): ClientChannel | undefined {
    const channel = this.channels.get(accountId)?.get(clientId)
    return channel !== undefined && (login === undefined || channel.isFor(login))
      ? channel
      : this.#channel(clientId, accountId, NO_LISTENER, () => 0, NOBODY)
  }

  /** The channel that a message is for; undefined where its client has left. */
  addressee(message: Addressee): ClientChannel | undefined {
    const channel = this.channels.get(message.accountId)?.get(message.clientId)
    return channel?.isFor(message) === true ? channel : undefined
  }

  /** Clients that are logged in to an account. */
  of(accountId: string): Iterable<ClientChannel> {
    return this.channels.get(accountId)?.values() ?? []
  }

  state(): ChannelState[] {
    return [...this.channels.values()].flatMap((clients) => [...clients.values()].map((channel) => channel.state()))
  }

  /** Takes a state back; its clients have connected again. */
  restore(states: readonly ChannelState[]): void {
    for (const one of states) this.channels.get(one.accountId)?.get(one.clientId)?.restore(one)
  }

  #channel(
    clientId: string, accountId: string, listener: OrderEntryListener, nowNs: () => number, login: number,
  ): ClientChannel | undefined {
    const { world, observer, accounts, adapters, gates } = this.host
    const account = accounts.get(accountId)
    const adapter = adapters.get(accountId)
    const gate = gates.get(accountId)
    if (account === undefined || adapter === undefined || gate === undefined) return undefined
    return new ClientChannel({ world, clientId, account, adapter, gate, listener, nowNs, observer, login })
  }
}
