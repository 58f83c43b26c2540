import { BacktapeError } from '../model/error.js'
import { foundText } from '../strategy/parameter-fault.js'
import type { BacktestOptions } from './backtest-options.js'
import type { Refusals } from './refusals.js'

const NAMES: Readonly<Record<keyof BacktestOptions, true>> = {
  strategy: true, data: true, parameters: true, account: true, accounts: true, rates: true, outcomes: true, assumptions: true, faults: true, corporateActions: true,
  entryStates: true, seed: true, shuffleSeed: true, from: true, to: true, trim: true, day: true, journal: true, cache: true, cacheLimitBytes: true, tables: true,
  onProgress: true, signal: true, checkpoints: true, resume: true,
}

const WORDS: readonly (readonly [field: 'trim' | 'tables', words: readonly string[]])[] = [['trim', ['day', 'none']], ['tables', ['memory', 'none']]]

function refused(field: string, expected: string, found: string): BacktapeError {
  return new BacktapeError('OPTION_INVALID', `Cannot run with the option ${field}: it must be ${expected}, found ${found}`, { field, expected, found })
}

/** Refuses options that there are not and words that mean nothing: who calls without a compiler would get another run than the one that was asked for. */
export function refuseOptions(options: BacktestOptions, refusals: Refusals): void {
  for (const name of Object.keys(options).filter((key) => !Object.hasOwn(NAMES, key))) {
    refusals.read(() => { throw refused(name, `one of ${Object.keys(NAMES).join(', ')}`, `the unknown option ${JSON.stringify(name)}`) })
  }
  for (const [field, words] of WORDS) {
    const found: unknown = options[field]
    if (found !== undefined && !words.includes(found as string)) refusals.read(() => { throw refused(field, words.join(' or '), foundText(found)) })
  }
}
