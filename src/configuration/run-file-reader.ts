import { stat, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, resolve, join, relative } from 'node:path'
import { BacktapeError } from '../model/error.js'
import { foundText, type Fault } from '../model/fault.js'
import type { Strategy } from '../strategy/strategy.js'
import { faultsInFile, readExactJson } from './exact-json-reader.js'
import { RECORDED } from './latency-options.js'
import { checkRunFile, type RunFileContent } from './run-check.js'
import type { RunOptions } from './run-options.js'
import { nameOfEntry, runStrategies } from './run-strategies.js'
import { withOverrides, withParameters, type RunOverrides } from './run-overrides.js'
import { isPattern } from '../tickfile/archive/file-pattern-reader.js'
import { isInstrumentDays, type InstrumentDays } from '../tickfile/data-input.js'
import { selectedPaths } from '../tickfile/data-selection-reader.js'
import { loadStrategy, strategyModulePath } from './strategy-module-reader.js'
import { readAccountProfiles, isProfilePath } from './venue-profile-reader.js'
import { isJsonObject, type JsonObject } from '../model/json-object.js'

/** The same object with the values of some names replaced, where it has them. */
function replaced(fields: JsonObject, by: Readonly<Record<string, (value: unknown) => unknown>>): JsonObject {
  const own = Object.entries(by).filter(([name]) => Object.hasOwn(fields, name))
  return { ...fields, ...Object.fromEntries(own.map(([name, change]) => [name, change(fields[name])])) }
}

/**
 * The content of a run file with every relative path in it replaced: strategy, data, profiles, recorded latencies,
 * signals. What is no path, or has another form than a run file, stays as it is.
 */
export function withPaths<T>(content: T, replace: (path: string) => string): T
export function withPaths(content: unknown, replace: (path: string) => string): unknown {
  if (!isJsonObject(content)) return content
  const path = (value: unknown): unknown =>
    typeof value !== 'string' || value === '' || isAbsolute(value) || value.includes('://') ? value : replace(value)
  const strategy = (value: unknown): unknown => {
    const at = typeof value === 'string' ? value.lastIndexOf('#') : -1
    return typeof value === 'string' && at > 0 ? `${String(path(value.slice(0, at)))}${value.slice(at)}` : value
  }
  const data = (value: unknown): unknown => (isJsonObject(value) ? replaced(value, { in: path }) : path(value))
  const profile = (value: unknown): unknown =>
    typeof value === 'string' && isProfilePath(value) ? path(value) : value
  const latency = (value: unknown): unknown =>
    typeof value === 'string' && value.startsWith(RECORDED)
      ? `${RECORDED}${String(path(value.slice(RECORDED.length)))}`
      : value
  const account = (value: unknown): unknown =>
    isJsonObject(value) ? replaced(value, { profile, requestLatency: latency, responseLatency: latency }) : value
  const accounts = (value: unknown): unknown =>
    isJsonObject(value) ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, account(one)])) : value
  const assumptions = (value: unknown): unknown =>
    isJsonObject(value) ? replaced(value, { requestLatency: latency, responseLatency: latency }) : value
  const signal = (value: unknown): unknown => (isJsonObject(value) ? replaced(value, { file: path }) : value)
  const live = (value: unknown): unknown => (isJsonObject(value) ? replaced(value, { record: path }) : value)
  const entry = (value: unknown): unknown => (isJsonObject(value) ? replaced(value, { strategy }) : value)
  const list = (of: (one: unknown) => unknown) => (value: unknown): unknown =>
    Array.isArray(value) ? value.map(of) : value
  return replaced(content, {
    strategy, account, accounts, assumptions, live,
    data: list(data), signals: list(signal), strategies: list(entry),
  })
}

/** Run files that one may extend, one over the other. */
const PARENTS_MAX = 16

/** The words for a run file in sentences, and the code of an error with faults in it. */
const RUN_FILE = { what: 'run file', code: 'RUN_FILE_INVALID' } as const

