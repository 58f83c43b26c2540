import { isAbsolute, resolve } from 'node:path'
import { GENERIC_PROFILE } from '../exchange/profile/generic-profile.js'
import type { VenueProfile } from '../exchange/profile/venue-profile.js'
import { BacktapeError } from '../model/error.js'
import { accountEntries, type AccountsOptions } from './account-options.js'
import { Refusals } from './refusals.js'
import { readExactJson } from './exact-json-reader.js'
import { profileError, schemaFaults } from './run-file-fault.js'
import { readSchema, type Schema } from './schema-reader.js'
import { senseFaults } from './venue-profile-consistency.js'

/** Names of the profiles that come with the package, in `profiles/`. */
export const BUILT_IN_PROFILES: readonly string[] = [
  'binance-coin-perpetual', 'binance-usdt-perpetual', 'bybit-spot', 'deribit-options', 'generic', 'polymarket',
]

let schema: Promise<Schema<VenueProfile>> | undefined

/** True where a profile is named by its path: it ends with `.json`. */
function isProfilePath(profile: string): boolean {
  return profile.endsWith('.json')
}

/** A profile's path, relative to a folder; names and profiles themselves as they are. */
export function profileInFolder<T extends string | VenueProfile>(folder: string, profile: T): T | string {
  return typeof profile === 'string' && isProfilePath(profile) && !isAbsolute(profile)
    ? resolve(folder, profile)
    : profile
}

async function parsedProfile(name: string): Promise<unknown> {
  if (!isProfilePath(name) && !BUILT_IN_PROFILES.includes(name)) {
    throw new BacktapeError(
      'OPTION_INVALID',
      `Cannot use the profile ${JSON.stringify(name)}: it must be one of ${BUILT_IN_PROFILES.join(', ')}, or a path ` +
        'that ends with .json',
      {
        field: 'profile', expected: BUILT_IN_PROFILES.join(', '), found: name,
      },
    )
  }
  const place = isProfilePath(name) ? name : new URL(`../../profiles/${name}.json`, import.meta.url)
  return readExactJson({ place, what: 'venue profile', name, refused: (faults) => profileError(name, faults) })
}

/** Checks what should be a profile; PROFILE_INVALID with every fault at once. `name` is what the sentence calls it. */
async function checkedProfile(name: string, content: unknown): Promise<VenueProfile> {
  schema ??= readSchema<VenueProfile>('venue-profile')
  const { root, validate } = await schema
  const faults = validate(content) ? [] : schemaFaults(validate.errors ?? [], root)
  const refused = new Set(faults.map(({ path }) => path.split(/[.[]/)[0] ?? ''))
  if (!refused.has('')) faults.push(...senseFaults(content as VenueProfile, refused))
  if (faults.length > 0) throw profileError(name, faults)
  return content as VenueProfile
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
  return checkedProfile(nameOrPath, await parsedProfile(nameOrPath))
}

/**
 * The profiles of a run's accounts by account name; without one an account has `generic`. One that is refused is left
 * out.
 */
export async function readAccountProfiles(
  options: AccountsOptions, refusals: Refusals = new Refusals(),
): Promise<ReadonlyMap<string, VenueProfile>> {
  const profiles = new Map<string, VenueProfile>()
  for (const [name, { profile }] of accountEntries(options)) {
    const read =
      profile === undefined
        ? GENERIC_PROFILE
        : await refusals.readLater(() =>
            typeof profile === 'string' ? readVenueProfile(profile) : checkedProfile(`of account ${name}`, profile),
          )
    if (read !== null) profiles.set(name, read)
  }
  return profiles
}
