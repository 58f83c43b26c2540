import {
  GENERIC_PROFILE, LATE_FEES_BOUNDS, type MarginBracket, type MarginProfile, type RateLimit, type ShortOptionMargin,
  type VenueProfile,
} from '../exchange/profile/venue-profile.js'
import { BacktapeError } from '../model/error.js'
import { fault, FaultsError, joinedPath, type Fault, pathPart } from '../model/fault.js'
import { accountEntries, accountPath, type AccountsOptions } from './account-options.js'
import { faultsInFile, readExactJson } from './exact-json-reader.js'
import { compiledCheck, type Check } from './schema-reader.js'
import { Decimal } from '../model/decimal.js'
import { durationOf } from '../model/duration.js'

/** Fields with their texts; what is absent is left out. */
type Amounts = Readonly<Record<string, string | undefined>>

const PART = 'a part of the value, at most "1"'
/** Interest of a year: ten times what is owed. A greater rate is a percentage that was meant as a fraction. */
const YEARLY_RATE_MAX: Decimal = new Decimal(10)

/** A thing that a profile must not say: whether it does, where, what is wanted there and what was found. */
type Rule = readonly [isBroken: boolean, path: string, expected: string, found: unknown]

function broken(rules: readonly Rule[]): Fault[] {
  return rules.flatMap(([isBroken, path, expected, found]) => (isBroken ? [fault(path, expected, found)] : []))
}

/** Rates of a value are parts of it. */
function partFaults(path: string, rates: Amounts): Fault[] {
  return broken(Object.entries(rates).map(([field, rate]) => [
    rate !== undefined && new Decimal(rate).gt(1), `${path}.${field}`, PART, rate,
  ]))
}

function notAboveZero(path: string, amounts: Amounts): Fault[] {
  const expected = 'a decimal above 0 (leave it out where there is no such bound)'
  return broken(Object.entries(amounts).map(([field, amount]) => [
    amount !== undefined && new Decimal(amount).isZero(), `${path}.${field}`, expected, amount,
  ]))
}

const NO_BRACKET: MarginBracket = { upTo: '0', initialRate: '0', maintenanceRate: '0', deduction: '0' }

/** Steps meet or rise: margin that fell where a position grows would be a way out of a liquidation. */
function bracketFaults(at: string, bracket: MarginBracket, before: MarginBracket): Fault[] {
  const { upTo, initialRate, maintenanceRate, deduction } = bracket
  const lower = new Decimal(before.upTo ?? 0)
  const [initial, maintenance] = [new Decimal(initialRate), new Decimal(maintenanceRate)]
  const mostDeduction = lower.times(Decimal.max(0, maintenance.minus(before.maintenanceRate))).plus(before.deduction)
  return broken([
    [before.upTo === null, at, 'no bracket after the one without end (upTo null)', bracket],
    [
      before.upTo !== null && upTo !== null && lower.gte(upTo), `${at}.upTo`,
      `above ${String(before.upTo)}, where the bracket begins`, upTo,
    ],
    [initial.gt(1), `${at}.initialRate`, PART, initialRate],
    [maintenance.gt(1), `${at}.maintenanceRate`, PART, maintenanceRate],
    [initial.isZero(), `${at}.initialRate`, 'above 0: 1 by the greatest leverage of the bracket', initialRate],
    [
      initial.lt(before.initialRate), `${at}.initialRate`,
      `at least that of the bracket before (${before.initialRate})`, initialRate,
    ],
    [
      maintenance.lt(before.maintenanceRate), `${at}.maintenanceRate`,
      `at least that of the bracket before (${before.maintenanceRate})`, maintenanceRate,
    ],
    [
      maintenance.gt(initialRate), `${at}.maintenanceRate`,
      `at most the initialRate (${initialRate}): a position must not open below what it has to keep`, maintenanceRate,
    ],
    [
      mostDeduction.lt(deduction), `${at}.deduction`,
      `at most ${mostDeduction.toFixed()}, with which the margin to keep does not fall where the bracket begins`,
      deduction,
    ],
  ])
}

function ladderFaults(path: string, brackets: readonly MarginBracket[]): Fault[] {
  return brackets.flatMap((bracket, number) =>
    bracketFaults(`${path}[${number}]`, bracket, brackets[number - 1] ?? NO_BRACKET),
  )
}

