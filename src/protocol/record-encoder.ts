import { HELD, NOT_HELD, type JournalSegment, type Outcome, type RecordTable } from './journal-segment.js'
import { writeUuid } from './id-bytes.js'
import { writeMoney } from './money-words.js'
import {
  FORM_BYTES, NULL_LOW, type FieldForm, type RecordField, type RecordGroup,
  type RecordLayout,
} from './record-layout.js'

/** Shapes of objects that are remembered for a place of a record; others are looked at each time. */
const SHAPE_LIMIT = 64
const TWO_32 = 4_294_967_296
const LARGEST_NUMBER = 0x7fffffff
const LARGEST_SCALE = 254

/** Numbers of the forms, in the order of their table, and two more. */
const FORMS = Object.keys(FORM_BYTES) as readonly FieldForm[]
const numberOf = (form: FieldForm): number => FORMS.indexOf(form)
const [TIME, PRICE, QUANTITY, DECIMAL, NUMBER, INSTRUMENT, ID, NAME, UUID, WORD, FLAG] = [
  numberOf('time'), numberOf('price'), numberOf('quantity'), numberOf('decimal'), numberOf('number'),
  numberOf('instrument'), numberOf('id'), numberOf('name'), numberOf('uuid'), numberOf('word'), numberOf('flag'),
]
/** An object in the message, and a field that the record has elsewhere. */
const [GROUP, KIND] = [FORMS.length, FORMS.length + 1]

/** The object has other fields than the shape. */
const OTHER_SHAPE = 3

type Fields = Readonly<Record<string, unknown>>

/** Objects with the same fields in the same order: what to do with each. */
interface ObjectShape {
  readonly keys: readonly string[]
  readonly forms: Uint8Array
  readonly places: Uint16Array
  readonly words: readonly (readonly string[])[]
  readonly groups: readonly (GroupEncoder | null)[]
  /** False where the record lacks one of the fields, or the object one of the groups that the record must have. */
  readonly isHeld: boolean
}

/** Directory of the instruments whose scales a segment states. */
export interface StatedScales {
  /** States the scales of an instrument in the open segment. */
  stateScales(instrumentId: number): Outcome
}

/** Where a record is being written. */
export interface RecordPlace {
  segment: JournalSegment
  table: RecordTable
  /** First byte of the record. */
  at: number
}

/** An integer in 64 bits; only safe integers are. */
export function writeInteger(view: DataView, at: number, value: unknown): boolean {
  if (!Number.isSafeInteger(value)) return false
  view.setUint32(at, value as number, true)
  view.setInt32(at + 4, Math.floor((value as number) / TWO_32), true)
  return true
}

/** Writes the objects of one place of a record. */
class GroupEncoder {
  readonly #shapes: ObjectShape[] = []
  #last: ObjectShape | null = null
  readonly #fields: ReadonlyMap<string, RecordField>
  readonly #groups: ReadonlyMap<string, GroupEncoder>

  constructor(readonly group: RecordGroup, private readonly decimals: number, private readonly scales: StatedScales) {
    this.#fields = new Map(group.fields.map((field) => [field.name, field]))
    this.#groups = new Map(group.groups.map((one) => [one.name, new GroupEncoder(one, decimals, scales)]))
  }

