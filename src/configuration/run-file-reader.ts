import { stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, resolve } from 'node:path'
import { BacktapeError } from '../model/error.js'
import { foundText } from '../strategy/parameter-fault.js'
import type { ParameterConfig } from '../strategy/parameter-values.js'
import type { Strategy } from '../strategy/strategy.js'
import { feeFaults, hasFields } from './account-validation.js'
import { ONLY_ACCOUNT, type AccountOptions, type AccountsOptions } from './account-options.js'
import { assumptionsFromOptions, type AssumptionOptions } from './assumptions.js'
import { checkActions, type CorporateActionOptions } from './corporate-action-options.js'
import { entryStateRules, type EntryStateOptions } from './entry-state-options.js'
import { readExactJson } from './exact-json-reader.js'
import { faultsFromOptions, type FaultOptions } from './fault-options.js'
import { rateFaults, type MoneyOptions } from './money-options.js'
import { refusalsOf } from './refusals.js'
import { pathPart, runFileError, schemaFaults, type RunFileFault } from './run-file-fault.js'
import type { RunOptions } from './run-options.js'
import { loadStrategy, strategyModulePath } from './strategy-module-reader.js'
import { profileInFolder, readVenueProfile } from './venue-profile-reader.js'
import { readSchema, type Schema } from './schema-reader.js'
import type { MasterChanges } from '../tickfile/lines/term-changes.js'

/** What stands in a run file, as its JSON Schema (`backtape/schemas/run.schema.json`) has it. */
interface RunFileContent extends MoneyOptions {
  readonly $schema?: string
  readonly strategy: string
  readonly data: readonly string[]
  readonly parameters?: ParameterConfig | readonly ParameterConfig[]
  readonly account?: AccountOptions
  readonly accounts?: Readonly<Record<string, AccountOptions>>
  readonly assumptions?: AssumptionOptions
  readonly faults?: readonly FaultOptions[]
  readonly entryStates?: EntryStateOptions
  readonly corporateActions?: readonly CorporateActionOptions[]
  readonly seed?: number
  readonly shuffleSeed?: number
  readonly trim?: 'day' | 'none'
  readonly masterChanges?: MasterChanges
  readonly day?: string
  readonly from?: string
  readonly to?: string
}

/** A run file that was read and whose strategy is loaded. */
export interface RunFile {
  /** As it was named. */
  readonly path: string
  /** `maker` of `runs/maker.run.json`. */
  readonly name: string
  /** What to hand to `runBacktest`. */
  readonly options: RunOptions
  /**
   * Every file that it names, and itself: data, strategy, profiles, recorded latencies. None of them may be an output.
   */
  readonly inputs: readonly string[]
}

let schema: Promise<Schema<RunFileContent>> | undefined

/** A path of the file, relative to its folder. */
function inFolder(folder: string, path: string): string {
  return isAbsolute(path) ? path : resolve(folder, path)
}

async function isThere(path: string): Promise<boolean> {
  const beforeMember = path.slice(0, path.includes('#') ? path.indexOf('#') : undefined)
  return (await stat(path).catch(() => null)) !== null || (await stat(beforeMember).catch(() => null)) !== null
}

async function dataFaults(data: unknown, folder: string): Promise<RunFileFault[]> {
  const faults: RunFileFault[] = []
  for (const [index, path] of (Array.isArray(data) ? (data as unknown[]) : []).entries()) {
    if (typeof path !== 'string' || path === '' || (await isThere(inFolder(folder, path)))) continue
    faults.push({
      path: `data[${index}]`, expected: 'a file that exists',
      found: `${JSON.stringify(path)}, which is no file in ${folder}`,
    })
  }
  return faults
}

