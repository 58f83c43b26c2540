import { BacktapeError } from './error.js'
import { suggestion } from './suggestion.js'

/** The names of options: the compiler asks for a new one. */
export type OptionNames<Options> = { readonly [Name in keyof Options]-?: true }

/**
 * Throws OPTION_INVALID for options that are no object, and for a name that is no option: a misspelt one would be
 * ignored in silence. `action` is what would fail: `make a table`.
 */
export function checkOptionNames<Options extends object>(
  action: string, options: Options, names: OptionNames<Options>,
): void {
  // Programs without types pass anything.
  const given: unknown = options
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    const [expected, found] = ['an object', JSON.stringify(given) ?? typeof given]
    throw new BacktapeError('OPTION_INVALID', `Cannot ${action}: the options must be ${expected}, found ${found}`, {
      field: 'options', expected, found: found.slice(0, 80),
    })
  }
  const known = Object.keys(names)
  const name = Object.keys(given).find((one) => !known.includes(one))
  if (name === undefined) return
  const [expected, found] = [`one of ${known.join(', ')}`, `the unknown option ${JSON.stringify(name.slice(0, 80))}`]
  throw new BacktapeError(
    'OPTION_INVALID', `Cannot ${action}: an option must be ${expected}, found ${found}${suggestion(name, known)}`,
    { field: name.slice(0, 80), expected, found },
  )
}
