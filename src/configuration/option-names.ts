import { BacktapeError } from '../model/error.js'
import { foundText } from '../strategy/parameter-fault.js'
import type { RunOptions } from './run-options.js'
import type { Refusals } from './refusals.js'

/** An option of a backtest. */
type OptionName = keyof RunOptions | 'checkpoints' | 'resume'

const NAMES: Readonly<Record<OptionName, true>> = {
  strategy: true, data: true, parameters: true, account: true, accounts: true, rates: true, outcomes: true,
  assumptions: true, faults: true, corporateActions: true, entryStates: true, seed: true, shuffleSeed: true, from: true,
  to: true, trim: true, masterChanges: true, day: true, journal: true, cache: true, cacheLimitBytes: true, tables: true,
  onProgress: true, onNote: true, signal: true, checkpoints: true, resume: true,
}

const WORDS: readonly (readonly [field: 'trim' | 'masterChanges' | 'tables', words: readonly string[]])[] = [
  ['trim', ['day', 'none']], ['masterChanges', ['refuse', 'accept']], ['tables', ['memory', 'none']],
]

const isFunction = (value: unknown): boolean => typeof value === 'function'
const isText = (value: unknown): boolean => typeof value === 'string'
const isTime = (value: unknown): boolean => typeof value === 'string' || typeof value === 'bigint'
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null
const hasFunction =
  (name: string) =>
  (value: unknown): boolean =>
    isObject(value) && isFunction((value as Readonly<Record<string, unknown>>)[name])

/** What a value must be before anything of it is read. */
const KINDS: readonly (readonly [field: OptionName, is: (value: unknown) => boolean, expected: string])[] = [
  ['from', isTime, 'a time as text or epoch nanoseconds as bigint'],
  ['to', isTime, 'a time as text or epoch nanoseconds as bigint'],
  ['day', isText, 'a day such as "2026-07-01"'],
  ['cache', isText, 'the path of a folder'],
  ['journal', isFunction, 'a function that returns the sink of a world'],
  ['onProgress', isFunction, 'a function'],
  ['onNote', isFunction, 'a function'],
  ['signal', hasFunction('addEventListener'), 'an AbortSignal'],
  ['checkpoints', hasFunction('take'), 'an object with a function take'],
  ['resume', isObject, 'a checkpoint'],
]

function refused(field: string, expected: string, found: string): BacktapeError {
  return new BacktapeError(
    'OPTION_INVALID', `Cannot run with the option ${field}: it must be ${expected}, found ${found}`,
    { field, expected, found },
  )
}

/** When checkpoints are to be taken, where their options are an object. */
function refuseCheckpoints(given: Readonly<Record<string, unknown>>, refusals: Refusals): void {
  const { every, everySteps, begin } = given
  const refuse = (field: string, expected: string, found: unknown): void => {
    refusals.read(() => {
      throw refused(field, expected, foundText(found))
    })
  }
  if (every !== undefined && !isText(every)) refuse('checkpoints.every', 'a duration such as 10ms, 30s or 1h', every)
  if (everySteps !== undefined && !(Number.isSafeInteger(everySteps) && (everySteps as number) >= 1))
    refuse('checkpoints.everySteps', 'a whole number from 1', everySteps)
  if (begin !== undefined && !isFunction(begin)) refuse('checkpoints.begin', 'a function', begin)
}

/**
 * Refuses options that there are not, words that mean nothing, and values of another kind: who calls without a compiler
 * would get another run than the one that was asked for. Where a value is of another kind, what is refused so far is
 * thrown: nothing more of the options can be read.
 */
export function refuseOptions(options: Readonly<Partial<Record<OptionName, unknown>>>, refusals: Refusals): void {
  for (const name of Object.keys(options).filter((key) => !Object.hasOwn(NAMES, key))) {
    refusals.read(() => {
      throw refused(name, `one of ${Object.keys(NAMES).join(', ')}`, `the unknown option ${JSON.stringify(name)}`)
    })
  }
  for (const [field, words] of WORDS) {
    const found: unknown = options[field]
    if (found !== undefined && !words.includes(found as string))
      refusals.read(() => {
        throw refused(field, words.join(' or '), foundText(found))
      })
  }
  const ofOtherKind = KINDS.filter(([field, is]) => options[field] !== undefined && !is(options[field]))
  for (const [field, , expected] of ofOtherKind)
    refusals.read(() => {
      throw refused(field, expected, foundText(options[field]))
    })
  if (isObject(options.checkpoints))
    refuseCheckpoints(options.checkpoints as Readonly<Record<string, unknown>>, refusals)
  if (ofOtherKind.length > 0) refusals.end()
}