/** The strategy, or what is wrong with it; nothing where the schema has refused its name already. */
async function strategyOf(
  reference: unknown, folder: string, faults: readonly RunFileFault[],
): Promise<(new () => Strategy) | BacktapeError | null> {
  if (typeof reference !== 'string' || faults.some(({ path }) => path === 'strategy')) return null
  return loadStrategy(reference, folder).catch((error: unknown) => {
    if (error instanceof BacktapeError) return error
    throw error
  })
}

/**
 * Reads a run file and loads its strategy; paths in it are relative to it. Throws RUN_FILE_INVALID with every fault at
 * once (path, what was expected, what was found), STRATEGY_NOT_FOUND where the strategy alone is at fault.
 */
export async function readRunFile(path: string): Promise<RunFile> {
  checkPath(path)
  const content = await readExactJson({
    place: path, what: 'run file', name: path, refused: (faults) => runFileError(path, faults),
  })
  const folder = resolve(dirname(path))
  schema ??= readSchema<RunFileContent>('run')
  const { root, validate } = await schema
  const faults = validate(content) ? [] : schemaFaults(validate.errors ?? [], root)
  const given = (typeof content === 'object' && content !== null ? content : {}) as GivenContent
  if (!faults.some(({ path: at }) => /^(assumptions|seed|)$/.test(at)))
    faults.push(...assumptionFaults(content as RunFileContent, folder, faults))
  faults.push(...(await dataFaults(given.data, folder)))
  const strategy = await strategyOf(given.strategy, folder, faults)
  if (faults.length > 0 || strategy instanceof BacktapeError)
    faults.push(
      ...moneyFaults(given, faults), ...planFaults(given, faults), ...(await profileFaults(given, faults, folder)),
    )
  if (strategy instanceof BacktapeError) {
    if (faults.length === 0) throw strategy
    faults.push({
      path: 'strategy',
      expected: 'a strategy',
      found: `${JSON.stringify(given.strategy)}: ` +
        strategy.message.replace(`Cannot load the strategy ${String(given.strategy)}: `, ''),
    })
  }
  if (faults.length > 0 || strategy === null || strategy instanceof BacktapeError) throw runFileError(path, faults)
  const options = optionsOf(content as RunFileContent, strategy, folder)
  const name = basename(path).replace(/(\.run)?\.json$/, '')
  return {
    path, name, options,
    inputs: [path, strategyModulePath((content as RunFileContent).strategy, folder), ...namedFiles(options)],
  }
}

function checkPath(path: unknown): void {
  if (typeof path === 'string' && path !== '') return
  const [expected, found] = ['a text', path === '' ? '""' : foundText(path)]
  throw new BacktapeError('OPTION_INVALID', `Cannot read a run file: its path must be ${expected}, found ${found}`, {
    field: 'path', expected, found,
  })
}

/** What only the reading of assumptions finds, such as a range that ends before it begins. */
function assumptionFaults(
  { assumptions, seed }: RunFileContent, folder: string, known: readonly RunFileFault[],
): RunFileFault[] {
  if (assumptions === undefined) return []
  const sent = known.filter(({ path }) => path.startsWith('assumptions'))
  try {
    const found = faultsIn(() => assumptionsFromOptions(assumptionsInFolder(assumptions, folder), seed))
    return found.filter(
      ({ path }) =>
        !sent.some(({ path: other }) => path.startsWith(other) || other.startsWith(path) || other.endsWith(`.${path}`)),
    )
  } catch (error) {
    // Something of another kind than it should be, which is told already, or another file: that is told once this one
    // is sound.
    if (sent.length > 0) return []
    throw error
  }
}

function faultsIn(read: () => unknown): RunFileFault[] {
  try {
    read()
    return []
  } catch (error) {
    const refusals = refusalsOf(error)
    if (refusals.length === 0) throw error
    // What is wrong with another file, a latency recording say, is no fault of this one: it is told as it stands, like
    // one that is missing.
    const elsewhere = refusals.find(({ place }) => place.file !== undefined)
    if (elsewhere !== undefined) throw elsewhere
    return refusals.map(({ place: { field = '', expected = 'another value', found = '' } }) => ({
      path: field, expected, found,
    }))
  }
}

