import { scaledFromText, textFromScaled } from '../model/decimal.js'
import { isJsonObject, type JsonObject } from '../model/json-object.js'
import { isPegged, type EntryError, type Owner } from '../model/order.js'
import type { Capabilities } from '../venue/account-messages.js'
import type { PlaceEntry } from '../venue/messages.js'
import type { ClientMessage, ClientRequest } from '../venue/order-messages.js'
import { orderNotFoundText } from '../venue/order-not-found.js'
import { unsupportedChange } from '../venue/unsupported-change.js'
import type { InstrumentEntry } from '../venue/venue.js'
import { WIRE_CANCEL_ALL, WIRE_ENTRIES } from './order-entry-fields.js'
import { WireFault, type WireReader } from './order-entry-reader.js'
import type { OrderInstruments } from './order-instruments.js'
import { foundOnWire } from './wire-json.js'

/** Requests that have entries. */
export type EntryKind = Exclude<ClientRequest['kind'], 'cancelAll'>

/** Most entries of one request: our choice, the documents show no limit. */
const ENTRY_LIMIT = 100
const READABLE_ID_LENGTH = 128

/** The outcome of one entry, as a response has it. */
export type EntryResult = Readonly<Record<string, unknown>> & { readonly error?: EntryError }

/** One entry of a request: what goes on, or its error. */
export type ReadEntry =
  | { readonly key: string; readonly entry: object }
  | { readonly key: string; readonly refused: EntryResult }

interface EntryRules {
  readonly response: ClientMessage['kind']
  /** Ids of its result, and the field of the entry that has each. */
  readonly ids: Readonly<Record<string, string>>
  /** Ids that a result has empty where the entry has none. */
  readonly optional: readonly string[]
}

/** The responses of requests (spec 2, "Result entries in responses"), and the ids by which they name an entry. */
export const ENTRY_RULES: { readonly [Kind in EntryKind]: EntryRules } = {
  place: {
    response: 'placeResponse', ids: { ownOrderId: 'ownOrderId', clientOrderId: 'clientOrderId' }, optional: [],
  },
  amend: {
    response: 'amendResponse', ids: { ownOrderId: 'ownOrderId', clientOrderId: 'newClientOrderId' }, optional: [],
  },
  replace: {
    response: 'replaceResponse',
    ids: { exchangeOrderId: 'exchangeOrderId', ownOrderId: 'newOwnOrderId', clientOrderId: 'newClientOrderId' },
    optional: ['exchangeOrderId'],
  },
  cancel: { response: 'cancelResponse', ids: { ownOrderId: 'ownOrderId' }, optional: [] },
  orderContext: {
    response: 'orderContextResponse', ids: { ownOrderId: 'ownOrderId', clientOrderId: 'clientOrderId' }, optional: [],
  },
  fillContext: { response: 'fillContextResponse', ids: { ownFillId: 'ownFillId' }, optional: [] },
}

/** The name by which a result finds its entry again. */
export function resultKey(kind: EntryKind, result: EntryResult): string {
  const { ids, optional } = ENTRY_RULES[kind]
  return Object.keys(ids).filter((id) => !optional.includes(id)).map((id) => String(result[id])).join(' ')
}

/** The reader of entries, and what decides beside it. */
export interface EntryReaders {
  readonly reader: WireReader
  readonly orders: OrderInstruments
  readonly capabilities: Capabilities
}

/**
 * Reads the entries of a request. An entry that is malformed but says its ids is refused alone; one of an order that is
 * not known by the lack of a capability, where its kind needs one. Throws {@link WireFault} where the request has no
 * entries, too many, or one without ids.
 */
export function entriesOf(
  kind: EntryKind, message: JsonObject, { reader, orders, capabilities }: EntryReaders,
): readonly ReadEntry[] {
  const { entries } = message
  if (!Array.isArray(entries)) throw new WireFault('entries', 'a list', foundOnWire(entries))
  const list = entries as readonly unknown[]
  if (list.length === 0 || list.length > ENTRY_LIMIT)
    throw new WireFault('entries', `a list of 1 to ${ENTRY_LIMIT} entries`, `${list.length}`)
  const ids = list.map((entry, index) => idsOf(kind, entry, `entries[${index}]`))
  const first = isJsonObject(list[0]) ? list[0]['instrumentId'] : undefined
  return list.map((entry, index): ReadEntry => {
    const known = ids[index] ?? {}
    const key = resultKey(kind, known)
    try {
      return { key, entry: entryOf(kind, entry as JsonObject, `entries[${index}]`, { reader, orders, first }) }
    } catch (error) {
      if (!(error instanceof WireFault)) throw error
      const isUnknown = error.type === 'ORDER_NOT_FOUND' && (kind === 'amend' || kind === 'replace')
      const unsupported = isUnknown ? unsupportedChange(kind, capabilities) : null
      const { type } = error
      const text = isUnknown ? orderNotFoundText(changedOrder(entry as JsonObject)) : error.message
      return { key, refused: { ...known, error: unsupported ?? { type, message: text, source: 'INTERNAL' } } }
    }
  })
}

