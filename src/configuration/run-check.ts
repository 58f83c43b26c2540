import { Decimal, plainDecimal } from '../model/decimal.js'
import { durationOf, isDurationText } from '../model/duration.js'
import { BacktapeError } from '../model/error.js'
import { fault, type Fault } from '../model/fault.js'
import { isJsonObject, type JsonObject } from '../model/json-object.js'
import { isStopSignal } from '../model/stop-signal.js'
import { epochNsFromText } from '../model/time.js'
import { ONLY_ACCOUNT } from './account-options.js'
import { feedLatencyOf, isFeedLatency, isOrderLatency, isQueueModel } from './assumptions.js'
import { equityEveryOf, type RunOptions } from './run-options.js'
import { orderLatencyOf } from './latency-options.js'
import { SETS_MAX } from './parameter-grid.js'
import {
  compiledCheck, type Check, type Checked, type Meanings, type ProgramForms, type SchemaPart, readSchema,
} from './schema-reader.js'
import { nameOfEntry, type StrategyEntry } from './run-strategies.js'
import { crossedAfterOf } from './crossed-after.js'
import { staleAfterOf } from './stale-after.js'
import type { InstrumentDays } from '../tickfile/data-input.js'

/** A run file as it stands, by `schemas/run.schema.json`: the options of a program, with paths and names as texts. */
export interface RunFileContent extends Omit<RunOptions, 'strategy' | 'strategies' | 'data' | 'from' | 'to'> {
  readonly $schema?: string
  /** A module and a class: `./maker.ts#Maker`. */
  readonly strategy?: string
  /** Several of them, each under a name of its own. */
  readonly strategies?: readonly (Omit<StrategyEntry, 'strategy'> & { readonly strategy: string })[]
  /** Paths, relative to the file, and days of instruments. */
  readonly data: readonly (string | InstrumentDays)[]
  /** A time as text. */
  readonly from?: string
  /** A time as text. */
  readonly to?: string
  /** Where `backtape live` runs the strategy. */
  readonly live?: LiveSection
}

/** The section `live` of a run file. */
export interface LiveSection {
  readonly feeds?: readonly (string | { readonly url: string; readonly market?: string })[]
  readonly backend?: string
  readonly directory?: string
  readonly accounts?: readonly string[]
  readonly keyVariable?: string
  readonly clientId?: string
  readonly transport?: 'auto' | 'websocket' | 'domainSocket'
  readonly giveUpAfter?: string
  readonly cancel?: 'own' | 'all' | 'none'
  /** A folder, relative to the file. */
  readonly record?: string
  /** A duration: so far a paper run stays behind its feeds. */
  readonly lag?: string
}

const words = (read: unknown): string | null => (typeof read === 'string' ? read : null)