function shortOptionFaults(terms: ShortOptionMargin): Fault[] {
  const { initialRate, minimumInitialRate, maintenanceRate } = terms
  return [
    ...partFaults('margin.shortOptions', { initialRate, minimumInitialRate, maintenanceRate }),
    ...broken([
      [
        new Decimal(minimumInitialRate).gt(initialRate), 'margin.shortOptions.minimumInitialRate',
        `at most the initialRate (${initialRate})`, minimumInitialRate,
      ],
      [
        new Decimal(maintenanceRate).gt(minimumInitialRate), 'margin.shortOptions.maintenanceRate',
        `at most the minimumInitialRate (${minimumInitialRate}): a sold option must not open below what it has to keep`,
        maintenanceRate,
      ],
    ]),
  ]
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
  return limits.flatMap(({ id, tokens, spare = 0 }, number) => {
    const at = `rateLimits[${number}]`
    const other = limits.slice(0, number).map((one) => one.id).lastIndexOf(id)
    const least = Math.min(...Object.values(tokens))
    return broken([
      [other >= 0, `${at}.id`, `an id of its own: rateLimits[${other}] has it already`, id],
      [spare > least, `${at}.spare`, `at most the smallest of its tokens (${least}), of which it is a part`, spare],
      [
        spare !== 0 && hasSpare === false, 'capabilities.spare',
        `true, as ${at}.spare keeps a part of the budget that only useSpare may take`, false,
      ],
    ])
  })
}

function moneyFaults({ borrowRates = {}, borrowLimits = {}, settlement = {} }: Partial<VenueProfile>): Fault[] {
  const { index, averageMs, feeRate } = settlement
  return [
    ...broken(Object.entries(borrowRates).map(([code, rate]) => [
      new Decimal(rate).gt(YEARLY_RATE_MAX), `borrowRates${pathPart(code)}`,
      `a yearly rate as a fraction, "0.05" for five percent, at most "${YEARLY_RATE_MAX.toFixed()}"`, rate,
    ])),
    ...broken(Object.entries(borrowLimits).map(([code, limit]) => [
      borrowRates[code] === undefined, `borrowLimits${pathPart(code)}`,
      `an underlying of borrowRates (${Object.keys(borrowRates).join(', ') || 'none'}), as nothing is lent ` +
        'without a rate',
      limit,
    ])),
    ...broken([
      [
        index === 'average' && averageMs === undefined, 'settlement.averageMs',
        'the milliseconds before expiry that the average is taken over', averageMs,
      ],
      [
        index !== 'average' && averageMs !== undefined, 'settlement.index',
        '"average", as averageMs says over what time', index,
      ],
    ]),
    ...partFaults('settlement', { feeRate }),
  ]
}

function orderFaults({ orders = {}, limits = {}, messages = {} }: Partial<VenueProfile>): Fault[] {
  const { triggerReferences = [], defaultTrigger } = orders
  const { minQuantity, maxQuantity, priceBand } = limits
  const { lateFees, lateTradeId } = messages
  const lateFeesNs = lateFees === undefined ? 0 : durationOf(lateFees, LATE_FEES_BOUNDS)
  return [
    ...broken([[
      defaultTrigger !== undefined && !triggerReferences.includes(defaultTrigger), 'orders.defaultTrigger',
      `one of orders.triggerReferences (${triggerReferences.join(', ')})`, defaultTrigger,
    ]]),
    ...notAboveZero('limits', { maxQuantity, priceBand }),
    ...broken([
      [
        minQuantity !== undefined && maxQuantity !== undefined && new Decimal(minQuantity).gt(maxQuantity),
        'limits.maxQuantity', `at least limits.minQuantity (${String(minQuantity)})`, maxQuantity,
      ],
      [
        priceBand !== undefined && new Decimal(priceBand).gt(1), 'limits.priceBand',
        'a fraction of the mark, "0.1" for ten percent either way, at most "1"', priceBand,
      ],
      [typeof lateFeesNs === 'string', 'messages.lateFees', String(lateFeesNs), lateFees],
      [
        lateTradeId === true && lateFees === undefined, 'messages.lateFees',
        'a duration such as 2s, as lateTradeId comes with the late fees', lateFees,
      ],
    ]),
  ]
}