/** The order that an entry changes. */
function changedOrder(entry: JsonObject): string {
  return (entry['currentOwnOrderId'] ?? entry['ownOrderId']) as string
}

/** The ids that the result of an entry needs. */
function idsOf(kind: EntryKind, entry: unknown, path: string): EntryResult {
  if (!isJsonObject(entry)) throw new WireFault(path, 'an object', foundOnWire(entry))
  const { ids, optional } = ENTRY_RULES[kind]
  return Object.fromEntries(Object.entries(ids).map(([id, field]) => {
    const value = entry[field]
    const isReadable = typeof value === 'string' && value !== '' && value.length <= READABLE_ID_LENGTH
    if (!isReadable && !optional.includes(id)) throw new WireFault(`${path}.${field}`, 'an id', foundOnWire(value))
    return [id, isReadable ? value : '']
  }))
}

interface EntryReading {
  readonly reader: WireReader
  readonly orders: OrderInstruments
  /** The instrument of the first entry, as it stands. */
  readonly first: unknown
}

function entryOf(kind: EntryKind, entry: JsonObject, path: string, { reader, orders, first }: EntryReading): object {
  const read = reader.object(WIRE_ENTRIES[kind], entry, path)
  if (kind === 'place') {
    const place = read as unknown as PlaceEntry
    if (place.instrumentId !== first)
      throw new WireFault(`${path}.instrumentId`, 'that of the first entry', String(place.instrumentId))
    if (isPegged(place.type) && place.price !== null)
      throw new WireFault(`${path}.price`, `absent for a ${place.type} order`, foundOnWire(entry['price']))
    checkTicks(read, orders.directory.get(place.instrumentId), path)
  } else if (kind === 'amend' || kind === 'replace') {
    checkTicks(read, orders.entryOf(changedOrder(read)), path)
  }
  return read
}

/** Prices above 0 are on their tick; the adapter itself says what is wrong with the others. */
function checkTicks(read: JsonObject, entry: InstrumentEntry | undefined, path: string): void {
  if (entry === undefined) return
  for (const name of ['price', 'triggerPrice']) {
    const price = read[name]
    if (typeof price !== 'number' || price <= 0) continue
    const tick = tickSizeAt(price, entry)
    const step = tick === null ? null : scaledFromText(tick, entry.priceScale)
    if (step !== null && step > 0 && price % step !== 0) {
      const found = textFromScaled(price, entry.priceScale)
      throw new WireFault(`${path}.${name}`, `a multiple of the tick size ${tick ?? ''}`, found)
    }
  }
}

function tickSizeAt(price: number, { instrument, priceScale }: InstrumentEntry): string | null {
  const band = instrument.tickBands.findLast(({ floor }) => price >= (scaledFromText(floor, priceScale) ?? Infinity))
  return band?.tickSize ?? instrument.tickSize
}

/** A place entry with its owner: the process that logged in. */
export function ownedBy(processId: string, entry: PlaceEntry): PlaceEntry {
  const owner: Owner = { ...entry.owner, processId }
  return { ...entry, owner }
}

/**
 * Reads a cancelAll. Its `createTimestampNs` is of the client's own clock, which a replay is years behind: nothing goes
 * by it, and one that this clock cannot hold becomes `nowNs`, the time of its arrival. Throws {@link WireFault}.
 */
export function cancelAllOf(message: JsonObject, reader: WireReader, nowNs: number): ClientRequest {
  return { kind: 'cancelAll', ...cancelAllFields(message, reader, nowNs) } as unknown as ClientRequest
}

function cancelAllFields(message: JsonObject, reader: WireReader, nowNs: number): object {
  try {
    return reader.object(WIRE_CANCEL_ALL, message, '')
  } catch (error) {
    if (!(error instanceof WireFault) || !error.isInexact) throw error
    const untimed = { ...WIRE_CANCEL_ALL, fields: WIRE_CANCEL_ALL.fields.filter(({ unit }) => unit !== 'timeNs') }
    return { ...reader.object(untimed, message, ''), createTimeNs: nowNs }
  }
}
