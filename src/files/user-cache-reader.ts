import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { BacktapeError } from '../model/error.js'

/** The variable that names another folder for caches. */
const CACHE_VARIABLE = 'BACKTAPE_CACHE'

/** The parts of a system that say where its user keeps caches. */
export interface CacheSystem {
  /** As `process.platform` has it. */
  readonly platform: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The user's home; empty where there is none. */
  readonly home: string
}

function thisSystem(): CacheSystem {
  let home = ''
  try {
    home = homedir()
  } catch {
    // A user without an entry has none.
  }
  return { platform: process.platform, env: process.env, home }
}

/** The folder of caches by the conventions of a system; empty where there is none. */
function conventionOf({ platform, env, home }: CacheSystem): string {
  const below = (...names: string[]): string => (isAbsolute(home) ? join(home, ...names) : '')
  if (platform === 'win32') return env['LOCALAPPDATA'] ?? below('AppData', 'Local')
  if (platform === 'darwin') return below('Library', 'Caches')
  const stated = env['XDG_CACHE_HOME'] ?? ''
  // A relative path is invalid by that convention, and is to be ignored.
  return isAbsolute(stated) ? stated : below('.cache')
}

/**
 * The folder for what may be made again at any time: `BACKTAPE_CACHE`, else `backtape` in the folder that the system
 * has for the caches of a user (`XDG_CACHE_HOME` or `~/.cache`, `~/Library/Caches`, `%LOCALAPPDATA%`). Throws
 * OPTION_INVALID where there is none.
 */
export function userCacheFolder(system: CacheSystem = thisSystem()): string {
  const own = system.env[CACHE_VARIABLE] ?? ''
  if (own !== '') return resolve(own)
  const folder = conventionOf(system)
  if (folder !== '') return join(folder, 'backtape')
  const sentence = `Cannot find a folder for caches: the user has no home; name one with ${CACHE_VARIABLE}, or the ` +
    'option cache'
  throw new BacktapeError('OPTION_INVALID', sentence, { field: 'cache', expected: 'a folder' })
}
