import { Decimal } from '../model/decimal.js'

/** Money that moved without an order, as far as a report needs to know. */
export interface MovedMoney {
  readonly kind: string
  readonly accountId: string
  readonly underlyingId: number
  readonly instrumentId?: number | null
  readonly amount: string
  readonly feeAmount?: string
}

/** The count and sum of one kind, account, instrument and underlying. */
export interface MoneySum {
  readonly kind: string
  readonly accountId: string
  readonly instrumentId: number | null
  readonly underlyingId: number
  readonly count: number
  readonly amount: string
  readonly feeAmount: string
}

/** Sums of what the exchange did with the accounts' money of its own accord. */
export class MoneyRecorder {
  #sums: Map<string, MoneySum> = new Map()

  add({ kind, accountId, underlyingId, instrumentId = null, amount, feeAmount = '0' }: MovedMoney): void {
    const key = keyOf({ kind, accountId, underlyingId, instrumentId, amount, feeAmount })
    const known = this.#sums.get(key)
    this.#sums.set(key, {
      kind, accountId, instrumentId, underlyingId,
      count: (known?.count ?? 0) + 1,
      amount: new Decimal(amount).plus(known?.amount ?? 0).toFixed(),
      feeAmount: new Decimal(feeAmount).plus(known?.feeAmount ?? 0).toFixed(),
    })
  }

  /** By account, then kind, instrument and underlying. */
  sums(): MoneySum[] {
    return [...this.#sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)
  }

  restore(sums: readonly MoneySum[]): void {
    this.#sums = new Map(sums.map((sum) => [keyOf(sum), sum]))
  }
}

function keyOf({ accountId, kind, instrumentId, underlyingId }: Omit<MoneySum, 'count'>): string {
  return JSON.stringify([accountId, kind, instrumentId, underlyingId])
}
