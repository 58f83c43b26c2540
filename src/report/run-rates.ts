import { Amount } from '../model/amount.js'
import { instrumentName, type Instrument, type Underlying } from '../model/instrument.js'
import type { UsdRate } from '../model/usd-rate.js'
import { contractOf, USD, type RunCurrency } from './run-currency.js'

/** A market whose price is the rate of two underlyings. */
export interface RateMarket {
  readonly instrument: Instrument
  /** Its mid; null where none was ever known. */
  readonly mid: Amount | null
}

/** A rate that someone declared in USD. */
export interface DeclaredRate extends UsdRate {
  /** Code of the underlying. */
  readonly underlying: string
}

/** The worth of one unit of an underlying in another: `multiplier` over `divisor`. */
export interface RunRate {
  readonly multiplier: Amount
  readonly divisor: Amount
  /** Names of the instruments whose mids it is made of. */
  readonly markets: readonly string[]
  /** Declared rates that it is made of. */
  readonly declared: readonly DeclaredRate[]
}

/** An underlying of the data by its id, or USD where the data do not have it. */
type Place = number | typeof USD

/** Markets by the trust in their price as a rate: spot first. */
const KINDS = ['spot', 'perpetual', 'future']

const ONE: RunRate = { multiplier: Amount.ONE, divisor: Amount.ONE, markets: [], declared: [] }

/** True where the price of an instrument is that of its base in its counter. */
export function isRateMarket(instrument: Instrument): boolean {
  const kind = contractOf(instrument)?.kind
  return KINDS.includes(instrument.type) && (kind === 'spot' || kind === 'linear' || kind === 'inverse') &&
    instrument.baseUnderlyingId !== null && instrument.counterUnderlyingId !== null
}

/** An amount by a rate, rounded once: half-even to 18 decimals. */
export function converted(amount: Amount, { multiplier, divisor }: RunRate): Amount {
  return amount.times(multiplier).quotient(divisor)
}

/**
 * Rates between the underlyings of a run. A mid of the run wins over rates that are declared in USD: that of a market
 * of both, else those by which each is quoted, with a declared rate between the quotes.
 */
export class RunRates {
  readonly #markets: readonly (RateMarket & { readonly mid: Amount })[]
  readonly #usdId: number | null

  constructor(
    markets: readonly RateMarket[],
    private readonly usdRates: ReadonlyMap<number, UsdRate>,
    private readonly underlyings: readonly Underlying[],
  ) {
    this.#usdId = underlyings.find(({ code }) => code === USD)?.id ?? null
    this.#markets = markets
      .flatMap(({ instrument, mid }) => (
        mid === null || mid.sign <= 0 || !isRateMarket(instrument) ? [] : [{ instrument, mid }]))
      .sort((a, b) => (
        KINDS.indexOf(a.instrument.type) - KINDS.indexOf(b.instrument.type) || a.instrument.id - b.instrument.id))
  }

  /** The rate of an underlying in the currency of a run; null where nothing gives one. */
  between(underlyingId: number, currency: RunCurrency): RunRate | null {
    const from: Place = underlyingId
    const to: Place = currency.underlyingId ?? this.#usdId ?? USD
    const direct = this.#direct(from, to)
    if (direct !== null) return direct
    const [own, other] = [this.#quoteOf(from), this.#quoteOf(to)]
    return this.#over(own, to, null) ?? this.#over(null, from, other) ?? this.#joined(own, other) ??
      this.#declared(from, to)
  }

  /** By the quote of one end and a rate from there to the other. */
  #over(own: Quote | null, end: Place, other: Quote | null): RunRate | null {
    if (own !== null) return product(own.rate, this.#link(own.counter, end))
    return other === null ? null : product(this.#link(end, other.counter), inverse(other.rate))
  }

  #joined(own: Quote | null, other: Quote | null): RunRate | null {
    if (own === null || other === null) return null
    return product(product(own.rate, this.#link(own.counter, other.counter)), inverse(other.rate))
  }

  #link(from: Place, to: Place): RunRate | null {
    return this.#direct(from, to) ?? this.#declared(from, to)
  }

  /** The same underlying, or a market of both. */
  #direct(from: Place, to: Place): RunRate | null {
    if (from === to) return ONE
    for (const { instrument, mid } of this.#markets) {
      const { baseUnderlyingId: base, counterUnderlyingId: counter } = instrument
      const rate = rateOf(instrument, mid)
      if (base === from && counter === to) return rate
      if (base === to && counter === from) return inverse(rate)
    }
    return null
  }

  /** The underlying in which one is quoted. */
  #quoteOf(place: Place): Quote | null {
    const found = this.#markets.find(({ instrument }) => instrument.baseUnderlyingId === place)
    const counter = found?.instrument.counterUnderlyingId ?? null
    return found === undefined || counter === null ? null : { counter, rate: rateOf(found.instrument, found.mid) }
  }

  #declared(from: Place, to: Place): RunRate | null {
    const [own, other] = [this.#inUsd(from), this.#inUsd(to)]
    return own === null || other === null ? null : product(own, inverse(other))
  }

  #inUsd(place: Place): RunRate | null {
    if (place === USD || place === this.#usdId) return ONE
    const rate = this.usdRates.get(place)
    if (rate === undefined || Amount.from(rate.usd).sign <= 0) return null
    const underlying = this.underlyings.find(({ id }) => id === place)?.code ?? String(place)
    return { ...ONE, multiplier: Amount.from(rate.usd), declared: [{ underlying, ...rate }] }
  }
}

interface Quote {
  readonly counter: number
  readonly rate: RunRate
}

function rateOf(instrument: Instrument, mid: Amount): RunRate {
  return { ...ONE, multiplier: mid, markets: [instrumentName(instrument)] }
}

function inverse({ multiplier, divisor, ...sources }: RunRate): RunRate {
  return { ...sources, multiplier: divisor, divisor: multiplier }
}

function product(a: RunRate | null, b: RunRate | null): RunRate | null {
  if (a === null || b === null) return null
  return {
    multiplier: a.multiplier.times(b.multiplier), divisor: a.divisor.times(b.divisor),
    markets: [...a.markets, ...b.markets], declared: [...a.declared, ...b.declared],
  }
}
