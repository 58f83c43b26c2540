import { Amount } from './amount.js'
import { Decimal } from './decimal.js'
import { ExactSum } from './exact-sum.js'
import { Price, Quantity, widePrice, wideQuantity } from './fixed-decimal.js'
import { DrawnId } from './id.js'
import { IdMap, type IdMapState } from './id-map.js'
import { RandomNumbers } from './random.js'

/** A state as plain data, which JSON holds; {@link restoredState} makes it anew. */
export interface Saved<State> {
  /** Keys of the random numbers that its ids were drawn from. */
  readonly sources: readonly RandomNumbers['keys'][]
  readonly plain: unknown
  /** Never there: it ties the data to the type of their state. */
  readonly $of?: State
}

/** A class of values that JSON has no form for: one or two parts make the value again. */
interface Form {
  readonly name: string
  readonly parts: readonly ((value: never, writer: StateWriter) => unknown)[]
  readonly made: (first: never, second: never, reader: StateReader) => unknown
}

type Entries = ReadonlyMap<unknown, unknown>

const integer = (value: Price | Quantity): number | string => value.digits ?? value.integer
const scale = (value: Price | Quantity): number => value.scale
const text = (value: { toFixed(): string }): string => value.toFixed()

const FORMS: readonly (readonly [prototype: object, form: Form])[] = [
  [DrawnId.prototype, {
    name: '$id', parts: [(id: DrawnId, writer): number => writer.placeOf(id.source), (id: DrawnId): number => id.count],
    made: (place: number, count: number, reader) => reader.idOf(place, count),
  }],
  [RandomNumbers.prototype, {
    name: '$random', parts: [(of: RandomNumbers, writer): number => writer.placeOf(of)],
    made: (place: number, _none: never, reader) => reader.sourceOf(place),
  }],
  [Price.prototype, {
    name: '$price', parts: [integer, scale],
    made: (of: number | string, at: number) => (typeof of === 'string' ? widePrice(of) : new Price(of, at)),
  }],
  [Quantity.prototype, {
    name: '$quantity', parts: [integer, scale],
    made: (of: number | string, at: number) => (typeof of === 'string' ? wideQuantity(of) : new Quantity(of, at)),
  }],
  [Decimal.prototype, { name: '$decimal', parts: [text], made: (digits: string) => new Decimal(digits) }],
  [Amount.prototype, { name: '$amount', parts: [text], made: (digits: string) => Amount.from(digits) }],
  [ExactSum.prototype, { name: '$sum', parts: [text], made: (digits: string) => ExactSum.from(digits) }],
  [BigInt.prototype, { name: '$bigint', parts: [String], made: (digits: string) => BigInt(digits) }],
  // NaN, infinities and -0 alone.
  [Number.prototype, {
    name: '$number', parts: [(of: number): string => (of === 0 ? '-0' : String(of))], made: (of: string) => Number(of),
  }],
  [Map.prototype, {
    name: '$map', parts: [(of: Entries): unknown[] => [...of.keys()], (of: Entries): unknown[] => [...of.values()]],
    made: (keys: readonly unknown[], values: readonly unknown[]) => new Map(keys.map((key, at) => [key, values[at]])),
  }],
  [IdMap.prototype, {
    name: '$idMap', parts: [(of: IdMap<unknown>): object => of.state()],
    made: (state: IdMapState<unknown>) => IdMap.from(state),
  }],
]
const FORM_OF: ReadonlyMap<unknown, Form> = new Map(FORMS)
const FORM_NAMED: ReadonlyMap<unknown, Form> = new Map(FORMS.map(([, form]) => [form.name, form]))

/** Shorter lists stay lists: as columns they would be no shorter. */
const COLUMNS_FROM = 16
/** Lists of more kinds of values stay lists. */
const KIND_LIMIT = 32

/** Values of one kind in a list: records of the same fields, or of one class; null for those that stand as they are. */
interface Kind {
  readonly of: readonly string[] | Form | null
  /** Of each field or part: the first value, and all of them once another one has come. */
  readonly firsts: unknown[]
  readonly columns: (unknown[] | undefined)[]
  count: number
}

type Fields = Readonly<Record<string, unknown>>

const isJson = (value: number): boolean => Number.isFinite(value) && !Object.is(value, -0)

