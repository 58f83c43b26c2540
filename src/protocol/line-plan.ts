import type { MessageFields, Unit } from '../venue/field-units.js'

const HEAD_FIELDS = ['account', 'client', 'kind', 'seq', 'side', 'time']

/** Units of fields that say how others are written. */
const UNWRITTEN: ReadonlySet<Member['unit']> = new Set(['priceScale', 'ofInstrument'])

/** Plans that are remembered of a shape; beyond it they are made and forgotten, so that memory cannot grow. */
const PLAN_LIMIT = 64
/** Words that a member remembers, and how long they are at most. */
const WORD_LIMIT = 32
const WORD_LENGTH = 64

const encoder = new TextEncoder()

/** A field of a line: what stands before its value is encoded once, and so are the values that come again and again. */
export class Member {
  readonly name: string
  /** Null for the fields of an object or of a list of objects, see `inner`. */
  readonly unit: Exclude<Unit, MessageFields> | null
  /** The shape of the objects that stand here. */
  readonly inner: Shape | null
  /** `,"name":` */
  readonly label: Uint8Array
  /** `,"name":"` */
  readonly opening: Uint8Array
  readonly #words: Map<string | boolean | null, Uint8Array> = new Map()

  constructor(
    name: string,
    /** Its place among the keys of the object; -1 for a field of the head. */
    readonly place: number,
    unit: Unit,
  ) {
    this.name = unit === 'timeNs' ? name.replace(/TimeNs$/, 'TimestampNs') : name
    this.unit = typeof unit === 'string' ? unit : null
    this.inner = typeof unit === 'string' ? null : new Shape(unit)
    const label = `,${JSON.stringify(this.name)}:`
    this.label = encoder.encode(label)
    this.opening = encoder.encode(`${label}"`)
  }

  /**
   * The member with one of its few values, as it stands in a line; null where it has had too many, or this one is long.
   */
  word(word: string | boolean | null): Uint8Array | null {
    const known = this.#words.get(word)
    if (known !== undefined) return known
    if (this.#words.size >= WORD_LIMIT || (typeof word === 'string' && word.length > WORD_LENGTH)) return null
    const piece = encoder.encode(`,${JSON.stringify(this.name)}:${JSON.stringify(word)}`)
    this.#words.set(word, piece)
    return piece
  }
}

/** The plan for writing objects with the same keys in the same order: found once, used for every line of the kind. */
export interface Plan {
  readonly keys: readonly string[]
  /** In the order of the line. */
  readonly members: readonly Member[]
  /** Places of the fields that name the instrument, or the order whose instrument it is; -1 for none. */
  readonly instrumentPlace: number
  readonly orderPlace: number
  /** Place of the scale of the object's prices; -1 where it is the instrument's. */
  readonly scalePlace: number
}

/** Takes the values of an object that has a plan's keys; false where it has others. */
function fits({ keys }: Plan, fields: Readonly<Record<string, unknown>>, values: unknown[]): boolean {
  let place = 0
  for (const key in fields) {
    if (keys[place] !== key) return false
    values[place++] = fields[key]
  }
  return place === keys.length
}

/** The fields that the objects of one place of a message may have, and the plans of those that came so far. */
export class Shape {
  private readonly plans: Plan[] = []
  private last: Plan | null = null

  /** `withHead` for whole lines: the fields of the head stand among their own, and win over them. */
  constructor(private readonly fields: MessageFields, private readonly withHead = false) {}

  /**
   * The plan of an object, whose values are put into `values` by the order of its keys. Throws RangeError for a field
   * that the table of the message does not list.
   */
  plan(fields: Readonly<Record<string, unknown>>, values: unknown[]): Plan {
    if (this.last !== null && fits(this.last, fields, values)) return this.last
    let plan = this.plans.find((one) => fits(one, fields, values))
    if (plan === undefined) {
      plan = this.planOf(Object.keys(fields))
      if (this.plans.length < PLAN_LIMIT) this.plans.push(plan)
      fits(plan, fields, values)
    }
    this.last = plan
    return plan
  }

  private planOf(keys: readonly string[]): Plan {
    const units = keys.map((name) => (this.isOfHead(name) ? 'word' : this.unitOf(name)))
    const own = keys
      .map((name, place) => new Member(name, place, units[place] ?? 'json'))
      .filter(({ unit }, place) => !UNWRITTEN.has(unit) && !this.isOfHead(keys[place] ?? ''))
    const head = this.withHead ? HEAD_FIELDS.map((name) => new Member(name, -1, 'word')) : []
    return {
      keys,
      members: [...own, ...head].sort((a, b) => (a.name < b.name ? -1 : 1)),
      instrumentPlace: units.findIndex((unit) => unit === 'instrumentId' || unit === 'ofInstrument'),
      orderPlace: units.indexOf('orderId'),
      scalePlace: units.indexOf('priceScale'),
    }
  }

  private isOfHead(name: string): boolean {
    return this.withHead && HEAD_FIELDS.includes(name)
  }

  private unitOf(name: string): Unit {
    const unit = Object.hasOwn(this.fields, name) ? this.fields[name] : undefined
    if (unit === undefined)
      throw new RangeError(
        `Cannot write a message: no table lists its field ${name} (${Object.keys(this.fields).join(', ')})`,
      )
    return unit
  }
}
