import { decimalDigits, plainDecimal, scaledFromText, SCALE_LIMIT } from '../model/decimal.js'
import { isJsonObject, type JsonObject } from '../model/json-object.js'
import { timeFromEpochNs } from '../model/time.js'
import type { InstrumentEntry } from '../venue/venue.js'
import type { WireField, WireShape } from './order-entry-fields.js'
import type { OrderInstruments } from './order-instruments.js'
import { foundOnWire } from './wire-json.js'

/** A value of a message that is not as spec 2 has it. */
export class WireFault extends Error {
  constructor(
    /** Path of the field: `entries[0].price`. */
    readonly field: string,
    readonly expected: string,
    readonly found: string,
    /** Type of the error in a response. */
    readonly type: string = 'INVALID_REQUEST',
    /** True where the value is a number that cannot be held exactly. */
    readonly isInexact: boolean = false,
  ) {
    super(`${field} must be ${expected}, found ${found}`)
  }
}

/** Longest id, word and decimal on the wire, characters. */
const [ID_LENGTH, WORD_LENGTH, DECIMAL_LENGTH] = [128, 64, 64]
/** Longest context of an order or a fill in JSON, characters. */
const CONTEXT_LENGTH = 65_536

const PLAIN_DECIMAL = /^-?\d+(\.\d+)?$/
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
/** Ids that a client gives: order identifiers are UUIDs (spec 2, "Conventions"). */
const UUIDS: ReadonlySet<string> = new Set([
  'ownOrderId', 'clientOrderId', 'currentClientOrderId', 'newClientOrderId', 'currentOwnOrderId', 'newOwnOrderId',
  'requestId',
])
/** Words of closed lists. */
const CLOSED: Readonly<Record<string, readonly string[]>> = {
  side: ['BID', 'ASK'], openClose: ['AUTO', 'OPEN', 'CLOSE'], source: ['INTERNAL', 'EXCHANGE'],
}

/** The strictness of a reader. */
export interface ReaderOptions {
  /** Days since 1970-01-01, base of the times. */
  readonly epochDay: number
  /**
   * `requests`: ids are UUIDs, decimals are plain. `messages`: of any adapter, and entries of instruments that the
   * directory does not have are passed over.
   */
  readonly of: 'requests' | 'messages'
}

type Fields = Record<string, unknown>

/** Reads objects of spec 2 into typed ones: scaled integers and times of the epoch day. Throws {@link WireFault}. */
export class WireReader {
  constructor(private readonly orders: OrderInstruments, private readonly options: ReaderOptions) {}

  /** The object; `path` names it in faults. */
  object(shape: WireShape, value: unknown, path: string, outer?: InstrumentEntry): Fields {
    if (!isJsonObject(value)) throw new WireFault(path, 'an object', foundOnWire(value))
    const entry = this.#entryOf(shape, value, path) ?? outer
    const read: Fields = {}
    for (const field of shape.fields) {
      const at = path === '' ? field.wire : `${path}.${field.wire}`
      const one = value[field.wire] ?? (field.alias === null ? undefined : value[field.alias])
      if (one === undefined || one === null) {
        if (field.isRequired) throw new WireFault(at, expectedOf(field), foundOnWire(one))
        if (field.fallback !== undefined) read[field.name] = field.fallback
        continue
      }
      const known = field.isList ? this.#list(field, one, at, entry) : this.#one(field, one, at, entry, read)
      if (known !== undefined && !isAbsent(field, known)) read[field.name] = known
    }
    if (shape.isOfInstrument && entry !== undefined) read['instrumentId'] = entry.instrument.id
    return read
  }

