import { BacktapeError } from '../model/error.js'

/** A text that a header holds as it is: no space and nothing that ends a line. */
const TOKEN = /^[\x21-\x7e]{1,4096}$/

/** Where a key or token goes to, in words of the error. */
export interface OptionTokenUse {
  /** Name of the option. */
  readonly option: string
  /** The action that needs it: `run live`. */
  readonly action: string
}

/** True for a key or token that can be sent. */
export function isToken(text: unknown): text is string {
  return typeof text === 'string' && TOKEN.test(text)
}

/**
 * A key or token that can be sent. Throws OPTION_INVALID for another, with the name of the option, without its value.
 */
export function optionToken(text: unknown, { option, action }: OptionTokenUse): string {
  if (isToken(text)) return text
  const [expected, found] = ['1 to 4096 visible letters of ASCII', '***']
  throw new BacktapeError(
    'OPTION_INVALID', `Cannot ${action}: ${option} must be ${expected}, found ${found}`,
    { field: option, expected, found },
  )
}
