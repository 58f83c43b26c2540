import type { PostedFill } from '../exchange/accounts/account.js'
import type { AccountPosition } from '../exchange/accounts/account-position.js'
import type { MoneyEvent } from '../exchange/accounts/money-event.js'
import type { ExecutionCause } from '../exchange/market/resting-order.js'
import { contractValue, isValueInverse, type Contract } from '../model/contract.js'
import { Amount } from '../model/amount.js'
import { ExactSum } from '../model/exact-sum.js'
import { keptValue } from '../model/kept-value.js'
import { amountOfExact, productOf, ScaledAmount } from '../rows/exact-integer.js'
import { RoundTrips, type RoundTripsState, type ScaledPrice, type TripFill } from '../report/round-trips.js'
import type { TripPlace } from '../report/trip-legs.js'
import type { RowStore } from '../rows/row-store.js'
import type { Fill } from '../venue/account-messages.js'
import type { MarketView } from '../venue/venue.js'
import { markedPrice, midOf } from './run-valuation.js'
import type { RecordedWorld } from './recorded-world.js'

/** Market time between two looks at the prices of what is open: whole seconds. */
const LOOK_NS = 1_000_000_000

const ZERO: Amount = Amount.ZERO

type WritableFill = { -readonly [Name in keyof TripFill]: TripFill[Name] }

/** Fills of one settlement underlying against the mids that their clients saw when they sent the orders. */
export interface SlippageSums {
  measuredCount: number
  /** Above 0 is a cost. */
  readonly cost: ExactSum
  /** Value of the measured quantities at those mids. */
  readonly value: ExactSum
}

/** The recorder as plain data. */
export interface RoundTripRecorderState {
  readonly trips: RoundTripsState
  readonly slippage: Map<number, SlippageSums>
}

