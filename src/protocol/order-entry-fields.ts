import type { EntryError, OrderReport } from '../model/order.js'
import type {
  AccountState, Capabilities, Fill, IsolatedPosition, IsolatedSide, Position, UsdAmount, Wallet, RateLimitLoad,
  CorporateAction,
} from '../venue/account-messages.js'
import type { FieldsOf, MessageFields, Unit } from '../venue/field-units.js'
import { MESSAGE_FIELDS, REQUEST_FIELDS } from '../venue/message-fields.js'
import type {
  AmendEntry, AmendResult, CancelAllRequest, CancelAllResponse, CancelEntry, CancelResult, FillContextEntry,
  FillContextResult, OrderContextEntry, OrderContextResult, PlaceEntry, PlaceResult, ReplaceEntry, ReplaceResult,
} from '../venue/messages.js'

/** A field of an object on the wire (spec 2), with the name and the unit that it has inside. */
export interface WireField {
  readonly name: string
  readonly wire: string
  /** `"wire":` */
  readonly label: string
  /** Null for objects, see `inner`. */
  readonly unit: Exclude<Unit, MessageFields> | null
  readonly inner: WireShape | null
  readonly isList: boolean
  /** True where a message without it is malformed. */
  readonly isRequired: boolean
  /** The value inside where the wire has none; undefined: it is left out. */
  readonly fallback: unknown
  /** True for a price that is written as null where there is none. */
  readonly isNullable: boolean
  /** The value that stands on the wire where there is none inside, and means none when it is read. */
  readonly absent: unknown
  /** Another name under which it is read. */
  readonly alias: string | null
  /** The capability without which it is not sent. */
  readonly needs: keyof Capabilities | null
}

/** The fields of one object on the wire, in their order. */
export interface WireShape {
  readonly fields: readonly WireField[]
  /** True where its success is an empty object `result`. */
  readonly hasEmptyResult: boolean
  /** Wire name of the field that names the instrument; null where none does. */
  readonly instrumentField: string | null
  /** Wire name of the field that names the order; null where none does. */
  readonly orderField: string | null
  /** True where the object, once it is read, has the instrument from which its scales were. */
  readonly isOfInstrument: boolean
  /** True where login option `includeContext` decides about its context. */
  readonly hasOptionalContext: boolean
}

/** A field that stands on the wire too. */
const NEEDED = { isOnWire: true } as const
/** A field that the wire may leave out, and then its reader adds it. */
const OPEN = { isOnWire: false } as const

type RequiredNames<M> = { [K in keyof M]-?: undefined extends M[K] ? never : K }[keyof M]

/** The parts of a shape that the table of units does not say. */
interface Notes<M> {
  /** All fields that the message always has inside: needed on the wire too, or the value where the wire has none. */
  readonly required: { readonly [K in RequiredNames<M>]: typeof NEEDED | typeof OPEN | M[K] }
  /** True where a price that is null stands on the wire. */
  readonly hasNullPrice?: boolean
  readonly inner?: { readonly [K in keyof M]?: WireShape }
  readonly wire?: { readonly [K in keyof M]?: string }
  readonly alias?: { readonly [K in keyof M]?: string }
  readonly absent?: { readonly [K in keyof M]?: unknown }
  readonly needs?: { readonly [K in keyof M]?: keyof Capabilities }
  readonly hasEmptyResult?: boolean
  readonly hasOptionalContext?: boolean
}

const LISTS: ReadonlySet<string> = new Set([
  'entries', 'results', 'orders', 'fills', 'positions', 'isolatedPositions', 'wallets', 'loads', 'rateLimitLoads',
  'maintenanceMargin', 'totalBalances', 'orderTypes', 'timeInForces', 'walletTypes',
])

/** The name of a field on the wire: times are epoch stamps there (spec 2, "Conventions"). */
function wireName(name: string, unit: Unit): string {
  return unit === 'timeNs' && name !== 'retryTimeNs' ? name.replace(/TimeNs$/, 'TimestampNs') : name
}

/** Notes by the names of their fields. */
interface NotesByName {
  readonly required: Readonly<Record<string, unknown>>
  readonly inner?: Readonly<Record<string, WireShape>>
  readonly wire?: Readonly<Record<string, string>>
  readonly alias?: Readonly<Record<string, string>>
  readonly absent?: Readonly<Record<string, unknown>>
  readonly needs?: Readonly<Record<string, keyof Capabilities>>
}

