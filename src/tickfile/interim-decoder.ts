import { decimalScale, scaledFromText } from '../model/decimal.js'
import { BacktapeError } from '../model/error.js'
import type { EventBatch, IdColumn } from '../model/event-batch.js'
import type { Instrument } from '../model/instrument.js'

const DAY_NS = 86_400_000_000_000n
type Json = string | number | boolean | null | Json[]

class Ids {
  form: number[] = []
  high: number[] = []
  low: number[] = []
  constructor(readonly texts: string[], readonly index: Map<string, number>) {}
  push(text: string | null): void {
    if (text === null) return this.put(0, 0, 0)
    if (/^(0|[1-9]\d{0,19})$/.test(text)) {
      const value = BigInt(text)
      if (value < 1n << 64n) return this.put(1, Number(value >> 32n), Number(value & 0xffffffffn))
    }
    let at = this.index.get(text)
    if (at === undefined) {
      at = this.texts.length
      this.texts.push(text)
      this.index.set(text, at)
    }
    this.put(2, 0, at)
  }
  put(form: number, high: number, low: number): void {
    this.form.push(form)
    this.high.push(high)
    this.low.push(low)
  }
  column(): IdColumn {
    return { form: Uint8Array.from(this.form), high: Uint32Array.from(this.high), low: Uint32Array.from(this.low), texts: this.texts }
  }
}

class Texts {
  start: number[] = [0]
  parts: Uint8Array[] = []
  nulls: number[] = []
  length = 0
  push(text: string | null): void {
    const bytes = new TextEncoder().encode(text ?? '')
    this.parts.push(bytes)
    this.length += bytes.length
    this.start.push(this.length)
    this.nulls.push(text === null ? 1 : 0)
  }
  column(): EventBatch['text'] {
    const bytes = new Uint8Array(this.length)
    this.parts.forEach((part, i) => bytes.set(part, this.start[i] ?? 0))
    return { start: Uint32Array.from(this.start), bytes, isNull: Uint8Array.from(this.nulls) }
  }
}

