import { Amount } from '../model/amount.js'
import { accountEntries } from '../configuration/account-options.js'
import type { BacktestOptions } from '../backtest/backtest-options.js'
import { contractFromInstrument, contractValue, isValueInverse, type Contract } from '../model/contract.js'
import { feeOf, feeRateOf, NO_FEES, type FeeSchedule } from '../exchange/accounts/fees.js'
import type { Instrument } from '../model/instrument.js'
import type { BestPricePair, PriceSamples } from './best-prices.js'
import type { EntryDraws, TripSetting } from './entry-draws.js'
import type { RoundTrip, TripLeg } from './round-trips.js'

const ZERO: Amount = Amount.ZERO

/** The terms by which a leg is priced. */
interface PricedTrip {
  readonly trip: RoundTrip
  readonly contract: Contract
  /** Of the settlement underlying. */
  readonly code: string
  readonly samples: PriceSamples
  /** The fees that were paid. */
  readonly entryFee: Amount
  readonly exitFee: Amount
  readonly entryFeeAt: FeeAt
  readonly exitFeeAt: FeeAt
}

/** The fee of a leg in the settlement underlying, had it executed at another price. */
type FeeAt = (price: Amount) => Amount

/** Prices round trips and their draws, exactly: values as the ledger has them, rates of fees to 18 decimals. */
export class TripPricing {
  readonly #priced: readonly PricedTrip[]
  readonly #setting: TripSetting
  /** Underlyings of fees whose worth in the settlement underlying nothing states: they count on neither side. */
  readonly feesLeftOut: ReadonlySet<string>

  constructor(
    trips: readonly RoundTrip[], samples: ReadonlyMap<number, PriceSamples>, setting: TripSetting,
    options: BacktestOptions, settlementCodes: ReadonlyMap<number, string>,
  ) {
    const schedules = new Map(accountEntries(options).map(([id, { fees = NO_FEES }]) => [id, fees]))
    const leftOut = new Set<string>()
    this.#setting = setting
    this.#priced = trips.map((trip): PricedTrip => {
      const own = samples.get(trip.instrumentId)
      if (own === undefined) throw new Error('Prices were sampled of every instrument')
      const contract = contractFromInstrument(own.instrument)
      const code = settlementCodes.get(trip.instrumentId) ?? ''
      const schedule = schedules.get(trip.account) ?? NO_FEES
      const paidBy = (leg: TripLeg): readonly [paid: Amount, at: FeeAt] => {
        const fee = settledFee(leg, own.instrument, contract, code)
        if (fee !== null) return [fee, feeAtOf(schedule, own.instrument, contract, trip.quantity, leg, fee)]
        leftOut.add(leg.feeUnderlying)
        return [ZERO, () => ZERO]
      }
      const [entryFee, entryFeeAt] = paidBy(trip.entry)
      const [exitFee, exitFeeAt] = trip.exit === null ? [ZERO, entryFeeAt] : paidBy(trip.exit)
      return { trip, contract, code, samples: own, entryFee, exitFee, entryFeeAt, exitFeeAt }
    })
    this.feesLeftOut = leftOut
  }

  /** The profit of the strategy's own round trips; what stayed open at the mid of the end. Null without any price. */
  own(): ReadonlyMap<string, Amount> | null {
    const sums = new Map<string, Amount>()
    const { fromNs, toNs } = this.#setting
    for (const { trip, contract, code, samples, entryFee, exitFee } of this.#priced) {
      const end = trip.exit === null ? samples.at(Number(toNs - fromNs)) : null
      const exit = trip.exit?.price ?? (end === null ? null : midOf(end))
      if (exit === null) return null
      add(sums, code, grossOf(contract, trip, trip.entry.price, exit).minus(entryFee).minus(exitFee))
    }
    return sums
  }

  /**
   * The profit of one draw: entries and exits at the best opposite price of their instant, as a taker of any quantity
   * gets it; a holding time that the end of the part cut closes at the mid without a fee. Null without any price.
   */
  drawn({ tripOf, entryNs, exitNs }: EntryDraws, draw: number): ReadonlyMap<string, Amount> | null {
    const sums = new Map<string, Amount>()
    const count = this.#priced.length
    for (let at = 0; at < count; at++) {
      const index = draw * count + at
      const priced = this.#priced[tripOf[index] as number] as PricedTrip
      const { trip, contract, code, samples } = priced
      const [before, after] = [samples.at(entryNs[index] as number), samples.at(exitNs[index] as number)]
      if (before === null || after === null) return null
      const isCut = (this.#priced[at] as PricedTrip).trip.exit === null
      const entry = trip.isLong ? before.ask : before.bid
      const exit = isCut ? midOf(after) : trip.isLong ? after.bid : after.ask
      const exitFee = isCut ? ZERO : priced.exitFeeAt(exit)
      add(sums, code, grossOf(contract, trip, entry, exit).minus(priced.entryFeeAt(entry)).minus(exitFee))
    }
    return sums
  }
}

function midOf({ bid, ask }: BestPricePair): Amount {
  return bid.plus(ask).times(Amount.HALF)
}

function add(sums: Map<string, Amount>, code: string, amount: Amount): void {
  sums.set(code, (sums.get(code) ?? ZERO).plus(amount))
}

/** Profit of a round trip, fees apart, in the settlement underlying. */
function grossOf(contract: Contract, { isLong, quantity }: RoundTrip, entry: Amount, exit: Amount): Amount {
  const gained = contractValue(contract, quantity, exit).minus(contractValue(contract, quantity, entry))
  return isLong === isValueInverse(contract) ? gained.negated() : gained
}

/**
 * The fees of a leg at other prices: by value at the rate that it paid, of options by the schedule, as their fee need
 * not follow their price.
 */
function feeAtOf(
  schedule: FeeSchedule, instrument: Instrument, contract: Contract, quantity: Amount,
  { side, isMaker, price: paidAt }: TripLeg, fee: Amount,
): FeeAt {
  const { by = 'value' } = schedule
  const valueAt = (price: Amount): Amount => contractValue(contract, quantity, price)
  if (contract.option !== undefined && by !== 'fill') {
    const position = { contract, entry: { instrument } }
    return (price) => feeOf(schedule, position, { side, isMaker, quantity, value: valueAt(price) })
  }
  if (by !== 'value') return () => fee
  const value = valueAt(paidAt).abs()
  // A fill at 0 paid no fee that would state the rate.
  const rate = value.isZero() ? feeRateOf(schedule, side, isMaker) : fee.quotient(value)
  return (price) => rate.times(valueAt(price).abs())
}

/** The fee of a leg in the settlement underlying, at the price of its fill; null where nothing states its worth. */
function settledFee(
  { fee, feeUnderlying, price }: TripLeg, instrument: Instrument, contract: Contract, settlementCode: string,
): Amount | null {
  if (feeUnderlying === settlementCode || fee.isZero()) return fee
  const { feeUnderlyingId, baseUnderlyingId, counterUnderlyingId } = instrument
  if (isValueInverse(contract)) return feeUnderlyingId === counterUnderlyingId ? fee.quotient(price) : null
  const isCoin = feeUnderlyingId === baseUnderlyingId && (contract.kind === 'spot' || contract.kind === 'linear')
  return isCoin ? fee.times(price) : null
}
