import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { Decimal } from '../../src/model/decimal.js'
import { TARDIS_COLUMNS, type TardisType } from '../../src/tardis/tardis-layout.js'

/** Sheets of one instrument and day in the published layout: rows without their header, by data type. */
export type TardisSheets = Partial<Record<TardisType, string[]>>

/** Where sheets belong. */
export interface SheetPlace {
  readonly exchange: string
  readonly symbol: string
  readonly day: string
}

/** Writes one CSV file, packed or not; says its path. */
export function writeSheet(
  folder: string, { exchange, symbol, day }: SheetPlace, type: TardisType, rows: readonly string[], isPacked = true,
): string {
  mkdirSync(folder, { recursive: true })
  const text = [TARDIS_COLUMNS[type].join(','), ...rows].map((line) => `${line}\n`).join('')
  const path = join(folder, `${exchange}_${type}_${day}_${symbol.replaceAll('/', '-')}.csv${isPacked ? '.gz' : ''}`)
  writeFileSync(path, isPacked ? gzipSync(text) : text)
  return path
}

/** Writes the sheets of a day. */
export function writeSheets(folder: string, place: SheetPlace, sheets: TardisSheets): void {
  for (const [type, rows] of Object.entries(sheets)) writeSheet(folder, place, type as TardisType, rows)
}

type TickLine = readonly unknown[]
type BookRow = readonly [side: 0 | 1, price: string, quantity: string]
type TimedRow = readonly [side: 0 | 1, price: string, quantity: string, ...rest: unknown[]]

/** A line of a tick file whose times keep their digits. */
function parsedLine(text: string): TickLine {
  return JSON.parse(text.replace(/(?<=[,[])\d{16,}(?=[,\]])/g, '"$&"')) as TickLine
}

const micros = (ns: string): string => ns.slice(0, -3)

/**
 * A day of tick lines as tardis.dev would publish it: naive, a line at a time. Times lose what lies below a
 * microsecond, as theirs do; lines outside the UTC day, and those that are not later than the one before, are left
 * out.
 */
export class TardisMaker {
  readonly sheets: Required<Pick<TardisSheets, 'trades' | 'incremental_book_L2' | 'book_snapshot_25' | 'quotes' | 'derivative_ticker' | 'liquidations'>> =
    { trades: [], incremental_book_L2: [], book_snapshot_25: [], quotes: [], derivative_ticker: [], liquidations: [] }
  /** The lines that the sheets hold, in order. */
  readonly kept: TickLine[] = []
  readonly #book: readonly [Map<string, string>, Map<string, string>] = [new Map(), new Map()]
  readonly #ticker = { fundingTime: '', rate: '', predicted: '', index: '', mark: '' }
  #top = ''
  #lastLocal = ''
  #hasSnapshot = false

  constructor(private readonly place: SheetPlace) {}

  add(text: string): void {
    const line = parsedLine(text)
    const kind = line[0] as number
    if (kind === 5) return
    const local = micros(String(line[4]))
    const dayUs = String(Date.parse(`${this.place.day}T00:00:00Z`) * 1000)
    const endUs = String(Number(dayUs) + 86_400_000_000)
    // The book of the margin goes on: what a day's file begins with is a snapshot of it.
    if (local < dayUs && kind <= 1) this.#apply(kind, line[6] as BookRow[])
    if (local < dayUs || local >= endUs || local <= this.#lastLocal) return
    if (kind <= 1 && !this.#hasSnapshot) {
      this.#hasSnapshot = true
      if (kind === 1) this.#snapshot(this.#lead(line, local), line)
    }
    this.#lastLocal = local
    this.kept.push(line)
    this.#write(kind, line, this.#lead(line, local), local)
  }

  #lead(line: TickLine, local: string): string {
    const exchangeNs = String(line[5])
    return `${this.place.exchange},${this.place.symbol},${exchangeNs === '0' ? local : micros(exchangeNs)},${local}`
  }

