import { orderKey } from '../exchange/resting-order.js'
import { epochNsFromTime } from '../model/time.js'
import { canonicalJson, type CanonicalValue } from '../report/canonical-json.js'
import type { LineBytes } from '../report/line-bytes.js'
import type { InstrumentDirectory, InstrumentEntry } from '../venue/venue.js'

/** Which scale the integer of a message field has. */
export const PRICE_FIELDS: ReadonlySet<string> = new Set(['price', 'triggerPrice', 'pegOffsetValue'])
export const QUANTITY_FIELDS: ReadonlySet<string> = new Set(['totalQuantity', 'executedQuantity', 'quantity', 'displayQuantity', 'longPosition', 'shortPosition', 'size'])

/** Whose time a line's `time` is, what it tells, and of whom; `client` and `account` are left out where null. */
export interface LineHead {
  readonly seq: number
  readonly side: 'local' | 'exchange'
  readonly timeNs: number
  readonly kind: string
  readonly client: string | null
  readonly account: string | null
}

/** Names whose orders say which instrument a message is of. */
export interface OrderInstruments {
  get(orderKey: string): number | undefined
}

type Way = 'head' | 'plain' | 'timeNs' | 'price' | 'quantity' | 'value'

interface Member {
  readonly name: string
  /** Its place among the keys of the object; -1 for a field of the head. */
  readonly place: number
  /** `"name":`, as it stands in the line. */
  readonly label: string
  readonly way: Way
}

/** How objects with the same keys in the same order are written: found once, used for every line of the kind. */
interface Plan {
  readonly keys: readonly string[]
  readonly members: readonly Member[]
  readonly instrumentField: string | null
  readonly orderField: string | null
}

const HEAD_FIELDS = ['account', 'client', 'kind', 'seq', 'side', 'time']
/** Shapes that are remembered; beyond it plans are made and forgotten, so that contents cannot make memory grow. */
const PLAN_LIMIT = 256
const SECONDS_OF_DAY = 86_400
const NS_OF_SECOND = 1_000_000_000
const COMMA = 44
const QUOTE = 34
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [123, 125, 91, 93]

function memberOf(name: string, place: number): Member {
  if (name === 'context' || name === 'owner') return { name, place, label: `${JSON.stringify(name)}:`, way: 'plain' }
  if (name.endsWith('TimeNs')) return { name, place, label: `${JSON.stringify(name.replace(/TimeNs$/, 'TimestampNs'))}:`, way: 'timeNs' }
  const way = PRICE_FIELDS.has(name) ? 'price' : QUANTITY_FIELDS.has(name) ? 'quantity' : 'value'
  return { name, place, label: `${JSON.stringify(name)}:`, way }
}

function planOf(keys: readonly string[], withHead: boolean): Plan {
  const own = keys.map(memberOf).filter(({ name }) => !withHead || !HEAD_FIELDS.includes(name))
  const head = withHead ? HEAD_FIELDS.map((name): Member => ({ name, place: -1, label: `${JSON.stringify(name)}:`, way: 'head' })) : []
  const members = [...own, ...head].sort((a, b) => (a.label.slice(1, -2) < b.label.slice(1, -2) ? -1 : 1))
  const orderField = keys.includes('ownOrderId') ? 'ownOrderId' : keys.includes('currentOwnOrderId') ? 'currentOwnOrderId' : null
  return { keys, members, instrumentField: keys.includes('instrumentId') ? 'instrumentId' : null, orderField }
}

function hasKeys(plan: Plan, keys: readonly string[]): boolean {
  if (plan.keys.length !== keys.length) return false
  for (let i = 0; i < keys.length; i++) if (plan.keys[i] !== keys[i]) return false
  return true
}

class Plans {
  readonly #withHead: boolean
  readonly #plans: Plan[] = []
  #last: Plan | null = null

  constructor(withHead: boolean) {
    this.#withHead = withHead
  }

