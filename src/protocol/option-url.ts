import { BacktapeError } from '../model/error.js'

/** Where the URL of an option goes to, in words of the error. */
export interface OptionUrlUse {
  /** Name of the option. */
  readonly option: string
  /** The action that needs it: `run live`. */
  readonly action: string
  /** A URL of its form: `http://host:port`. Its scheme, and the same with TLS, are those that it may have. */
  readonly form: string
  /** Other schemes that it may have. */
  readonly alsoSchemes?: readonly string[]
}

/**
 * The URL that an option holds. Throws OPTION_INVALID with the name of the option, for a user, password
 * or fragment too, and without what may be a secret.
 *
 * @example `optionUrl('http://127.0.0.1:8080', { option: 'backend', action: 'run live', form: 'http://host:port' })`
 */
export function optionUrl(text: unknown, { option, action, form, alsoSchemes = [] }: OptionUrlUse): URL {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : null
  const scheme = form.slice(0, form.indexOf(':'))
  const schemes = [scheme, ...alsoSchemes].flatMap((one) => [`${one}:`, `${one}s:`])
  const isOfForm = url !== null && url.host !== '' && schemes.includes(url.protocol)
  const hasMore = isOfForm && (url.username !== '' || url.password !== '' || url.hash !== '')
  if (isOfForm && !hasMore) return url
  const expected = `a URL ${hasMore ? 'without user, password and fragment, ' : ''}such as ${form}`
  const found = shownUrl(text)
  throw new BacktapeError(
    'OPTION_INVALID', `Cannot ${action}: ${option} must be ${expected}, found ${found}`,
    { field: option, expected: form, found },
  )
}

/**
 * A URL as messages name it: without user, password, query and fragment, where a key may stand. A text that is none is
 * shown where it is a host with port and path and nothing else; anything else by its type.
 */
export function shownUrl(text: unknown): string {
  if (typeof text !== 'string') return text === null ? 'null' : typeof text
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || url.host === '') return maskedText(text)
  // A slash in a password ends the host too early: the rest of it stands before the @.
  return AT.test(url.pathname) ? `${url.protocol}//***` : `${url.protocol}//${url.host}${url.pathname}`
}

/** Words, names with dots and addresses: a key has digits without dots, or capitals. */
const HOST = '[a-z-]{0,20}|[a-z\\d-]{1,40}(\\.[a-z\\d-]{1,40}){1,5}|\\[[\\da-f:]{2,40}\\]'
const PLAIN = new RegExp(`^([a-z]{0,9}://)?(${HOST})(:\\d{0,5})?(/[a-z\\d./-]{0,60})?$`)

/** An @, however it is written. */
const AT = /@|\uff20|%(25)*40|%EF%BC%A0/i

function maskedText(text: string): string {
  const [place = ''] = text.split(/[?#]/, 1)
  const rest = text.slice(place.length)
  // A percent sign may hide what stands for an @.
  if (!/[@%\uff20]/.test(text) && PLAIN.test(place))
    return JSON.stringify(place + (rest === '' ? '' : `${rest.slice(0, 1)}***`))
  return JSON.stringify(`${/^[a-z]{1,9}:\/\//i.exec(text)?.[0] ?? ''}***`)
}
