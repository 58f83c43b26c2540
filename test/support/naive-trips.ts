import { Decimal as DecimalConstructor } from 'decimal.js'

const Exact = DecimalConstructor.clone({ precision: 200, toExpNeg: -200, toExpPos: 200 })
type Exact = InstanceType<typeof Exact>

export interface NaiveFill {
  readonly timeNs: number
  readonly sign: 1 | -1
  /** Whole units. */
  readonly quantity: number
  readonly price: number
  readonly fee: string
  readonly id: string
}

/** One unit from its opening to its closing. */
interface Unit {
  readonly entry: NaiveFill
  readonly exit: NaiveFill | null
  readonly sampled: readonly number[]
}

export interface NaiveTrip {
  readonly entry: NaiveFill
  readonly exit: NaiveFill | null
  readonly quantity: number
  readonly fees: Exact
  readonly high: number
  readonly low: number
}

/** Matches unit by unit, first in first out, over everything that happened; then counts the units of each pair of fills. */
export function naiveTrips(events: readonly (NaiveFill | { readonly sample: number })[]): NaiveTrip[] {
  const open: { entry: NaiveFill, sampled: number[] }[] = []
  const closed: Unit[] = []
  for (const event of events) {
    if ('sample' in event) {
      for (const unit of open) unit.sampled.push(event.sample)
      continue
    }
    for (let unit = 0; unit < event.quantity; unit++) {
      const [oldest] = open
      if (oldest !== undefined && oldest.entry.sign !== event.sign) closed.push({ ...open.shift()!, exit: event })
      else open.push({ entry: event, sampled: [] })
    }
  }
  const pairs = new Map<string, Unit[]>()
  for (const unit of [...closed, ...open.map((one) => ({ ...one, exit: null }))]) {
    const key = `${unit.entry.id} ${unit.exit?.id ?? ''}`
    pairs.set(key, [...(pairs.get(key) ?? []), unit])
  }
  return [...pairs.values()].map((units) => {
    const { entry, exit, sampled } = units[0]!
    const prices = [entry.price, ...(exit === null ? [] : [exit.price]), ...sampled]
    const feeOf = (fill: NaiveFill | null): Exact => (fill === null ? new Exact(0) : new Exact(fill.fee).times(units.length).div(fill.quantity))
    return { entry, exit, quantity: units.length, fees: feeOf(entry).plus(feeOf(exit)), high: Math.max(...prices), low: Math.min(...prices) }
  })
}
