import {
  LATE_FEES_BOUNDS, type RateLimit, type VenueProfile, type MarginBracket, type MarginProfile, type ShortOptionMargin,
} from '../exchange/profile/venue-profile.js'
import { Decimal } from '../model/decimal.js'
import { durationOf } from '../model/duration.js'
import { fault, pathPart, type Fault } from '../model/fault.js'

/** Fields with their texts; what is absent is left out. */
type Amounts = Readonly<Record<string, string | undefined>>

const PART = 'a part of the value, at most "1"'
/** Interest of a year: ten times what is owed. A greater rate is a percentage that was meant as a fraction. */
const YEARLY_RATE_MAX: Decimal = new Decimal(10)

/** Rates of a value are parts of it. */
function partFaults(path: string, rates: Amounts): Fault[] {
  return Object.entries(rates).flatMap(([field, rate]) =>
    rate !== undefined && new Decimal(rate).gt(1) ? [fault(`${path}.${field}`, PART, rate)] : [],
  )
}

function notAboveZero(path: string, amounts: Amounts): Fault[] {
  const expected = 'a decimal above 0 (leave it out where there is no such bound)'
  return Object.entries(amounts).flatMap(([field, amount]) =>
    amount !== undefined && new Decimal(amount).isZero() ? [fault(`${path}.${field}`, expected, amount)] : [],
  )
}

const NO_BRACKET: MarginBracket = { upTo: '0', initialRate: '0', maintenanceRate: '0', deduction: '0' }

/** Steps meet or rise: margin that fell where a position grows would be a way out of a liquidation. */
function bracketFaults(at: string, bracket: MarginBracket, before: MarginBracket): Fault[] {
  const { upTo, initialRate, maintenanceRate, deduction } = bracket
  const lower = new Decimal(before.upTo ?? 0)
  const [initial, maintenance] = [new Decimal(initialRate), new Decimal(maintenanceRate)]
  const mostDeduction = lower.times(Decimal.max(0, maintenance.minus(before.maintenanceRate))).plus(before.deduction)
  const rules: readonly (readonly [isBroken: boolean, field: string, expected: string, found: unknown])[] = [
    [before.upTo === null, '', 'no bracket after the one without end (upTo null)', bracket],
    [
      before.upTo !== null && upTo !== null && lower.gte(upTo), '.upTo',
      `above ${String(before.upTo)}, where the bracket begins`, upTo,
    ],
    [initial.gt(1), '.initialRate', PART, initialRate],
    [maintenance.gt(1), '.maintenanceRate', PART, maintenanceRate],
    [initial.isZero(), '.initialRate', 'above 0: 1 by the greatest leverage of the bracket', initialRate],
    [
      initial.lt(before.initialRate), '.initialRate', `at least that of the bracket before (${before.initialRate})`,
      initialRate,
    ],
    [
      maintenance.lt(before.maintenanceRate), '.maintenanceRate',
      `at least that of the bracket before (${before.maintenanceRate})`, maintenanceRate,
    ],
    [
      maintenance.gt(initialRate), '.maintenanceRate',
      `at most the initialRate (${initialRate}): a position must not open below what it has to keep`, maintenanceRate,
    ],
    [
      mostDeduction.lt(deduction), '.deduction',
      `at most ${mostDeduction.toFixed()}, with which the margin to keep does not fall where the bracket begins`,
      deduction,
    ],
  ]
  return rules.flatMap(([isBroken, field, expected, found]) =>
    isBroken ? [fault(`${at}${field}`, expected, found)] : [],
  )
}

function ladderFaults(path: string, brackets: readonly MarginBracket[]): Fault[] {
  return brackets.flatMap((bracket, number) =>
    bracketFaults(`${path}[${number}]`, bracket, brackets[number - 1] ?? NO_BRACKET),
  )
}

function shortOptionFaults(terms: ShortOptionMargin): Fault[] {
  const { initialRate, minimumInitialRate, maintenanceRate } = terms
  const faults = partFaults('margin.shortOptions', { initialRate, minimumInitialRate, maintenanceRate })
  if (new Decimal(minimumInitialRate).gt(initialRate))
    faults.push(
      fault('margin.shortOptions.minimumInitialRate', `at most the initialRate (${initialRate})`, minimumInitialRate),
    )
  if (new Decimal(maintenanceRate).gt(minimumInitialRate)) {
    faults.push(
      fault(
        'margin.shortOptions.maintenanceRate',
        `at most the minimumInitialRate (${minimumInitialRate}): a sold option must not open below what it has to keep`,
        maintenanceRate,
      ),
    )
  }
  return faults
}

function marginFaults({ brackets, instruments = {}, shortOptions, liquidationFeeRate }: MarginProfile): Fault[] {
  return [
    ...ladderFaults('margin.brackets', brackets),
    ...Object.entries(instruments).flatMap(([code, own]) => ladderFaults(`margin.instruments${pathPart(code)}`, own)),
    ...(shortOptions === undefined ? [] : shortOptionFaults(shortOptions)),
    ...partFaults('margin', { liquidationFeeRate }),
  ]
}

