/** Which scale the integer of a message field has. */
export const PRICE_FIELDS: ReadonlySet<string> = new Set(['price', 'triggerPrice', 'pegOffsetValue'])
export const QUANTITY_FIELDS: ReadonlySet<string> = new Set([
  'totalQuantity', 'executedQuantity', 'quantity', 'displayQuantity', 'longPosition', 'shortPosition', 'size',
])

/** Texts of which there are few, beside those of the head. */
const WORD_FIELDS: ReadonlySet<string> = new Set(['side', 'type', 'timeInForce', 'state', 'walletType'])
/** Scale of the prices beside it, where it is not the instrument's: it is in their texts, and no member of a line. */
const SCALE_FIELD = 'priceScale'
const HEAD_FIELDS = ['account', 'client', 'kind', 'seq', 'side', 'time']

/** Shapes that are remembered; beyond it plans are made and forgotten, so that contents cannot make memory grow. */
const PLAN_LIMIT = 256
/** Words that a member remembers, and how long they are at most. */
const WORD_LIMIT = 32
const WORD_LENGTH = 64

const encoder = new TextEncoder()

/** How the value of a member is written. */
export type Way = 'head' | 'plain' | 'timeNs' | 'price' | 'quantity' | 'word' | 'value'

/** A field of a line: what stands before its value is encoded once, and so are the values that come again and again. */
export class Member {
  readonly name: string
  /** Its place among the keys of the object; -1 for a field of the head. */
  readonly place: number
  readonly way: Way
  /** `,"name":` */
  readonly label: Uint8Array
  /** `,"name":"` */
  readonly opening: Uint8Array
  /** The shape of the object that stood here last, or of the last one in the list. */
  inner: Plan | null = null
  readonly #words: Map<string | boolean | null, Uint8Array> = new Map()

  constructor(name: string, place: number) {
    const isTime = place >= 0 && name.endsWith('TimeNs')
    this.name = isTime ? name.replace(/TimeNs$/, 'TimestampNs') : name
    this.place = place
    this.way = isTime ? 'timeNs' : wayOf(name, place)
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

/** How objects with the same keys in the same order are written: found once, used for every line of the kind. */
export interface Plan {
  readonly keys: readonly string[]
  /** In the order of the line. */
  readonly members: readonly Member[]
  /** Places of the fields that say of which instrument an object is; -1 for none. */
  readonly instrumentPlace: number
  readonly orderPlace: number
  /** Place of the scale of the object's prices; -1 where it is the instrument's. */
  readonly scalePlace: number
}

function wayOf(name: string, place: number): Way {
  if (place < 0) return 'head'
  if (name === 'context' || name === 'owner') return 'plain'
  if (PRICE_FIELDS.has(name)) return 'price'
  if (QUANTITY_FIELDS.has(name)) return 'quantity'
  return WORD_FIELDS.has(name) ? 'word' : 'value'
}

function planOf(keys: readonly string[], withHead: boolean): Plan {
  const own = keys
    .map((name, place) => new Member(name, place))
    .filter(({ place, name }) => name !== SCALE_FIELD && (!withHead || !HEAD_FIELDS.includes(keys[place] as string)))
  const head = withHead ? HEAD_FIELDS.map((name) => new Member(name, -1)) : []
  const members = [...own, ...head].sort((a, b) => (a.name < b.name ? -1 : 1))
  const orderPlace = keys.indexOf('ownOrderId')
  return {
    keys, members, instrumentPlace: keys.indexOf('instrumentId'),
    orderPlace: orderPlace < 0 ? keys.indexOf('currentOwnOrderId') : orderPlace, scalePlace: keys.indexOf(SCALE_FIELD),
  }
}

/** Whether an object has a plan's keys; its values are taken down on the way. */
function fits({ keys }: Plan, fields: Readonly<Record<string, unknown>>, values: unknown[]): boolean {
  let place = 0
  for (const key in fields) {
    if (keys[place] !== key) return false
    values[place++] = fields[key]
  }
  return place === keys.length
}

/** The plans of the shapes that came so far, of lines or of what stands within them. */
export class Plans {
  readonly #withHead: boolean
  readonly #plans: Plan[] = []

  constructor(withHead: boolean) {
    this.#withHead = withHead
  }

  /**
   * The plan of an object, whose values are put into `values` by the order of its keys. `likely` is looked at first.
   */
  find(fields: Readonly<Record<string, unknown>>, values: unknown[], likely: Plan | null): Plan {
    if (likely !== null && fits(likely, fields, values)) return likely
    for (const plan of this.#plans) if (fits(plan, fields, values)) return plan
    const plan = planOf(Object.keys(fields), this.#withHead)
    if (this.#plans.length < PLAN_LIMIT) this.#plans.push(plan)
    fits(plan, fields, values)
    return plan
  }
}