  find(keys: readonly string[]): Plan {
    if (this.#last !== null && hasKeys(this.#last, keys)) return this.#last
    let plan = this.#plans.find((known) => hasKeys(known, keys))
    if (plan === undefined) {
      plan = planOf(keys, this.#withHead)
      if (this.#plans.length < PLAN_LIMIT) this.#plans.push(plan)
    }
    this.#last = plan
    return plan
  }
}

/**
 * Writes messages as journal lines: the bytes of `canonicalJson` over the message with prices and quantities as decimal texts and
 * times as epoch nanoseconds in text, without making that object first.
 */
export class JournalText {
  readonly #directory: InstrumentDirectory
  readonly #instrumentOf: OrderInstruments
  readonly #epochDay: number
  readonly #lines: Plans = new Plans(true)
  readonly #parts: Plans = new Plans(false)
  readonly #names: Map<string, string> = new Map()
  #head: LineHead = { seq: 0, side: 'local', timeNs: 0, kind: '', client: null, account: null }
  #timeNs = NaN
  #timeText = ''

  constructor(directory: InstrumentDirectory, instrumentOf: OrderInstruments, epochDay: number) {
    this.#directory = directory
    this.#instrumentOf = instrumentOf
    this.#epochDay = epochDay
  }

  /** Writes one line without its end; fields of the head win over fields of the content. */
  write(into: LineBytes, head: LineHead, content: object): void {
    this.#head = head
    this.#object(into, this.#lines, content as Readonly<Record<string, unknown>>, undefined)
  }

  /** A time as epoch nanoseconds in digits. */
  time(timeNs: number): string {
    if (timeNs === this.#timeNs) return this.#timeText
    const rest = ((timeNs % NS_OF_SECOND) + NS_OF_SECOND) % NS_OF_SECOND
    const seconds = this.#epochDay * SECONDS_OF_DAY + (timeNs - rest) / NS_OF_SECOND
    this.#timeNs = timeNs
    this.#timeText = seconds > 0 ? String(seconds) + String(rest).padStart(9, '0') : String(epochNsFromTime(timeNs, this.#epochDay))
    return this.#timeText
  }

  #object(into: LineBytes, plans: Plans, fields: Readonly<Record<string, unknown>>, outer: InstrumentEntry | undefined): void {
    const plan = plans.find(Object.keys(fields))
    const entry = this.#entryOf(plan, fields) ?? outer
    const { members } = plan
    // One look at all values, as a look for each of many names in objects of many shapes costs more than what is written.
    const values = Object.values(fields)
    into.byte(OPEN_OBJECT)
    let isFirst = true
    for (let i = 0; i < members.length; i++) {
      const { name, place, label, way } = members[i] as Member
      const field = place < 0 ? this.#headField(name) : values[place]
      if (field === undefined) continue
      if (isFirst) isFirst = false
      else into.byte(COMMA)
      into.text(label)
      if (place < 0) into.text(field as string)
      else this.#field(into, way, field, entry)
    }
    into.byte(CLOSE_OBJECT)
  }

  #field(into: LineBytes, way: Way, field: unknown, entry: InstrumentEntry | undefined): void {
    if (way === 'plain') into.text(canonicalJson(field as CanonicalValue))
    else if (typeof field === 'number') this.#number(into, way, field, entry)
    else if (typeof field === 'string') into.quoted(field)
    else if (Array.isArray(field)) this.#list(into, field, entry)
    else if (field === null || typeof field !== 'object') into.text(canonicalJson(field as CanonicalValue))
    else this.#object(into, this.#parts, field as Readonly<Record<string, unknown>>, entry)
  }

  #number(into: LineBytes, way: Way, value: number, entry: InstrumentEntry | undefined): void {
    if (way === 'value') {
      if (Number.isSafeInteger(value)) into.integer(value)
      else into.text(canonicalJson(value))
      return
    }
    into.byte(QUOTE)
    if (way === 'timeNs') into.text(this.time(value))
    else into.scaled(value, (way === 'price' ? entry?.priceScale : entry?.quantityScale) ?? 0)
    into.byte(QUOTE)
  }

  #list(into: LineBytes, list: readonly unknown[], entry: InstrumentEntry | undefined): void {
    into.byte(OPEN_LIST)
    for (let i = 0; i < list.length; i++) {
      if (i > 0) into.byte(COMMA)
      this.#field(into, 'value', list[i] ?? null, entry)
    }
    into.byte(CLOSE_LIST)
  }

  /** A field of the head as it stands in the line; undefined where it is left out. */
  #headField(name: string): string | undefined {
    const { seq, side, timeNs, kind, client, account } = this.#head
    switch (name) {
      case 'seq': return String(seq)
      case 'side': return `"${side}"`
      case 'time': return `"${this.time(timeNs)}"`
      case 'kind': return this.#quoted(kind)
      case 'client': return client === null ? undefined : this.#quoted(client)
      default: return account === null ? undefined : this.#quoted(account)
    }
  }

  /** Kinds and names come in every line. */
  #quoted(name: string): string {
    const known = this.#names.get(name)
    if (known !== undefined) return known
    const quoted = JSON.stringify(name)
    if (this.#names.size < PLAN_LIMIT) this.#names.set(name, quoted)
    return quoted
  }

  #entryOf({ instrumentField, orderField }: Plan, fields: Readonly<Record<string, unknown>>): InstrumentEntry | undefined {
    const { account } = this.#head
    const order = orderField === null ? undefined : fields[orderField]
    const named = instrumentField === null ? undefined : fields[instrumentField]
    const id = named ?? (typeof order === 'string' && account !== null ? this.#instrumentOf.get(orderKey(account, order)) : undefined)
    return typeof id === 'number' ? this.#directory.get(id) : undefined
  }
}
