import { accountEntries } from '../configuration/account-options.js'
import { runStrategies, setsOf } from '../configuration/run-strategies.js'
import { Amount } from '../model/amount.js'
import { BacktapeError } from '../model/error.js'
import type { Instrument } from '../model/instrument.js'
import { NS_PER_HOUR } from '../model/time.js'
import { RETURNS_LEAST } from '../report/period-recorder.js'
import { moneyIdsOf, runCurrency, type RunCurrency } from '../report/run-currency.js'
import { isRateMarket, RunRates } from '../report/run-rates.js'
import { measureOf, SORT_MEASURES, TOTAL } from '../report/set-measures.js'
import { durationText } from '../report/summary-words.js'
import { tradedInstruments } from '../strategy/parameter-check.js'
import type { ParameterConfig } from '../strategy/parameter-values.js'
import { underlyingCode } from '../venue/venue.js'
import type { BacktestOptions } from './backtest-options.js'
import { openRun, type OpenedRun } from './run-opening.js'

/** The money of a parameter set, as its parameters say it before it is played. */
interface SetMoney {
  readonly currency: RunCurrency
  /** Underlyings in which its trades are settled and its fees are paid; none where it names nothing to trade. */
  readonly ids: ReadonlySet<number>
}

/** The least time in which there are as many hours as ratios need, half of the first and of the last one. */
const RATIO_NS = (RETURNS_LEAST - 1) * NS_PER_HOUR

/** The refusal of a measure. */
export function sortRefusal(expected: string, found: string): BacktapeError {
  const sentence = `Cannot choose the best set: sort must be ${expected}, found ${found}`
  return new BacktapeError('OPTION_INVALID', sentence, { field: 'sort', expected, found })
}

/** Throws OPTION_INVALID for a measure that is none. */
export function checkMeasure(sort: string): void {
  if (measureOf(sort) !== null) return
  throw sortRefusal(`one of ${SORT_MEASURES.join(', ')}; of money also profit_USDT`, JSON.stringify(sort))
}

/**
 * The measure by which the sets of a run are sorted, before any is played. Default: the profit, and the total where
 * money is in several underlyings, such as fees paid in a coin. Data that can be read once only are not looked at.
 *
 * Throws OPTION_INVALID for one that the sets cannot have: a profit without its underlying where there are several, an
 * underlying that nothing is paid in, a total in several currencies or without a rate, a ratio of a run that is too
 * short or has no starting balance. `lengthNs`: the time in which the sets are compared; default that of the run.
 */
export async function checkedSort(
  options: BacktestOptions, sort: string | undefined, lengthNs?: number,
): Promise<string> {
  if (sort !== undefined) checkMeasure(sort)
  if (options.data.some((one) => typeof one !== 'string' || one === '-')) return sort ?? TOTAL
  const run = await openRun(options, () => [])
  try {
    const check = new SortCheck(options, run)
    const chosen = sort ?? check.ownSort
    check.refuse(chosen, lengthNs ?? run.plan.span.latestNs - run.plan.span.fromNs)
    return chosen
  } finally {
    await run.close()
  }
}

class SortCheck {
  readonly #sets: readonly SetMoney[]

  constructor(private readonly options: BacktestOptions, private readonly run: OpenedRun) {
    this.#sets = setsOf(options.parameters).map((config) => this.#moneyOf(config))
  }

  get ownSort(): string {
    const [only, other] = this.#codes()
    const [currency, otherCurrency] = this.#currencies()
    const isOne = other === undefined && otherCurrency === undefined && (only === undefined || only === currency)
    return isOne ? 'profit' : TOTAL
  }

  refuse(sort: string, lengthNs: number): void {
    const { kind, code, name } = measureOf(sort) ?? { kind: 'count', code: null, name: sort }
    if (kind === 'count') return
    const quoted = JSON.stringify(sort)
    if (kind === 'total') return this.#refuseTotal(code, quoted)
    const codes = this.#codes()
    if (code === null && codes.length > 1) {
      const each = codes.map((one) => `${name}_${one}`).join(', ')
      throw sortRefusal(`${TOTAL} or one of ${each}, as money is in ${codes.join(' and ')}`, quoted)
    }
    const { entries } = this.run.replay.underlyings
    if (code !== null && !entries.some((one) => one.code === code))
      throw sortRefusal(`of an underlying of the data (${entries.map((one) => one.code).join(', ')})`, quoted)
    if (kind === 'ratio') this.#refuseRatio(code ?? codes[0], quoted, lengthNs)
  }

  #refuseTotal(code: string | null, quoted: string): void {
    const currencies = this.#currencies()
    if (currencies.length > 1) {
      const expected = 'a measure of sets whose totals are in one currency, which account.currency states'
      throw sortRefusal(expected, `${quoted} in ${currencies.join(' and ')}`)
    }
    if (code !== null && !currencies.includes(code)) {
      const own = currencies.map((one) => `${TOTAL}_${one}`).join(', ')
      throw sortRefusal(`in the currency of the totals: ${own}`, quoted)
    }
    const missing = [...new Set(this.#sets.flatMap((set) => this.#withoutRate(set)))]
    if (missing.length === 0) return
    const expected = `a measure of money that has a rate: no instrument of the data and no rates give one of ${
      missing.join(', ')} in ${currencies.join()}`
    throw sortRefusal(expected, quoted)
  }

  #refuseRatio(code: string | undefined, quoted: string, lengthNs: number): void {
    const { plan: { accounts }, replay: { underlyings } } = this.run
    if (lengthNs < RATIO_NS) {
      const expected = `a measure of so short a time: ratios need ${RETURNS_LEAST} hours`
      throw sortRefusal(expected, `${quoted} of ${durationText(lengthNs)}`)
    }
    const hasStart = accounts.some(({ balances }) => [...balances].some(([id, amount]) => (
      (code === undefined || underlyingCode(underlyings, id) === code) && Amount.from(amount).sign > 0)))
    if (!hasStart) throw sortRefusal('a measure of accounts that start at 0: a ratio needs balances', quoted)
  }

  /** Codes of the underlyings of all sets. */
  #codes(): string[] {
    const ids = [...new Set(this.#sets.flatMap((set) => [...set.ids]))].sort((a, b) => a - b)
    return ids.map((id) => underlyingCode(this.run.replay.underlyings, id))
  }

  #currencies(): string[] {
    return [...new Set(this.#sets.map(({ currency }) => currency.code))]
  }

  #withoutRate({ currency, ids }: SetMoney): string[] {
    const { replay: { directory, underlyings }, plan } = this.run
    const markets = directory.entries
      .flatMap(({ instrument }) => (isRateMarket(instrument) ? [{ instrument, mid: Amount.ONE }] : []))
    const rates = new RunRates(markets, plan.money.usdRates, underlyings.entries)
    return [...ids].filter((id) => rates.between(id, currency) === null).map((id) => underlyingCode(underlyings, id))
  }

  #moneyOf(config: ParameterConfig): SetMoney {
    const { replay: { directory, underlyings }, plan } = this.run
    const accounts = accountEntries(this.options).map(([accountId, { exchange = null }]) => (
      { accountId, exchangeCode: exchange }))
    const traded = runStrategies(this.options).flatMap(({ strategy, parametersOf }) => (
      tradedInstruments(strategy, parametersOf(config), directory, accounts)))
    const instruments = traded.flatMap((id): Instrument[] => {
      const entry = directory.get(id)
      return entry === undefined ? [] : [entry.instrument]
    })
    return { currency: runCurrency(plan.currency, instruments, underlyings.entries), ids: moneyIdsOf(instruments) }
  }
}
