import { BacktapeError, type ErrorCode } from './error.js'

/** One thing that is wrong with a configuration. */
export interface Fault {
  /** The place, as one would write it: `assumptions.queue`, `data[0]`; empty for the whole configuration. */
  readonly path: string
  /** The value that fits there, in words. */
  readonly expected: string
  /** The value that stands there, shortened to 80 characters. */
  readonly found: string
  /** The next step of the user, where `expected` does not say it. */
  readonly advice?: string
  /** The file that does not exist, where that is the fault: as the user named it. */
  readonly file?: string
}

/** A fault at a path; `found` is the value that stands there. */
export function fault(path: string, expected: string, found: unknown): Fault {
  return { path, expected, found: foundText(found) }
}

/** A name or number as it stands in a path behind another: `.name`, `[0]`, `["a name"]`. */
export function pathPart(name: string): string {
  if (/^\d+$/.test(name)) return `[${name}]`
  return /^[$\w]+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`
}

/** The path of a place inside another: `accounts.a` and `fees.maker` give `accounts.a.fees.maker`. */
export function joinedPath(outer: string, inner: string): string {
  return outer === '' || inner === '' || inner.startsWith('[') ? outer + inner : `${outer}.${inner}`
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

const KINDS: readonly [begin: RegExp, words: string][] = [
  [/^"/, 'a text'], [/^\{/, 'an object'], [/^\[/, 'a list'], [/^-?\d/, 'a number'],
]

/** The kind of a value that a sentence would show, where it may be a secret: `a text`. */
export function kindOfFound(found: string): string {
  return KINDS.find(([begin]) => begin.test(found))?.[1]
    ?? (/^(nothing|null|true|false)$/.test(found) ? found : 'another value')
}

function faultText({ path, expected, found, advice }: Fault, whole: string): string {
  const words = `${path === '' ? whole : path}: expected ${expected}, found ${found}`
  return advice === undefined ? words : `${words}; ${advice}`
}

/** All faults of a configuration in one error, a line each; its place holds the first. */
export class FaultsError extends BacktapeError {
  /** `failed` is the action that failed: `Cannot run`; `whole` names the configuration in a fault without a path. */
  constructor(
    code: ErrorCode,
    failed: string,
    /** At least one, in the order of checking. */
    readonly faults: readonly Fault[],
    whole: string,
    file?: string,
  ) {
    const words = faults.map((one) => faultText(one, whole))
    const [first] = faults
    super(
      code,
      `${failed}: ${words.length === 1 ? words.join('') : `${words.length} faults:\n  ${words.join('\n  ')}`}`,
      {
        ...(file === undefined ? {} : { file }),
        ...(first === undefined
          ? {}
          : { field: first.path, expected: first.expected, found: first.found.slice(0, 80) }),
      },
    )
  }
}

/** A value that was read from a checked text; the words of what was expected would be a mistake of the check. */
export function asChecked<T extends object | number>(read: T | string | null): T {
  if (typeof read === 'string' || read === null)
    throw new Error(`A value that was not checked: expected ${read ?? 'another form'}`)
  return read
}
