import type { MessageFields } from '../venue/field-units.js'
import { MESSAGE_FIELDS, REQUEST_FIELDS } from '../venue/message-fields.js'

/**
 * Number of the format of a journal's records, which the fingerprint covers. A layout that was published never changes:
 * a new field is a new kind of record, and both raise the number.
 */
export const JOURNAL_FORMAT = 1

/** Lines of one closed segment of a journal, at most: one closes earlier where the scale of an instrument grows. */
export const SEGMENT_LINES = 4096

/** Bytes of a field by its form; all little-endian. docs/reference/journal-records.md says what each form is. */
export const FORM_BYTES = {
  time: 8, price: 8, quantity: 8, decimal: 16, fine: 20, number: 4, instrument: 4, id: 2, name: 2, uuid: 16, word: 1,
  flag: 1, scale: 1,
} as const

/** The form of a field in a record. */
export type FieldForm = keyof typeof FORM_BYTES

/** A field of a record. */
export interface RecordField {
  /** As the message has it; `time`, `client`, `account` and `instrument` before its own fields. */
  readonly name: string
  readonly form: FieldForm
  /** Its first byte in the record. */
  readonly at: number
  /** The words of the form `word`: the first is 1. */
  readonly words: readonly string[]
}

/** An object in a message: fields, and objects in it. */
export interface RecordGroup {
  /** The field that holds it; empty for the message itself. */
  readonly name: string
  /** True where the field is a list, of this one object. */
  readonly isList: boolean
  /** True where the message may lack the field: all fields of the object are then absent. */
  readonly isOptional: boolean
  /** Its first byte in the record. */
  readonly at: number
  readonly fields: readonly RecordField[]
  readonly groups: readonly RecordGroup[]
}

/** The layout of one kind of record. */
export interface RecordLayout {
  /** The number of the kind. */
  readonly code: number
  readonly name: string
  /** The kind of the messages. */
  readonly kind: string
  readonly byteLength: number
  /** True for orders with attributes that few have. */
  readonly isMore: boolean
  /** True where money has 27 decimals, not 18. */
  readonly isFine: boolean
  /** True for answers with an error. */
  readonly isRefusal: boolean
  /** The fields before the message: `time`, `client`, `account`, and `instrument` where it is the order's. */
  readonly head: readonly RecordField[]
  readonly message: RecordGroup
  /** Place of the order's instrument, where the message names none; 0 where it does. */
  readonly instrumentAt: number
  /** A record whose fields are all absent. */
  readonly empty: Uint8Array
}

/** The number of lines that no other kind holds: a record of its head, and the line in the texts of the segment. */
export const OTHER = 0

interface FieldPart {
  readonly name: string
  readonly form?: FieldForm
  readonly words?: readonly string[]
}

interface GroupPart extends Pick<RecordGroup, 'name' | 'isList' | 'isOptional'> {
  readonly parts: readonly Part[]
}

type Part = string | FieldPart | GroupPart

interface Row {
  readonly code: number
  readonly name: string
  readonly kind: keyof typeof REQUEST_FIELDS | keyof typeof MESSAGE_FIELDS
  readonly parts: readonly Part[]
  readonly isMore?: boolean
  readonly isFine?: boolean
  readonly isRefusal?: boolean
  /** True where the message names an order, and not its instrument. */
  readonly isOfOrder?: boolean
}

const list = (name: string, ...parts: Part[]): GroupPart => ({ name, isList: true, isOptional: false, parts })
const optionalList = (name: string, ...parts: Part[]): GroupPart => ({ ...list(name, ...parts), isOptional: true })
const object = (name: string, ...parts: Part[]): GroupPart => ({ ...list(name, ...parts), isList: false })
const word = (name: string, ...words: string[]): FieldPart => ({ name, form: 'word', words })
/** A text that comes again. */
const note = (name: string): FieldPart => ({ name, form: 'name' })
/** An id that few lines name. */
const uuid = (name: string): FieldPart => ({ name, form: 'uuid' })

