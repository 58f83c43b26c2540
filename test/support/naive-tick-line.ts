import { textFromScaled } from '../../src/model/decimal.js'
import { idTextAt, textAt } from '../../src/model/event-batch-columns.js'
import type { EventBatch } from '../../src/model/event-batch.js'
import { epochNsFromTime } from '../../src/model/time.js'

type Json = string | number | boolean | null | Json[]

/** One event in plain words: what a line says, independent of columns. Decimals in shortest form, times as epoch digits or null. */
export type PlainEvent = Json[]

const time = (value: Json | undefined): string | null => value === 0 || value === '0' || value === undefined ? null : String(value)

/** The shortest plain form of a decimal text, by string work alone. */
function shortest(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  if (whole === '') throw new Error(`no decimal: ${text}`)
  const point = whole.length + Number(exponent)
  const digits = `${'0'.repeat(Math.max(0, -point))}${whole}${fraction}${'0'.repeat(Math.max(0, point - whole.length - fraction.length))}`
  const at = Math.max(point, 0)
  const left = digits.slice(0, at).replace(/^0+(?=\d)/, '') || '0'
  const right = digits.slice(at).replace(/0+$/, '')
  const plain = right === '' ? left : `${left}.${right}`
  return sign === '-' && plain !== '0' ? `-${plain}` : plain
}

/** Decodes a line with `JSON.parse`, integers beyond 15 digits first put in quotes. */
export function plainFromLine(line: string): PlainEvent {
  const quoted = line.replace(/"(?:[^"\\]|\\.)*"|\d{16,}/g, (token) => token.startsWith('"') ? token : `"${token}"`)
  const event = JSON.parse(quoted) as Json[]
  const kind = event[0] as number
  if (kind === 5) return [kind, null, null, time(event[2]), null, [], [], [event[3] as Json, event[4] ?? null], null]
  const data = event[6] as Json[]
  const rows = Array.isArray(data) && kind !== 9 ? (data as Json[][]).map((row) => plainRow(kind, row)) : []
  return [kind, event[2] as Json, event[3] as Json, time(event[4]), time(event[5]), rows, plainValues(kind, event), [], kind === 0 ? event[7] ?? null : null]
}

function plainRow(kind: number, row: Json[]): Json {
  const [side = null, price, quantity] = row
  const common = [side, shortest(price as string), shortest(quantity as string)]
  if (kind === 2) return [...common, row[3] ?? null, time(row[4])]
  return kind === 17 ? [...common, null, time(row[3])] : common
}

function plainValues(kind: number, event: Json[]): Json[] {
  const data = event[6] as Json
  if (kind === 7) return [shortest(data as string), ...event.slice(7, 14).map((v) => v === null ? null : Number(v))]
  if (kind === 8) return [shortest(data as string)]
  if (kind !== 9) return []
  const [rate, next, predicted] = data as Json[]
  return [shortest(rate as string), time(next), ...(predicted === undefined ? [] : [predicted === null ? null : shortest(predicted as string)])]
}

const epoch = (timeNs: number | undefined, batch: EventBatch): string | null =>
  timeNs === undefined || Number.isNaN(timeNs) ? null : String(epochNsFromTime(timeNs, batch.epochDay))

/** Event i of a batch in the same words. */
export function plainFromBatch(batch: EventBatch, i: number): PlainEvent {
  const kind = batch.kind[i] ?? 0
  const rows: Json[] = []
  const firstTrade = (batch.tradeRowStart[i] ?? 0) - (batch.rowStart[i] ?? 0)
  for (let row = batch.rowStart[i] ?? 0; row < (batch.rowStart[i + 1] ?? 0); row++) {
    const common = [batch.side[row] ?? null, batch.wide?.price.get(row) ?? textFromScaled(batch.price[row] ?? NaN, batch.priceScale), batch.wide?.quantity.get(row) ?? textFromScaled(batch.quantity[row] ?? NaN, batch.quantityScale)]
    rows.push(kind === 2 || kind === 17 ? [...common, textAt(batch.tradeId, firstTrade + row), epoch(batch.rowTimeNs[firstTrade + row], batch)] : common)
  }
  const values: Json[] = []
  for (let at = batch.valueStart[i] ?? 0; at < (batch.valueStart[i + 1] ?? 0); at++) {
    const value = batch.values[at] ?? NaN
    const scale = batch.valueScale[at] ?? 0
    if (scale === 255) values.push(null)
    else if (scale === 254) values.push(value)
    else values.push(kind === 9 && at - (batch.valueStart[i] ?? 0) === 1 ? epoch(value, batch) : (batch.wide?.value.get(at) ?? textFromScaled(value, scale)))
  }
  const texts: Json[] = []
  for (let at = batch.textStart[i] ?? 0; at < (batch.textStart[i + 1] ?? 0); at++) texts.push(textAt(batch.text, at))
  const flags = batch.flags[i] ?? 0
  const force = kind === 0 && (flags & 2) !== 0 ? (flags & 1) !== 0 : null
  return [
    kind, idTextAt(batch.previousEventId, i), idTextAt(batch.eventId, i), epoch(batch.adapterTimeNs[i], batch), epoch(batch.exchangeTimeNs[i], batch),
    rows, values, texts, force,
  ]
}
