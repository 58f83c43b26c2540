import { BacktapeError } from '../model/error.js'

/** Where the URL of an option goes to, in words of the error. */
export interface OptionUrlUse {
  /** Name of the option. */
  readonly option: string
  /** The action that needs it: `run live`. */
  readonly action: string
  /** A URL of its form: `http://host:port`. Its scheme, and the same with TLS, are those that it may have. */
  readonly form: string
}

/**
 * The URL that an option holds. Throws OPTION_INVALID with the name of the option, for a user or
 * password too, and without what may be a key.
 *
 * @example `optionUrl('http://127.0.0.1:8080', { option: 'backend', action: 'run live', form: 'http://host:port' })`
 */
export function optionUrl(text: unknown, { option, action, form }: OptionUrlUse): URL {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : null
  const scheme = form.slice(0, form.indexOf(':'))
  const isOfForm = url !== null && url.host !== '' && (url.protocol === `${scheme}:` || url.protocol === `${scheme}s:`)
  const hasUser = isOfForm && (url.username !== '' || url.password !== '')
  if (isOfForm && !hasUser) return url
  const expected = hasUser ? `a URL without user and password, such as ${form}` : `a URL such as ${form}`
  const found = shownUrl(text)
  throw new BacktapeError(
    'OPTION_INVALID', `Cannot ${action}: ${option} must be ${expected}, found ${found}`,
    { field: option, expected: form, found },
  )
}

/**
 * A URL as messages name it: without user, password and query, where a key may stand. A text that is none as it
 * stands, these parts as `***`; anything else by its type.
 */
export function shownUrl(text: unknown): string {
  if (typeof text !== 'string') return text === null ? 'null' : typeof text
  const url = URL.canParse(text) ? new URL(text) : null
  return url === null || url.host === '' ? maskedText(text) : `${url.protocol}//${url.host}${url.pathname}`
}

const SHOWN_LENGTH = 200

/** Masks what stands before the last @, behind the first ? or #, and behind each =: wherever a URL has its secrets. */
function maskedText(text: string): string {
  const end = /[?#]/.exec(text)?.index ?? text.length
  const at = text.lastIndexOf('@')
  const scheme = /^[a-z][a-z\d+.-]*:\/\//i.exec(text)?.[0] ?? ''
  const place = at < 0 ? text.slice(0, end) : `${scheme}***@${text.slice(at + 1, Math.max(at + 1, end))}`
  const shown = place.replace(/=.*/s, '=***') + (end < text.length && end > at ? `${text[end] ?? ''}***` : '')
  return JSON.stringify(shown.slice(0, SHOWN_LENGTH))
}