function shape<M>(fields: FieldsOf<M> | MessageFields, notes: Notes<M>): WireShape {
  const noted = notes as unknown as NotesByName
  const { required } = noted
  const wireFields = Object.entries(fields).flatMap(([name, unit]): WireField[] => {
    if (unit === 'priceScale' || unit === 'ofInstrument') return []
    const inner = noted.inner?.[name] ?? null
    const wire = noted.wire?.[name] ?? wireName(name, unit)
    return [{
      name, wire, label: `${JSON.stringify(wire)}:`, unit: typeof unit === 'string' ? unit : null, inner,
      isList: LISTS.has(name) && (inner !== null || unit === 'word'), isRequired: required[name] === NEEDED,
      fallback: required[name] === NEEDED || required[name] === OPEN ? undefined : required[name],
      isNullable: name === 'price' && notes.hasNullPrice === true,
      absent: noted.absent?.[name], alias: noted.alias?.[name] ?? null, needs: noted.needs?.[name] ?? null,
    }]
  })
  const named = (unit: Unit): string | null => wireFields.find((field) => field.unit === unit)?.wire ?? null
  return {
    fields: wireFields, hasEmptyResult: notes.hasEmptyResult === true, instrumentField: named('instrumentId'),
    orderField: named('orderId'), isOfInstrument: Object.values(fields).includes('ofInstrument'),
    hasOptionalContext: notes.hasOptionalContext === true,
  }
}

/** A part of the table of units, by its place. */
function unitsAt(fields: unknown, ...path: readonly string[]): MessageFields {
  let part = fields as MessageFields
  for (const name of path) part = part[name] as MessageFields
  return part
}

const USD_AMOUNT: WireShape = shape<UsdAmount>(unitsAt(MESSAGE_FIELDS.walletUpdate, 'totalBalances'), {
  required: { walletType: NEEDED, usdAmount: NEEDED },
})

const ERROR: WireShape = shape<EntryError>(unitsAt(MESSAGE_FIELDS.placeResponse, 'results', 'error'), {
  required: { type: NEEDED, message: '', source: 'INTERNAL' }, needs: { retryTimeNs: 'retryTime' },
})

const REPORT_UNITS = unitsAt(MESSAGE_FIELDS.orderUpdate, 'orders')
const REPORT_REQUIRED: Notes<OrderReport>['required'] = {
  ownOrderId: NEEDED, exchangeOrderId: NEEDED, clientOrderId: NEEDED, instrumentId: NEEDED, type: NEEDED, side: NEEDED,
  state: NEEDED, timeInForce: NEEDED, price: null, totalQuantity: NEEDED, executedQuantity: NEEDED, postOnly: false,
}
const ORDER_REPORT: WireShape = shape<OrderReport>(REPORT_UNITS, {
  required: REPORT_REQUIRED, inner: { error: ERROR }, hasOptionalContext: true,
})

/** The order that a placeResponse echoes, with all that our own client wants to know of it. */
const PLACED_REPORT: WireShape = shape<OrderReport>(REPORT_UNITS, {
  required: {
    ...REPORT_REQUIRED, ownOrderId: OPEN, clientOrderId: OPEN, instrumentId: OPEN, state: 'CONFIRMED',
    executedQuantity: 0, type: OPEN, side: OPEN, timeInForce: OPEN, totalQuantity: OPEN, price: OPEN, postOnly: OPEN,
  },
  inner: { error: ERROR }, hasOptionalContext: true, hasNullPrice: true,
})

const ECHOED = [
  'exchangeOrderId', 'instrumentId', 'type', 'side', 'timeInForce', 'price', 'totalQuantity', 'postOnly',
] as const

/** The order that a placeResponse echoes (spec 2, "Result entries in responses"). */
const ECHOED_REPORT: WireShape = {
  ...PLACED_REPORT, fields: PLACED_REPORT.fields.filter(({ name }) => (ECHOED as readonly string[]).includes(name)),
}

const placeResult = (result: WireShape): WireShape =>
  shape<PlaceResult>(unitsAt(MESSAGE_FIELDS.placeResponse, 'results'), {
    required: { ownOrderId: NEEDED, clientOrderId: NEEDED }, inner: { result, error: ERROR },
  })

const PLAIN: Notes<object> = { required: {} }

const REPLACED: WireShape = shape<NonNullable<ReplaceResult['result']>>(
  unitsAt(MESSAGE_FIELDS.replaceResponse, 'results', 'result'),
  { required: { price: null, totalQuantity: NEEDED }, hasNullPrice: true },
)

