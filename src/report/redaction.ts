/* What a report never shows: absolute paths, which name people and machines, and values of keys, tokens, passwords. */

/** Stands where a secret stood. */
export const LEFT_OUT = '(left out)'

const SECRET_NAME = new RegExp(
  '(^|[^a-z])(api|access|secret|private|signing|encryption|session)?[-_. ]?(key|keys)([-_. ]?(id|value|text))?$|' +
    'token|secret|passw|passphrase|credential|authorization|bearer|cookie|apikey|accesskey|privatekey|mnemonic', 'i',
)
/** Names with `token` or `key` in them that are no secrets. */
const OPEN_NAME = /^(tokens?_?count|sort_?key)$/i
/** `key=value` and `token: value` within a sentence. */
const SECRET_PAIR = new RegExp(
  '\\b((?:[a-z]+[-_ ]?)?(?:api[-_ ]?key|access[-_ ]?key|private[-_ ]?key|secret(?:[-_ ]?key)?|token|password|passwd|' +
    'passphrase|authorization|credentials?))(["\']?\\s*[:=]\\s*["\']?)((?:bearer|basic)\\s+)?' +
    '([^\\s"\',;&)}\\]]+)', 'gi',
)
const BEARER = /\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi
/** Forms of tokens that are known by their look: JSON web tokens, keys of well-known services, PEM blocks. */
const KNOWN_TOKEN = new RegExp(
  '\\beyJ[\\w-]{8,}\\.[\\w-]{4,}\\.[\\w-]*|' +
    '\\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)[-_]?[\\w-]{8,}|\\bsk-[\\w-]{16,}|' +
    '\\bgh[pousr]_\\w{16,}|\\bgithub_pat_\\w{16,}|\\bglpat-[\\w-]{12,}|\\bxox[abprs]-[\\w-]{8,}|\\bAKIA[0-9A-Z]{12,}|' +
    '-----BEGIN [A-Z ]*PRIVATE KEY-----[\\s\\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)', 'g',
)
const URL_USER = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi

/** A text that is one absolute path. */
const WHOLE_PATH = /^(?:file:\/\/|~[\w.-]*[\\/]|\/(?!\/)[^/\n]+\/|[A-Za-z]:[\\/]|\\\\[^\\\s]+\\)[^\n]*$/
/** A sign of a name within a sentence: quotes of a name stand between letters, its brackets are closed. */
const SIGN = String.raw`(?:[^\s/\\"'\`<>|()\]},;:]|(?<=\w)'(?=\w)|\([^()\s/\\]*\))`
const LINK = String.raw`[\\/]{1,2}`
/**
 * Folders and the last name: a folder's name may have spaces, as a separator follows it. The last name ends at a space:
 * what follows of it stays too.
 */
const FOLDERS = String.raw`(?:${LINK}${SIGN}+(?: {1,2}${SIGN}+){0,6}(?=[\\/]))*`
const LAST = String.raw`${LINK}${SIGN}+[\\/]?`
const PATHS: readonly RegExp[] = [
  String.raw`\bfile:\/{0,2}(?=\/)${FOLDERS}(?:${LAST})?`,
  String.raw`(?<!\w)[A-Za-z]:(?=\\)${FOLDERS}${LAST}`,
  String.raw`(?<!\w)[A-Za-z]:(?=\/${SIGN})${LINK}${SIGN}+(?: {1,2}${SIGN}+){0,6}${FOLDERS}${LAST}`,
  String.raw`(?<![\w\\])(?=\\\\)\\{2,4}${SIGN}+${FOLDERS}${LAST}`,
  String.raw`(?<![\w/.:@-])~(?:[A-Za-z_][\w.-]*)?${FOLDERS}${LAST}`,
  String.raw`(?<![\w/.:@-])${LINK}${SIGN}+${FOLDERS}${LAST}`,
  String.raw`(?<=\w:)(?=\/${SIGN})${LINK}${SIGN}+${FOLDERS}${LAST}`,
].map((pattern) => new RegExp(pattern, 'g'))

function lastName(path: string): string {
  const names = path.split(/[\\/]+/).filter((name) => name !== '')
  return names.at(-1) ?? ''
}

/** A text without absolute paths, of which their last name stays, and without secrets. */
export function redactedText(text: string): string {
  if (WHOLE_PATH.test(text)) {
    const [, path = text, rest = ''] = /^(.*?\.\w{1,8})(#.*)$/s.exec(text) ?? []
    return redactedSecrets(`${lastName(path)}${rest}`)
  }
  let found = redactedSecrets(text)
  for (const path of PATHS) found = found.replace(path, lastName)
  return found
}

function redactedSecrets(text: string): string {
  return text
    .replace(URL_USER, `$1${LEFT_OUT}@`)
    .replace(KNOWN_TOKEN, LEFT_OUT)
    .replace(SECRET_PAIR, (_all, name: string, mark: string) => `${name}${mark}${LEFT_OUT}`)
    .replace(BEARER, (_all, word: string) => `${word} ${LEFT_OUT}`)
}

/** True for the name of a value that is a secret: `apiKey`, `auth_token`, `password`. */
export function isSecretName(name: string): boolean {
  const spaced = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2')
  return SECRET_NAME.test(spaced) && !OPEN_NAME.test(name)
}

/** A text of JSON whose texts {@link redactedText} has seen; numbers stay the digits that they are. */
export function redactedJson(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"/g, (literal) => (
    literal.includes('/') || literal.includes('\\') || literal.length > 12
      ? JSON.stringify(redactedText(JSON.parse(literal) as string)) : literal))
}

/** Plain data as {@link redactedText} leaves its texts; the values of secrets by their names are left out. */
export function redacted<Value>(value: Value): Value {
  return redactedValue(value) as Value
}

function redactedValue(value: unknown): unknown {
  if (typeof value === 'string') return redactedText(value)
  if (Array.isArray(value)) return value.map(redactedValue)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, own]) => [
    redactedText(name), isSecretName(name) && isFilled(own) ? LEFT_OUT : redactedValue(own),
  ]))
}

/** False for what says nothing: null, a truth value, an empty text. */
function isFilled(value: unknown): boolean {
  return value !== null && value !== undefined && typeof value !== 'boolean' && value !== ''
}
