import { stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, resolve } from 'node:path'
import { BacktapeError } from '../model/error.js'
import { foundText, type Fault } from '../model/fault.js'
import type { Strategy } from '../strategy/strategy.js'
import { faultsInFile } from './exact-json-reader.js'
import { RECORDED } from './latency-options.js'
import { checkRunFile, type RunFileContent } from './run-check.js'
import type { RunOptions } from './run-options.js'
import { readJoinedRunFile, RUN_FILE, statedDepth, withAdvice } from './run-file-parents-reader.js'
import { withPaths } from './run-file-paths.js'
import { nameOfEntry, runStrategies } from './run-strategies.js'
import { withOverrides, withParameters, type RunOverrides } from './run-overrides.js'
import { isPattern } from '../tickfile/archive/file-pattern-reader.js'
import { isInstrumentDays, type InstrumentDays } from '../tickfile/data-input.js'
import { selectedPaths } from '../tickfile/data-selection-reader.js'
import { loadStrategy, strategyModulePath } from './strategy-module-reader.js'
import { readAccountProfiles } from './venue-profile-reader.js'

/** A run file that was read and whose strategy is loaded. */
export interface RunFile {
  /** As it was named. */
  readonly path: string
  /** `maker` of `runs/maker.run.json`. */
  readonly name: string
  /** The options for `runBacktest`. */
  readonly options: RunOptions
  /**
   * Every file that it names, its parents and itself: data, strategy, profiles, recorded latencies, signals. None of
   * them may be an output.
   */
  readonly inputs: readonly string[]
  /** Its fields, those of its parents and the overrides as one run file beside it would state them. */
  readonly content: RunFileContent
}

async function isThere(path: string): Promise<boolean> {
  const beforeMember = path.slice(0, path.includes('#') ? path.indexOf('#') : undefined)
  return (await stat(path).catch(() => null)) !== null || (await stat(beforeMember).catch(() => null)) !== null
}

async function dataFaults(data: RunFileContent['data'], folder: string): Promise<Fault[]> {
  const faults: Fault[] = []
  for (const [index, one] of data.entries()) {
    // An input that is none is a fault already.
    const given = one as string | InstrumentDays | undefined
    const path = typeof given === 'object' ? given.in : given
    if (typeof (path as unknown) !== 'string' || path === undefined || isPattern(path)) continue
    if (await isThere(resolve(folder, path))) continue
    const found = `${JSON.stringify(path)}, which is no file${isAbsolute(path) ? '' : ` in ${folder}`}`
    const at = `data[${index}]${typeof given === 'object' ? '.in' : ''}`
    faults.push({ path: at, expected: 'a file that exists', found })
  }
  return faults
}

/** A strategy that a run file names, or why it is none. */
interface NamedStrategy {
  /** The place of its reference in the file. */
  readonly path: string
  readonly reference: string
  readonly found: (new () => Strategy) | BacktapeError
}

/** The strategies of a run file, loaded; references that are faults already are left out. */
async function namedStrategies(
  { strategy, strategies = [] }: Partial<RunFileContent>, folder: string,
): Promise<readonly NamedStrategy[]> {
  const places = strategy === undefined
    ? strategies.map((one, at) => [`strategies[${at}].strategy`, one?.strategy] as const)
    : [['strategy', strategy] as const]
  const named: NamedStrategy[] = []
  for (const [path, reference] of places) {
    if (typeof (reference as unknown) !== 'string') continue
    const found = await loadStrategy(reference, folder).catch((error: unknown) => {
      if (error instanceof BacktapeError) return error
      throw error
    })
    named.push({ path, reference, found })
  }
  return named
}

/**
 * Reads a run file and loads its strategy; paths in it are relative to it. Throws RUN_FILE_INVALID with every fault at
 * once that shows without its data (path, what was expected, what was found), STRATEGY_NOT_FOUND where the strategy
 * alone is at fault. Values of `overrides` stand in place of those of the file.
 */