const FILL: WireShape = shape<Fill>(unitsAt(MESSAGE_FIELDS.fill, 'fills'), {
  required: {
    ownFillId: NEEDED, exchangeTradeId: NEEDED, exchangeTimeNs: NEEDED, ownOrderId: NEEDED, exchangeOrderId: NEEDED,
    clientOrderId: NEEDED, instrumentId: NEEDED, side: NEEDED, price: NEEDED, quantity: NEEDED, fees: NEEDED,
    feeUnderlyingId: NEEDED, addedLiquidity: NEEDED, update: NEEDED,
  },
  hasOptionalContext: true,
})

const LEG_NEEDS = {
  liquidationPrice: 'liquidationPrice', unrealizedPnl: 'positionUnrealizedPnl', averageEntryPrice: 'averageEntryPrice',
} as const

const POSITION: WireShape = shape<Position>(unitsAt(MESSAGE_FIELDS.positionUpdate, 'positions'), {
  required: { instrumentId: NEEDED, longPosition: NEEDED, shortPosition: NEEDED }, needs: LEG_NEEDS,
})

const SIDE: WireShape = shape<IsolatedSide>(unitsAt(MESSAGE_FIELDS.positionUpdate, 'isolatedPositions', 'long'), {
  required: { size: NEEDED }, needs: LEG_NEEDS,
})

const ISOLATED: WireShape = shape<IsolatedPosition>(unitsAt(MESSAGE_FIELDS.positionUpdate, 'isolatedPositions'), {
  required: { instrumentId: NEEDED, long: NEEDED, short: NEEDED }, inner: { long: SIDE, short: SIDE },
})

const WALLET_UNITS = unitsAt(MESSAGE_FIELDS.walletUpdate, 'wallets')
const WALLET_NOTES: Notes<Wallet> = {
  required: { underlyingId: NEEDED, availableAmount: NEEDED, amountBlockedForMargin: NEEDED, marginBalance: NEEDED },
  needs: {
    cashBalance: 'cashBalance', unrealizedPnl: 'walletUnrealizedPnl', availableBorrow: 'availableBorrow',
  },
  alias: { type: 'walletType' },
}
/** Wallets of instruments that the directory does not have are read too: their amounts need no scales. */
const wallet = (notes: Notes<Wallet>): WireShape =>
  ({ ...shape<Wallet>(WALLET_UNITS, notes), instrumentField: null })

const WALLET: WireShape = wallet(WALLET_NOTES)

/** In the state of an account the type stands as `walletType`, also where it is `ACCOUNT` (spec 2, "Login result"). */
const STATED_WALLET: WireShape = wallet({
  ...WALLET_NOTES, wire: { type: 'walletType' }, alias: { type: 'type' }, absent: { type: 'ACCOUNT' },
})

const LOAD: WireShape = shape<RateLimitLoad>(unitsAt(MESSAGE_FIELDS.rateLimitLoad, 'loads'), {
  required: { id: NEEDED, p: NEEDED, a: NEEDED, r: NEEDED, c: NEEDED },
})

const CAPABILITIES: WireShape = shape<Capabilities>(unitsAt(MESSAGE_FIELDS.accountStatus, 'state', 'capabilities'), {
  required: {
    amend: false, replace: false, cancelAll: false, closeOnly: false, reduceOnly: false, displayQuantity: false,
    orderTypes: [], timeInForces: [], walletTypes: [], averageEntryPrice: false, positionUnrealizedPnl: false,
    liquidationPrice: false, cashBalance: false, walletUnrealizedPnl: false, availableBorrow: false, retryTime: false,
    spare: false,
  },
})

const STATE_NOTES: Notes<AccountState> = {
  required: {
    status: NEEDED, message: '', orders: NEEDED, positions: NEEDED, wallets: NEEDED, capabilities: OPEN,
  },
  inner: {
    orders: ORDER_REPORT, positions: POSITION, isolatedPositions: ISOLATED, wallets: STATED_WALLET,
    maintenanceMargin: USD_AMOUNT, totalBalances: USD_AMOUNT, capabilities: CAPABILITIES, rateLimitLoads: LOAD,
  },
  wire: {
    positions: 'instrumentPositions', isolatedPositions: 'isolatedInstrumentPositions', wallets: 'walletPositions',
  },
  absent: { isolatedPositions: [], maintenanceMargin: [], totalBalances: [], rateLimitLoads: [] },
}
const LOGIN_STATE: WireShape = shape<AccountState>(unitsAt(MESSAGE_FIELDS.accountStatus, 'state'), STATE_NOTES)
const STATE: WireShape = { ...LOGIN_STATE, fields: LOGIN_STATE.fields.filter(({ name }) => name !== 'capabilities') }

