import { Amount } from './amount.js'
import { Decimal } from './decimal.js'
import { ExactSum } from './exact-sum.js'
import { DrawnId } from './id.js'

/** A state as plain data, which JSON holds; {@link restoredState} makes it anew. */
export interface Saved<State> {
  /** Never there: it ties the data to the type of their state. */
  readonly $of?: State
}

/** Values that JSON has no form for: records of one of these names, and the way back from their texts and entries. */
const MADE: Readonly<Record<string, (plain: never) => unknown>> = {
  $decimal: (text: string) => new Decimal(text),
  $amount: (text: string) => Amount.from(text),
  $sum: (text: string) => ExactSum.from(text),
  $bigint: (text: string) => BigInt(text),
  $number: (text: string) => Number(text),
  $map: (entries: readonly (readonly [unknown, unknown])[]) => new Map(entries),
}

/** A record of the same names; one called `__proto__` is a name like others. */
function recordOf(source: object, changed: (value: unknown) => unknown): Record<string, unknown> {
  const record: Record<string, unknown> = {}
  for (const name of Object.keys(source)) {
    const value = changed((source as Readonly<Record<string, unknown>>)[name])
    if (value === undefined) continue
    if (name === '__proto__') Object.defineProperty(record, name, { value, enumerable: true, configurable: true })
    else record[name] = value
  }
  return record
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return { $bigint: value.toString() }
  if (typeof value === 'number') return Number.isFinite(value) ? value : { $number: String(value) }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((one) => plain(one) ?? null)
  if (value instanceof Map) return { $map: plain([...value] as readonly unknown[]) }
  if (value instanceof Decimal) return { $decimal: value.toFixed() }
  if (value instanceof Amount) return { $amount: value.toFixed() }
  if (value instanceof DrawnId) return value.toString()
  return value instanceof ExactSum ? { $sum: value.toFixed() } : recordOf(value, plain)
}

function made(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(made)
  const record = recordOf(value, made)
  const [name = ''] = Object.keys(record)
  return Object.hasOwn(MADE, name) ? MADE[name]?.(record[name] as never) : record
}

/** The data that JSON holds of a value, as new objects: `JSON.parse(JSON.stringify(value))` without the text. */
export function jsonCopy(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((one: unknown) => (typeof one === 'string' ? one : jsonCopy(one) ?? null))
  const { toJSON } = value as { readonly toJSON?: unknown }
  return typeof toJSON === 'function' ? jsonCopy(toJSON.call(value, '')) : recordOf(value, jsonCopy)
}

/**
 * A record of numbers, bigints, texts, Decimals, amounts, exact sums, and of maps, lists and records of those.
 * Keys of maps are numbers, texts and ids; nothing else has a class. Ids come back as texts.
 */
export function savedState<State>(state: State): Saved<State> {
  return plain(state) as Saved<State>
}

/** The state of such data, or of their JSON, as new objects: the data may be restored again. */
export function restoredState<State>(saved: Saved<State>): State {
  return made(saved) as State
}
