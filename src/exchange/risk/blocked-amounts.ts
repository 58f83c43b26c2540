import { Decimal } from '../../model/decimal.js'
import type { InstrumentDirectory } from '../../venue/venue.js'
import { isHeld, type Account } from '../accounts/account.js'
import { isPaidInFull } from '../../model/contract.js'
import type { PreTrade } from './pre-trade.js'
import { keptValue } from '../../model/kept-value.js'

const ZERO: Decimal = new Decimal(0)
/** The answer while orders change of accounts in which none can block anything. */
const NONE: Map<Account, string> = new Map()

/**
 * The amounts that orders block in the wallets of accounts, to notice when they change. Nothing is looked at where no
 * order of an account can block anything.
 */
export class BlockedAmounts {
  /** True where balances bind and an instrument of the account's exchange is paid in full. */
  private readonly pays: Map<string, boolean> = new Map()
  /** While orders change: what each account's wallets said last of what they block. */
  private stated: Map<Account, string> | null = null

  constructor(private readonly preTrade: PreTrade, private readonly instruments: InstrumentDirectory) {}

  /**
   * Does something to orders of accounts, and returns those of which more or less is blocked after it than their
   * wallets said last: before it, or while it went on. A change within a change is part of it.
   */
  changed(accounts: readonly Account[], change: () => void): Account[] {
    if (this.stated !== null) {
      change()
      return []
    }
    if (!accounts.some((account) => this.blocks(account))) {
      this.stated = NONE
      change()
      this.stated = null
      return []
    }
    const stated = new Map(accounts.map((account) => [account, this.textOf(account)]))
    this.stated = stated
    change()
    this.stated = null
    return accounts.filter((account) => this.textOf(account) !== stated.get(account))
  }

  /** To be called when an account's wallets are stated to its clients. */
  stating(account: Account): void {
    if (this.stated?.has(account) === true) this.stated.set(account, this.textOf(account))
  }

  /** The amount that open orders of an account block of an underlying. */
  of(account: Account, underlyingId: number): Decimal {
    return this.blocks(account) ? this.preTrade.blocked(account, underlyingId) : ZERO
  }

  /** Amounts of every wallet in one text; empty where orders block nothing, whatever they are for. */
  textOf(account: Account): string {
    if (!this.blocks(account)) return ''
    return [...account.cash.keys()]
      .map((underlyingId) => this.preTrade.blocked(account, underlyingId).toFixed())
      .join(' ')
  }

  /** True where any order of an account could block anything: that never changes. */
  private blocks(account: Account): boolean {
    return account.config.checks !== 'none' && (account.margin !== null || this.paysOrders(account))
  }

  private paysOrders(account: Account): boolean {
    const { accountId, exchangeCode } = account.config
    return keptValue(this.pays, accountId, () =>
      isHeld(account) &&
      this.instruments.entries.some(
        (entry) => entry.instrument.exchangeCode === exchangeCode && isPaidInFull(account.prospect(entry).contract),
      ),
    )
  }
}
