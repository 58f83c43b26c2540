import { Amount } from '../model/amount.js'
import type { Instrument } from '../model/instrument.js'
import type { MoneySums } from '../report/equity-recorder.js'
import type { TwiceMid } from '../report/mark-outs.js'
import { contractOf, runCurrency, USD, type RunCurrency } from '../report/run-currency.js'
import { isRateMarket, type RateMarket } from '../report/run-rates.js'
import type { InstrumentDirectory, UnderlyingDirectory } from '../venue/venue.js'

interface WorldRatesContent {
  currency: RunCurrency
  /** Underlyings that are among the money from the begin: those in which trades are settled. */
  shownIds: readonly number[]
  /** The last known mids of markets that may give a rate, by instrument id. */
  readonly mids: Map<number, TwiceMid>
}

/** {@link WorldRates} as plain data. */
export type WorldRatesState = WorldRatesContent

/** The currency of a world's totals, the underlyings that it deals in, and mids that may be rates between them. */
export class WorldRates {
  #own: WorldRatesContent = {
    currency: { code: USD, underlyingId: null, unlike: [] }, shownIds: [], mids: new Map(),
  }

  constructor(
    private readonly instruments: InstrumentDirectory,
    private readonly midOf: (instrumentId: number) => TwiceMid,
  ) {}

  get currency(): RunCurrency {
    return this.#own.currency
  }

  get shownIds(): readonly number[] {
    return this.#own.shownIds
  }

  /** A world begins that may trade some instruments; `stated` is the currency of its accounts, null for none. */
  begin(tradingIds: readonly number[], stated: string | null, { entries }: UnderlyingDirectory): void {
    const traded = tradingIds.flatMap((id) => this.#instrument(id) ?? [])
    const own = this.#own
    own.currency = runCurrency(stated, traded, entries)
    own.shownIds = [...new Set(traded.flatMap((instrument) => contractOf(instrument)?.settlementUnderlyingId ?? []))]
  }

  /** Looks at the mids of some instruments, where the world has money in more than its currency. */
  look(instrumentIds: readonly number[], money: ReadonlyMap<number, MoneySums>): void {
    const { currency: { underlyingId }, mids } = this.#own
    if (money.size === 0 || (money.size === 1 && money.has(underlyingId ?? NaN))) return
    for (const id of instrumentIds) {
      const mid = this.midOf(id)
      if (!Number.isNaN(mid.value)) mids.set(id, mid)
    }
  }

  /** Markets that give rates, by their last known mids. */
  rateMarkets(): RateMarket[] {
    return [...this.#own.mids].flatMap(([id, { value, scale }]) => {
      const instrument = this.#instrument(id)
      const mid = Amount.scaled(value, scale).times(Amount.HALF)
      return instrument !== undefined && isRateMarket(instrument) ? [{ instrument, mid }] : []
    })
  }

  state(): WorldRatesState {
    return this.#own
  }

  restore(state: WorldRatesState): void {
    this.#own = state
  }

  #instrument(id: number): Instrument | undefined {
    return this.instruments.get(id)?.instrument
  }
}