  write(fields: Fields, place: RecordPlace): Outcome {
    if (this.#last !== null) {
      const outcome = this.#walk(this.#last, fields, place)
      if (outcome !== OTHER_SHAPE) return outcome
    }
    const keys = Object.keys(fields)
    let shape = this.#shapes.find((one) => (
      one.keys.length === keys.length && one.keys.every((key, index) => key === keys[index])))
    if (shape === undefined) {
      shape = this.#shapeOf(keys)
      if (this.#shapes.length < SHAPE_LIMIT) this.#shapes.push(shape)
    }
    this.#last = shape
    // The shape is the object's own.
    return this.#walk(shape, fields, place) as Outcome
  }

  /** Of a shape that does not fit a beginning of the object's fields may be written: the next shape has them too. */
  #walk(shape: ObjectShape, fields: Fields, place: RecordPlace): Outcome | typeof OTHER_SHAPE {
    const { keys, forms, places, isHeld } = shape
    let index = 0
    let written = 0
    for (const key in fields) {
      if (keys[index] !== key) return OTHER_SHAPE
      if (isHeld) {
        const value = fields[key]
        const form = forms[index] as number
        if (value !== undefined && form !== KIND) {
          const outcome = form === GROUP
            ? this.#object(shape.groups[index] as GroupEncoder, value, place)
            : this.#field(form, value, places[index] as number, shape.words[index] as readonly string[], place)
          if (outcome !== HELD) return outcome
          written++
        } else if (form === GROUP && !(shape.groups[index] as GroupEncoder).group.isOptional) return NOT_HELD
      }
      index++
    }
    if (index !== keys.length) return OTHER_SHAPE
    // An object without a field would be read as one that is absent.
    return isHeld && (written > 0 || !this.group.isOptional) ? HELD : NOT_HELD
  }

  #object(encoder: GroupEncoder, value: unknown, place: RecordPlace): Outcome {
    let object = value
    if (encoder.group.isList) {
      if (!Array.isArray(value) || value.length !== 1) return NOT_HELD
      object = value[0]
    }
    if (typeof object !== 'object' || object === null || Array.isArray(object)) return NOT_HELD
    return encoder.write(object as Fields, place)
  }

  #field(form: number, value: unknown, offset: number, words: readonly string[], place: RecordPlace): Outcome {
    const { segment, table: { view, bytes } } = place
    const at = place.at + offset
    let number = 0
    switch (form) {
      case PRICE: case QUANTITY:
        if (value === null && form === PRICE) {
          view.setUint32(at, NULL_LOW, true)
          return HELD
        }
        return writeInteger(view, at, value) ? HELD : NOT_HELD
      case TIME: return writeInteger(view, at, value) ? HELD : NOT_HELD
      case ID:
        number = typeof value === 'string' ? segment.idNumber(value) : 0
        view.setUint16(at, number, true)
        return number === 0 ? NOT_HELD : HELD
      case NAME:
        number = typeof value === 'string' ? segment.nameNumber(value) : 0
        view.setUint16(at, number, true)
        return number === 0 ? NOT_HELD : HELD
      case WORD:
        bytes[at] = number = words.indexOf(value as string) + 1
        return number === 0 ? NOT_HELD : HELD
      case FLAG:
        bytes[at] = value === true ? 2 : 1
        return typeof value === 'boolean' ? HELD : NOT_HELD
      case UUID: return typeof value === 'string' && writeUuid(value, bytes, at) ? HELD : NOT_HELD
      case DECIMAL:
        return typeof value === 'string' && writeMoney(value, this.decimals, view, at) ? HELD : NOT_HELD
      case INSTRUMENT:
        if (typeof value !== 'number') return NOT_HELD
        view.setUint32(at, value, true)
        return this.scales.stateScales(value)
      case NUMBER:
        if (!Number.isInteger(value) || Math.abs(value as number) > LARGEST_NUMBER) return NOT_HELD
        view.setInt32(at, value as number, true)
        return HELD
      default:
        if (!Number.isInteger(value) || (value as number) < 0 || (value as number) > LARGEST_SCALE) return NOT_HELD
        bytes[at] = value as number
        return HELD
    }
  }

  #shapeOf(keys: readonly string[]): ObjectShape {
    const { group } = this
    const isWhole = group.name === ''
    const fields = keys.map((key) => this.#fields.get(key))
    const groups = keys.map((key) => this.#groups.get(key) ?? null)
    const isKind = (key: string): boolean => isWhole && key === 'kind'
    return {
      keys, groups,
      forms: Uint8Array.from(keys, (key, index) => (
        isKind(key) ? KIND : groups[index] !== null ? GROUP : FORMS.indexOf(fields[index]?.form ?? 'scale'))),
      places: Uint16Array.from(fields, (field) => field?.at ?? 0),
      words: fields.map((field) => field?.words ?? []),
      isHeld:
        keys.every((key, index) => isKind(key) || groups[index] !== null || fields[index] !== undefined) &&
        group.groups.every(({ name, isOptional }) => isOptional || keys.includes(name)),
    }
  }
}

/** Writes messages into the records of one kind. */
export class RecordEncoder {
  readonly #message: GroupEncoder
  readonly #instrumentAt: number

  constructor(private readonly layout: RecordLayout, private readonly scales: StatedScales) {
    this.#message = new GroupEncoder(layout.message, layout.decimals, scales)
    this.#instrumentAt = layout.head.find(({ form }) => form === 'instrument')?.at ?? -1
  }

  /** Writes a message into a record whose fields are absent; `orders` are the instruments of the account's orders. */
  write(message: object, place: RecordPlace, orders: ReadonlyMap<string, number> | undefined): Outcome {
    if (this.#instrumentAt >= 0) {
      const instrumentId = this.#instrumentOf(message as Fields, orders)
      if (instrumentId === undefined) return NOT_HELD
      place.table.view.setUint32(place.at + this.#instrumentAt, instrumentId, true)
      const outcome = this.scales.stateScales(instrumentId)
      if (outcome !== HELD) return outcome
    }
    return this.#message.write(message as Fields, place)
  }

  /** The instrument of the first order that the message names. */
  #instrumentOf(message: Fields, orders: ReadonlyMap<string, number> | undefined): number | undefined {
    const { order } = this.layout
    const entries = order === null ? undefined : message[order.group]
    const first = (Array.isArray(entries) ? entries[0] : undefined) as Fields | undefined
    return order === null ? undefined : orders?.get(first?.[order.field] as string)
  }
}
