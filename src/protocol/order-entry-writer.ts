import { textFromScaled } from '../model/decimal.js'
import { isId } from '../model/id.js'
import { isJsonObject } from '../model/json-object.js'
import { epochNsFromTime } from '../model/time.js'
import type { Capabilities } from '../venue/account-messages.js'
import type { InstrumentEntry } from '../venue/venue.js'
import type { WireField, WireShape } from './order-entry-fields.js'
import type { OrderInstruments } from './order-instruments.js'

/** The parts of messages that a client receives. */
export interface WireView {
  /** Login option `includeContext`: contexts of orders and fills. */
  readonly includeContext: boolean
  /** Fields that need a capability which is off are left out; null: nothing is. */
  readonly capabilities: Capabilities | null
  /** An owner that names a process alone is left out: the server itself put it there. */
  readonly hidesProcessOwner: boolean
}

/** Every field. */
export const WHOLE_VIEW: WireView = { includeContext: true, capabilities: null, hidesProcessOwner: false }

type Fields = Readonly<Record<string, unknown>>

/**
 * Writes objects as JSON of spec 2: prices and quantities as decimal texts, times as epoch nanoseconds in digits.
 * Values of orders whose instrument is not known are left out.
 */
export class WireWriter {
  constructor(private readonly orders: OrderInstruments, private readonly epochDay: number) {}

  /** The object; `head` are members that stand before its own, without a comma at their end. */
  object(shape: WireShape, content: object, view: WireView, head = '', outer?: InstrumentEntry): string {
    const fields = content as Fields
    const entry = this.#entryOf(fields) ?? outer
    let text = head
    for (const field of shape.fields) {
      const value = this.#shown(field, shape, fields, view)
      const piece = value === undefined ? null : this.#value(field, value, view, entry, fields)
      if (piece !== null) text += text === '' ? field.label + piece : `,${field.label}${piece}`
    }
    if (shape.hasEmptyResult && fields['error'] === undefined) text += ',"result":{}'
    return `{${text}}`
  }

  /** Epoch nanoseconds in digits. */
  time(timeNs: number): string {
    return String(epochNsFromTime(timeNs, this.epochDay))
  }

  #shown(field: WireField, shape: WireShape, fields: Fields, view: WireView): unknown {
    const { name, needs } = field
    const value = fields[name] ?? field.absent
    if (value === undefined || value === null) return value === null && field.isNullable ? null : undefined
    if (needs !== null && view.capabilities !== null && view.capabilities[needs] === false) return undefined
    if (name === 'context' && shape.hasOptionalContext && !view.includeContext) return undefined
    if (name === 'owner' && view.hidesProcessOwner && isProcessAlone(value)) return undefined
    return value
  }

  #value(
    field: WireField, value: unknown, view: WireView, entry: InstrumentEntry | undefined, fields: Fields,
  ): string | null {
    if (field.isList && Array.isArray(value))
      return `[${value.map((one) => this.#one(field, one, view, entry, fields)).join(',')}]`
    return this.#one(field, value, view, entry, fields)
  }

  #one(
    { unit, inner }: WireField, value: unknown, view: WireView, entry: InstrumentEntry | undefined, fields: Fields,
  ): string | null {
    if (inner !== null) return this.object(inner, value as object, view, '', entry)
    if (typeof value === 'number') {
      switch (unit) {
        case 'timeNs': return this.time(value)
        case 'price': {
          const scale = (fields['priceScale'] as number | undefined) ?? entry?.priceScale
          return scale === undefined ? null : `"${textFromScaled(value, scale)}"`
        }
        case 'quantity': return entry === undefined ? null : `"${textFromScaled(value, entry.quantityScale)}"`
        default: return String(value)
      }
    }
    return JSON.stringify(value)
  }

  #entryOf(fields: Fields): InstrumentEntry | undefined {
    const { instrumentId } = fields
    if (typeof instrumentId === 'number') return this.orders.directory.get(instrumentId)
    const ownOrderId = fields['currentOwnOrderId'] ?? fields['ownOrderId']
    return isId(ownOrderId) ? this.orders.entryOf(ownOrderId) : undefined
  }
}

function isProcessAlone(owner: unknown): boolean {
  return isJsonObject(owner) && Object.keys(owner).length === 1 && owner['processId'] !== undefined
}
