import { stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, resolve } from 'node:path'
import { BacktapeError } from '../model/error.js'
import { foundText, type Fault } from '../model/fault.js'
import type { Strategy } from '../strategy/strategy.js'
import type { AccountOptions, AccountsOptions } from './account-options.js'
import type { AssumptionOptions } from './assumptions.js'
import { faultsInFile, readExactJson } from './exact-json-reader.js'
import { RECORDED } from './latency-options.js'
import { checkRunFile, type RunFileContent } from './run-check.js'
import type { RunOptions } from './run-options.js'
import { withOverrides, withParameters, type RunOverrides } from './run-overrides.js'
import { loadStrategy, strategyModulePath } from './strategy-module-reader.js'
import { profileInFolder, readAccountProfiles } from './venue-profile-reader.js'

/** A run file that was read and whose strategy is loaded. */
export interface RunFile {
  /** As it was named. */
  readonly path: string
  /** `maker` of `runs/maker.run.json`. */
  readonly name: string
  /** The options for `runBacktest`. */
  readonly options: RunOptions
  /**
   * Every file that it names, and itself: data, strategy, profiles, recorded latencies. None of them may be an output.
   */
  readonly inputs: readonly string[]
}

const RUN_FILE = { what: 'run file', code: 'RUN_FILE_INVALID' } as const

/** A path of the file, relative to its folder. */
function inFolder(folder: string, path: string): string {
  return isAbsolute(path) ? path : resolve(folder, path)
}

async function isThere(path: string): Promise<boolean> {
  const beforeMember = path.slice(0, path.includes('#') ? path.indexOf('#') : undefined)
  return (await stat(path).catch(() => null)) !== null || (await stat(beforeMember).catch(() => null)) !== null
}

async function dataFaults(data: readonly string[], folder: string): Promise<Fault[]> {
  const faults: Fault[] = []
  for (const [index, path] of data.entries()) {
    // A path that is none is a fault already.
    if (typeof (path as unknown) !== 'string' || (await isThere(inFolder(folder, path)))) continue
    const found = `${JSON.stringify(path)}, which is no file${isAbsolute(path) ? '' : ` in ${folder}`}`
    faults.push({ path: `data[${index}]`, expected: 'a file that exists', found })
  }
  return faults
}

/** The strategy, or why there is none; null where the reference is a fault already. */
async function strategyOf(
  reference: string | undefined, folder: string,
): Promise<(new () => Strategy) | BacktapeError | null> {
  if (reference === undefined) return null
  return loadStrategy(reference, folder).catch((error: unknown) => {
    if (error instanceof BacktapeError) return error
    throw error
  })
}

/**
 * Reads a run file and loads its strategy; paths in it are relative to it. Throws RUN_FILE_INVALID with every fault at
 * once that shows without its data (path, what was expected, what was found), STRATEGY_NOT_FOUND where the strategy
 * alone is at fault. Values of `overrides` stand in place of those of the file.
 */
export async function readRunFile(path: string, overrides: RunOverrides = {}): Promise<RunFile> {
  checkPath(path)
  const content = withOverrides(await readExactJson({ ...RUN_FILE, place: path, name: path }), overrides)
  const folder = resolve(dirname(path))
  const { faults, sound } = await checkRunFile(content)
  const all = [...faults, ...(await dataFaults(sound.data ?? [], folder))]
  const strategy = await strategyOf(sound.strategy, folder)
  if (all.length > 0) {
    await readAccountProfiles(inFolderOf(sound, folder), all)
    if (strategy instanceof BacktapeError) all.push(strategyFault(sound.strategy, strategy))
    throw faultsInFile({ ...RUN_FILE, name: path }, all)
  }
  if (strategy === null || strategy instanceof BacktapeError)
    throw strategy ?? faultsInFile({ ...RUN_FILE, name: path }, all)
  const whole = content as RunFileContent
  const parameters = withParameters(whole.parameters, overrides, strategy)
  const options = optionsOf({ ...whole, ...(parameters === undefined ? {} : { parameters }) }, strategy, folder)
  const name = basename(path).replace(/(\.run)?\.json$/, '')
  return { path, name, options, inputs: [path, strategyModulePath(whole.strategy, folder), ...namedFiles(options)] }
}

function strategyFault(reference: string | undefined, { message }: BacktapeError): Fault {
  return {
    path: 'strategy', expected: 'a strategy that can be loaded', found: `${JSON.stringify(reference)}: ${message}`,
  }
}

function checkPath(path: unknown): void {
  if (typeof path === 'string' && path !== '') return
  const [expected, found] = ['a text', foundText(path)]
  throw new BacktapeError('OPTION_INVALID', `Cannot read a run file: its path must be ${expected}, found ${found}`, {
    field: 'path', expected, found,
  })
}

/** Assumptions with the paths of recorded latencies made absolute. */
function assumptionsInFolder(assumptions: AssumptionOptions, folder: string): AssumptionOptions {
  const latency = <T>(value: T): T | string =>
    typeof value === 'string' && value.startsWith(RECORDED)
      ? RECORDED + inFolder(folder, value.slice(RECORDED.length))
      : value
  const { requestLatency, responseLatency } = assumptions
  return {
    ...assumptions,
    ...(requestLatency === undefined ? {} : { requestLatency: latency(requestLatency) }),
    ...(responseLatency === undefined ? {} : { responseLatency: latency(responseLatency) }),
  }
}

/** Paths in the options of a run file, which are absolute there. */
function namedFiles({ data, account, accounts, assumptions }: RunOptions): string[] {
  const latencies = [assumptions?.requestLatency, assumptions?.responseLatency].filter((one) => typeof one === 'string')
  const profiles = [account, ...Object.values(accounts ?? {})]
    .map((one) => one?.profile)
    .filter((one) => typeof one === 'string')
  return [
    ...data.filter((one) => typeof one === 'string'), ...profiles,
    ...latencies.filter((one) => one.startsWith(RECORDED)).map((one) => one.slice(RECORDED.length)),
  ]
}

/** The same accounts, with the paths of profiles made absolute. */
function inFolderOf({ account, accounts }: AccountsOptions, folder: string): AccountsOptions {
  const absolute = (one: AccountOptions): AccountOptions =>
    one.profile === undefined ? one : { ...one, profile: profileInFolder(folder, one.profile) }
  return {
    ...(account === undefined ? {} : { account: absolute(account) }),
    ...(accounts === undefined
      ? {}
      : { accounts: Object.fromEntries(Object.entries(accounts).map(([name, one]) => [name, absolute(one)])) }),
  }
}

function optionsOf(content: RunFileContent, strategy: new () => Strategy, folder: string): RunOptions {
  const { $schema: _, data, assumptions, ...rest } = content
  return {
    ...rest, ...inFolderOf(content, folder), strategy, data: data.map((path) => inFolder(folder, path)),
    ...(assumptions === undefined ? {} : { assumptions: assumptionsInFolder(assumptions, folder) }),
  }
}
