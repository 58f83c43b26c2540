import { EVENT_KINDS } from '../model/event-kind.js'
import type { CsvRow, CsvRows } from './csv-row.js'
import type { RowConverter, RowFindings, TickEvent } from './tick-event.js'

const SIDES = ['bid', 'ask'] as const
const TRUTHS = ['false', 'true'] as const
const ZERO = /^[0.]+$/

function level(side: number, price: string, amount: string): string {
  return `[${side},"${price}","${amount}",1]`
}

/** The end of a level that is gone. */
const REMOVED = '"0",1]'

/** Arrivals of one snapshot follow each other faster: microseconds. */
const SNAPSHOT_PAUSE_US = 1_000_000

/** Columns of incremental_book_L2. */
const L2 = { isSnapshot: 4, side: 5, price: 6, amount: 7 } as const

/**
 * incremental_book_L2: rows of one arrival are one event. A row of a snapshot behind one of none begins a new book. The
 * rows of a snapshot that arrive later add to it, unless they name a level that it has, or come more than a second
 * behind it: those are of another snapshot (our choice), which replaces the book. Rows before the first snapshot are
 * counted and left out, as tardis.dev asks for.
 */
export class IncrementalBook implements RowConverter {
  private levels: string[] = []
  private localUs = -1
  private exchangeNs = '0'
  private isSnapshot = false
  /** The event that is under way replaces the book. */
  private isReset = false
  private hasBook = false
  /** Levels of the snapshot under way by side and price: those of earlier arrivals, and those of this one. */
  private named = new Set<string>()
  private arrived = new Set<string>()

  constructor(
    private readonly rows: CsvRows,
    private readonly findings: RowFindings,
    private readonly emit: (event: TickEvent) => void,
  ) {}

  add(row: CsvRow): void {
    const { rows, findings } = this
    const isSnapshot = rows.choice(row, L2.isSnapshot, TRUTHS) === 1
    const side = rows.choice(row, L2.side, SIDES)
    const price = rows.decimal(row, L2.price)
    const amount = rows.decimal(row, L2.amount)
    if (row.localUs !== this.localUs || isSnapshot !== this.isSnapshot) {
      this.end()
      this.isReset = isSnapshot && (!this.isSnapshot || row.localUs > this.localUs + SNAPSHOT_PAUSE_US)
      this.localUs = row.localUs
      this.isSnapshot = isSnapshot
    }
    findings.prices.note(price)
    this.exchangeNs = row.exchangeNs
    if (!this.hasBook && !isSnapshot) {
      findings.rowsBeforeSnapshot++
      return
    }
    const isEmpty = ZERO.test(amount)
    if (!isEmpty) findings.amounts.note(amount)
    if (isSnapshot && !isEmpty) this.noteLevel(`${side} ${price}`)
    this.levels.push(level(side, price, isEmpty ? '0' : amount))
  }

  private noteLevel(name: string): void {
    this.isReset ||= this.named.has(name)
    this.arrived.add(name)
  }

  end(): void {
    const { levels, localUs, exchangeNs, isReset } = this
    if (isReset || !this.isSnapshot) this.named.clear()
    for (const name of this.arrived) this.named.add(name)
    this.arrived.clear()
    if (levels.length === 0 && !isReset) return
    // A snapshot has no levels to remove.
    const data = `[${(isReset ? levels.filter((text) => !text.endsWith(REMOVED)) : levels).join(',')}]`
    // A later snapshot follows a lost connection: whatever came between is unknown.
    const kind = isReset ? EVENT_KINDS.snapshot : EVENT_KINDS.update
    this.emit({ localUs, kind, exchangeNs, data: isReset ? `${data},${String(this.hasBook)}` : data })
    this.hasBook ||= isReset
    this.isReset = false
    this.levels = []
  }
}

/** Cells of one level of book_snapshot_25 and _5: ask price, ask amount, bid price, bid amount. */
const CELLS_PER_LEVEL = 4
const FIRST_LEVEL = 4

/**
 * book_snapshot_25 and book_snapshot_5: the first row is a snapshot, each later one the update of the levels that
 * differ; a level that left the row is removed. Rows that change nothing are no events.
 */
export class SnapshotBook implements RowConverter {
  private sides: readonly [bids: Map<string, string>, asks: Map<string, string>] | null = null

  constructor(
    private readonly rows: CsvRows,
    private readonly findings: RowFindings,
    private readonly emit: (event: TickEvent) => void,
  ) {}

  add(row: CsvRow): void {
    const before = this.sides
    const sides = [this.side(row, 2), this.side(row, 0)] as const
    this.sides = sides
    const levels: string[] = []
    for (const side of [0, 1] as const) {
      for (const [price, amount] of sides[side])
        if (before?.[side].get(price) !== amount) levels.push(level(side, price, amount))
      if (before !== null)
        for (const price of before[side].keys()) if (!sides[side].has(price)) levels.push(level(side, price, '0'))
    }
    const { localUs, exchangeNs } = row
    const data = `[${levels.join(',')}]`
    if (before === null) this.emit({ localUs, kind: EVENT_KINDS.snapshot, exchangeNs, data: `${data},false` })
    else if (levels.length > 0) this.emit({ localUs, kind: EVENT_KINDS.update, exchangeNs, data })
  }

  end(): void {
    this.sides = null
  }

  private side(row: CsvRow, offset: number): Map<string, string> {
    const { rows, findings } = this
    const levels = new Map<string, string>()
    for (let cell = FIRST_LEVEL + offset; cell < row.cells.length; cell += CELLS_PER_LEVEL) {
      if (rows.isEmpty(row, cell)) continue
      const price = rows.decimal(row, cell)
      const amount = rows.decimal(row, cell + 1)
      findings.prices.note(price)
      findings.amounts.note(amount)
      levels.set(price, amount)
    }
    return levels
  }
}

/** Columns of quotes and book_ticker. */
const QUOTE = { askAmount: 4, askPrice: 5, bidPrice: 6, bidAmount: 7 } as const

/** quotes and book_ticker: every row is a top of book; a side without a price is left out of it. */
export class Quotes implements RowConverter {
  constructor(
    private readonly rows: CsvRows,
    private readonly findings: RowFindings,
    private readonly emit: (event: TickEvent) => void,
  ) {}

  add(row: CsvRow): void {
    const levels = [
      this.side(row, 0, QUOTE.bidPrice, QUOTE.bidAmount), this.side(row, 1, QUOTE.askPrice, QUOTE.askAmount),
    ]
    const data = `[${levels.filter((text) => text !== '').join(',')}]`
    this.emit({ localUs: row.localUs, kind: EVENT_KINDS.topOfBook, exchangeNs: row.exchangeNs, data })
  }

  end(): void {
    // Every row was an event of its own.
  }

  private side(row: CsvRow, side: 0 | 1, priceCell: number, amountCell: number): string {
    const { rows, findings } = this
    if (rows.isEmpty(row, priceCell)) return ''
    const price = rows.decimal(row, priceCell)
    const amount = rows.decimal(row, amountCell)
    findings.prices.note(price)
    findings.amounts.note(amount)
    return level(side, price, amount)
  }
}