const SIDE = word('side', 'BID', 'ASK')
const OPEN_CLOSE = word('openClose', 'AUTO', 'OPEN', 'CLOSE')
const TERMS: readonly Part[] = [
  word('type', 'LIMIT', 'MARKET', 'STOP_LIMIT', 'MARKET_PEGGED', 'PRIMARY_PEGGED'), SIDE,
  word('timeInForce', 'GOOD_TILL_CANCEL', 'IMMEDIATE_OR_CANCEL', 'FILL_OR_KILL'), 'price', 'totalQuantity', 'postOnly',
  'reduceOnly', 'closeOnly',
]
/** Attributes that few orders have. */
const MORE_TERMS: readonly Part[] = ['displayQuantity', 'triggerPrice', 'pegOffsetValue', OPEN_CLOSE, 'walletType']
const ENTRY: readonly Part[] = ['ownOrderId', 'clientOrderId', 'instrumentId', ...TERMS]
const CHANGE: readonly Part[] = ['exchangeOrderId', 'price', 'totalQuantity', 'triggerPrice']
const REPORT: readonly Part[] = [
  'ownOrderId', 'exchangeOrderId', 'clientOrderId', 'instrumentId', 'exchangeTimeNs',
  word('state', 'PENDING_NEW', 'CONFIRMED', 'PENDING_AMEND', 'FILLED', 'CANCELED', 'REJECTED', 'DISCARDED'),
  'executedQuantity', 'triggered', ...TERMS,
]
const RESULT: readonly Part[] = ['ownOrderId', 'clientOrderId', 'exchangeTimeNs']
const REFUSAL: GroupPart = object(
  'error', 'type', word('source', 'INTERNAL', 'EXCHANGE'), note('message'), 'retryTimeNs',
)
const FILL: readonly Part[] = [
  uuid('ownFillId'), uuid('exchangeTradeId'), 'ownOrderId', 'exchangeOrderId', 'clientOrderId', 'instrumentId',
  'exchangeTimeNs', SIDE, 'price', 'priceScale', 'quantity', 'fees', 'feeUnderlyingId', 'addedLiquidity', 'update',
  'usdFees', 'usdTurnover', 'fxRate', OPEN_CLOSE,
]
const WALLETS: readonly Part[] = [
  'adapterTimeNs',
  list(
    'wallets', 'underlyingId', 'type', 'exchangeTimeNs', 'availableAmount', 'amountBlockedForMargin', 'marginBalance',
    'maintenanceMargin', 'borrowed', 'cashBalance', 'unrealizedPnl', 'availableBorrow',
  ),
  optionalList('maintenanceMargin', 'walletType', 'usdAmount'),
  optionalList('totalBalances', 'walletType', 'usdAmount'),
]
/**
 * Every kind of record: encoder, decoder and docs/reference/journal-records.md are made of this table, units of fields
 * are those of the messages. A message with anything else in it is a line of the kind `other`.
 */