/** Every account has a wallet of its own, and isolated margin is of positions that can be isolated. */
function walletFaults(walletTypes: readonly string[] = ['ACCOUNT'], modes: readonly string[]): Fault[] {
  return broken([
    [
      !walletTypes.includes('ACCOUNT'), 'capabilities.walletTypes', 'a list with ACCOUNT, which every account has',
      walletTypes,
    ],
    [
      walletTypes.includes('ISOLATED') && !modes.includes('isolated'), 'margin.modes',
      'a list with isolated, as capabilities.walletTypes has ISOLATED', modes,
    ],
  ])
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
function senseFaults(content: VenueProfile, refused: ReadonlySet<string>): Fault[] {
  const sound = Object.fromEntries(
    Object.entries(content).filter(([name]) => !refused.has(name)),
  ) as Partial<VenueProfile>
  const { capabilities, margin, rateLimits = [] } = sound
  return [
    ...orderFaults(sound),
    ...rateLimitFaults(rateLimits, capabilities === undefined ? null : capabilities.spare === true),
    ...(margin === undefined ? [] : marginFaults(margin)),
    ...walletFaults(capabilities?.walletTypes, margin?.modes ?? []),
    // A rate that is refused is not missing.
    ...moneyFaults(refused.has('borrowRates') ? { ...sound, borrowLimits: {} } : sound),
    ...(refused.size > 0 ? [] : sourceFaults(sound)),
  ]
}

/** Names of the profiles that come with the package, in `profiles/`. */
export const BUILT_IN_PROFILES: readonly string[] = [
  'binance-coin-perpetual', 'binance-usdt-perpetual', 'bybit-spot', 'deribit-options', 'generic', 'polymarket',
]

let check: Promise<Check<VenueProfile>> | undefined

const PROFILE = { what: 'venue profile', code: 'PROFILE_INVALID' } as const

/** True where a profile is named by its path: it ends with `.json`. */
export function isProfilePath(profile: string): boolean {
  return profile.endsWith('.json')
}

const NAMES = `one of ${BUILT_IN_PROFILES.join(', ')}, or a path that ends with .json`

async function parsedProfile(name: string): Promise<unknown> {
  if (!isProfilePath(name) && !BUILT_IN_PROFILES.includes(name)) {
    const action = `Cannot use the profile ${JSON.stringify(name)}`
    throw new BacktapeError('OPTION_INVALID', `${action}: it must be ${NAMES}`, {
      field: 'profile', expected: NAMES, found: name,
    })
  }
  const place = isProfilePath(name) ? name : new URL(`../../profiles/${name}.json`, import.meta.url)
  return readExactJson({ ...PROFILE, place, name })
}

/** The faults of a profile, each field's form first. */
async function profileFaults(content: unknown): Promise<readonly Fault[]> {
  check ??= compiledCheck('venue-profile')
  const { faults } = await (await check)(content)
  const refused = new Set(faults.map(({ path }) => path.split(/[.[]/)[0] ?? ''))
  return refused.has('') ? faults : [...faults, ...senseFaults(content as VenueProfile, refused)]
}

/**
 * Reads a venue profile: a built-in one by its name, one of your own by its path. Throws PROFILE_INVALID with every
 * fault at once (path, what was expected, what was found), OPTION_INVALID for a name that is none, FILE_NOT_FOUND for a
 * path without a file.
 *
 * @example
 * ```ts
 * import { readVenueProfile } from 'backtape'
 * const profile = await readVenueProfile('generic')
 * if (profile.capabilities.amend !== true) throw new Error('generic allows everything')
 * ```
 */
export async function readVenueProfile(nameOrPath: string): Promise<VenueProfile> {
  const content = await parsedProfile(nameOrPath)
  const faults = await profileFaults(content)
  if (faults.length > 0) throw faultsInFile({ ...PROFILE, name: nameOrPath }, faults)
  return content as VenueProfile
}

/**
 * The profiles of a run's accounts by account name; without one an account has `generic`. One that cannot be read, or
 * has faults of its own, is a fault of the configuration and left out.
 */
export async function readAccountProfiles(
  options: AccountsOptions, faults: Fault[],
): Promise<ReadonlyMap<string, VenueProfile>> {
  const profiles = new Map<string, VenueProfile>()
  for (const [name, { profile }] of accountEntries(options)) {
    const path = `${accountPath(options, name)}.profile`
    if (profile === undefined) profiles.set(name, GENERIC_PROFILE)
    else if (typeof profile === 'string') {
      const read = await namedProfile(profile, path, faults)
      if (read !== null) profiles.set(name, read)
    } else {
      const own = await profileFaults(profile)
      faults.push(...own.map((one) => ({ ...one, path: joinedPath(path, one.path) })))
      profiles.set(name, profile)
    }
  }
  return profiles
}

async function namedProfile(profile: string, path: string, faults: Fault[]): Promise<VenueProfile | null> {
  try {
    return await readVenueProfile(profile)
  } catch (error) {
    if (!(error instanceof BacktapeError)) throw error
    if (error instanceof FaultsError)
      faults.push(
        ...error.faults.map((one) => ({ ...one, path: joinedPath(path, one.path), advice: `see ${profile}` })),
      )
    else if (error.code === 'OPTION_INVALID') faults.push(fault(path, NAMES, profile))
    else faults.push({ path, expected: 'a venue profile', found: `${JSON.stringify(profile)}: ${error.message}` })
    return null
  }
}
