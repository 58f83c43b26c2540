import { Amount, exactSum } from '../model/amount.js'
import type { PostedFill } from '../exchange/accounts/account.js'
import type { AccountPosition } from '../exchange/accounts/account-position.js'
import type { MoneyEvent } from '../exchange/accounts/money-event.js'
import type { ExchangeOrderRecord, ExecutionCause } from '../exchange/market/resting-order.js'
import type { World } from '../exchange/world.js'
import { contractValue, type Contract } from '../model/contract.js'
import { keptValue } from '../model/kept-value.js'
import { profitAt } from '../model/position-sums.js'
import { restoredState, savedState, type Saved } from '../model/saved-state.js'
import { shareOf } from '../report/lot-queue.js'
import type { TwiceMid } from '../report/mark-outs.js'
import { RoundTrips, type RoundTripsState, type TripPlace } from '../report/round-trips.js'
import type { RowBudget } from '../report/packed-rows.js'
import type { Fill } from '../venue/account-messages.js'
import type { MarketView } from '../venue/venue.js'
import { marked } from './run-valuation.js'

/** Market time between two looks at the prices of what is open: whole seconds. */
const LOOK_NS = 1_000_000_000

const ZERO: Amount = Amount.ZERO
const ONE: Amount = Amount.ONE

/** Fills of one settlement underlying against the mids that their clients saw when they sent the orders. */
export interface SlippageSums {
  measuredCount: number
  /** Above 0 is a cost. */
  cost: Amount
  /** Value of the measured quantities at those mids. */
  value: Amount
}

/** The recorder as plain data. */
export interface TradeRecorderState {
  readonly trips: RoundTripsState
  readonly slippage: Saved<Map<number, SlippageSums>>
}

/** Round trips of a world and its slippage, from what the exchange posts; look-ahead-free: nothing is read back. */
export class TradeRecorder {
  readonly trips: RoundTrips
  /** By settlement underlying. */
  slippage: Map<number, SlippageSums> = new Map()

  /** `wake` is called with the time at which {@link look} is to be called. */
  constructor(
    private readonly world: World,
    private readonly views: ReadonlyMap<number, MarketView>,
    budget: RowBudget,
    private readonly wake: (timeNs: number) => void,
  ) {
    this.trips = new RoundTrips(budget)
  }

  /** A fill, posted. `arrival`: the mid when its order was sent; null where there is none. */
  filled(
    order: ExchangeOrderRecord, fill: Fill, posted: PostedFill, cause: ExecutionCause, arrival: TwiceMid | null,
  ): void {
    const { accountId } = order
    const { instrumentId, exchangeTimeNs: timeNs, ownFillId: fillId } = fill
    const { contract, entry } = this.#positionIn(accountId, instrumentId)
    const wasOpen = this.trips.isOpen
    const sign = fill.side === 'BID' ? 1 : -1
    const price = Amount.scaled(fill.price, fill.priceScale ?? entry.priceScale)
    const isOwnFee = posted.feeUnderlyingId === contract.settlementUnderlyingId
    let fee = posted.fee
    let left = Amount.scaled(fill.quantity, entry.quantityScale)
    if (arrival !== null) this.#addSlippage(contract, sign, left, posted.value, arrival)
    for (const [number, { leg, amount: quantity, value }] of posted.parts.entries()) {
      const own = number === posted.parts.length - 1 ? fee : shareOf(fee, quantity, left)
      this.trips.filled({ accountId, instrumentId, leg }, contract, {
        timeNs, sign, quantity, price, value, fee: isOwnFee ? own : ZERO, otherFee: isOwnFee ? ZERO : own, fillId,
        cause: cause === 'forced' ? 'liquidation' : 'fill',
      })
      fee = fee.minus(own)
      left = left.minus(quantity)
    }
    if (!wasOpen && this.trips.isOpen) this.wake(nextLookNs(timeNs))
  }

  /** Settlements and splits change positions without a fill. */
  money(event: MoneyEvent): void {
    if (event.kind === 'settlement') this.#settled(event)
    if (event.kind === 'split') this.#split(event)
  }

  /** Looks at the prices of everything that is open. */
  look(nowNs: number): void {
    for (const instrumentId of this.trips.openInstruments()) {
      const view = this.views.get(instrumentId)
      const price = view === undefined ? null : marked(view).price
      if (price !== null) this.trips.sampled(instrumentId, price)
    }
    if (this.trips.isOpen) this.wake(nextLookNs(nowNs))
  }

  state(): TradeRecorderState {
    return {
      trips: this.trips.state(),
      slippage: savedState(this.slippage),
    }
  }

