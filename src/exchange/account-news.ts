import { keptValue } from '../model/kept-value.js'
import type { InstrumentEntry } from '../venue/venue.js'
import type { Account } from './accounts/account.js'
import type { PriceOf } from './accounts/account-balance-sheet.js'
import { AccountStatements } from './accounts/account-statements.js'
import { adapterCapabilities } from './adapter/adapter-checks.js'
import { positionMessage, walletMessage } from './fill-messages.js'
import type { Outbox } from './outbox.js'
import { GENERIC_PROFILE } from './profile/venue-profile.js'
import type { BlockedAmounts } from './risk/pre-trade.js'
import type { WorldConfig } from './world-config.js'

/** States positions and wallets of the accounts of a world, and sends them to their clients. */
export class AccountNews {
  readonly #statements: Map<Account, AccountStatements> = new Map()

  constructor(
    private readonly config: WorldConfig,
    private readonly accounts: ReadonlyMap<string, Account>,
    private readonly priceOf: PriceOf,
    private readonly blocked: BlockedAmounts,
    private readonly outbox: Outbox,
  ) {}

  /** The statements of an account. */
  of(account: Account): AccountStatements {
    return keptValue(this.#statements, account, () => new AccountStatements(account, {
      capabilities: adapterCapabilities(account.config.profile ?? GENERIC_PROFILE), priceOf: this.priceOf,
      usdRateOf: (id) => this.config.money?.usdRates.get(id)?.usd,
      codeOf: (id) => this.config.underlyings.get(id)?.code,
      blockedByOrders: (underlyingId) => this.blocked.of(account, underlyingId),
      stating: () => { this.blocked.stating(account) },
    }))
  }

  sendPosition(account: Account, entry: InstrumentEntry, timeNs: number): void {
    const message = positionMessage(this.of(account).position(entry, timeNs))
    this.outbox.publish(account.config.accountId, timeNs, entry.instrument.id, message)
  }

  sendWallets(account: Account, timeNs: number, instrumentId: number): void {
    const statement = this.of(account).walletStatement(timeNs)
    this.outbox.publish(account.config.accountId, timeNs, instrumentId, walletMessage(statement))
  }

  /**
   * Does something to orders of accounts. Where their wallets stated another blocked amount last than there is then,
   * they are sent again (spec 2, `walletUpdate`: "any wallet balance changes").
   */
  sendChangedWallets(accounts: readonly Account[], timeNs: number, change: () => void): void {
    for (const account of this.blocked.changed(accounts, change)) this.sendWallets(account, timeNs, 0)
  }

  /** The same for all accounts of the world. */
  sendAllChangedWallets(timeNs: number, change: () => void): void {
    this.sendChangedWallets([...this.accounts.values()], timeNs, change)
  }
}