const ROWS: readonly Row[] = [
  { code: 1, name: 'place', kind: 'place', parts: [list('entries', ...ENTRY)] },
  {
    code: 2, name: 'placeMore', kind: 'place', isMore: true,
    parts: [list('entries', ...ENTRY, ...MORE_TERMS, 'autoBorrow', 'autoRepay', 'useSpare')],
  },
  {
    code: 3, name: 'amend', kind: 'amend', isOfOrder: true,
    parts: [list('entries', 'ownOrderId', 'currentClientOrderId', 'newClientOrderId', ...CHANGE, 'pegOffsetValue')],
  },
  {
    code: 4, name: 'replace', kind: 'replace', isOfOrder: true,
    parts: [
      list('entries', 'currentOwnOrderId', 'newOwnOrderId', 'currentClientOrderId', 'newClientOrderId', ...CHANGE),
    ],
  },
  { code: 5, name: 'cancel', kind: 'cancel', parts: [list('entries', 'ownOrderId', 'exchangeOrderId')] },
  {
    code: 6, name: 'placeResponse', kind: 'placeResponse',
    parts: ['adapterTimeNs', list('results', ...RESULT, object('result', ...REPORT))],
  },
  {
    code: 7, name: 'placeResponseMore', kind: 'placeResponse', isMore: true,
    parts: ['adapterTimeNs', list('results', ...RESULT, object('result', ...REPORT, ...MORE_TERMS))],
  },
  {
    code: 8, name: 'amendResponse', kind: 'amendResponse', isOfOrder: true,
    parts: [
      'adapterTimeNs',
      list('results', ...RESULT, object('result', 'price', 'totalQuantity', 'triggerPrice', 'pegOffsetValue')),
    ],
  },
  {
    code: 9, name: 'replaceResponse', kind: 'replaceResponse', isOfOrder: true,
    parts: [
      'adapterTimeNs', list('results', 'exchangeOrderId', ...RESULT, object('result', 'price', 'totalQuantity')),
    ],
  },
  {
    code: 10, name: 'cancelResponse', kind: 'cancelResponse',
    parts: ['adapterTimeNs', list('results', 'ownOrderId', 'exchangeTimeNs')],
  },
  { code: 11, name: 'orderUpdate', kind: 'orderUpdate', parts: ['adapterTimeNs', list('orders', ...REPORT)] },
  {
    code: 12, name: 'orderUpdateMore', kind: 'orderUpdate', isMore: true,
    parts: ['adapterTimeNs', list('orders', ...REPORT, ...MORE_TERMS)],
  },
  { code: 13, name: 'fill', kind: 'fill', parts: ['adapterTimeNs', list('fills', ...FILL)] },
  // Fees of inverse contracts are a part of a quotient, and so is the cash after them.
  { code: 14, name: 'fillFine', kind: 'fill', isFine: true, parts: ['adapterTimeNs', list('fills', ...FILL)] },
  {
    code: 15, name: 'positionUpdate', kind: 'positionUpdate',
    parts: [
      'adapterTimeNs',
      list(
        'positions', 'instrumentId', 'exchangeTimeNs', 'longPosition', 'shortPosition', 'liquidationPrice',
        'unrealizedPnl', 'averageEntryPrice',
      ),
    ],
  },
  { code: 16, name: 'walletUpdate', kind: 'walletUpdate', parts: WALLETS },
  { code: 17, name: 'walletUpdateFine', kind: 'walletUpdate', isFine: true, parts: WALLETS },
  {
    code: 18, name: 'placeRefusal', kind: 'placeResponse', isRefusal: true,
    parts: ['adapterTimeNs', list('results', ...RESULT, REFUSAL)],
  },
  {
    code: 19, name: 'amendRefusal', kind: 'amendResponse', isRefusal: true,
    parts: ['adapterTimeNs', list('results', ...RESULT, REFUSAL)],
  },
  {
    code: 20, name: 'cancelRefusal', kind: 'cancelResponse', isRefusal: true,
    parts: ['adapterTimeNs', list('results', 'ownOrderId', 'exchangeTimeNs', REFUSAL)],
  },
]

const HEAD: readonly FieldPart[] = [
  { name: 'time', form: 'time' }, { name: 'client', form: 'name' }, { name: 'account', form: 'name' },
]
const INSTRUMENT: FieldPart = { name: 'instrument', form: 'instrument' }

function formOf(name: string, fields: MessageFields): FieldForm {
  const unit = fields[name]
  switch (unit) {
    case 'price': case 'quantity': case 'decimal': case 'number': case 'flag': return unit
    case 'timeNs': return 'time'
    case 'priceScale': return 'scale'
    case 'instrumentId': return 'instrument'
    case 'orderId': case 'text': return 'id'
    case 'word': return 'name'
    default: throw new Error(`No record holds the field ${name}`)
  }
}

/** Gives every field its place, one after the other. */
class Placing {
  #bytes = 0

  constructor(private readonly isFine: boolean) {}

  get bytes(): number {
    return this.#bytes
  }

  field({ name, form: plain = 'id', words = [] }: FieldPart): RecordField {
    const at = this.#bytes
    const form = plain === 'decimal' && this.isFine ? 'fine' : plain
    this.#bytes += FORM_BYTES[form]
    return { name, form, at, words }
  }