  #write(kind: number, line: TickLine, lead: string, local: string): void {
    const data = line[6]
    const sheets = this.sheets
    if (kind === 0 || kind === 1) {
      this.#apply(kind, data as BookRow[])
      for (const [side, price, quantity] of data as BookRow[])
        sheets.incremental_book_L2.push(`${lead},${String(kind === 0)},${side === 0 ? 'bid' : 'ask'},${price},${quantity}`)
      this.#topRow(lead)
    } else if (kind === 2) {
      for (const [side, price, quantity, id, time] of data as TimedRow[])
        sheets.trades.push(`${this.#timedLead(lead, String(time), local)},${(id as string | null) ?? ''},${side === 0 ? 'buy' : 'sell'},${price},${quantity}`)
    } else if (kind === 17) {
      for (const [side, price, quantity, time] of data as TimedRow[])
        sheets.liquidations.push(`${this.#timedLead(lead, String(time), local)},,${side === 0 ? 'buy' : 'sell'},${price},${quantity}`)
    } else if (kind === 6) {
      const of = (side: 0 | 1): readonly [string, string] => {
        const row = (data as BookRow[]).find((one) => one[0] === side)
        return [row?.[1] ?? '', row?.[2] ?? '']
      }
      sheets.quotes.push(`${lead},${of(1)[1]},${of(1)[0]},${of(0)[0]},${of(0)[1]}`)
    } else this.#tickerRow(kind, data, lead)
  }

  #timedLead(lead: string, timeNs: string, local: string): string {
    const cells = lead.split(',')
    return [cells[0], cells[1], timeNs === '0' ? local : micros(timeNs), local].join(',')
  }

  #tickerRow(kind: number, data: unknown, lead: string): void {
    const ticker = this.#ticker
    if (kind === 7) ticker.mark = data as string
    if (kind === 8) ticker.index = data as string
    if (kind === 9) {
      const [rate, next, predicted = ''] = data as readonly string[]
      Object.assign(ticker, { rate, fundingTime: next === '0' ? '' : micros(String(next)), predicted })
    }
    this.sheets.derivative_ticker.push([lead, ticker.fundingTime, ticker.rate, ticker.predicted, '1000', '', ticker.index, ticker.mark].join(','))
  }

  #apply(kind: number, rows: readonly BookRow[]): void {
    if (kind === 0) for (const side of this.#book) side.clear()
    for (const [side, price, quantity] of rows) {
      if (Number(quantity) === 0) this.#book[side].delete(price)
      else this.#book[side].set(price, quantity)
    }
  }

  #snapshot(lead: string, line: TickLine): void {
    const rows = ([0, 1] as const).flatMap((side) => [...this.#book[side]].map(([price, quantity]) => [side, price, quantity, 1]))
    this.kept.push([0, line[1], '0', '0', line[4], line[5], rows, false])
    for (const side of [0, 1] as const)
      for (const [price, quantity] of this.#book[side])
        this.sheets.incremental_book_L2.push(`${lead},true,${side === 0 ? 'bid' : 'ask'},${price},${quantity}`)
  }

  /** The best 25 levels, where they changed. */
  #topRow(lead: string): void {
    const levels = (side: 0 | 1): Level[] => [...this.#book[side]]
      .map(([price, quantity]) => ({ price, quantity, value: new Decimal(price) }))
      .sort((a, b) => (side === 0 ? b.value.comparedTo(a.value) : a.value.comparedTo(b.value)))
    const [bids, asks] = [levels(0), levels(1)]
    const cells = Array.from({ length: 25 }, (_, i) => [asks[i]?.price ?? '', asks[i]?.quantity ?? '', bids[i]?.price ?? '', bids[i]?.quantity ?? ''].join(',')).join(',')
    if (cells === this.#top) return
    this.#top = cells
    this.sheets.book_snapshot_25.push(`${lead},${cells}`)
  }
}

interface Level {
  readonly price: string
  readonly quantity: string
  readonly value: Decimal
}
