import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { BacktapeError } from '../model/error.js'

/** The parts of a system that say where its user keeps things. */
export interface UserSystem {
  /** As `process.platform` has it. */
  readonly platform: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The user's home; empty where there is none. */
  readonly home: string
}

/** A folder of a user, by the conventions of systems. */
interface UserFolderKind {
  readonly words: string
  /** The variable that names another folder. */
  readonly variable: string
  readonly xdg: string
  /** Names below the home, where nothing else says it. */
  readonly linux: readonly string[]
  readonly mac: readonly string[] | null
  readonly windowsVariable: string
  readonly windows: readonly string[]
  /** The way to name another folder, behind the variable. */
  readonly advice: string
}

const CACHE: UserFolderKind = {
  words: 'caches', variable: 'BACKTAPE_CACHE', xdg: 'XDG_CACHE_HOME', linux: ['.cache'], mac: ['Library', 'Caches'],
  windowsVariable: 'LOCALAPPDATA', windows: ['AppData', 'Local'], advice: ', or the option cache',
}
const CONFIG: UserFolderKind = {
  words: 'the configuration', variable: 'BACKTAPE_CONFIG', xdg: 'XDG_CONFIG_HOME', linux: ['.config'], mac: null,
  windowsVariable: 'APPDATA', windows: ['AppData', 'Roaming'], advice: '',
}

const STATE: UserFolderKind = {
  words: 'state', variable: 'BACKTAPE_STATE', xdg: 'XDG_STATE_HOME', linux: ['.local', 'state'], mac: null,
  windowsVariable: 'LOCALAPPDATA', windows: ['AppData', 'Local'], advice: '',
}

function thisSystem(): UserSystem {
  let home = ''
  try {
    home = homedir()
  } catch {
    // A user without an entry has none.
  }
  return { platform: process.platform, env: process.env, home }
}

/** The folder by the conventions of a system; empty where there is none. */
function conventionOf(kind: UserFolderKind, { platform, env, home }: UserSystem): string {
  const below = (names: readonly string[]): string => (isAbsolute(home) ? join(home, ...names) : '')
  if (platform === 'win32') return env[kind.windowsVariable] ?? below(kind.windows)
  if (platform === 'darwin' && kind.mac !== null) return below(kind.mac)
  const stated = env[kind.xdg] ?? ''
  // A relative path is invalid by that convention, and is to be ignored.
  return isAbsolute(stated) ? stated : below(kind.linux)
}

function folderOf(kind: UserFolderKind, system: UserSystem): string {
  const own = system.env[kind.variable] ?? ''
  if (own !== '') return resolve(own)
  const folder = conventionOf(kind, system)
  if (folder !== '') return join(folder, 'backtape')
  const advice = `name one with ${kind.variable}${kind.advice}`
  const sentence = `Cannot find a folder for ${kind.words}: the user has no home; ${advice}`
  throw new BacktapeError('OPTION_INVALID', sentence, { field: kind.variable, expected: 'a folder' })
}

/**
 * The folder for what may be made again at any time: `BACKTAPE_CACHE`, else `backtape` in the folder that the system
 * has for the caches of a user (`XDG_CACHE_HOME` or `~/.cache`, `~/Library/Caches`, `%LOCALAPPDATA%`). Throws
 * OPTION_INVALID where there is none.
 */
export function userCacheFolder(system: UserSystem = thisSystem()): string {
  return folderOf(CACHE, system)
}

/**
 * The folder for what a user wants to keep, secrets too: `BACKTAPE_CONFIG`, else `backtape` in the folder that the
 * system has for the configuration of a user (`XDG_CONFIG_HOME` or `~/.config`, `%APPDATA%`). Throws OPTION_INVALID
 * where there is none.
 */
export function userConfigFolder(system: UserSystem = thisSystem()): string {
  return folderOf(CONFIG, system)
}

/**
 * The folder for what a program remembers from run to run: `BACKTAPE_STATE`, else `backtape` in the folder that the
 * system has for the state of a user (`XDG_STATE_HOME` or `~/.local/state`, `%LOCALAPPDATA%`). Throws OPTION_INVALID
 * where there is none.
 */
export function userStateFolder(system: UserSystem = thisSystem()): string {
  return folderOf(STATE, system)
}
