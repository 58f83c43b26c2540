import { EVENT_KINDS } from '../model/event-kind.js'
import type { CsvRow, CsvRows } from './csv-row.js'
import type { RowConverter, RowFindings, TickEvent } from './tick-event.js'

/** Columns of trades and liquidations. */
const TRADE = { id: 4, side: 5, price: 6, amount: 7 } as const
const SIDES = ['buy', 'sell'] as const

/** trades and liquidations: rows of one arrival are one event, each row with a venue time of its own. */
export class Trades implements RowConverter {
  private texts: string[] = []
  private localUs = -1
  private exchangeNs = '0'

  constructor(
    private readonly kind: 'trades' | 'liquidations',
    private readonly rows: CsvRows,
    private readonly findings: RowFindings,
    private readonly emit: (event: TickEvent) => void,
  ) {}

  add(row: CsvRow): void {
    const { rows, findings, kind } = this
    const price = rows.decimal(row, TRADE.price)
    const amount = rows.decimal(row, TRADE.amount)
    if (kind === 'trades' && row.cells[TRADE.side] === 'unknown') {
      findings.sidelessTrades++
      return
    }
    const side = String(rows.choice(row, TRADE.side, SIDES))
    if (row.localUs !== this.localUs) this.end()
    this.localUs = row.localUs
    this.exchangeNs = row.exchangeNs
    if (kind === 'liquidations') this.texts.push(`[${side},"${price}","${amount}",${row.exchangeNs}]`)
    else {
      findings.prices.note(price)
      findings.amounts.note(amount)
      const id = row.cells[TRADE.id] ?? ''
      const idText = id === '' ? 'null' : JSON.stringify(id)
      this.texts.push(`[${side},"${price}","${amount}",${idText},${row.exchangeNs}]`)
    }
  }

  end(): void {
    const { texts, localUs, exchangeNs, kind } = this
    if (texts.length === 0) return
    this.texts = []
    this.emit({ localUs, kind: EVENT_KINDS[kind], exchangeNs, data: `[${texts.join(',')}]` })
  }
}

/** Columns of derivative_ticker; open_interest and last_price have no place in a tick file. */
const TICKER = { fundingTime: 4, rate: 5, predicted: 6, index: 9, mark: 10 } as const

/**
 * derivative_ticker: each row repeats what was last known of several messages, so a mark price, an index price and a
 * funding become an event where they differ from the row above.
 */
export class DerivativeTicker implements RowConverter {
  private mark = ''
  private index = ''
  private funding = ''

  constructor(
    private readonly rows: CsvRows,
    private readonly findings: RowFindings,
    private readonly emit: (event: TickEvent) => void,
  ) {}

  add(row: CsvRow): void {
    const { rows, findings } = this
    const mark = this.given(row, TICKER.mark, () => `"${rows.rate(row, TICKER.mark)}"`)
    const index = this.given(row, TICKER.index, () => `"${rows.rate(row, TICKER.index)}"`)
    const funding = this.given(row, TICKER.rate, () => this.fundingOf(row))
    if (mark !== '' || index !== '' || funding !== '') findings.tickerRows++
    if (mark !== '' && mark !== this.mark) this.put(row, EVENT_KINDS.mark, (this.mark = mark))
    if (index !== '' && index !== this.index) this.put(row, EVENT_KINDS.index, (this.index = index))
    if (funding !== '' && funding !== this.funding) this.put(row, EVENT_KINDS.funding, (this.funding = funding))
  }

  end(): void {
    // Every change was an event of its own.
  }

  /** The text of a cell; none where it is empty. */
  private given(row: CsvRow, cell: number, read: () => string): string {
    return this.rows.isEmpty(row, cell) ? '' : read()
  }

  private fundingOf(row: CsvRow): string {
    const { rows, findings } = this
    const timeNs = rows.timeNs(row, TICKER.fundingTime)
    if (timeNs !== '0') findings.fundingTimes++
    const predicted = rows.isEmpty(row, TICKER.predicted) ? '' : `,"${rows.rate(row, TICKER.predicted)}"`
    return `["${rows.rate(row, TICKER.rate)}",${timeNs}${predicted}]`
  }

  private put({ localUs, exchangeNs }: CsvRow, kind: number, data: string): void {
    this.emit({ localUs, kind, exchangeNs, data })
  }
}
