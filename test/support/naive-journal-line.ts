import { textFromScaled } from '../../src/model/decimal.js'
import { epochNsFromTime } from '../../src/model/time.js'
import { canonicalJson, type CanonicalValue } from '../../src/model/canonical-json.js'
import type { LineHead, OrderInstruments } from '../../src/protocol/journal-text.js'
import type { InstrumentDirectory, InstrumentEntry } from '../../src/venue/venue.js'

/** Fields of the messages of spec 2 (Place, Amend, Replace, Order Updates, Fills) whose values are prices: by the documents, not by the code's table. */
const PRICE_FIELDS: ReadonlySet<string> = new Set(['price', 'triggerPrice', 'pegOffsetValue'])
/** The same of quantities, positions included (spec 2, Positions: `longPosition`, `shortPosition`, `size`). */
const QUANTITY_FIELDS: ReadonlySet<string> = new Set(['totalQuantity', 'executedQuantity', 'quantity', 'displayQuantity', 'longPosition', 'shortPosition', 'size'])

/** A journal line the plain way: makes the object that the line says, then writes it as canonical JSON. */
export function naiveJournalLine(directory: InstrumentDirectory, instrumentOf: OrderInstruments, epochDay: number, head: LineHead, content: object): string {
  const time = (timeNs: number): string => String(epochNsFromTime(timeNs, epochDay))
  const exact = (value: unknown, outer: InstrumentEntry | undefined): CanonicalValue => {
    if (Array.isArray(value)) return value.map((element) => exact(element, outer))
    if (typeof value !== 'object' || value === null) return value as CanonicalValue
    const fields = value as Readonly<Record<string, unknown>>
    const order = fields['ownOrderId'] ?? fields['currentOwnOrderId']
    const id = fields['instrumentId'] ?? (typeof order === 'string' && head.account !== null ? instrumentOf.get(head.account)?.get(order) : undefined)
    const entry = (typeof id === 'number' ? directory.get(id) : undefined) ?? outer
    const line: Record<string, CanonicalValue> = {}
    for (const [name, field] of Object.entries(fields)) {
      if (field === undefined || name === 'priceScale') continue
      // An amend or a replace (spec 2) names no instrument: its sender's stays behind.
      if (name === 'instrumentId' && fields['currentClientOrderId'] !== undefined) continue
      if (name === 'context' || name === 'owner') line[name] = field as CanonicalValue
      else if (typeof field === 'number' && name.endsWith('TimeNs')) line[name.replace(/TimeNs$/, 'TimestampNs')] = time(field)
      else if (typeof field === 'number' && PRICE_FIELDS.has(name)) line[name] = textFromScaled(field, (fields['priceScale'] as number | undefined) ?? entry?.priceScale ?? 0)
      else if (typeof field === 'number' && QUANTITY_FIELDS.has(name)) line[name] = textFromScaled(field, entry?.quantityScale ?? 0)
      else line[name] = exact(field, entry)
    }
    return line
  }
  const { seq, side, timeNs, kind, client, account } = head
  const who = { ...(client === null ? {} : { client }), ...(account === null ? {} : { account }) }
  return canonicalJson({ ...(exact(content, undefined) as object), seq, side, time: time(timeNs), kind, ...who })
}