function rateLimitFaults(limits: readonly RateLimit[], hasSpare: boolean | null): Fault[] {
  const ids = new Map<string, number>()
  return limits.flatMap(({ id, tokens, spare }, number) => {
    const faults: Fault[] = []
    const at = `rateLimits[${number}]`
    const other = ids.get(id)
    if (other !== undefined) faults.push(fault(`${at}.id`, `an id of its own: rateLimits[${other}] has it already`, id))
    ids.set(id, number)
    if (spare === undefined || spare === 0) return faults
    const least = Math.min(...Object.values(tokens))
    if (spare > least)
      faults.push(fault(`${at}.spare`, `at most the smallest of its tokens (${least}), of which it is a part`, spare))
    if (hasSpare === false)
      faults.push(
        fault(
          'capabilities.spare', `true, as ${at}.spare keeps a part of the budget that only useSpare may take`, false,
        ),
      )
    return faults
  })
}

function moneyFaults({ borrowRates = {}, borrowLimits = {}, settlement = {} }: Partial<VenueProfile>): Fault[] {
  const { index, averageMs, feeRate } = settlement
  const faults: Fault[] = []
  for (const [code, rate] of Object.entries(borrowRates)) {
    if (!new Decimal(rate).gt(YEARLY_RATE_MAX)) continue
    faults.push(
      fault(
        `borrowRates${pathPart(code)}`,
        `a yearly rate as a fraction, "0.05" for five percent, at most "${YEARLY_RATE_MAX.toFixed()}"`, rate,
      ),
    )
  }
  for (const [code, limit] of Object.entries(borrowLimits)) {
    if (borrowRates[code] !== undefined) continue
    faults.push(
      fault(
        `borrowLimits${pathPart(code)}`,
        `an underlying of borrowRates (${Object.keys(borrowRates).join(', ') || 'none'}), as nothing is lent ` +
          'without a rate',
        limit,
      ),
    )
  }
  if (index === 'average' && averageMs === undefined)
    faults.push(
      fault('settlement.averageMs', 'the milliseconds before expiry that the average is taken over', averageMs),
    )
  if (index !== 'average' && averageMs !== undefined)
    faults.push(fault('settlement.index', '"average", as averageMs says over what time', index))
  return [...faults, ...partFaults('settlement', { feeRate })]
}

function orderFaults({ orders = {}, limits = {}, messages = {} }: Partial<VenueProfile>): Fault[] {
  const { triggerReferences = [], defaultTrigger } = orders
  const { minQuantity, maxQuantity, priceBand } = limits
  const { lateFees, lateTradeId } = messages
  const faults: Fault[] = []
  if (defaultTrigger !== undefined && !triggerReferences.includes(defaultTrigger)) {
    faults.push(
      fault(
        'orders.defaultTrigger', `one of orders.triggerReferences (${triggerReferences.join(', ')})`, defaultTrigger,
      ),
    )
  }
  faults.push(...notAboveZero('limits', { maxQuantity, priceBand }))
  if (minQuantity !== undefined && maxQuantity !== undefined && new Decimal(minQuantity).gt(maxQuantity)) {
    faults.push(fault('limits.maxQuantity', `at least limits.minQuantity (${minQuantity})`, maxQuantity))
  }
  if (priceBand !== undefined && new Decimal(priceBand).gt(1))
    faults.push(
      fault('limits.priceBand', 'a fraction of the mark, "0.1" for ten percent either way, at most "1"', priceBand),
    )
  const lateFeesNs = lateFees === undefined ? 0 : durationOf(lateFees, LATE_FEES_BOUNDS)
  if (typeof lateFeesNs === 'string') faults.push(fault('messages.lateFees', lateFeesNs, lateFees))
  if (lateTradeId === true && lateFees === undefined)
    faults.push(fault('messages.lateFees', 'a duration such as 2s, as lateTradeId comes with the late fees', lateFees))
  return faults
}

function isField(profile: object, path: string): boolean {
  let value: unknown = profile
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return false
    value = (value as Readonly<Record<string, unknown>>)[name]
  }
  return true
}

/** Sources are of fields that the profile has, or a field's name was mistyped. */
function sourceFaults(profile: Partial<VenueProfile>): Fault[] {
  return Object.entries(profile.sources ?? {}).flatMap(([path, source]) =>
    isField(profile, path)
      ? []
      : [fault(`sources${pathPart(path)}`, 'the path of a field that this profile has', source)],
  )
}

/**
 * Fields of a profile that contradict each other, though each has its form: sections that contradict themselves or one
 * another. A section that the schema refuses (`refused`, by names) is not judged again, so that all that is wrong can
 * be reported at once.
 */
export function senseFaults(content: VenueProfile, refused: ReadonlySet<string>): Fault[] {
  const sound = Object.fromEntries(
    Object.entries(content).filter(([name]) => !refused.has(name)),
  ) as Partial<VenueProfile>
  const { capabilities, margin, rateLimits = [] } = sound
  return [
    ...orderFaults(sound),
    ...rateLimitFaults(rateLimits, capabilities === undefined ? null : capabilities.spare === true),
    ...(margin === undefined ? [] : marginFaults(margin)),
    // A rate that is refused is not missing.
    ...moneyFaults(refused.has('borrowRates') ? { ...sound, borrowLimits: {} } : sound),
    ...(refused.size > 0 ? [] : sourceFaults(sound)),
  ]
}
