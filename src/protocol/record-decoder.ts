import { uuidText } from './id-bytes.js'
import type { JournalSegment, RecordTable } from './journal-segment.js'
import { moneyText } from './money-words.js'
import {
  ABSENT_LOW, ABSENT_NUMBER, ABSENT_SCALE, NO_VALUE_HIGH, NULL_LOW, type RecordField, type RecordGroup,
} from './record-layout.js'

const TWO_32 = 4_294_967_296

type Value = string | number | boolean | null | undefined
type Message = Record<string, unknown>

/** Damage of a journal that its digest does not know: a number that stands for nothing. */
function damaged({ name }: RecordField): RangeError {
  return new RangeError(`A record has a number in its field ${name} that stands for nothing`)
}

function integerAt(view: DataView, at: number): number | null | undefined {
  const [low, high] = [view.getUint32(at, true), view.getUint32(at + 4, true)]
  if (high === NO_VALUE_HIGH && (low === ABSENT_LOW || low === NULL_LOW)) return low === ABSENT_LOW ? undefined : null
  return view.getInt32(at + 4, true) * TWO_32 + low
}

/**
 * The value of a field in a record that begins at `from`: a number at the scale of its instrument, a time in
 * nanoseconds since the segment's midnight, a text; undefined where it is absent. Throws RangeError for a number that
 * stands for nothing.
 */
export function fieldValue(
  segment: JournalSegment, { view, bytes }: RecordTable, field: RecordField, from: number,
): Value {
  const at = from + field.at
  const numbered = (number: number, text: string | undefined): string | undefined => {
    if (number > 0 && text === undefined) throw damaged(field)
    return text
  }
  switch (field.form) {
    case 'time': case 'price': case 'quantity': return integerAt(view, at)
    case 'decimal': case 'fine':
      return integerAt(view, at) === undefined ? undefined : moneyText(view, at, field.form === 'fine')
    case 'id': return numbered(view.getUint16(at, true), segment.idText(view.getUint16(at, true)))
    case 'name': return numbered(view.getUint16(at, true), segment.nameText(view.getUint16(at, true)))
    case 'uuid': return uuidText(bytes, at) ?? undefined
    case 'word': return numbered(bytes[at] as number, field.words[(bytes[at] ?? 0) - 1])
    case 'flag': return bytes[at] === 0 ? undefined : bytes[at] === 2
    case 'instrument': return view.getUint32(at, true) === 0 ? undefined : view.getUint32(at, true)
    case 'number': return view.getInt32(at, true) === ABSENT_NUMBER ? undefined : view.getInt32(at, true)
    case 'scale': return bytes[at] === ABSENT_SCALE ? undefined : bytes[at]
  }
}

/** The message of a record as the order entry protocol has it, without its kind. */
export function recordMessage(segment: JournalSegment, table: RecordTable, index: number): Message {
  return objectOf(segment, table, table.layout.message, index * table.layout.byteLength)
}

function objectOf(segment: JournalSegment, table: RecordTable, group: RecordGroup, from: number): Message {
  const message: Message = {}
  for (const field of group.fields) {
    const value = fieldValue(segment, table, field, from)
    if (value !== undefined) message[field.name] = value
  }
  for (const inner of group.groups) {
    const object = objectOf(segment, table, inner, from)
    if (!inner.isOptional || Object.keys(object).length > 0) message[inner.name] = inner.isList ? [object] : object
  }
  return message
}
