import type { Account } from '../exchange/accounts/account.js'
import { openProfit, type AccountPosition } from '../exchange/accounts/account-position.js'
import { Amount, declaredAmount } from '../model/amount.js'
import { keptValue } from '../model/kept-value.js'
import { bigScaled, decimalsOf } from '../model/wide-numbers.js'
import { exactInteger, productOf } from '../rows/exact-integer.js'
import type { ScaledPrice } from '../report/round-trips.js'
import type { MoneySums, EquityRecorder } from '../report/equity-recorder.js'
import type { TwiceMid } from '../report/mark-outs.js'
import type { InstrumentSummary } from '../report/instrument-summary.js'
import type { MarketView, Clock } from '../venue/venue.js'
import type { RecordedWorld } from './recorded-world.js'

/** By what an open position is valued. */
export interface Valuation {
  readonly price: Amount | null
  readonly by: InstrumentSummary['markedBy']
}

/** The last price of each instrument by its id, as plain data. */
export type LastPrices = Map<number, Amount>

const ZERO: Amount = Amount.ZERO
const UNVALUED: Valuation = { price: null, by: 'nothing' }

/** Twice the mid of a market as clients see it. */
export function twiceMidOf(view: MarketView | undefined): TwiceMid {
  if (view === undefined) return { value: NaN, scale: 0 }
  return { value: view.bestBidPrice + view.bestAskPrice, scale: view.book.priceScale }
}

/** The middle between two prices by its double, which is exact five times as fine. */
export function midOf(twice: number, scale: number): ScaledPrice {
  return { integer: productOf(twice, 5), scale: scale + 1 }
}

/** The price of {@link marked} as an integer at a scale; null where nothing values a position. */
export function markedPrice(view: MarketView): ScaledPrice | null {
  const { markPrice, markScale, markDigits } = view
  if (markDigits !== null) {
    const scale = decimalsOf(markDigits)
    return { integer: exactInteger(bigScaled(markDigits, scale) as bigint), scale }
  }
  if (!Number.isNaN(markPrice)) return { integer: markPrice, scale: markScale }
  const { value, scale } = twiceMidOf(view)
  return Number.isNaN(value) ? null : midOf(value, scale)
}

/** A price as it was worked out, and of which integer: twice the mid, or a mark. */
interface WorkedOut {
  readonly valuation: Valuation
  readonly value: number
  readonly scale: number
  readonly digits: string | null
}

/** The last price of every market that was worked out: the worlds of a pass ask for it at the same instants. */
const lastWorkedOut: WeakMap<MarketView, WorkedOut> = new WeakMap()

/** The price by which open positions are valued: mark, else mid (exchange rules 8.2). */
function marked(view: MarketView): Valuation {
  const by = Number.isNaN(view.markPrice) ? 'mid' : 'mark'
  const { value, scale } = by === 'mark' ? { value: view.markPrice, scale: view.markScale } : twiceMidOf(view)
  const digits = by === 'mark' ? view.markDigits : null
  if (Number.isNaN(value)) return { price: null, by: 'nothing' }
  const last = lastWorkedOut.get(view)
  if (
    last !== undefined && last.value === value && last.scale === scale && last.digits === digits &&
    last.valuation.by === by
  )
    return last.valuation
  const exact = digits === null ? Amount.scaled(value, scale) : Amount.from(digits)
  const valuation: Valuation = { price: by === 'mark' ? exact : exact.times(Amount.HALF), by }
  lastWorkedOut.set(view, { valuation, value, scale, digits })
  return valuation
}

/** The value of the accounts of a world at this instant: the exchange's ledger, by the prices that clients see. */
export class RunValuation {
  /** The last price by which an instrument was valued. */
  #last: Map<number, Amount> = new Map()
  /** The money when it was asked for last, and what it was made of. */
  #sums: ReadonlyMap<number, MoneySums> | null = null
  readonly #inputs: unknown[] = []

