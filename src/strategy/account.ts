import { Amount, type StatedAmount } from '../model/amount.js'
import { brand } from '../model/brand.js'
import { Decimal } from '../model/decimal.js'
import { epochNsFromTime } from '../model/time.js'
import type { Writable } from '../model/writable.js'
import type { AccountStatus, Wallet } from '../venue/account-messages.js'

/** State of an account's order entry (spec 3). No strategy sees ERROR: it is stopped. */
export type OrderEntryState = 'READY' | 'DEGRADED' | 'DELAYED' | 'NOT_AVAILABLE' | 'ERROR'

/** The requests of an account to its runtime. */
export interface AccountActions {
  cancelAllOrders(account: Account): void
  /** The day from whose midnight received times count. */
  readonly epochDay: number
  /** Id of the underlying of a code. Throws where there is none, or more than one. */
  underlyingId(code: string): number
  /** See `Account.equity`. */
  equityOf(account: Account): Decimal | null
}

const STATES: ReadonlyMap<string, OrderEntryState> = new Map([
  ['OK', 'READY'], ['UNASSIGNED', 'NOT_AVAILABLE'], ['MANUAL_SHUTDOWN', 'NOT_AVAILABLE'],
  ['EMERGENCY_SHUTDOWN', 'NOT_AVAILABLE'], ['BANNED', 'ERROR'],
])

/**
 * The state that a strategy sees of an adapter's status: a status that is neither good, a shutdown nor a ban is
 * DEGRADED.
 */
export function orderEntryStateOf(status: AccountStatus): OrderEntryState {
  return STATES.get(status) ?? 'DEGRADED'
}

// What the runtime alone does with an account.
/** The wallets of an account as plain data, for checkpoints: what {@link takeWallets} takes. */
export let savedWallets: (account: Account) => readonly Wallet<string, number>[]
/** Takes over the wallets of a message. */
export let takeWallets: (account: Account, wallets: readonly Wallet<StatedAmount, number>[]) => void
/** Takes over a state of order entry. */
export let takeState: (account: Account, state: OrderEntryState) => void
/** The wallet of an underlying as it was received: `Account.wallet` without its texts. */
export let walletOf: (account: Account, underlyingId: number) => Wallet<StatedAmount, number> | undefined

/**
 * An account at one exchange, as a strategy sees it.
 *
 * @example
 * ```ts
 * import { Account, Parameter, Strategy } from 'backtape'
 * class Guard extends Strategy {
 *   @Parameter(Account) account!: Account
 *   override onStart(): void {
 *     this.every(1_000, () => this.check())
 *   }
 *   check(): void {
 *     if (this.account.state !== 'READY') this.stop('order entry is not ready')
 *   }
 * }
 * console.log(Guard.name)
 * ```
 */
export class Account {
  /** State of its order entry. */
  readonly state: OrderEntryState = 'READY'
  readonly #actions: AccountActions
  #received: readonly Wallet<StatedAmount, number>[] = []
  /** The same with texts for amounts; null until somebody looks. */
  #wallets: readonly Wallet[] | null = []

  static {
    takeWallets = (account, wallets): void => {
      account.#received = wallets
      account.#wallets = null
    }
    savedWallets = (account): readonly Wallet<string, number>[] => account.#received.map(walletTexts)
    walletOf = (account, underlyingId): Wallet<StatedAmount, number> | undefined =>
      ownWallet(account.#received, underlyingId)
    takeState = (account, state): void => { (account as Writable<Account>).state = state }
  }

  constructor(
    /** Id of the account, as the run or the venue names it. */
    readonly id: string,
    /** Null where the venue does not tell. */
    readonly exchangeCode: string | null,
    actions: AccountActions,
  ) {
    this.#actions = actions
  }

  /** Wallet entries as of the last wallet message. */
  get wallets(): readonly Wallet[] {
    this.#wallets ??= this.#received.map((wallet) => shownWallet(walletTexts(wallet), this.#actions.epochDay))
    return this.#wallets
  }

  /**
   * Available amount of an underlying by its code or id, as of the last wallet message; zero where there is no wallet.
   * Throws OPTION_INVALID where no underlying, or more than one, has the code.
   */
  available(underlying: string | number): Decimal {
    return new Decimal(String(walletOf(this, this.#idOf(underlying))?.availableAmount ?? '0'))
  }

  /**
   * The account's own wallet of an underlying (no other wallet type) by its code or id; with `instrumentId` that of the
   * isolated margin of an instrument. Undefined where there is none. Throws as `available` does.
   */
  wallet(underlying: string | number, instrumentId?: number): Wallet | undefined {
    const id = this.#idOf(underlying)
    return instrumentId === undefined
      ? ownWallet(this.wallets, id)
      : this.wallets.find((one) => one.underlyingId === id && one.instrumentId === instrumentId)
  }

  /**
   * The worth of the account in the one underlying in which the strategy's instruments on it settle: the cash of the
   * last wallet message less what is borrowed, with the positions that were open when it came, valued now as
   * `unrealisedPnl` values them. The wallets of a fill come after it: in `onOrderFill` equity is as before it. Options
   * and prediction contracts, which are paid in full, count with their value; coins by the strategy's spot instruments
   * of the account, the first that has a price. A prediction contract of which the venue states no terms (an account
   * without declared balances) counts like a perpetual. Null where the instruments settle in more than one underlying,
   * where something is held that the strategy does not trade or that nothing values, and where the venue states no cash
   * beside a position.
   */
  get equity(): Decimal | null {
    return this.#actions.equityOf(this)
  }

  /** Cancels every open order of the account, other strategies' too; `onAccountCancelAllOrdersResponse` answers. */
  cancelAllOrders(): void {
    this.#actions.cancelAllOrders(this)
  }

  #idOf(underlying: string | number): number {
    return typeof underlying === 'string' ? this.#actions.underlyingId(underlying) : underlying
  }
}

brand(Account, 'Account')

function ownWallet<W extends Wallet<StatedAmount, number | bigint>>(
  wallets: readonly W[], underlyingId: number,
): W | undefined {
  return wallets.find((wallet) => wallet.underlyingId === underlyingId && (wallet.type ?? 'ACCOUNT') === 'ACCOUNT')
}

/** A wallet with its amounts as texts. */
function walletTexts(wallet: Wallet<StatedAmount, number>): Wallet<string, number> {
  const texts: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(wallet)) texts[name] = value instanceof Amount ? value.toFixed() : value
  return texts as unknown as Wallet<string, number>
}

/** The same as its strategy sees it. */
function shownWallet({ exchangeTimeNs, ...wallet }: Wallet<string, number>, epochDay: number): Wallet {
  // Of before everything that has happened there is no time.
  if (exchangeTimeNs === undefined || !Number.isFinite(exchangeTimeNs)) return wallet
  return { ...wallet, exchangeTimeNs: epochNsFromTime(exchangeTimeNs, epochDay) }
}
