import { Amount } from './amount.js'
import { Decimal } from './decimal.js'
import { ExactSum } from './exact-sum.js'

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

/** Reads from the holder: a Decimal or an Amount has made itself a text of another form before it is handed over. */
function plain(this: Readonly<Record<string, unknown>>, name: string): unknown {
  const value = this[name]
  if (value instanceof Decimal) return { $decimal: value.toFixed() }
  if (value instanceof Amount) return { $amount: value.toFixed() }
  if (value instanceof ExactSum) return { $sum: value.toFixed() }
  if (typeof value === 'bigint') return { $bigint: value.toString() }
  if (value instanceof Map) return { $map: [...value] as readonly unknown[] }
  return typeof value === 'number' && !Number.isFinite(value) ? { $number: String(value) } : value
}

function made(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const [[name, own] = ['', null]] = Object.entries(value)
  return Object.hasOwn(MADE, name) ? MADE[name]?.(own as never) : value
}

/**
 * A record of numbers, bigints, texts, Decimals, amounts, exact sums, and of maps, lists and records of those.
 * Keys of maps are numbers and texts; nothing else has a class.
 */
export function savedState<State>(state: State): Saved<State> {
  return JSON.parse(JSON.stringify(state, plain)) as Saved<State>
}

/** The state of such data, or of their JSON, as new objects: the data may be restored again. */
export function restoredState<State>(saved: Saved<State>): State {
  return JSON.parse(JSON.stringify(saved), made) as State
}