  #list(field: WireField, value: unknown, path: string, entry: InstrumentEntry | undefined): unknown[] {
    if (!Array.isArray(value)) throw new WireFault(path, 'a list', foundOnWire(value))
    const list = value as readonly unknown[]
    return list.flatMap((one, index) =>
      this.#isForeign(field, one) ? [] : [this.#one(field, one, `${path}[${index}]`, entry, {})],
    )
  }

  /** True for an entry of an instrument that nobody here has scales of. */
  #isForeign({ inner }: WireField, value: unknown): boolean {
    if (this.options.of === 'requests' || inner === null || inner.instrumentField === null || !isJsonObject(value))
      return false
    const id = value[inner.instrumentField]
    return typeof id === 'number' && this.orders.directory.get(id) === undefined
  }

  #one(field: WireField, value: unknown, path: string, entry: InstrumentEntry | undefined, read: Fields): unknown {
    const { inner, unit, name } = field
    if (inner !== null) return this.object(inner, value, path, entry)
    switch (unit) {
      case 'price': return this.#price(value, path, entry, name, read)
      case 'quantity': return this.#scaled(value, path, entry?.quantityScale, 'quantity')
      case 'timeNs': return this.#time(value, path)
      case 'instrumentId':
      case 'number': return this.#number(value, path, unit)
      case 'flag':
        if (typeof value !== 'boolean') throw new WireFault(path, 'true or false', foundOnWire(value))
        return value
      case 'decimal': return this.#decimal(value, path)
      case 'json': return this.#json(value, path)
      default: return this.#text(value, path, name, unit === 'word')
    }
  }

  #price(value: unknown, path: string, entry: InstrumentEntry | undefined, name: string, read: Fields): unknown {
    if (this.options.of === 'requests') return this.#scaled(value, path, entry?.priceScale, 'price')
    const text = this.#decimalText(value, path)
    if (entry === undefined) return undefined
    const price = scaledFromText(text, entry.priceScale)
    if (price !== null) return price
    // Fills alone may have finer digits than their instrument, and say their scale then.
    const scale = decimalDigits(text)?.scale ?? 0
    const finer = name === 'price' && read['ownFillId'] !== undefined && scale > 0 && scale <= SCALE_LIMIT
      ? scaledFromText(text, scale)
      : null
    if (finer === null) throw inexact(path, text, 'price', entry.priceScale)
    read['priceScale'] = scale
    return finer
  }

  #scaled(value: unknown, path: string, scale: number | undefined, what: string): unknown {
    const text = this.#decimalText(value, path)
    if (scale === undefined) {
      if (this.options.of === 'messages') return undefined
      throw new WireFault(path, 'of an order that is open', foundOnWire(value), 'ORDER_NOT_FOUND')
    }
    const scaled = scaledFromText(text, scale)
    if (scaled === null) throw inexact(path, text, what, scale)
    return scaled
  }

  #decimalText(value: unknown, path: string): string {
    const isDecimal = typeof value === 'string' && value.length <= DECIMAL_LENGTH &&
      (this.options.of === 'requests' ? PLAIN_DECIMAL.test(value) : decimalDigits(value) !== null)
    if (!isDecimal) throw new WireFault(path, 'a decimal text', foundOnWire(value))
    return value
  }

  #decimal(value: unknown, path: string): string {
    const text = this.#decimalText(value, path)
    // As it stands: whoever sends more zeros may mean them. Scientific forms become plain ones.
    return PLAIN_DECIMAL.test(text) ? text : (plainDecimal(text) ?? text)
  }

  #time(value: unknown, path: string): number {
    if (typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))) {
      try {
        return timeFromEpochNs(BigInt(value), this.options.epochDay)
      } catch {
        throw new WireFault(path, 'a time within 104 days of the clock', foundOnWire(value), undefined, true)
      }
    }
    throw new WireFault(path, 'whole nanoseconds since 1970-01-01 as a number', foundOnWire(value))
  }

  #number(value: unknown, path: string, unit: 'instrumentId' | 'number'): number {
    const isGood = typeof value === 'number' && (unit === 'number' || Number.isSafeInteger(value))
    if (!isGood) throw new WireFault(path, unit === 'number' ? 'a number' : 'an integer', foundOnWire(value))
    return value
  }

  #json(value: unknown, path: string): JsonObject {
    if (!isJsonObject(value)) throw new WireFault(path, 'a JSON object', foundOnWire(value))
    const isOfRequest = this.options.of === 'requests'
    let isExact = true
    const text = JSON.stringify(value, (_name, one: unknown) => {
      if (typeof one !== 'bigint') return one
      isExact = false
      return Number(one)
    })
    if (isOfRequest && !isExact) throw new WireFault(path, 'JSON with integers up to 2^53 - 1', 'a larger one')
    if (isOfRequest && text.length > CONTEXT_LENGTH)
      throw new WireFault(path, `JSON of at most ${CONTEXT_LENGTH} characters`, `${text.length}`)
    return isExact ? value : (JSON.parse(text) as JsonObject)
  }

  #text(value: unknown, path: string, name: string, isWord: boolean): string {
    const limit = isWord ? WORD_LENGTH : ID_LENGTH
    const isOfRequest = this.options.of === 'requests'
    const words = CLOSED[name]
    if (words !== undefined && (isOfRequest || name !== 'openClose') && !words.includes(value as string))
      throw new WireFault(path, `one of ${words.join(', ')}`, foundOnWire(value))
    if (typeof value !== 'string' || (isOfRequest && (value === '' || value.length > limit)))
      throw new WireFault(path, isOfRequest ? `a text of 1 to ${limit} characters` : 'a text', foundOnWire(value))
    if (isOfRequest && UUIDS.has(name) && !UUID.test(value)) throw new WireFault(path, 'a UUID', foundOnWire(value))
    return value
  }

  #entryOf({ instrumentField, orderField }: WireShape, value: JsonObject, path: string): InstrumentEntry | undefined {
    const id = instrumentField === null ? undefined : value[instrumentField]
    if (typeof id === 'number') {
      const entry = this.orders.directory.get(id)
      if (entry !== undefined || this.options.of === 'messages') return entry
      const at = path === '' ? 'instrumentId' : `${path}.instrumentId`
      throw new WireFault(at, 'an instrument of the adapter', String(id), 'UNKNOWN_INSTRUMENT')
    }
    const order = orderField === null ? undefined : value[orderField]
    return typeof order === 'string' ? this.orders.entryOf(order) : undefined
  }
}

function inexact(path: string, text: string, what: string, scale: number): WireFault {
  const places = scale === 1 ? '1 decimal place' : `${scale} decimal places`
  return new WireFault(path, `a ${what} of at most ${places}, below 2^53 without its point`, text, undefined, true)
}

function expectedOf({ unit, isList, inner, wire }: WireField): string {
  if (isList) return 'a list'
  if (inner !== null) return 'an object'
  switch (unit) {
    case 'price':
    case 'quantity':
    case 'decimal': return 'a decimal text'
    case 'flag': return 'true or false'
    case 'instrumentId': return 'an integer'
    case 'number': return 'a number'
    case 'timeNs': return 'whole nanoseconds since 1970-01-01 as a number'
    case 'json': return 'a JSON object'
    default: return wire.endsWith('Id') ? 'an id' : 'a text'
  }
}

function isAbsent({ absent }: WireField, value: unknown): boolean {
  return absent === value || (Array.isArray(absent) && Array.isArray(value) && value.length === 0)
}
