import type { InstrumentDirectory } from '../venue/venue.js'
import { isHeld, type Account } from './account.js'
import { isPaidInFull } from './contract.js'
import type { PreTrade } from './pre-trade.js'

/** What orders block in the wallets of accounts, to notice when it changes. Nothing is looked at where no order of an account can block anything. */
export class BlockedAmounts {
  readonly #preTrade: PreTrade
  readonly #instruments: InstrumentDirectory
  /** Whether balances bind and an instrument of the account's exchange is paid in full. */
  readonly #pays: Map<string, boolean> = new Map()

  constructor(preTrade: PreTrade, instruments: InstrumentDirectory) {
    this.#preTrade = preTrade
    this.#instruments = instruments
  }

  /** Amounts of every wallet in one text; empty where orders block nothing, whatever they are for. */
  textOf(account: Account): string {
    if (account.config.checks === 'none' || (account.margin === null && !this.#paysOrders(account))) return ''
    return [...account.cash.keys()].map((underlyingId) => this.#preTrade.blocked(account, underlyingId).toFixed()).join(' ')
  }

  #paysOrders(account: Account): boolean {
    const { accountId, exchangeCode } = account.config
    let pays = this.#pays.get(accountId)
    if (pays === undefined) {
      pays = isHeld(account) && this.#instruments.entries.some((entry) => entry.instrument.exchangeCode === exchangeCode && isPaidInFull(account.prospect(entry).contract))
      this.#pays.set(accountId, pays)
    }
    return pays
  }
}
