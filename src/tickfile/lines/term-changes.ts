import { Decimal } from '../../model/decimal.js'
import type { Instrument, Underlying } from '../../model/instrument.js'
import { epochNsFromText, epochNsFromTime } from '../../model/time.js'

/**
 * The effect of a change of the master data on a run (exchange rules 1.7). `money`: what a quantity, a price or a
 * profit means, refused. `grid`: what orders may be, from its midnight on. `state`: whether new orders are taken, from
 * its midnight on. `noted`: it changes nothing.
 */
export type TermKind = 'money' | 'grid' | 'state' | 'noted'

/**
 * A field of the master data that two files of one instrument state differently. Texts as they would be written in
 * JSON.
 */
export interface TermChange {
  /** As `Instrument` names it; `underlyings` for their ids, codes and types. */
  readonly field: string
  /** Consequence for a run. */
  readonly kind: TermKind
  /** The earlier value. */
  readonly earlier: string
  /** The later value. */
  readonly later: string
}

/** Line 1 of one file, as far as orders and money go by it. */
export interface DayTerms {
  readonly instrument: Instrument
  readonly underlyings: readonly Underlying[]
}

/** Fields that are more than noted. */
const KINDS: ReadonlyMap<string, TermKind> = new Map([
  ...(
    [
      'type', 'isInverse', 'isQuanto', 'contractValue', 'multiplier', 'strikePrice', 'baseUnderlyingId',
      'counterUnderlyingId', 'valuationUnderlyingId', 'feeUnderlyingId',
    ] as const
  ).map((field) => [field, 'money'] as const),
  ...(['tickSize', 'tickBands', 'lotSize', 'minOrder', 'maxOrder', 'minValue'] as const).map(
    (field) => [field, 'grid'] as const,
  ),
  ['state', 'state'],
])

function kindOf(field: string, earlier: DayTerms, later: DayTerms): TermKind {
  if (field === 'expiry') return isEarlier(later.instrument.expiry, earlier.instrument.expiry) ? 'money' : 'noted'
  return KINDS.get(field) ?? 'noted'
}

/** True where a contract ends sooner than it did; null is never, and so is a text that is no time. */
function isEarlier(expiry: string | null, before: string | null): boolean {
  return endMsOf(expiry) < endMsOf(before)
}

function endMsOf(expiry: string | null): number {
  const endMs = expiry === null ? NaN : Date.parse(expiry)
  return Number.isNaN(endMs) ? Infinity : endMs
}

/** Master data as it is compared: 1 and 1.0 are the same number. */
function textOf(field: string, value: unknown): string {
  return JSON.stringify(DECIMALS.has(field) && typeof value === 'string' ? new Decimal(value).toFixed() : value)
}

const DECIMALS: ReadonlySet<string> = new Set([
  'contractValue', 'multiplier', 'strikePrice', 'tickSize', 'lotSize', 'minOrder', 'maxOrder', 'minValue',
])

/**
 * Every field that two files of one instrument state differently, in the order of {@link Instrument}. Rates of
 * underlyings are each file's own.
 */
export function termChanges(earlier: DayTerms, later: DayTerms): TermChange[] {
  const changes: TermChange[] = []
  const compare = (field: string, a: unknown, b: unknown): void => {
    const [one, other] = [textOf(field, a), textOf(field, b)]
    if (one !== other) changes.push({ field, kind: kindOf(field, earlier, later), earlier: one, later: other })
  }
  for (const field of Object.keys(earlier.instrument) as (keyof Instrument)[])
    compare(field, earlier.instrument[field], later.instrument[field])
  const identity = ({ id, code, type }: Underlying): Partial<Underlying> => ({ id, code, type })
  compare('underlyings', earlier.underlyings.map(identity), later.underlyings.map(identity))
  return changes
}

/**
 * The action of a run where a later file states other money terms than the first: refused, or the first day's are kept
 * to the end (exchange rules 1.7).
 */
export type MasterChanges = 'refuse' | 'accept'

/** The terms of one instrument from a time of a run on, nanoseconds since its first midnight. */
interface LaterTerms {
  readonly instrumentId: number
  readonly timeNs: number
  readonly instrument: Instrument
}

/** The expiry that holds at its own time: later days may have put it off. */
export function lastExpiry(first: Instrument, steps: readonly LaterTerms[], epochDay: number): string | null {
  let { expiry } = first
  for (const { instrumentId, instrument, timeNs } of steps) {
    if (
      instrumentId === first.id &&
      (expiry === null || epochNsFromText(expiry, epochDay) > epochNsFromTime(timeNs, epochDay))
    )
      expiry = instrument.expiry
  }
  return expiry
}