type GivenContent = Partial<Readonly<Record<keyof RunFileContent, unknown>>>

/** What is wrong with fees and rates of a file that is refused already, beside what the schema found of their form. */
function moneyFaults({ account, accounts, rates }: GivenContent, faults: readonly RunFileFault[]): RunFileFault[] {
  const named = [
    ['account', account] as const,
    ...(hasFields(accounts)
      ? Object.entries(accounts).map(([name, one]) => [`accounts${pathPart(name)}`, one] as const)
      : []),
  ]
  const fees = named.flatMap(([at, one]) =>
    hasFields(one) ? feeFaults(one['fees']).map((fault) => ({ ...fault, path: `${at}.${fault.path}` })) : [],
  )
  const sent = new Set(faults.map(({ path }) => path))
  return [...fees, ...(hasFields(rates) ? rateFaults(rates) : [])].filter(({ path }) => !sent.has(path))
}

/**
 * What is wrong with the plans of a file that is refused already, as far as it shows without data: those of a file that
 * is read alone are read with them.
 */
function planFaults(given: GivenContent, faults: readonly RunFileFault[]): RunFileFault[] {
  const isSound = (section: keyof RunFileContent): boolean =>
    given[section] !== undefined && !faults.some(({ path }) => path === '' || path.split(/[.[]/)[0] === section)
  const { faults: plan = [], corporateActions = [], entryStates = {}, accounts } = given as Partial<RunFileContent>
  const accountIds =
    typeof accounts === 'object' && (accounts as unknown) !== null ? Object.keys(accounts) : [ONLY_ACCOUNT]
  return [
    ...(isSound('faults') ? faultsIn(() => faultsFromOptions(plan, accountIds, null)) : []),
    ...(isSound('corporateActions') ? faultsIn(() => checkActions(corporateActions)) : []),
    ...(isSound('entryStates') ? faultsIn(() => entryStateRules(entryStates)) : []),
  ]
}

/**
 * What is wrong with the profiles of a file that is refused already; one that is read alone tells it when the run
 * begins.
 */
async function profileFaults(
  given: GivenContent, faults: readonly RunFileFault[], folder: string,
): Promise<RunFileFault[]> {
  if (faults.some(({ path }) => /^accounts?\b/.test(path))) return []
  const { account, accounts } = given as AccountsOptions
  const named =
    accounts === undefined
      ? [['account', account ?? {}] as const]
      : Object.entries(accounts).map(([name, one]) => [`accounts${pathPart(name)}`, one] as const)
  const found: RunFileFault[] = []
  for (const [at, { profile }] of named) {
    if (profile === undefined) continue
    const error = await readVenueProfile(profileInFolder(folder, profile) as string).then(
      () => null, (thrown: unknown) => thrown,
    )
    if (error instanceof BacktapeError)
      found.push({
        path: `${at}.profile`, expected: 'a venue profile', found: `${JSON.stringify(profile)}: ${error.message}`,
      })
  }
  return found
}

const RECORDED = 'recorded '

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

function optionsOf(content: RunFileContent, strategy: new () => Strategy, folder: string): RunOptions {
  const { $schema: _, data, account, accounts, assumptions, ...rest } = content
  const withProfile = (one: AccountOptions): AccountOptions =>
    one.profile === undefined ? one : { ...one, profile: profileInFolder(folder, one.profile) }
  return {
    ...rest, strategy, data: data.map((path) => inFolder(folder, path)),
    ...(assumptions === undefined ? {} : { assumptions: assumptionsInFolder(assumptions, folder) }),
    ...(account === undefined ? {} : { account: withProfile(account) }),
    ...(accounts === undefined
      ? {}
      : { accounts: Object.fromEntries(Object.entries(accounts).map(([name, one]) => [name, withProfile(one)])) }),
  }
}