/** A slow, first decoder; the byte decoder replaces it. */
export class InterimBatch {
  count = 0
  kind: number[] = []
  adapter: number[] = []
  exchange: number[] = []
  flags: number[] = []
  rowStart: number[] = [0]
  side: number[] = []
  price: number[] = []
  quantity: number[] = []
  tradeRowStart: number[] = [0]
  rowTime: number[] = []
  valueStart: number[] = [0]
  values: number[] = []
  valueScale: number[] = []
  textStart: number[] = [0]
  text: Texts = new Texts()
  tradeId: Texts = new Texts()
  previous: Ids
  id: Ids
  constructor(readonly instrument: Instrument, readonly epochDay: number, readonly first: number, readonly priceScale: number, readonly quantityScale: number) {
    const texts: string[] = []
    const index = new Map<string, number>()
    this.previous = new Ids(texts, index)
    this.id = new Ids(texts, index)
  }
  time(text: Json): number {
    if (text === 0 || text === null) return NaN
    return Number(BigInt(text as string) - BigInt(this.epochDay) * DAY_NS)
  }
  add(event: Json[]): void {
    const type = event[0] as number
    this.kind.push(type)
    if (type === 5) this.addState(event)
    else this.addEvent(type, event)
    this.rowStart.push(this.side.length)
    this.tradeRowStart.push(this.rowTime.length)
    this.valueStart.push(this.values.length)
    this.textStart.push(this.text.nulls.length)
    this.count++
  }
  addState(event: Json[]): void {
    this.previous.push(null)
    this.id.push(null)
    this.adapter.push(this.time(event[2] ?? null))
    this.exchange.push(NaN)
    this.flags.push(0)
    this.text.push(event[3] as string)
    this.text.push((event[4] ?? null) as string | null)
  }
  addEvent(type: number, event: Json[]): void {
    this.previous.push(event[2] as string)
    this.id.push(event[3] as string)
    this.adapter.push(this.time(event[4] ?? null))
    this.exchange.push(this.time(event[5] ?? null))
    this.flags.push(type === 0 && event.length > 7 ? (event[7] === true ? 3 : 2) : 0)
    if (type === 7 || type === 8) this.addValue(event[6] as string)
    if (type === 7) for (const v of event.slice(7, 14)) this.addDouble(v)
    if (type === 9) this.addFunding(event[6] as Json[])
    if (type < 7 || type === 17) for (const row of event[6] as Json[][]) this.addRow(type, row)
  }
  addFunding(data: Json[]): void {
    this.addValue(data[0] as string)
    const next = this.time(data[1] ?? null)
    this.values.push(next)
    this.valueScale.push(Number.isNaN(next) ? 255 : 0)
    if (data.length > 2) this.addValue(data[2] as string | null)
  }
  addValue(text: string | null): void {
    const scale = text === null ? null : decimalScale(text)
    const value = text === null || scale === null ? NaN : scaledFromText(text, scale)
    if (value === null) throw new BacktapeError('LINE_MALFORMED', `Cannot decode ${String(text)}`)
    this.values.push(value)
    this.valueScale.push(scale ?? 255)
  }
  addDouble(text: Json): void {
    this.values.push(text === null ? NaN : Number(text))
    this.valueScale.push(text === null ? 255 : 254)
  }
  addRow(type: number, row: Json[]): void {
    this.side.push(row[0] as number)
    this.price.push(this.scaled(row[1] as string, this.priceScale))
    this.quantity.push(this.scaled(row[2] as string, this.quantityScale))
    if (type !== 2 && type !== 17) return
    this.tradeId.push(type === 2 ? row[3] as string | null : null)
    this.rowTime.push(this.time(row[type === 2 ? 4 : 3] ?? null))
  }
  scaled(text: string, scale: number): number {
    const value = scaledFromText(text, scale)
    if (value === null) throw new BacktapeError('LINE_MALFORMED', `Cannot decode ${text}`)
    return value
  }
  batch(): EventBatch {
    return {
      instrument: this.instrument, epochDay: this.epochDay, priceScale: this.priceScale, quantityScale: this.quantityScale,
      count: this.count, firstEventIndex: this.first, kind: Uint8Array.from(this.kind),
      adapterTimeNs: Float64Array.from(this.adapter), exchangeTimeNs: Float64Array.from(this.exchange),
      previousEventId: this.previous.column(), eventId: this.id.column(), flags: Uint8Array.from(this.flags),
      rowStart: Uint32Array.from(this.rowStart), side: Uint8Array.from(this.side), price: Float64Array.from(this.price), quantity: Float64Array.from(this.quantity),
      tradeRowStart: Uint32Array.from(this.tradeRowStart), rowTimeNs: Float64Array.from(this.rowTime), tradeId: this.tradeId.column(),
      valueStart: Uint32Array.from(this.valueStart), values: Float64Array.from(this.values), valueScale: Uint8Array.from(this.valueScale),
      textStart: Uint32Array.from(this.textStart), text: this.text.column(),
    }
  }
}

/** The scales that a line's rows need. */
export function scalesOf(event: Json[]): [price: number, quantity: number] {
  let price = 0
  let quantity = 0
  if (event[0] === 5 || !Array.isArray(event[6]) || event[0] === 9) return [0, 0]
  for (const row of event[6] as Json[][]) {
    price = Math.max(price, decimalScale(row[1] as string) ?? 0)
    quantity = Math.max(quantity, decimalScale(row[2] as string) ?? 0)
  }
  return [price, quantity]
}

/** JSON with integers beyond 15 digits kept as text. */
export function parseEvent(line: string): Json[] {
  return JSON.parse(line.replace(/([[,])(\d{16,})(?=[,\]])/g, '$1"$2"')) as Json[]
}
