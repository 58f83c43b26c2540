import { Amount, statedAmount, type StatedAmount } from '../model/amount.js'
import type { Wallet } from '../venue/account-messages.js'

/** A wallet as messages have it. */
type StatedWallet = Wallet<StatedAmount, number>

/** The money in an underlying, over all wallets. */
interface StatedMoney {
  readonly cash: Amount
  readonly borrowed: Amount
}

const NOTHING: StatedMoney = { cash: Amount.ZERO, borrowed: Amount.ZERO }

/** The wallets of an account as its adapter stated them last. */
export class LiveWallets {
  readonly #stated: Map<string, StatedMoney & { readonly underlyingId: number }> = new Map()
  /** False where wallets state neither cash nor the profit that is not realised: then cash is a guess. */
  isExact = true

  /** Takes the wallets of a message. */
  take(wallets: readonly StatedWallet[]): void {
    for (const wallet of wallets) {
      const { underlyingId, type = '', instrumentId = '' } = wallet
      if (wallet.cashBalance === undefined && wallet.unrealizedPnl === undefined) this.isExact = false
      this.#stated.set(`${underlyingId} ${type} ${instrumentId}`, { underlyingId, ...moneyOf(wallet) })
    }
  }

  /** Sums by underlying id. */
  money(): ReadonlyMap<number, StatedMoney> {
    const sums = new Map<number, StatedMoney>()
    for (const { underlyingId, cash, borrowed } of this.#stated.values()) {
      const sum = sums.get(underlyingId) ?? NOTHING
      sums.set(underlyingId, { cash: sum.cash.plus(cash), borrowed: sum.borrowed.plus(borrowed) })
    }
    return sums
  }
}

function moneyOf({ cashBalance, marginBalance, unrealizedPnl, borrowed }: StatedWallet): StatedMoney {
  const cash = cashBalance === undefined
    ? statedAmount(marginBalance).minus(unrealizedPnl === undefined ? Amount.ZERO : statedAmount(unrealizedPnl))
    : statedAmount(cashBalance)
  return { cash, borrowed: borrowed === undefined ? Amount.ZERO : statedAmount(borrowed) }
}