export async function readRunFile(path: string, overrides: RunOverrides = {}): Promise<RunFile> {
  checkPath(path)
  const run = await readJoinedRunFile(path)
  const content = withOverrides(run.content, overrides)
  const folder = resolve(dirname(path))
  const typed = withOverrides({}, overrides)
  // The place of a value that the file itself does not state.
  const placed = (fault: Fault): Fault =>
    statedDepth(typed, fault.path) > 0 ? withAdvice(fault, 'stated on the command line') : run.placed(fault)
  const { faults, sound } = await checkRunFile(content)
  const all = [...faults, ...(await dataFaults(sound.data ?? [], folder))]
  const named = await namedStrategies(sound, folder)
  const lost = named.flatMap((one) => (one.found instanceof BacktapeError ? [{ ...one, error: one.found }] : []))
  const refusal = (): BacktapeError => faultsInFile({ ...RUN_FILE, name: path }, all.map(placed))
  if (all.length > 0) {
    await readAccountProfiles(withPaths(sound, (one) => resolve(folder, one)), all)
    all.push(...lost.map(strategyFault))
    throw refusal()
  }
  for (const { error } of lost) throw error
  const own = content as RunFileContent
  const loaded = loadedOptions(own, named)
  const parameters = withParameters(own.parameters, overrides, runStrategies(loaded))
  const whole = { ...own, ...(parameters === undefined ? {} : { parameters }) }
  const options = { ...optionsOf(withPaths(whole, (one) => resolve(folder, one))), ...loaded }
  const name = basename(path).replace(/(\.run)?\.json$/, '')
  const modules = named.map(({ reference }) => strategyModulePath(reference, folder))
  const inputs = [path, ...run.parents, ...modules, ...(await namedFiles(options))]
  return { path, name, options, inputs, content: whole }
}

/** The loaded classes in the place of their references. */
function loadedOptions(
  { strategy, strategies = [] }: RunFileContent, named: readonly NamedStrategy[],
): Pick<RunOptions, 'strategy' | 'strategies'> {
  const classes = named.map(({ found }) => found as new () => Strategy)
  const [only] = classes
  if (strategy !== undefined) return only === undefined ? {} : { strategy: only }
  return {
    strategies: strategies.flatMap((entry, at) => {
      const loaded = classes[at]
      return loaded === undefined ? [] : [{ ...entry, name: nameOfEntry(entry), strategy: loaded }]
    }),
  }
}

function strategyFault(
  { path, reference, error }: { readonly path: string; readonly reference: string; readonly error: BacktapeError },
): Fault {
  return { path, expected: 'a strategy that can be loaded', found: `${JSON.stringify(reference)}: ${error.message}` }
}

function checkPath(path: unknown): void {
  if (typeof path === 'string' && path !== '') return
  const [expected, found] = ['a text', foundText(path)]
  throw new BacktapeError('OPTION_INVALID', `Cannot read a run file: its path must be ${expected}, found ${found}`, {
    field: 'path', expected, found,
  })
}

/** Paths in the options of a run file, which are absolute there. */
async function namedFiles({ data, account, accounts, assumptions, signals = [] }: RunOptions): Promise<string[]> {
  const latencies = [assumptions, account, ...Object.values(accounts ?? {})]
    .flatMap((one) => [one?.requestLatency, one?.responseLatency])
    .filter((one) => typeof one === 'string')
  const profiles = [account, ...Object.values(accounts ?? {})]
    .map((one) => one?.profile)
    .filter((one) => typeof one === 'string')
  const paths: string[] = []
  for (const one of data) {
    const place = typeof one === 'string' ? one : isInstrumentDays(one) ? one.in : null
    if (place !== null) paths.push(...(await selectedPaths(place)))
  }
  return [
    ...paths, ...profiles, ...signals.map(({ file }) => file),
    ...latencies.filter((one) => one.startsWith(RECORDED)).map((one) => one.slice(RECORDED.length)),
  ]
}

function optionsOf({ $schema: _, strategy: __, strategies: ___, ...content }: RunFileContent): RunOptions {
  return content
}
