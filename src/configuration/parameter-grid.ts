import { Decimal, plainDecimal } from '../model/decimal.js'
import { BacktapeError } from '../model/error.js'
import { foundText } from '../model/fault.js'

/** Parameter sets of one run; more are refused. */
export const SETS_MAX = 10_000

/** A parameter and the values that it takes, as texts. */
export interface GridLine {
  /** As it was typed before `=`; a name with dots is a field of a composite parameter. */
  readonly name: string
  readonly values: readonly string[]
}

const DECIMAL = '-?\\d{1,40}(?:\\.\\d{1,40})?(?:[eE][-+]?\\d{1,3})?'
const SPAN = new RegExp(`^(${DECIMAL})\\.\\.(${DECIMAL}):(${DECIMAL})$`)

function refusal(expected: string, found: unknown): BacktapeError {
  const words = foundText(found)
  return new BacktapeError('OPTION_INVALID', `Cannot use --grid: it must be ${expected}, found ${words}`, {
    field: 'grid', expected, found: words,
  })
}

/** `250..1000:250` as its values: exact, from the first up to the last that is not above the end. */
function spanOf(text: string, values: string): string[] | null {
  const [, first, last, step] = SPAN.exec(values) ?? []
  if (first === undefined || last === undefined || step === undefined) return null
  const [from, to, by] = [first, last, step].map((one) => new Decimal(one)) as [Decimal, Decimal, Decimal]
  if (!by.gt(0)) throw refusal('a span with a step above 0, such as 250..1000:250', text)
  if (from.gt(to)) throw refusal('a span that does not end before it begins, such as 250..1000:250', text)
  const count = to.minus(from).div(by).floor().plus(1)
  if (count.gt(SETS_MAX)) throw tooMany(count)
  return Array.from({ length: count.toNumber() }, (_, at) => plainDecimal(from.plus(by.times(at)).toFixed()) ?? '')
}

/** A sentence where the steps of a span of `--grid` leave out its end, as 1100 of `250..1100:250`; else null. */
export function spanNote(text: string): string | null {
  const typed = text.slice(text.indexOf('=') + 1).trim()
  const end = SPAN.exec(typed)?.[2]
  const last = end === undefined ? undefined : spanOf(text, typed)?.at(-1)
  if (end === undefined || last === undefined || new Decimal(last).eq(end)) return null
  return `--grid ${text} ends at ${last}: its steps do not come to ${end}`
}

/** A JSON list as its items; texts stand without their quotes. */
function listOf(text: string, values: string): string[] | null {
  if (!values.startsWith('[')) return null
  let items: unknown
  try {
    items = JSON.parse(values)
  } catch {
    throw refusal('values after a comma each, a span such as 250..1000:250, or a JSON list', text)
  }
  return (items as unknown[]).map((item) => (typeof item === 'string' ? item : JSON.stringify(item)))
}

/**
 * A text of `--grid`: `size=0.01,0.02`, `refreshMs=250..1000:250`, or `sides=[[1,2],[3,4]]`. Throws OPTION_INVALID for
 * another form, no value or one value twice, LIMIT_EXCEEDED above 10,000 values.
 */
export function gridLineOf(text: string): GridLine {
  const at = text.indexOf('=')
  const [name, typed] = [text.slice(0, Math.max(at, 0)).trim(), text.slice(at + 1).trim()]
  if (name === '') throw refusal('NAME=VALUES, such as size=0.01,0.02 or refreshMs=250..1000:250', text)
  const values = spanOf(text, typed) ?? listOf(text, typed) ?? typed.split(',').map((value) => value.trim())
  if (values.length === 0 || values.includes('')) throw refusal('at least one value, and none that is empty', text)
  if (new Set(values).size < values.length) throw refusal('each value once', text)
  return { name, values }
}

function tooMany(count: Decimal | number): BacktapeError {
  return new BacktapeError(
    'LIMIT_EXCEEDED', `Cannot run ${String(count)} parameter sets: at most ${SETS_MAX} are taken in one run`,
    { field: 'parameters', expected: `at most ${SETS_MAX} sets`, found: String(count) },
  )
}

/** Throws LIMIT_EXCEEDED for more than 10,000 sets, before any of them is made. */
export function checkSetCount(setCount: number, grid: readonly GridLine[]): void {
  const count = grid.reduce((product, { values }) => product * values.length, setCount)
  if (count > SETS_MAX) throw tooMany(count)
}

/** Every combination of a value of each line; the last line changes first. */
export function combinationsOf(grid: readonly GridLine[]): (readonly (readonly [name: string, value: string])[])[] {
  return grid.reduce<(readonly (readonly [string, string])[])[]>(
    (before, { name, values }) => before.flatMap((pairs) => values.map((value) => [...pairs, [name, value] as const])),
    [[]],
  )
}