const CORPORATE_ACTION: WireShape = shape<CorporateAction>(unitsAt(MESSAGE_FIELDS.corporateAction, 'action'), {
  required: { instrumentId: NEEDED },
  inner: {
    split: shape(unitsAt(MESSAGE_FIELDS.corporateAction, 'action', 'split'), {
      required: { lastPrice: NEEDED, buyVolume: NEEDED, sellVolume: NEEDED, liquidateFractionalShares: NEEDED },
    }),
    dividend: shape(unitsAt(MESSAGE_FIELDS.corporateAction, 'action', 'dividend'), {
      required: { underlyingId: NEEDED, highPrice: NEEDED, lowPrice: NEEDED },
    }),
  },
})

const CANCEL_ALL_RESPONSE: WireShape = shape<CancelAllResponse>(
  unitsAt(MESSAGE_FIELDS.cancelAllResponse, 'response'),
  { required: { requestId: NEEDED, adapterTimeNs: NEEDED }, inner: { error: ERROR }, hasEmptyResult: true },
)

/** A message around its list. */
function listed(
  fields: unknown, list: string, inner: WireShape, wire: string = list, more: Partial<Notes<object>> = {},
): WireShape {
  return shape<object>(fields as MessageFields, {
    ...more,
    required: { [list]: NEEDED, adapterTimeNs: NEEDED },
    inner: { ...more.inner, [list]: inner }, wire: { ...more.wire, [list]: wire },
  })
}

/** A message on the wire. */
export interface WireMessage {
  readonly shape: WireShape
  /** The part of the message whose fields stand at the top level; null where the message's own do. */
  readonly flat: string | null
}

const results = (fields: unknown, inner: WireShape): WireMessage => ({
  shape: listed(fields, 'results', inner, 'entries', { alias: { results: 'data' } }), flat: null,
})

const POSITIONS = listed(MESSAGE_FIELDS.positionUpdate, 'positions', POSITION, 'positions', {
  inner: { isolatedPositions: ISOLATED }, absent: { isolatedPositions: [] },
  alias: { positions: 'data' },
})

const LEGACY = listed(MESSAGE_FIELDS.positionUpdate, 'positions', POSITION, 'data')

/** `positionUpdate` in the legacy encoding: `data` alone. */
export const LEGACY_POSITIONS: WireShape = {
  ...LEGACY, fields: LEGACY.fields.filter(({ name }) => name !== 'isolatedPositions'),
}

/** `placeResponse` as our own client asks for it: every field of the order. */
export const PLACED_IN_FULL: WireShape = results(MESSAGE_FIELDS.placeResponse, placeResult(PLACED_REPORT)).shape

/** `result` of a loginResponse (spec 2, "Login result"). */
export const LOGIN_RESULT: WireShape = {
  ...LOGIN_STATE, fields: LOGIN_STATE.fields.filter(({ name }) => name !== 'message'),
}

/** The same with the text beside the status, which the documents list for the event alone: for our own client. */
export const LOGIN_IN_FULL: WireShape = LOGIN_STATE

/** `error` of a loginResponse. */
export const LOGIN_ERROR: WireShape = ERROR