/** Round trips of a world and its slippage, from what the exchange posts; look-ahead-free: nothing is read back. */
export class RoundTripRecorder {
  readonly trips: RoundTrips
  /** By settlement underlying. */
  slippage: Map<number, SlippageSums> = new Map()
  readonly #fill: WritableFill = {
    timeNs: 0, sign: 1, quantity: 0, quantityScale: 0, price: 0, priceScale: 0, value: ZERO, fee: ZERO, otherFee: ZERO,
    fillRow: -1, cause: 'fill',
  }
  readonly #scaled: ScaledAmount = new ScaledAmount()
  readonly #priceOf = (instrumentId: number): ScaledPrice | null => {
    const view = this.views.get(instrumentId)
    return view === undefined ? null : markedPrice(view)
  }

  /** `wake` is called with the time at which {@link look} is to be called. */
  constructor(
    private readonly world: RecordedWorld,
    private readonly views: ReadonlyMap<number, MarketView>,
    store: RowStore,
    private readonly wake: (timeNs: number) => void,
  ) {
    this.trips = new RoundTrips(store)
  }

  /**
   * A fill, posted; its row. `arrivalTwice`: twice the mid when its order was sent, an integer at a scale; NaN where
   * there is none.
   */
  filled(
    accountId: string, position: AccountPosition, fill: Fill, posted: PostedFill, cause: ExecutionCause | null,
    fillRow: number, arrivalTwice: number, arrivalScale: number,
  ): void {
    const { contract, entry } = position
    const wasOpen = this.trips.isOpen
    const own = this.#fill
    own.timeNs = fill.exchangeTimeNs
    own.sign = fill.side === 'BID' ? 1 : -1
    own.price = fill.price
    own.priceScale = fill.priceScale ?? entry.priceScale
    own.quantity = fill.quantity
    own.quantityScale = entry.quantityScale
    own.fillRow = fillRow
    own.cause = cause === 'forced' ? 'liquidation' : 'fill'
    if (!Number.isNaN(arrivalTwice)) this.#addSlippage(contract, own, posted.value, arrivalTwice, arrivalScale)
    const isOwnFee = posted.feeUnderlyingId === contract.settlementUnderlyingId
    const [only] = posted.parts
    if (posted.parts.length === 1 && only !== undefined)
      this.#match(accountId, only.leg, contract, only.value, posted.fee, isOwnFee)
    else this.#matchParts(accountId, contract, posted, isOwnFee)
    if (!wasOpen && this.trips.isOpen) this.wake(nextLookNs(fill.exchangeTimeNs))
  }

  #match(
    accountId: string, leg: string, contract: Contract, value: Amount, fee: Amount, isOwnFee: boolean,
  ): void {
    const own = this.#fill
    own.value = value
    own.fee = isOwnFee ? fee : ZERO
    own.otherFee = isOwnFee ? ZERO : fee
    this.trips.filled(accountId, leg, contract, own)
  }

  /** A fill that counts in several legs: its fee is shared out by quantity, the last share being the rest. */
  #matchParts(accountId: string, contract: Contract, posted: PostedFill, isOwnFee: boolean): void {
    const own = this.#fill
    let fee = posted.fee
    let left = amountOfExact(own.quantity, own.quantityScale)
    for (const [number, { leg, amount, value }] of posted.parts.entries()) {
      const share = number === posted.parts.length - 1 ? fee : shareOf(fee, amount, left)
      const { integer, scale } = this.#scaled.read(amount)
      own.quantity = integer
      own.quantityScale = scale
      this.#match(accountId, leg, contract, value, share, isOwnFee)
      fee = fee.minus(share)
      left = left.minus(amount)
    }
  }

  /** Settlements and splits change positions without a fill. */
  money(event: MoneyEvent): void {
    if (event.kind === 'settlement') this.#settled(event)
    if (event.kind === 'split') this.#split(event)
  }

  /** Looks at the prices of everything that is open. */
  look(nowNs: number): void {
    this.trips.sample(this.#priceOf)
    if (this.trips.isOpen) this.wake(nextLookNs(nowNs))
  }

  state(): RoundTripRecorderState {
    return {
      trips: this.trips.state(),
      slippage: this.slippage,
    }
  }

  restore({ trips, slippage }: RoundTripRecorderState): void {
    this.trips.restore(trips, ({ accountId, instrumentId }) => this.#positionIn(accountId, instrumentId).contract)
    this.slippage = slippage
  }

  #positionIn(accountId: string, instrumentId: number): AccountPosition {
    const position = this.world.accounts.get(accountId)?.positions.get(instrumentId)
    if (position === undefined) throw new Error(`Account ${accountId} has no position in ${instrumentId}`)
    return position
  }

  /** A fill at the mid costs nothing: the cost is what it would have gained from the mid to its price. */
  #addSlippage(
    contract: Contract, { quantity, quantityScale, sign }: WritableFill, value: Amount, twice: number, scale: number,
  ): void {
    if (twice === 0) return
    const sums = keptValue(this.slippage, contract.settlementUnderlyingId, noSlippage)
    const mid = midOf(twice, scale)
    const then = this.#scaled
    if (isValueInverse(contract)) {
      const amount = amountOfExact(quantity, quantityScale)
      then.read(contractValue(contract, amount, amountOfExact(mid.integer, mid.scale)))
    } else {
      then.read(contract.size)
      then.integer = productOf(productOf(then.integer, quantity), mid.integer)
      then.scale += quantityScale + mid.scale
    }
    sums.value.add(then.integer < 0 ? productOf(then.integer, -1) : then.integer, then.scale)
    const direction = sign > 0 === isValueInverse(contract) ? -1 : 1
    sums.cost.add(productOf(then.integer, -direction), then.scale)
    const now = this.#scaled.read(value)
    sums.cost.add(productOf(now.integer, direction), now.scale)
    sums.measuredCount++
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
    const { integer: units, scale: quantityScale } = this.#scaled.read(quantity)
    const { integer, scale: priceScale } = new ScaledAmount().read(price)
    this.trips.filled(place.accountId, place.leg, contract, {
      timeNs, sign: fraction.sign > 0 ? -1 : 1, quantity: units, quantityScale, price: integer, priceScale,
      value: contractValue(contract, quantity, price), fee: ZERO, otherFee: ZERO, fillRow: -1, cause: 'split',
    })
  }
}

const noSlippage = (): SlippageSums => ({ measuredCount: 0, cost: new ExactSum(), value: new ExactSum() })

/** A part of an amount; half-even to 18 decimals. */
function shareOf(amount: Amount, part: Amount, whole: Amount): Amount {
  return amount.isZero() ? amount : amount.times(part).quotient(whole)
}

function nextLookNs(timeNs: number): number {
  return (Math.floor(timeNs / LOOK_NS) + 1) * LOOK_NS
}
