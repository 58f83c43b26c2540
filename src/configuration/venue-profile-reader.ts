import { GENERIC_PROFILE, type VenueProfile } from '../exchange/profile/venue-profile.js'
import { BacktapeError } from '../model/error.js'
import { fault, FaultsError, joinedPath, type Fault } from '../model/fault.js'
import { accountEntries, accountPath, type AccountsOptions } from './account-options.js'
import { faultsInFile, readExactJson } from './exact-json-reader.js'
import { compiledCheck, type Check } from './schema-check.js'
import { readSchema } from './schema-reader.js'
import { senseFaults } from './venue-profile-consistency.js'

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
  check ??= readSchema('venue-profile').then((schema) => compiledCheck<VenueProfile>(schema))
  const { faults } = (await check)(content)
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