/** Every response and event (spec 2) by its kind; `loginResponse`, `welcome` and `invalidRequest` are the session's. */
export const WIRE_MESSAGES: { readonly [Kind in keyof typeof MESSAGE_FIELDS]: WireMessage } = {
  placeResponse: results(MESSAGE_FIELDS.placeResponse, placeResult(ECHOED_REPORT)),
  amendResponse: results(
    MESSAGE_FIELDS.amendResponse,
    shape<AmendResult>(unitsAt(MESSAGE_FIELDS.amendResponse, 'results'), {
      required: { ownOrderId: NEEDED, clientOrderId: NEEDED },
      inner: { result: shape(unitsAt(MESSAGE_FIELDS.amendResponse, 'results', 'result'), PLAIN), error: ERROR },
    }),
  ),
  replaceResponse: results(
    MESSAGE_FIELDS.replaceResponse,
    shape<ReplaceResult>(unitsAt(MESSAGE_FIELDS.replaceResponse, 'results'), {
      required: { exchangeOrderId: '', ownOrderId: NEEDED, clientOrderId: NEEDED },
      inner: { result: REPLACED, error: ERROR },
    }),
  ),
  cancelResponse: results(
    MESSAGE_FIELDS.cancelResponse,
    shape<CancelResult>(unitsAt(MESSAGE_FIELDS.cancelResponse, 'results'), {
      required: { ownOrderId: NEEDED }, inner: { error: ERROR }, hasEmptyResult: true,
    }),
  ),
  cancelAllResponse: { shape: CANCEL_ALL_RESPONSE, flat: 'response' },
  orderUpdate: { shape: listed(MESSAGE_FIELDS.orderUpdate, 'orders', ORDER_REPORT, 'data'), flat: null },
  fill: { shape: listed(MESSAGE_FIELDS.fill, 'fills', FILL, 'data'), flat: null },
  positionUpdate: { shape: POSITIONS, flat: null },
  walletUpdate: {
    shape: listed(MESSAGE_FIELDS.walletUpdate, 'wallets', WALLET, 'data', {
      inner: { maintenanceMargin: USD_AMOUNT, totalBalances: USD_AMOUNT },
      absent: { maintenanceMargin: [], totalBalances: [] },
    }),
    flat: null,
  },
  orderContextResponse: results(
    MESSAGE_FIELDS.orderContextResponse,
    shape<OrderContextResult>(unitsAt(MESSAGE_FIELDS.orderContextResponse, 'results'), {
      required: { ownOrderId: NEEDED, clientOrderId: NEEDED },
      inner: { result: shape(unitsAt(MESSAGE_FIELDS.orderContextResponse, 'results', 'result'), PLAIN), error: ERROR },
    }),
  ),
  fillContextResponse: results(
    MESSAGE_FIELDS.fillContextResponse,
    shape<FillContextResult>(unitsAt(MESSAGE_FIELDS.fillContextResponse, 'results'), {
      required: { ownFillId: NEEDED },
      inner: { result: shape(unitsAt(MESSAGE_FIELDS.fillContextResponse, 'results', 'result'), PLAIN), error: ERROR },
    }),
  ),
  rateLimitLoad: { shape: listed(MESSAGE_FIELDS.rateLimitLoad, 'loads', LOAD, 'rateLimitLoads'), flat: null },
  accountStatus: { shape: STATE, flat: 'state' },
  corporateAction: { shape: CORPORATE_ACTION, flat: 'action' },
}

const PLACE_ENTRY: WireShape = shape<PlaceEntry>(unitsAt(REQUEST_FIELDS.place, 'entries'), {
  required: {
    ownOrderId: NEEDED, clientOrderId: NEEDED, instrumentId: NEEDED, type: NEEDED, side: NEEDED, timeInForce: NEEDED,
    price: null, totalQuantity: NEEDED, postOnly: false,
  },
  hasNullPrice: true,
})

/** The entries of every request that has some (spec 2). */
export const WIRE_ENTRIES: { readonly [Kind in Exclude<keyof typeof REQUEST_FIELDS, 'cancelAll'>]: WireShape } = {
  place: PLACE_ENTRY,
  amend: shape<AmendEntry>(unitsAt(REQUEST_FIELDS.amend, 'entries'), {
    required: { ownOrderId: NEEDED, currentClientOrderId: NEEDED, newClientOrderId: NEEDED },
  }),
  replace: shape<ReplaceEntry>(unitsAt(REQUEST_FIELDS.replace, 'entries'), {
    required: {
      currentOwnOrderId: NEEDED, newOwnOrderId: NEEDED, currentClientOrderId: NEEDED, newClientOrderId: NEEDED,
    },
  }),
  cancel: shape<CancelEntry>(unitsAt(REQUEST_FIELDS.cancel, 'entries'), { required: { ownOrderId: NEEDED } }),
  orderContext: shape<OrderContextEntry>(unitsAt(REQUEST_FIELDS.orderContext, 'entries'), {
    required: { ownOrderId: NEEDED, clientOrderId: NEEDED, context: NEEDED },
  }),
  fillContext: shape<FillContextEntry>(unitsAt(REQUEST_FIELDS.fillContext, 'entries'), {
    required: { ownFillId: NEEDED, context: NEEDED },
  }),
}

/** A request to cancel all orders (spec 2), whose fields stand at the top level. */
export const WIRE_CANCEL_ALL: WireShape = shape<CancelAllRequest>(REQUEST_FIELDS.cancelAll, {
  required: { requestId: NEEDED, createTimeNs: NEEDED },
})
