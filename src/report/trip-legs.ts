import { isValueInverse, type Contract } from '../model/contract.js'
import { keptValue } from '../model/kept-value.js'
import {
  differenceOf, productOf, quotientAt, ScaledAmount, tenTo, widened, type ExactInteger,
} from '../rows/exact-integer.js'
import { LotQueue } from './lot-queue.js'

/** Where lots are matched: one leg of an account's position in one instrument. */
export interface TripPlace {
  readonly accountId: string
  readonly instrumentId: number
  /** `net`, or the isolated `long` or `short` one. */
  readonly leg: string
}

/** One leg with its lots, and the size of a contract as an integer at a scale. */
export interface TripLeg {
  readonly number: number
  readonly place: TripPlace
  readonly contract: Contract
  readonly lots: LotQueue
  readonly size: ExactInteger
  readonly sizeScale: number
}

const noLegs = (): TripLeg[] => []

/** The legs of a world, numbered in the order in which they come. */
export class TripLegs {
  readonly all: TripLeg[] = []
  readonly #byInstrument: Map<number, TripLeg[]> = new Map()

  /** The leg of a place; undefined where nothing was ever held there. */
  known({ accountId, instrumentId, leg }: TripPlace): TripLeg | undefined {
    return this.#byInstrument.get(instrumentId)?.find(
      ({ place }) => place.leg === leg && place.accountId === accountId,
    )
  }

  /** The leg of an account in the instrument of a contract, made where there is none. */
  of(accountId: string, leg: string, contract: Contract): TripLeg {
    const place = { accountId, instrumentId: contract.instrumentId, leg }
    const known = this.known(place)
    if (known !== undefined) return known
    const { integer: size, scale: sizeScale } = new ScaledAmount().read(contract.size)
    const made = { number: this.all.length, place, contract, lots: new LotQueue(), size, sizeScale }
    this.all.push(made)
    keptValue(this.#byInstrument, place.instrumentId, noLegs).push(made)
    return made
  }
}

/** The value of a quantity at a price other than 0, both and it at the scales of the lots. */
export function valueInLots(
  { contract, lots, size, sizeScale }: TripLeg, quantity: ExactInteger, price: ExactInteger,
): ExactInteger {
  const { priceScale, quantityScale, moneyScale } = lots
  const amount = productOf(quantity, size)
  if (!isValueInverse(contract))
    return widened(productOf(amount, price), moneyScale - priceScale - quantityScale - sizeScale)
  const dividend = BigInt(amount) * tenTo(moneyScale + priceScale)
  return quotientAt(dividend, BigInt(price) * tenTo(quantityScale + sizeScale), moneyScale)
}

/** The profit of the part that ends, fees apart, of the money in its entry and exit. */
export function grossOf({ contract, lots: { entry, exit } }: TripLeg, isValued: boolean, sign: number): ExactInteger {
  if (!isValued) return 0
  return sign > 0 === isValueInverse(contract)
    ? differenceOf(entry.value, exit.value) : differenceOf(exit.value, entry.value)
}
