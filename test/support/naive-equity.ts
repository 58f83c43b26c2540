import { Decimal as DecimalConstructor } from 'decimal.js'

const Exact = DecimalConstructor.clone({ precision: 200 })
type Exact = InstanceType<typeof Exact>

/** How a naive account counts an instrument: `inverse` in coins (underlying 1), else in cash (underlying 2). */
export type NaiveKind = 'linear' | 'inverse' | 'spot'

/**
 * Equity as one would count it on paper (exchange rules 8.6): every fill moves its value as if it were paid in cash, what is open counts by its
 * price. Coins that were traded count by the market of the spot instrument, else by the rate.
 */
export class NaiveEquity {
  readonly #kinds: ReadonlyMap<number, NaiveKind>
  readonly #open: Map<number, Exact> = new Map()
  readonly #prices: Map<number, Exact> = new Map()
  readonly #traded: Set<number> = new Set()
  #cash: Exact
  #coins: Exact
  readonly #coinRate: string | null

  constructor(cash: number, coins: number, kinds: ReadonlyMap<number, NaiveKind>, coinRate: string | null) {
    this.#cash = new Exact(cash)
    this.#coins = new Exact(coins)
    this.#kinds = kinds
    this.#coinRate = coinRate
  }

  price(instrumentId: number, price: number): void {
    this.#prices.set(instrumentId, new Exact(price))
  }

  fill(instrumentId: number, side: 'BID' | 'ASK', quantity: number, price: number, fee: string): void {
    const sign = side === 'BID' ? 1 : -1
    const kind = this.#kinds.get(instrumentId)
    this.#traded.add(instrumentId)
    if (kind === 'inverse') this.#coins = this.#coins.plus(this.#value('inverse', quantity, new Exact(price)).times(sign))
    else this.#cash = this.#cash.minus(new Exact(quantity).times(price).times(sign))
    if (kind === 'spot') this.#coins = this.#coins.plus(quantity * sign)
    else this.#open.set(instrumentId, (this.#open.get(instrumentId) ?? new Exact(0)).plus(quantity * sign))
    if (kind === 'inverse') this.#coins = this.#coins.minus(fee)
    else this.#cash = this.#cash.minus(fee)
  }

  /** Equity now; null where two currencies have no rate. */
  equity(): Exact | null {
    let [cash, coins] = [this.#cash, this.#coins]
    for (const [instrumentId, quantity] of this.#open) {
      const price = this.#prices.get(instrumentId)
      const kind = this.#kinds.get(instrumentId)
      if (price === undefined || quantity.isZero()) continue
      const value = this.#value(kind, quantity.abs(), price).times(quantity.isNegative() ? -1 : 1)
      if (kind === 'inverse') coins = coins.minus(value)
      else cash = cash.plus(value)
    }
    const [spot] = [...this.#kinds].find(([id, kind]) => kind === 'spot' && this.#traded.has(id)) ?? []
    const price = spot === undefined ? undefined : this.#prices.get(spot)
    if (price !== undefined) [cash, coins] = [cash.plus(coins.times(price)), new Exact(0)]
    if (coins.isZero()) return cash
    if (cash.isZero()) return coins
    return this.#coinRate === null ? null : cash.plus(coins.times(this.#coinRate))
  }

  #value(kind: NaiveKind | undefined, quantity: Exact | number, price: Exact): Exact {
    const amount = new Exact(quantity)
    return kind === 'inverse' ? amount.times(100).div(price).toDecimalPlaces(18, Exact.ROUND_HALF_EVEN) : amount.times(price)
  }
}