  restore({ trips, slippage }: TradeRecorderState): void {
    this.trips.restore(trips, ({ accountId, instrumentId }) => this.#positionIn(accountId, instrumentId).contract)
    this.slippage = restoredState(slippage)
  }

  /** Where the money of a position is settled, and in what its fills pay fees. */
  termsOf(accountId: string, instrumentId: number): {
    readonly settlementUnderlyingId: number
    readonly feeUnderlyingId: number
  } {
    const { contract: { settlementUnderlyingId }, entry } = this.#positionIn(accountId, instrumentId)
    return { settlementUnderlyingId, feeUnderlyingId: entry.instrument.feeUnderlyingId ?? settlementUnderlyingId }
  }

  /** The terms of what an account traded. */
  contractOf(accountId: string, instrumentId: number): Contract {
    return this.#positionIn(accountId, instrumentId).contract
  }

  #positionIn(accountId: string, instrumentId: number): AccountPosition {
    const position = this.world.accounts.get(accountId)?.positions.get(instrumentId)
    if (position === undefined) throw new Error(`Account ${accountId} has no position in ${instrumentId}`)
    return position
  }

  #addSlippage(contract: Contract, sign: number, quantity: Amount, value: Amount, arrival: TwiceMid): void {
    const mid = Amount.scaled(arrival.value, arrival.scale).times(Amount.HALF)
    if (mid.isZero()) return
    const { settlementUnderlyingId: id } = contract
    const sums = keptValue(this.slippage, id, noSlippage)
    const valueThen = contractValue(contract, quantity, mid)
    // A fill at the mid costs nothing: the cost is what it would have gained from the mid to its price.
    const cost = profitAt(contract, { quantity: ONE.signed(sign), openValue: valueThen }, value)
    sums.measuredCount++
    sums.cost = exactSum(sums.cost, cost, 'slippage')
    sums.value = exactSum(sums.value, valueThen, 'slippage')
  }

  #placesOf(accountId: string, instrumentId: number | undefined): TripPlace[] {
    return this.trips.openPlaces(accountId, (contract) => contract.instrumentId === instrumentId)
  }

  #settled({ accountId, instrumentId, exchangeTimeNs, atPrice = '0', feeAmount = '0' }: MoneyEvent): void {
    const places = this.#placesOf(accountId, instrumentId)
    let fee = Amount.from(feeAmount)
    let left = places.reduce((sum, place) => sum.plus(this.trips.quantityOf(place).abs()), ZERO)
    for (const [number, place] of places.entries()) {
      const quantity = this.trips.quantityOf(place).abs()
      const own = number === places.length - 1 ? fee : shareOf(fee, quantity, left)
      this.trips.settled(place, exchangeTimeNs, Amount.from(atPrice), own, 'settlement')
      fee = fee.minus(own)
      left = left.minus(quantity)
    }
  }

  /** Lots come to what the action made of them; a fraction that it sold is closed at its price. */
  #split(event: MoneyEvent): void {
    const { accountId, instrumentId, exchangeTimeNs: timeNs, underlyingId, size = '0', amount, atPrice } = event
    const action = this.world.config.corporateActions?.find(
      (one) => one.timeNs === timeNs && one.action.instrumentId === instrumentId && one.action.split !== undefined,
    )
    const split = action?.action.split
    const contract = this.world.accounts.get(accountId)?.positions.get(instrumentId ?? -1)?.contract
    if (split === undefined) return
    const after = (quantity: Amount): Amount =>
      quantity.times(Amount.from(split.buyVolume)).quotient(Amount.from(split.sellVolume))
    if (event.leg === undefined && atPrice === undefined) {
      // Coins: every position in them follows the balance.
      const before = Amount.from(size).minus(Amount.from(amount))
      for (const place of this.trips.openPlaces(accountId, (own) => own.baseUnderlyingId === underlyingId)) {
        const held = this.trips.quantityOf(place)
        const isRounded = held.eq(before) && !split.liquidateFractionalShares
        this.trips.split(place, timeNs, isRounded ? Amount.from(size) : after(held))
      }
      return
    }
    if (contract === undefined || instrumentId === undefined) return
    const place = { accountId, instrumentId, leg: event.leg ?? 'net' }
    if (event.leg !== undefined) {
      const held = this.trips.quantityOf(place)
      const whole = Amount.from(size)
      const exact = atPrice === undefined ? whole : after(held)
      this.trips.split(place, timeNs, exact)
      if (atPrice !== undefined) this.#sold(place, contract, timeNs, exact.minus(whole), Amount.from(atPrice))
    } else if (atPrice !== undefined) {
      const price = Amount.from(atPrice)
      this.#sold(place, contract, timeNs, Amount.from(amount).quotient(price), price)
    }
  }

  /** A signed quantity was closed at a price that no order met. */
  #sold(place: TripPlace, contract: Contract, timeNs: number, fraction: Amount, price: Amount): void {
    const quantity = fraction.abs()
    if (quantity.isZero()) return
    this.trips.filled(place, contract, {
      timeNs, sign: fraction.sign > 0 ? -1 : 1, quantity, price, value: contractValue(contract, quantity, price),
      fee: ZERO, otherFee: ZERO, fillId: null, cause: 'split',
    })
  }
}

const noSlippage = (): SlippageSums => ({ measuredCount: 0, cost: ZERO, value: ZERO })

function nextLookNs(timeNs: number): number {
  return (Math.floor(timeNs / LOOK_NS) + 1) * LOOK_NS
}