/** A run file joined with those that it extends. */
export interface JoinedRunFile {
  /** Its fields over those of its parents; paths are relative to its folder. */
  readonly content: unknown
  /** Paths of its parents, the nearest first. */
  readonly parents: readonly string[]
  /** The same fault; where a parent states the value, its advice names the parent. */
  placed(fault: Fault): Fault
}

/** Objects are joined field by field; any other value of `own`, a list too, stands in place of the parent's. */
export function joined(parent: unknown, own: unknown): unknown {
  if (!isJsonObject(parent) || !isJsonObject(own)) return own
  const result = new Map(Object.entries(parent))
  for (const [name, value] of Object.entries(own))
    result.set(name, result.has(name) ? joined(result.get(name), value) : value)
  return Object.fromEntries(result)
}

/** A fault with more advice. */
function withAdvice(fault: Fault, advice: string): Fault {
  return { ...fault, advice: fault.advice === undefined ? advice : `${fault.advice}; ${advice}` }
}

/** The names and numbers of a path such as `data[0].in`. */
function namesOf(path: string): string[] {
  return [...path.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|[^.[\]]+/g)].map(
    ([whole, number, text]) => number ?? (text === undefined ? whole : (JSON.parse(text) as string)),
  )
}

/** So many names of a path stand in a content. */
export function statedDepth(content: unknown, path: string): number {
  const names = namesOf(path)
  let inner = content
  for (const [depth, name] of names.entries()) {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, name)) return depth
    inner = (inner as Readonly<Record<string, unknown>>)[name]
  }
  return names.length
}

interface Link {
  readonly path: string
  /** Without `extends`; its paths are relative to the folder of the first file. */
  readonly content: unknown
}

/** The parent's path by that of the file; null for a file that extends none. */
function parentOf(content: unknown, path: string): string | null {
  if (!isJsonObject(content) || !Object.hasOwn(content, 'extends')) return null
  const { extends: parent } = content
  if (typeof parent === 'string' && parent !== '') return isAbsolute(parent) ? parent : join(dirname(path), parent)
  refuseParent(path, 'the path of a run file', foundText(parent))
}

/** Throws as a file that extends `parent`, which cannot be. */
function refuseParent(child: string, expected: string, found: string): never {
  throw faultsInFile({ ...RUN_FILE, name: child }, [{ path: 'extends', expected, found }])
}

/** A file and its parents, the file first. */
async function chainOf(path: string): Promise<Link[]> {
  const folder = resolve(dirname(path))
  const links: Link[] = []
  const seen = new Map<string, string>()
  let next: string | null = path
  while (next !== null) {
    const name: string = next
    const child = links.at(-1)?.path
    // Where a file is, whatever leads to it.
    const place = await realpath(name).catch(() => resolve(name))
    if (child !== undefined && seen.has(place)) {
      refuseParent(child, 'a file that does not lead back to one before it', [...seen.values(), name].join(' extends '))
    }
    if (child !== undefined && links.length > PARENTS_MAX)
      refuseParent(child, `at most ${PARENTS_MAX} files, one over the other`, 'more')
    seen.set(place, name)
    const content = await readExactJson({ ...RUN_FILE, place: name, name }).catch((error: unknown) => {
      if (child === undefined || !(error instanceof BacktapeError) || error.code !== 'FILE_NOT_FOUND') throw error
      return refuseParent(child, 'a file that exists', name)
    })
    if (child !== undefined && !isJsonObject(content)) {
      const found = foundText(content)
      throw faultsInFile({ ...RUN_FILE, name }, [{ path: '', expected: 'an object that describes a run', found }])
    }
    next = parentOf(content, name)
    const own = resolve(dirname(name))
    links.push({ path: name, content: withoutParent(child === undefined ? content : moved(content, own, folder)) })
  }
  return links
}