/** The class of a value that JSON has no form for; undefined where it needs none. */
function formOf(value: unknown): Form | undefined {
  if (typeof value === 'object') return value === null ? undefined : FORM_OF.get(Object.getPrototypeOf(value))
  if (typeof value === 'number') return isJson(value) ? undefined : FORM_OF.get(Number.prototype)
  return typeof value === 'bigint' ? FORM_OF.get(BigInt.prototype) : undefined
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

/** A record of the same names; one called `__proto__` is a name like others. */
function recordOf(source: object, changed: (value: unknown) => unknown): Record<string, unknown> {
  const record: Record<string, unknown> = {}
  for (const name of Object.keys(source)) {
    const value = changed((source as Fields)[name])
    if (value === undefined) continue
    if (name === '__proto__') Object.defineProperty(record, name, { value, enumerable: true, configurable: true })
    else record[name] = value
  }
  return record
}

/** Names of the fields of a record that are not undefined. */
function namesOf(record: Fields): string[] {
  return Object.keys(record).filter((name) => record[name] !== undefined)
}

/** A kind for a value and its likes, still empty; null for a record that no columns hold. */
function kindOf(value: unknown): Kind | null {
  const names = isRecord(value) ? namesOf(value) : null
  if (names !== null && (names.length === 0 || names.includes('__proto__'))) return null
  return { of: names ?? formOf(value) ?? null, firsts: [], columns: [], count: 0 }
}

/** Puts a value into a column of a kind. `length`: the most values that may come. */
function put({ firsts, columns, count }: Kind, at: number, value: unknown, length: number): void {
  const column = columns[at]
  if (column !== undefined) column[count] = value
  else if (count === 0) firsts[at] = value
  else if (value !== firsts[at]) {
    const begun = columns[at] = Array<unknown>(length).fill(firsts[at], 0, count)
    begun[count] = value
  }
}

/** Puts the fields of a record into the columns of a kind; false where it has other fields. */
function takesRecord(kind: Kind, names: readonly string[], record: Fields, length: number): boolean {
  let at = 0
  for (const name in record) {
    const value = record[name]
    if (value === undefined) continue
    if (name !== names[at]) return false
    put(kind, at++, value, length)
  }
  return at === names.length
}

/** True for what JSON holds as it is. */
function isPlain(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean': return true
    case 'number': return isJson(value)
    default: return value === null
  }
}

/** Makes plain data of a state. */
class StateWriter {
  readonly #places: Map<RandomNumbers, number> = new Map()

  get sources(): RandomNumbers['keys'][] {
    return [...this.#places.keys()].map(({ keys }) => keys)
  }

  placeOf(source: RandomNumbers): number {
    const place = this.#places.get(source) ?? this.#places.size
    if (place === this.#places.size) this.#places.set(source, place)
    return place
  }

  readonly plain = (value: unknown): unknown => {
    const form = formOf(value)
    if (form !== undefined)
      return { [form.name]: form.parts.map((part) => this.plain(part(value as never, this))) }
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return this.#list(value)
    const { toJSON } = value as { readonly toJSON?: unknown }
    if (typeof toJSON === 'function') return this.plain(toJSON.call(value, ''))
    const record = recordOf(value, this.plain)
    for (const name in record) return name.startsWith('$') ? { $record: record } : record
    return record
  }

  /** Many records are columns by field; a value that is everywhere stands once. `isOwn`: nobody else has the list. */
  #list(list: unknown[], isOwn = false): unknown {
    if (list.length < COLUMNS_FROM) return this.#values(list)
    const [first] = list
    let [isSame, arePlain] = [true, true]
    for (let at = 0; at < list.length && arePlain; at++) {
      isSame &&= list[at] === first
      arePlain = isPlain(list[at])
    }
    if (!arePlain) return this.#rows(list)
    return isSame ? { $same: [list.length, first] } : isOwn ? list : list.slice()
  }

  #rows(list: readonly unknown[]): unknown {
    const { length } = list
    const kinds: Kind[] = []
    const numbers = new Uint8Array(length)
    let number = 0
    for (let place = 0; place < length; place++) {
      const value = list[place]
      const last = kinds[number]
      if (last === undefined || !this.#takes(last, value, length)) {
        number = kinds.findIndex((kind) => this.#takes(kind, value, length))
        if (number < 0) {
          const kind = kindOf(value)
          if (kind === null || kinds.length === KIND_LIMIT) return this.#values(list)
          number = kinds.push(kind) - 1
          this.#takes(kind, value, length)
        }
      }
      numbers[place] = number
    }
    if (kinds.length === 1 && kinds[0]?.of === null) return this.#values(list)
    const places = kinds.length === 1 ? { $same: [length, 0] } : this.#list([...numbers], true)
    return { $rows: [places, ...kinds.map((kind) => this.#kind(kind))] }
  }

  #kind({ of, firsts, columns, count }: Kind): unknown {
    const lists = firsts.map((first, at) => {
      const column = columns[at]
      if (column === undefined && isPlain(first)) return { $same: [count, first] }
      const list = column ?? Array<unknown>(count).fill(first)
      list.length = count
      return this.#list(list, true)
    })
    return [of !== null && 'name' in of ? of.name : of, ...lists]
  }

  /** Puts a value into the columns of its kind; false where it is of another. */
  #takes(kind: Kind, value: unknown, length: number): boolean {
    const { of } = kind
    const form = formOf(value)
    if (form !== undefined) {
      if (form !== of) return false
      for (let at = 0; at < form.parts.length; at++) put(kind, at, form.parts[at]?.(value as never, this), length)
    } else if (isRecord(value)) {
      if (of === null || 'name' in of || !takesRecord(kind, of, value, length)) return false
    } else if (of === null) put(kind, 0, value, length)
    else return false
    kind.count++
    return true
  }

  #values(values: readonly unknown[]): unknown[] {
    return values.map((value) => (typeof value === 'string' ? value : this.plain(value) ?? null))
  }
}

/** Makes a state of its plain data: new objects, and one object for each id. */
class StateReader {
  readonly #sources: readonly RandomNumbers[]
  readonly #ids: readonly DrawnId[][]

