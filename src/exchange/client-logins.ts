import type { OrderEntryListener } from '../venue/venue.js'
import type { Account } from './accounts/account.js'
import type { AdapterGate } from './adapter/adapter-gate.js'
import type { AdapterOrderIndex } from './adapter/adapter-order-index.js'
import {
  addressOf, ClientChannel, NO_LISTENER, loggedInAlready, unknownAccount, type ChannelParts,
} from './client-channel.js'
import type { ChannelState } from './world-config.js'
import type { Addressee } from './world-message.js'

/** Logins by account, then client, in the order of logging in. */
export type Channels = Map<string, Map<string, ClientChannel>>

/** The parts of its world that logins work with. */
interface LoginParts extends ChannelParts {
  readonly accounts: ReadonlyMap<string, Account>
  readonly adapters: ReadonlyMap<string, AdapterOrderIndex>
  readonly gates: ReadonlyMap<string, AdapterGate>
  readonly channels: Channels
}

/** The login of a channel that nobody listens at: no message is for it. */
const NOBODY = -1

/** The clients that are logged in to the accounts of a world, each with its channel. */
export class ClientLogins {
  /** An account stays here when all of its clients have left: its status goes on being watched. */
  readonly channels: Channels
  /** The latest addressee and its channel: nearly every message is for the same one. */
  #lastAddress: Addressee | null = null
  #lastChannel: ClientChannel | undefined

  constructor(private readonly parts: LoginParts) {
    this.channels = parts.channels
  }

  /**
   * Logs a client in. Throws OPTION_INVALID for an account that the world does not have, and for a client that is
   * logged in to it already.
   */
  open(
    clientId: string, accountId: string, listener: OrderEntryListener, nowNs: () => number, login: number,
  ): ClientChannel {
    const channel = this.#channel(clientId, accountId, listener, nowNs, login)
    if (channel === undefined) throw unknownAccount(accountId, [...this.parts.accounts.keys()])
    const clients = this.channels.get(accountId) ?? new Map<string, ClientChannel>()
    if (clients.has(clientId)) throw loggedInAlready(clientId, accountId)
    this.channels.set(accountId, clients.set(clientId, channel))
    this.#lastAddress = null
    return channel
  }

  /** Ends a login. */
  close(clientId: string, accountId: string): void {
    this.channels.get(accountId)?.delete(clientId)
    this.#lastAddress = null
  }

  /** The channel of a client; a mute one where it has left. */
  requester(accountId: string, clientId: string): ClientChannel | undefined {
    return this.channels.get(accountId)?.get(clientId) ?? this.#mute(accountId, clientId)
  }

  /** The channel of the login that has sent a request; a mute one where that has ended. */
  sender(from: Addressee): ClientChannel | undefined {
    return this.addressee(from) ?? this.#mute(from.accountId, from.clientId)
  }

  #mute(accountId: string, clientId: string): ClientChannel | undefined {
    return this.#channel(clientId, accountId, NO_LISTENER, () => 0, NOBODY)
  }

  /** The channel that a message is for; undefined where its client has left. */
  addressee(address: Addressee): ClientChannel | undefined {
    if (address !== this.#lastAddress) {
      const channel = this.channels.get(address.accountId)?.get(address.clientId)
      this.#lastChannel = channel?.isFor(address) === true ? channel : undefined
      this.#lastAddress = address
    }
    return this.#lastChannel
  }

  state(): ChannelState[] {
    return [...this.channels.values()].flatMap((clients) => [...clients.values()].map((channel) => channel.state()))
  }

  /** Takes a state back; its clients have connected again. */
  restore(states: readonly ChannelState[]): void {
    for (const one of states) this.channels.get(one.accountId)?.get(one.clientId)?.restore(one)
    this.#lastAddress = null
  }

  #channel(
    clientId: string, accountId: string, listener: OrderEntryListener, nowNs: () => number, login: number,
  ): ClientChannel | undefined {
    const { accounts, adapters, gates } = this.parts
    const account = accounts.get(accountId)
    const adapter = adapters.get(accountId)
    const gate = gates.get(accountId)
    if (account === undefined || adapter === undefined || gate === undefined) return undefined
    const address = addressOf(accountId, clientId, login)
    return new ClientChannel(this.parts, { address, account, adapter, gate, listener, nowNs })
  }
}
