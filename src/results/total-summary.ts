import { Amount } from '../model/amount.js'
import type { Decimal } from '../model/decimal.js'
import { equityOf, type MoneySums } from '../report/equity-recorder.js'
import type { FillSums } from '../report/fill-recorder.js'
import type { TotalSummary } from '../report/money-summary.js'
import { converted, RunRates, type RunRate } from '../report/run-rates.js'
import { returnOf } from '../report/summary-making.js'
import { underlyingCode } from '../venue/venue.js'
import type { OrderedPosition, SummaryParts } from './summary-parts.js'

/** Money of a world in the currency of its run, by the mids at its end and the declared rates. */
export class RunTotal {
  readonly #rates: RunRates
  readonly #known: Map<number, RunRate | null> = new Map()

  constructor(private readonly parts: SummaryParts) {
    const { report, setting: { underlyings }, world } = parts
    const usdRates = world.config.money?.usdRates ?? new Map()
    this.#rates = new RunRates(report.rates.rateMarkets(), usdRates, underlyings.entries)
  }

  /** All money; an amount of which a part has no rate is null. */
  summary(): TotalSummary {
    const { end: { money }, report: { rates: { currency } } } = this.parts
    const sum = (amountOf: (sums: MoneySums) => Decimal): Amount | null => (
      this.#sum([...money].map(([id, sums]) => [id, Amount.from(amountOf(sums))])))
    const start = sum((sums) => sums.start)
    const profit = sum((sums) => equityOf(sums).minus(sums.start))
    const [fees, turnover] = [sum((sums) => sums.fees), sum((sums) => sums.turnover)]
    const text = (amount: Amount | null): string | null => amount?.toFixed() ?? null
    const used = [...this.#known].filter(([id]) => id !== currency.underlyingId).sort(([a], [b]) => a - b)
    return {
      currency: currency.code,
      rates: used.flatMap(([id, rate]) => (rate === null ? [] : [{
        underlying: this.#codeOf(id), rate: converted(Amount.ONE, rate).toFixed(), markets: rate.markets,
        declared: rate.declared,
      }])),
      notValued: used.flatMap(([id, rate]) => (rate === null ? [this.#codeOf(id)] : [])),
      startEquity: text(start), profit: text(profit), fees: text(fees), turnover: text(turnover),
      endEquity: text(start === null || profit === null ? null : start.plus(profit)),
      return: start === null || profit === null ? null : returnOf(profit.toDecimal(), start.toDecimal()),
    }
  }

  /** Part of the value of all fills that added liquidity; null where that is 0 or has no rate. */
  makerShare(ordered: readonly OrderedPosition[]): number | null {
    const all = ordered.flatMap(({ accountId, position: { contract } }) => {
      const sums = this.parts.report.fills.sums.get(accountId)?.get(contract.instrumentId)
      return sums === undefined ? [] : [[contract.settlementUnderlyingId, sums] as const]
    })
    const ids = new Set(all.map(([id]) => id))
    const sum = (name: 'value' | 'makerValue'): Amount | null => {
      const amounts = all.map(([id, sums]: readonly [number, FillSums]) => (
        [id, Amount.from(sums[name].toDecimal())] as const))
      return ids.size > 1 ? this.#sum(amounts) : amounts.reduce((total, [, own]) => total.plus(own), Amount.ZERO)
    }
    const [value, makers] = [sum('value'), sum('makerValue')]
    if (value === null || makers === null || value.isZero()) return null
    return makers.toDecimal().div(value.toDecimal()).toNumber()
  }

  /** A sum in the currency; null where an amount that is not 0 has no rate. */
  #sum(amounts: readonly (readonly [underlyingId: number, amount: Amount])[]): Amount | null {
    let sum = Amount.ZERO
    let isWhole = true
    for (const [id, amount] of amounts) {
      const rate = amount.isZero() ? null : this.#rateOf(id)
      if (rate !== null) sum = sum.plus(converted(amount, rate))
      else isWhole &&= amount.isZero()
    }
    return isWhole ? sum : null
  }

  #rateOf(id: number): RunRate | null {
    const known = this.#known.get(id)
    if (known !== undefined) return known
    const rate = this.#rates.between(id, this.parts.report.rates.currency)
    this.#known.set(id, rate)
    return rate
  }

  #codeOf(id: number): string {
    return underlyingCode(this.parts.setting.underlyings, id)
  }
}