  /** `shownIds`: underlyings that are among the money from the begin, whatever happens in them. */
  constructor(
    private readonly world: RecordedWorld, private readonly views: ReadonlyMap<number, MarketView>,
    private readonly shownIds: () => readonly number[],
  ) {}

  /** Starting balances of an underlying over all accounts. */
  startOf(underlyingId: number): Amount {
    return [...this.world.accounts.values()].reduce((sum, { config: { balances } }) => (
      sum.plus(declaredAmount(balances.get(underlyingId) ?? '0'))), ZERO)
  }

  /** Last known prices, as texts: for a checkpoint. */
  lastPrices(): LastPrices {
    return this.#last
  }

  restore(lastPrices: LastPrices): void {
    this.#last = lastPrices
  }

  /**
   * The price of an instrument; the last that was known where there is none now: of a derivative that is held to the
   * exchange, else when this was asked last.
   */
  priceOf(instrumentId: number): Valuation {
    const { money } = this.world
    const view = this.views.get(instrumentId)
    const now = view === undefined ? UNVALUED : marked(view)
    if (now.price !== null && money.hasValueAt(instrumentId, now.price)) {
      this.#last.set(instrumentId, now.price)
      return now
    }
    const earlier = money.mids.of(instrumentId)?.price ?? this.#last.get(instrumentId)
    return earlier !== undefined && money.hasValueAt(instrumentId, earlier)
      ? { price: earlier, by: 'earlier' }
      : UNVALUED
  }

  /** Unrealised profit of a position at a price; 0 where nothing values it. */
  static profitAt(position: Pick<AccountPosition, 'contract' | 'legs'>, price: Amount | null): Amount {
    return price === null ? ZERO : openProfit(position, price)
  }

  /**
   * The money of every underlying in which an account gained, lost or paid something, and of those that are shown, by
   * ascending id: a balance alone, such as the coins of a spot account, is none. The very same sums as before as long
   * as no account and no price of what is held has changed.
   */
  money(): ReadonlyMap<number, MoneySums> {
    if (this.#isUnchanged() && this.#sums !== null) return this.#sums
    const money = new Map<number, WritableSums>()
    for (const id of this.shownIds()) sumsOf(money, id)
    for (const account of this.world.accounts.values()) this.#addAccount(money, account)
    for (const [id, sums] of money) sums.start = this.startOf(id)
    const sums = new Map([...money].sort(([a], [b]) => a - b).map(([id, own]) => [id, reportedSums(own)] as const))
    this.#sums = sums
    return sums
  }

  /** Compares everything that the money is made of with that of the last time: amounts are never written over. */
  #isUnchanged(): boolean {
    const known = this.#inputs
    let count = 0
    let isSame = true
    const look = (value: unknown): void => {
      isSame &&= known[count] === value
      known[count++] = value
    }
    for (const { flows, positions } of this.world.accounts.values()) {
      for (const amount of flows.values()) look(amount)
      for (const { contract, sums, legs, fees } of positions.values()) {
        look(contract)
        look(sums.realizedPnl)
        look(sums.turnover)
        for (const fee of fees.values()) look(fee)
        const { price } = this.priceOf(contract.instrumentId)
        for (const { sums: { quantity, openValue } } of legs.values()) {
          look(quantity)
          look(openValue)
          look(quantity.isZero() ? null : price)
        }
      }
    }
    if (count !== known.length) isSame = false
    // Setting a length calls into the runtime, mostly for nothing.
    if (known.length > count) known.length = count
    return isSame
  }

  #addAccount(money: Map<number, WritableSums>, { flows, positions }: Account): void {
    for (const [underlyingId, amount] of flows) {
      if (amount.isZero() && !money.has(underlyingId)) continue
      const sums = sumsOf(money, underlyingId)
      sums.flows = sums.flows.plus(amount)
    }
    for (const position of positions.values()) {
      const { contract, sums: { realizedPnl, turnover }, fees } = position
      const sums = sumsOf(money, contract.settlementUnderlyingId)
      sums.realizedPnl = sums.realizedPnl.plus(realizedPnl)
      sums.unrealizedPnl = sums.unrealizedPnl.plus(
        RunValuation.profitAt(position, this.priceOf(contract.instrumentId).price),
      )
      sums.turnover = sums.turnover.plus(turnover)
      for (const [underlyingId, fee] of fees) {
        if (fee.isZero() && !money.has(underlyingId)) continue
        const paid = sumsOf(money, underlyingId)
        paid.fees = paid.fees.plus(fee)
      }
    }
  }
}