function withoutParent(content: unknown): unknown {
  if (!isJsonObject(content)) return content
  const { extends: _, ...own } = content
  return own
}

/** A parent's content as it would stand in a file of another folder; the schema for its editor is its own. */
function moved(content: unknown, from: string, to: string): unknown {
  if (!isJsonObject(content)) return content
  const { $schema: _, ...own } = content
  return from === to ? own : withPaths(own, (path) => relative(to, resolve(from, path)))
}

/**
 * Reads a run file and those that it extends. Throws as {@link readExactJson} does for each of them, and
 * RUN_FILE_INVALID for `extends` that names no file, leads back to a file before it, or is more than 16 files deep.
 */
async function readJoinedRunFile(path: string): Promise<JoinedRunFile> {
  const links = await chainOf(path)
  const content = links.map((link) => link.content).reduceRight((parent, own) => joined(parent, own))
  const placed = (fault: Fault): Fault => {
    const depths = links.map((link) => statedDepth(link.content, fault.path))
    const deepest = Math.max(...depths)
    const at = depths.indexOf(deepest)
    return at === 0 || deepest === 0 ? fault : withAdvice(fault, `stated in ${links[at]?.path ?? ''}`)
  }
  return { content, parents: links.slice(1).map((link) => link.path), placed }
}

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
    if (typeof (path as unknown) !== 'string' || path === undefined || (await isPattern(path))) continue
    if (await isThere(resolve(folder, path))) continue
    const found = `${JSON.stringify(path)}, which is no file${isAbsolute(path) ? '' : ` in ${folder}`}`
    const at = `data[${index}]${typeof given === 'object' ? '.in' : ''}`
    faults.push({ path: at, expected: 'a file that exists', found, file: path })
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
  { strategy, strategies = [] }: Partial<RunFileContent>, folder: string, kept: string | null,
): Promise<readonly NamedStrategy[]> {
  const places = strategy === undefined
    ? strategies.map((one, at) => [`strategies[${at}].strategy`, one?.strategy] as const)
    : [['strategy', strategy] as const]
  const named: NamedStrategy[] = []
  for (const [path, reference] of places) {
    if (typeof (reference as unknown) !== 'string') continue
    const found = await loadStrategy(reference, folder, kept).catch((error: unknown) => {
      if (error instanceof BacktapeError) return error
      throw error
    })
    named.push({ path, reference, found })
  }
  return named
}

/** Folders of a run file. */
export interface RunFilePlaces {
  /** Where its relative paths begin; default its own folder. */
  readonly beside?: string
  /** Where compiled strategies are kept; by default nowhere. */
  readonly bundles?: string | null
}

/**
 * Reads a run file and loads its strategy; paths in it are relative to it. Throws RUN_FILE_INVALID with every fault at
 * once that shows without its data (path, what was expected, what was found), STRATEGY_NOT_FOUND where the strategy
 * alone is at fault. Values of `overrides` stand in place of those of the file.
 */
export async function readRunFile(
  path: string, overrides: RunOverrides = {}, { beside, bundles = null }: RunFilePlaces = {},
): Promise<RunFile> {
  checkPath(path)
  const run = await readJoinedRunFile(path)
  const content = withOverrides(run.content, overrides)
  const folder = resolve(beside ?? dirname(path))
  const typed = withOverrides({}, overrides)
  // The place of a value that the file itself does not state.
  const placed = (fault: Fault): Fault =>
    statedDepth(typed, fault.path) > 0 ? withAdvice(fault, 'stated on the command line') : run.placed(fault)
  const { faults, sound } = await checkRunFile(content)
  const all = [...faults, ...(await dataFaults(sound.data ?? [], folder))]
  const named = await namedStrategies(sound, folder, bundles)
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

function optionsOf(
  { $schema: _, strategy: __, strategies: ___, live: ____, ...content }: RunFileContent,
): RunOptions {
  return content
}