/** The keyword `x-meaning` of the schema; texts of another form are the business of its patterns. */
export const RUN_MEANINGS: Meanings = {
  delay: (text) => (isDurationText(text) ? words(durationOf(text, { leastNs: 0 })) : null),
  duration: (text) => (isDurationText(text) ? words(durationOf(text)) : null),
  // A recording is another file; its faults are its own.
  latency: (text) => (text.startsWith('recorded ') ? null : words(orderLatencyOf(text, 'request'))),
  feedLatency: (text) => words(feedLatencyOf(text, 1)),
  equityEvery: (text) => (isDurationText(text) ? words(equityEveryOf(text)) : null),
  staleAfter: (text) => (isDurationText(text) ? words(staleAfterOf(text)) : null),
  crossedAfter: (text) => (isDurationText(text) ? words(crossedAfterOf(text)) : null),
  part: (text) => {
    const plain = plainDecimal(text)
    return plain === null || new Decimal(plain).abs().lt(1) ? null : 'a part of the value, above -1 and below 1'
  },
  time: (text) => {
    try {
      epochNsFromText(text, 0)
      return null
    } catch (error) {
      if (error instanceof BacktapeError) return error.place.expected ?? 'a time'
      throw error
    }
  },
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const isFunction = (value: unknown): boolean => typeof value === 'function'

/** The keyword `x-program` of the schema: what a program may give, its words, and true where it takes no text. */
const FORMS: Readonly<Record<string, readonly [is: (value: unknown) => boolean, words: string, isAlone?: true]>> = {
  strategyClass: [isFunction, 'a class that extends Strategy', true],
  tickInput: [isObject, 'its bytes or a stream of them'],
  profile: [isObject, 'a profile'],
  bigint: [(value) => typeof value === 'bigint', 'epoch nanoseconds as bigint'],
  queueModel: [isQueueModel, 'a model (name, ahead)'],
  orderLatency: [isOrderLatency, 'a model (name, latencyNs)'],
  feedLatency: [isFeedLatency, 'a model (name, timesNs)'],
  function: [isFunction, 'a function'],
  signal: [isStopSignal, 'an AbortSignal'],
}
const FORM_TESTS: ProgramForms = Object.fromEntries(Object.entries(FORMS).map(([name, [is]]) => [name, is]))
const FUNCTION: SchemaPart = { title: 'a function', 'x-program': 'function' }
const FROM_ONE = { title: 'a whole number from 1', type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }

/** The options that a program alone can give. */
const programOptions = (every: SchemaPart): Readonly<Record<string, SchemaPart>> => ({
  journal: { title: 'a function that returns the sink of a world', 'x-program': 'function' },
  cache: { title: 'the path of a folder', type: 'string' },
  cacheLimitBytes: FROM_ONE,
  tables: { title: 'memory or none', enum: ['memory', 'none'] },
  jobs: { title: 'a whole number from 1 to 64', type: 'integer', minimum: 1, maximum: 64 },
  strict: { title: 'true or false', type: 'boolean' },
  onProgress: FUNCTION,
  onNote: FUNCTION,
  signal: { title: 'an AbortSignal', 'x-program': 'signal' },
  checkpoints: {
    title: 'an object with a function take', type: 'object', required: ['take'],
    properties: {
      take: FUNCTION,
      begin: FUNCTION,
      every,
      everySteps: FROM_ONE,
    },
  },
  resume: { title: 'a checkpoint', type: 'object' },
  otherEngine: { title: 'true or false', type: 'boolean' },
})

/** The schema of a file as that of a program: `x-program` opens a place to another form. */
function openToPrograms(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(openToPrograms)
  if (!isObject(part)) return part
  const { 'x-program': form, ...own } = part as SchemaPart
  const open = Object.fromEntries(Object.entries(own).map(([key, value]) => [key, openToPrograms(value)]))
  if (typeof form !== 'string') return open
  const [, other = '', isAlone] = FORMS[form] ?? []
  if (isAlone === true) return { title: other, 'x-program': form }
  return { title: `${own.title ?? ''}, or ${other}`, anyOf: [{ 'x-program': form }, open] }
}

/** The schema of a run file that stands alone: those that it extends are joined before it is checked. */
async function wholeSchema(): Promise<SchemaPart> {
  const { if: _, else: whole, ...schema } = (await readSchema('run')) as SchemaPart & { if?: unknown; else?: object }
  return { ...schema, ...whole }
}

/** The schema of the options of a program. */
async function optionSchema(): Promise<SchemaPart> {
  const { properties = {}, ...open } = openToPrograms(await wholeSchema()) as SchemaPart
  const { $schema: _, extends: __, live: ___, ...shared } = properties
  const every = properties['entryStates']?.properties?.['delayedAfter'] ?? {}
  return { ...open, $id: 'options', properties: { ...shared, ...programOptions(every) } }
}

/** The schemas that the build compiles, by the names that {@link compiledCheck} has for them. */
export const CHECKED_SCHEMAS: Readonly<Record<string, () => Promise<SchemaPart>>> = {
  'run-file': wholeSchema, 'run-options': optionSchema, serve: () => readSchema('serve'),
  'venue-profile': () => readSchema('venue-profile'),
}

let fileCheck: Promise<Check<Partial<RunFileContent>>> | undefined
let optionCheck: Promise<Check<Partial<RunOptions>>> | undefined

/** The faults of a run file, as far as they show without its data. */
export async function checkRunFile(content: unknown): Promise<Checked<Partial<RunFileContent>>> {
  fileCheck ??= compiledCheck('run-file', RUN_MEANINGS)
  return withPlanFaults(content, await (await fileCheck)(content), 'a module and a class such as ./maker.ts#Maker')
}

/** The faults of the options of a program, by the same schema; beside texts it takes what {@link FORMS} has. */
export async function checkOptions(options: unknown): Promise<Checked<Partial<RunOptions>>> {
  optionCheck ??= compiledCheck('run-options', RUN_MEANINGS, FORM_TESTS)
  return withPlanFaults(options, await (await optionCheck)(options), 'a class that extends Strategy')
}

/** The faults between the fields of a plan, which no schema states; `strategy` says what a missing one should be. */
function withPlanFaults<Content extends Partial<RunFileContent> | Partial<RunOptions>>(
  content: unknown, checked: Checked<Content>, strategy: string,
): Checked<Content> {
  if (!isJsonObject(content)) return { ...checked, sound: {} as Content }
  const accounts = isJsonObject(content['accounts']) ? Object.keys(content['accounts']) : [ONLY_ACCOUNT]
  const { parameters } = content
  const tooMany = Array.isArray(parameters) && parameters.length > SETS_MAX
  const between = [
    ...strategyFaults(content, strategy),
    ...(tooMany ? [{ path: 'parameters', expected: `at most ${SETS_MAX} sets`, found: `${parameters.length}` }] : []),
    ...itemsOf(content['faults']).flatMap((one, number) => planFaults(one, `faults[${number}]`, accounts)),
    ...sameNames(itemsOf(content['signals'])),
    ...itemsOf(content['corporateActions']).flatMap((one, number) =>
      dividendFaults(one, `corporateActions[${number}]`),
    ),
  ]
  const known = new Set(checked.faults.map(({ path }) => path))
  return { ...checked, faults: [...checked.faults, ...between.filter(({ path }) => !known.has(path))] }
}

function itemsOf(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.map((one: unknown) => (isJsonObject(one) ? one : {})) : []
}

/** One strategy or several, whose names are all others and those of their parameters. */
function strategyFaults({ strategy, strategies, parameters }: JsonObject, wanted: string): Fault[] {
  if (strategies === undefined) {
    return strategy === undefined ? [{ path: 'strategy', expected: wanted, found: 'nothing' }] : []
  }
  const names = itemsOf(strategies).map(nameOfEntry)
  const sets: readonly (readonly [path: string, set: unknown])[] = Array.isArray(parameters)
    ? parameters.map((set: unknown, at) => [`parameters[${at}]`, set])
    : [['parameters', parameters]]
  return [
    ...(strategy === undefined ? [] : [fault('strategies', 'left out where strategy is stated', 'both')]),
    ...names.flatMap((name, at) => names.indexOf(name) === at
      ? []
      : [fault(`strategies[${at}].name`, 'a name that no other strategy of the run has', name)]),
    ...sets.flatMap(([path, set]) => Object.keys(isJsonObject(set) ? set : {})
      .filter((name) => !names.includes(name))
      .map((name) => fault(path, `parameters by the names of the strategies (${names.join(', ')})`, name))),
  ]
}

/** Signals whose name another one before them has. */
function sameNames(signals: readonly JsonObject[]): Fault[] {
  return signals.flatMap(({ name }, at) =>
    name !== undefined && signals.findIndex((one) => one['name'] === name) < at
      ? [fault(`signals[${at}].name`, 'a name that no other signal has', name)]
      : [],
  )
}

function planFaults({ account, every, for: held }: JsonObject, path: string, accounts: readonly string[]): Fault[] {
  const found: Fault[] = []
  if (typeof account === 'string' && account !== '' && !accounts.includes(account))
    found.push(fault(`${path}.account`, `one of ${accounts.join(', ')}`, account))
  if (typeof every !== 'string' || typeof held !== 'string') return found
  const [everyNs, forNs] = [durationOf(every), durationOf(held)]
  if (typeof everyNs === 'number' && typeof forNs === 'number' && everyNs < forNs)
    found.push(fault(`${path}.for`, `at most ${every}`, held))
  return found
}

function dividendFaults({ dividend }: JsonObject, path: string): Fault[] {
  const { lowPrice, highPrice } = isJsonObject(dividend) ? dividend : {}
  if (typeof lowPrice !== 'string' || typeof highPrice !== 'string') return []
  const [low, high] = [plainDecimal(lowPrice), plainDecimal(highPrice)]
  if (low === null || high === null || new Decimal(low).lte(high)) return []
  return [fault(`${path}.dividend.lowPrice`, `at most highPrice (${highPrice})`, lowPrice)]
}
