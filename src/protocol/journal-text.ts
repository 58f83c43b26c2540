import { Amount } from '../model/amount.js'
import { DrawnId, isId, type Id } from '../model/id.js'
import type { IdMap } from '../model/id-map.js'
import { epochNsFromTime } from '../model/time.js'
import { canonicalJson, type CanonicalValue } from '../model/canonical-json.js'
import { keptValue } from '../model/kept-value.js'
import type { ByteWriter } from '../model/byte-writer.js'
import type { MessageFields } from '../venue/field-units.js'
import type { Scales, ScaleSource } from './journal-segment.js'
import { Shape, type Member, type Plan } from './line-plan.js'

/** Whose time a line's `time` is, what it states, and of whom; `client` and `account` are left out where null. */
export interface LineHead {
  readonly seq: number
  readonly side: 'local' | 'exchange'
  readonly timeNs: number
  readonly kind: string
  readonly client: string | null
  readonly account: string | null
}

/** Accounts whose orders say which instrument a message is of. */
export interface OrderInstruments {
  get(accountId: string): Pick<IdMap<number>, 'get'> | undefined
}

const SECONDS_OF_DAY = 86_400
const NS_OF_SECOND = 1_000_000_000
/** Seconds since 1970 in ten digits and in 31 bits: 2001 to 2038. */
const [TEN_DIGITS_BEGIN, TEN_DIGITS_END] = [1_000_000_000, 2_147_483_648]
const COMMA = 44
const QUOTE = 34
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [123, 125, 91, 93]

type Fields = Readonly<Record<string, unknown>>
/** Of which instrument an object is; the name of an order whose instrument has not been needed so far. */
type Origin = Scales | Id | undefined

const wholeLine = (fields: MessageFields): Shape => new Shape(fields, true)

/** Shapes of the lines of each kind: pure plans, found once and used by the journals of all worlds. */
const LINE_SHAPES: WeakMap<MessageFields, Shape> = new WeakMap()

/**
 * Writes messages as journal lines: the bytes of `canonicalJson` over the message with prices and quantities as decimal
 * texts and times as epoch nanoseconds in text, without making that object first.
 */
export class JournalText {
  /** Values of the objects that are being written, by how deep they lie. */
  readonly #values: unknown[][] = []
  #depth = 0
  #head: LineHead = { seq: 0, side: 'local', timeNs: 0, kind: '', client: null, account: null }

  constructor(
    private readonly directory: ScaleSource,
    private readonly instrumentOf: OrderInstruments,
    private readonly epochDay: number,
  ) {}

  /**
   * Writes one line without its end; `fields` are those of its kind, and fields of the head win over fields of the
   * content; `of` are the scales where the content names no instrument that is known. Throws RangeError for a field
   * that is not listed, and for a number that no journal can hold.
   */
  write(into: ByteWriter, head: LineHead, content: object, fields: MessageFields, of?: Scales): void {
    this.#head = head
    this.#depth = 0
    this.#object(into, keptValue(LINE_SHAPES, fields, wholeLine), content as Fields, of)
  }

  /** A time as epoch nanoseconds in digits. */
  time(timeNs: number): string {
    return String(epochNsFromTime(timeNs, this.epochDay))
  }

  #object(into: ByteWriter, shape: Shape, fields: Fields, outer: Origin): void {
    const values = (this.#values[this.#depth] ??= [])
    this.#depth++
    const plan = shape.plan(fields, values)
    const { members, scalePlace } = plan
    const origin = this.#originOf(plan, values, outer)
    const priceScale = scalePlace < 0 ? undefined : (values[scalePlace] as number)
    const from = into.count
    for (let i = 0; i < members.length; i++) {
      const member = members[i] as Member
      if (member.place < 0) this.#headMember(into, member)
      else {
        const value = values[member.place]
        if (value !== undefined) this.#member(into, member, value, origin, priceScale)
      }
    }
    // Every member begins with a comma; the first one's is the brace.
    if (into.count === from) into.byte(OPEN_OBJECT)
    else into.bytes[from] = OPEN_OBJECT
    into.byte(CLOSE_OBJECT)
    this.#depth--
  }

