import { BacktapeError } from '../model/error.js'

/** What is wrong with one value of a config. */
export interface ParameterFault {
  /** Where, as one would write it: `quotes[2].size`; empty for the config itself. */
  readonly path: string
  readonly expected: string
  /** What stood there, shortened to 80 characters. */
  readonly found: string
}

/** Thrown by whoever reads a value and cannot; caught with the path of the value. */
export class ValueRefusal extends Error {
  readonly expected: string
  readonly found: string

  constructor(expected: string, found: string) {
    super(`expected ${expected}, found ${found}`)
    this.expected = expected
    this.found = found
  }
}

/** A value as a sentence shows it: JSON, shortened to 80 characters. */
export function foundText(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'bigint') return `${String(value)}n`
  if (typeof value === 'number' || typeof value === 'function' || typeof value === 'symbol')
    return String(value).slice(0, 80)
  try {
    return ((JSON.stringify(value) as string | undefined) ?? typeof value).slice(0, 80)
  } catch {
    return 'a value that is no JSON'
  }
}

/**
 * All faults of a config in one error; its place holds the first. `path` is where the config stands, for one of a list.
 */
export class ParameterError extends BacktapeError {
  readonly owner: string
  readonly faults: readonly ParameterFault[]

  constructor(owner: string, faults: readonly ParameterFault[], path: string | null = null) {
    const [first] = faults
    const words = faults.map(
      ({ path: at, expected, found }) => `${at === '' ? 'the config' : at}: expected ${expected}, found ${found}`,
    )
    const message = faults.length === 1 ? words.join('') : `${faults.length} faults:\n  ${words.join('\n  ')}`
    const field = [path ?? '', first?.path ?? ''].filter((part) => part !== '').join('.')
    super(
      'OPTION_INVALID', `Cannot read ${path ?? 'the parameters'} of ${owner}: ${message}`,
      first === undefined ? {} : { field, expected: first.expected, found: first.found },
    )
    this.owner = owner
    this.faults = faults
  }
}