  group(of: Omit<GroupPart, 'parts'>, parts: readonly Part[], units: MessageFields): RecordGroup {
    const fields: RecordField[] = []
    const groups: RecordGroup[] = []
    const at = this.#bytes
    for (const part of parts) {
      if (typeof part === 'string') fields.push(this.field({ name: part, form: formOf(part, units) }))
      else if ('parts' in part) groups.push(this.group(part, part.parts, units[part.name] as MessageFields))
      else fields.push(this.field(part))
    }
    const { name, isList, isOptional } = of
    return { name, isList, isOptional, at, fields, groups }
  }
}

/** Halves of the integers that stand for no value, at the end of what 64 bits hold: no safe integer is one of them. */
export const NO_VALUE_HIGH = 0x80000000
/** The lower half for a field that is absent. */
export const ABSENT_LOW = 0
/** The lower half for a field that is null. */
export const NULL_LOW = 1
/** A number that is absent. */
export const ABSENT_NUMBER: number = -0x80000000
/** A scale that is absent. */
export const ABSENT_SCALE = 255

function allFields({ fields, groups }: RecordGroup): readonly RecordField[] {
  return [...fields, ...groups.flatMap(allFields)]
}

/** A record whose fields are all absent. */
function emptyRecord(fields: readonly RecordField[], byteLength: number): Uint8Array {
  const bytes = new Uint8Array(byteLength)
  const view = new DataView(bytes.buffer)
  for (const { form, at } of fields) {
    if (FORM_BYTES[form] >= 8 && form !== 'uuid') view.setUint32(at + 4, NO_VALUE_HIGH, true)
    else if (form === 'number') view.setInt32(at, ABSENT_NUMBER, true)
    else if (form === 'scale') bytes[at] = ABSENT_SCALE
  }
  return bytes
}

function layoutOf(row: Row): RecordLayout {
  const { code, name, kind, parts, isMore = false, isFine = false, isRefusal = false, isOfOrder = false } = row
  const placing = new Placing(isFine)
  const head = [...HEAD, ...(isOfOrder ? [INSTRUMENT] : [])].map((part) => placing.field(part))
  const units: MessageFields = { ...REQUEST_FIELDS, ...MESSAGE_FIELDS }[kind]
  const message = placing.group({ name: '', isList: false, isOptional: false }, parts, units)
  const byteLength = placing.bytes
  const empty = emptyRecord([...head, ...allFields(message)], byteLength)
  const instrumentAt = head[HEAD.length]?.at ?? 0
  return { code, name, kind, byteLength, isMore, isFine, isRefusal, instrumentAt, head, message, empty }
}

function otherLayout(): RecordLayout {
  const placing = new Placing(false)
  const head = HEAD.map((part) => placing.field(part))
  const message = { name: '', isList: false, isOptional: false, at: 0, fields: [], groups: [] }
  const byteLength = placing.bytes
  return {
    code: OTHER, name: 'other', kind: 'other', byteLength, isMore: false, isFine: false, isRefusal: false,
    instrumentAt: 0, head, message,
    empty: emptyRecord(head, byteLength),
  }
}

/** The layout of the kind {@link OTHER}. */
export const OTHER_LAYOUT: RecordLayout = otherLayout()

/** The layouts of all kinds of records, by their number. */
export const RECORD_LAYOUTS: readonly RecordLayout[] = [OTHER_LAYOUT, ...ROWS.map(layoutOf)]

/** Places of the fields that every record begins with. */
export const TIME_AT = 0
export const CLIENT_AT: number = FORM_BYTES.time
export const ACCOUNT_AT: number = FORM_BYTES.time + FORM_BYTES.name

/** The layouts that may hold messages of a kind, in the order in which they are tried. */
export const LAYOUTS_OF: ReadonlyMap<string, readonly RecordLayout[]> = new Map(
  ROWS.map(({ kind }) => [kind, RECORD_LAYOUTS.filter((layout) => layout.kind === kind)]),
)