type WritableSums = { -readonly [Name in keyof MoneySums]: Amount }

/** The sums of an underlying, nothing where there are none yet. */
const noMoney = (): WritableSums => ({
  start: ZERO, realizedPnl: ZERO, unrealizedPnl: ZERO, fees: ZERO, flows: ZERO, turnover: ZERO,
})

/** The sums as a report has them. */
function reportedSums({ start, realizedPnl, unrealizedPnl, fees, flows, turnover }: WritableSums): MoneySums {
  return {
    start: start.toDecimal(), realizedPnl: realizedPnl.toDecimal(), unrealizedPnl: unrealizedPnl.toDecimal(),
    fees: fees.toDecimal(), flows: flows.toDecimal(), turnover: turnover.toDecimal(),
  }
}

function sumsOf(money: Map<number, WritableSums>, underlyingId: number): WritableSums {
  return keptValue(money, underlyingId, noMoney)
}

/** Rows of the equity table beside or in the place of the samples behind the summary. */
export interface EquityRowOptions {
  /** Market time between two rows; null: a row for each sample. */
  readonly everyNs: number | null
  /** A row for each fill too. */
  readonly fills: boolean
}

/** {@link EquityRows} as plain data. */
export interface EquityRowsState {
  readonly lastPrices: LastPrices
  /** Time of the last row; null before it. */
  readonly lastNs: number | null
}

/** Makes rows of equity that were asked for: values of its own, so that samples stay what they are without them. */
export class EquityRows {
  readonly #valuation: RunValuation
  #lastNs = -Infinity

  constructor(
    world: RecordedWorld,
    views: ReadonlyMap<number, MarketView>,
    private readonly equity: EquityRecorder,
    private readonly clock: Clock,
    private readonly options: EquityRowOptions & {
      /** Called with the time at which {@link due} is to be called. */
      readonly wake: (timeNs: number) => void
      /** Lets the views take the lines before a time that nobody asked for. */
      readonly passLinesBefore: (timeNs: number) => void
    },
    shownIds: () => readonly number[],
  ) {
    this.#valuation = new RunValuation(world, views, shownIds)
  }

  begin(): void {
    const { everyNs, wake } = this.options
    if (everyNs !== null) wake((Math.floor(this.clock.nowNs() / everyNs) + 1) * everyNs)
  }

  due(): void {
    this.#add(this.clock.nowNs())
    this.begin()
  }

  /**
   * A fill was posted. It comes between two steps of the loop, so lines that nobody asked for may wait: the row is as
   * if somebody had, and of the time of the fill: where the clock of the pass stands depends on its other worlds.
   */
  filled(timeNs: number): void {
    if (!this.options.fills) return
    this.options.passLinesBefore(timeNs)
    this.#add(timeNs)
  }

  /** The end of the run, whose row is there where every sample is one. */
  finish(timeNs: number, money: ReadonlyMap<number, MoneySums>): void {
    if (this.options.everyNs !== null && timeNs > this.#lastNs) this.equity.row(timeNs, money)
  }

  state(): EquityRowsState {
    return { lastPrices: this.#valuation.lastPrices(), lastNs: this.#lastNs === -Infinity ? null : this.#lastNs }
  }

  restore({ lastPrices, lastNs }: EquityRowsState): void {
    this.#valuation.restore(lastPrices)
    this.#lastNs = lastNs ?? -Infinity
  }

  #add(timeNs: number): void {
    this.#lastNs = timeNs
    this.equity.row(timeNs, this.#valuation.money())
  }
}