  constructor(sources: readonly RandomNumbers['keys'][]) {
    this.#sources = sources.map((keys) => RandomNumbers.of(keys))
    this.#ids = sources.map(() => [])
  }

  sourceOf(place: number): RandomNumbers {
    const source = this.#sources[place]
    if (source === undefined) throw new RangeError(`There is no source ${place} of ids`)
    return source
  }

  idOf(place: number, count: number): DrawnId {
    const ids = this.#ids[place] ?? []
    return (ids[count] ??= new DrawnId(this.sourceOf(place), count))
  }

  readonly made = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return this.#values(value)
    for (const name in value) {
      if (!name.startsWith('$')) break
      const of = (value as Fields)[name]
      if (name === '$record') return recordOf(of as object, this.made)
      if (name === '$same') return Array<unknown>((of as [number, unknown])[0]).fill((of as [number, unknown])[1])
      if (name === '$rows') return this.#rows(of as readonly [unknown, ...(readonly unknown[])[]])
      const form = FORM_NAMED.get(name)
      const [first, second] = of as readonly unknown[]
      if (form !== undefined) return form.made(this.made(first) as never, this.made(second) as never, this)
    }
    return recordOf(value, this.made)
  }

  #values(values: readonly unknown[]): unknown[] {
    const made = values.slice()
    for (let at = 0; at < made.length; at++)
      if (typeof made[at] === 'object' && made[at] !== null) made[at] = this.made(made[at])
    return made
  }

  #rows([numbers, ...kinds]: readonly [unknown, ...(readonly unknown[])[]]): unknown[] {
    const lists = kinds.map(([of, ...columns]) => (
      Array.isArray(of) ? this.#records(of as string[], columns) : this.#ofForm(FORM_NAMED.get(of), columns)))
    const [first] = lists
    if (lists.length === 1 && first !== undefined) return first
    const nexts = lists.map(() => 0)
    return (this.made(numbers) as number[]).map((number) => {
      const next = nexts[number] as number
      nexts[number] = next + 1
      return lists[number]?.[next]
    })
  }

  #ofForm(form: Form | undefined, columns: readonly unknown[]): unknown[] {
    const [first = [], second] = columns.map(this.made) as unknown[][]
    return form === undefined
      ? first : first.map((value, at) => form.made(value as never, second?.[at] as never, this))
  }

  /**
   * Copies of a record with all of its fields: to give each row its fields one by one takes far longer. It is parsed,
   * as one with so many fields that is put together becomes a hash table.
   */
  #records(names: readonly string[], columns: readonly unknown[]): unknown[] {
    const sames = columns.map((column) => (
      isRecord(column) ? column['$same'] as readonly unknown[] | undefined : undefined))
    const lists = columns.map((column, at) => (sames[at] === undefined ? this.made(column) as unknown[] : null))
    const fields = names.map((name, at) => `${JSON.stringify(name)}:${JSON.stringify(sames[at]?.[1] ?? null)}`)
    const record = JSON.parse(`{${fields.join()}}`) as Fields
    const rows = Array<unknown>(lists[0]?.length ?? sames[0]?.[0] as number).fill(null).map(() => ({ ...record }))
    for (const [at, list] of lists.entries()) {
      if (list === null) continue
      const name = names[at] as string
      for (let row = 0; row < rows.length; row++) (rows[row] as Record<string, unknown>)[name] = list[row]
    }
    return rows
  }
}

/**
 * The data that JSON holds of a state: a record of numbers, bigints, texts, ids, random numbers, decimals of all kinds,
 * exact sums, and of maps, lists and records of those. They share nothing with it; all else becomes what JSON makes of
 * it. What a list of records takes is columns by field, and a value that all of them have stands once.
 */
export function savedState<State>(state: State): Saved<State> {
  const writer = new StateWriter()
  const plain = writer.plain(state)
  return { sources: writer.sources, plain }
}

/** The state of such data, or of their JSON, as new objects: the data may be restored again. */
export function restoredState<State>({ sources, plain }: Saved<State>): State {
  return new StateReader(sources).made(plain) as State
}
