import { Decimal } from '../model/decimal.js'
import { moneyFromTexts, moneyTexts, type MoneySums, type MoneySumsState } from '../report/equity-recorder.js'
import type { Valuation } from './run-valuation.js'

/** The world as it was valued last of all. */
export interface EndValuation {
  readonly timeNs: number
  readonly money: ReadonlyMap<number, MoneySums>
  readonly prices: ReadonlyMap<number, Valuation>
}

/** {@link EndValuation} as plain data. */
export interface EndValuationState {
  readonly timeNs: number
  readonly money: readonly (readonly [underlyingId: number, sums: MoneySumsState])[]
  readonly prices: readonly (readonly [instrumentId: number, price: string | null, by: Valuation['by']])[]
}

/** The valuation as texts. */
export function endTexts({ timeNs, money, prices }: EndValuation): EndValuationState {
  return {
    timeNs, money: [...money].map(([id, sums]) => [id, moneyTexts(sums)]),
    prices: [...prices].map(([id, { price, by }]) => [id, price?.toFixed() ?? null, by]),
  }
}

/** The valuation of such texts. */
export function endFromTexts({ timeNs, money, prices }: EndValuationState): EndValuation {
  return {
    timeNs,
    money: new Map(money.map(([id, sums]) => [id, moneyFromTexts(sums)])),
    prices: new Map(prices.map(([id, price, by]) => [id, { price: price === null ? null : new Decimal(price), by }])),
  }
}