  #member(into: ByteWriter, member: Member, value: unknown, origin: Origin, priceScale?: number): void {
    const { unit } = member
    if (typeof value === 'number' && (unit === 'timeNs' || unit === 'price' || unit === 'quantity')) {
      into.piece(member.opening)
      if (unit === 'timeNs') this.#time(into, value)
      else into.scaled(value, (unit === 'price' ? priceScale : undefined) ?? this.#scaleOf(unit, origin))
      into.byte(QUOTE)
    } else if (value === null || typeof value === 'boolean' || (unit === 'word' && typeof value === 'string'))
      this.#word(into, member, value)
    else {
      into.piece(member.label)
      this.#value(into, member, value, origin)
    }
  }

  #value(into: ByteWriter, member: Member, value: unknown, origin: Origin): void {
    if (typeof value === 'string') into.quoted(value)
    else if (value instanceof DrawnId) into.quoted(value.toString())
    else if (value instanceof Amount) into.quoted(value.toFixed())
    else if (Number.isSafeInteger(value)) into.integer(value as number)
    else if (member.inner === null || typeof value !== 'object' || value === null)
      into.text(canonicalJson(value as CanonicalValue))
    else if (Array.isArray(value)) this.#list(into, member, value, origin)
    else this.#object(into, member.inner, value as Fields, origin)
  }

  #list(into: ByteWriter, member: Member, list: readonly unknown[], origin: Origin): void {
    into.byte(OPEN_LIST)
    for (let i = 0; i < list.length; i++) {
      if (i > 0) into.byte(COMMA)
      this.#value(into, member, list[i] ?? null, origin)
    }
    into.byte(CLOSE_LIST)
  }

  /** A field of the head; client and account are left out where nobody is named. */
  #headMember(into: ByteWriter, member: Member): void {
    const { seq, side, timeNs, kind, client, account } = this.#head
    switch (member.name) {
      case 'seq':
        into.piece(member.label)
        return into.integer(seq)
      case 'time':
        into.piece(member.opening)
        this.#time(into, timeNs)
        return into.byte(QUOTE)
      case 'side': return this.#word(into, member, side)
      case 'kind': return this.#word(into, member, kind)
      case 'client': return client === null ? undefined : this.#word(into, member, client)
      default: return account === null ? undefined : this.#word(into, member, account)
    }
  }

  #word(into: ByteWriter, member: Member, word: string | boolean | null): void {
    const piece = member.word(word)
    if (piece !== null) return into.piece(piece)
    into.piece(member.label)
    into.text(JSON.stringify(word))
  }

  #time(into: ByteWriter, timeNs: number): void {
    let seconds = Math.floor(timeNs / NS_OF_SECOND)
    const rest = timeNs - seconds * NS_OF_SECOND
    seconds += this.epochDay * SECONDS_OF_DAY
    // What is no whole number of nanoseconds is refused there.
    if (!Number.isInteger(rest) || seconds < TEN_DIGITS_BEGIN || seconds >= TEN_DIGITS_END)
      return into.text(this.time(timeNs))
    into.padded(seconds, 10)
    into.padded(rest, 9)
  }

  #scaleOf(unit: 'price' | 'quantity', origin: Origin): number {
    const entry = isId(origin) ? this.#entryOf(origin) : origin
    return (unit === 'price' ? entry?.priceScale : entry?.quantityScale) ?? 0
  }

  /** An object's own instrument wins over that of the object around it. */
  #originOf({ instrumentPlace, orderPlace }: Plan, values: readonly unknown[], outer: Origin): Origin {
    const id = instrumentPlace < 0 ? undefined : values[instrumentPlace]
    if (id !== undefined && id !== null) return typeof id === 'number' ? this.directory.get(id) ?? outer : outer
    const order = orderPlace < 0 ? undefined : values[orderPlace]
    if (!isId(order)) return outer
    return outer === undefined ? order : this.#entryOf(order) ?? outer
  }

  #entryOf(ownOrderId: Id): Scales | undefined {
    const { account } = this.#head
    const id = account === null ? undefined : this.instrumentOf.get(account)?.get(ownOrderId)
    return id === undefined ? undefined : this.directory.get(id)
  }
}
