import type { StopSignal } from '../model/stop-signal.js'
import { IncrementalBook, Quotes, SnapshotBook } from './book-converters.js'
import { csvLines } from './csv-line-reader.js'
import { CsvRows } from './csv-row.js'
import { mergedEvents } from './event-merge.js'
import { checkHeader, TARDIS_TYPES, type TardisFile, type TardisType } from './tardis-layout.js'
import type { RowConverter, RowFindings, TickEvent } from './tick-event.js'
import { DerivativeTicker, Trades } from './trade-converters.js'

/** The options for reading a day. */
export interface DayReadOptions {
  readonly findings: RowFindings
  readonly signal?: StopSignal
  readonly onBytes?: (count: number) => void
  /** Called with the symbol as the venue writes it, once it is known. */
  readonly onSymbol?: (symbol: string) => void
}

function converter(
  type: TardisType, rows: CsvRows, findings: RowFindings, emit: (event: TickEvent) => void,
): RowConverter {
  switch (type) {
    case 'trades':
    case 'liquidations':
      return new Trades(type, rows, findings, emit)
    case 'incremental_book_L2':
      return new IncrementalBook(rows, findings, emit)
    case 'book_snapshot_25':
    case 'book_snapshot_5':
      return new SnapshotBook(rows, findings, emit)
    case 'book_ticker':
    case 'quotes':
      return new Quotes(rows, findings, emit)
    case 'derivative_ticker':
      return new DerivativeTicker(rows, findings, emit)
  }
}

/** The events of one file in the order of its rows; an empty file holds none. */
async function* fileEvents(
  file: TardisFile, { findings, onSymbol, ...options }: DayReadOptions,
): AsyncGenerator<readonly TickEvent[], void, undefined> {
  let events: TickEvent[] = []
  const rows = new CsvRows(file)
  const rest = converter(file.type, rows, findings, (event) => events.push(event))
  for await (const { lines, firstLine } of csvLines(file.path, { isPacked: file.isPacked, ...options })) {
    if (firstLine === 1) checkHeader(file, lines[0] ?? '')
    for (let i = firstLine === 1 ? 1 : 0; i < lines.length; i++) {
      const row = rows.row(lines[i] as string, firstLine + i)
      findings.inexact.tries(() => { rest.add(row) })
    }
    yield events
    events = []
  }
  rest.end()
  if (rows.venueSymbol !== null) onSymbol?.(rows.venueSymbol)
  yield events
}

/**
 * The events of one instrument and day, merged by arrival; of the same microsecond in the order of
 * {@link TARDIS_TYPES}. Throws ROW_INVALID, FILE_UNREADABLE, LINE_TOO_LONG, STOPPED.
 */
export function dayEvents(
  files: readonly TardisFile[], options: DayReadOptions,
): AsyncGenerator<TickEvent[], void, undefined> {
  const ordered = [...files].sort((a, b) => TARDIS_TYPES.indexOf(a.type) - TARDIS_TYPES.indexOf(b.type))
  return mergedEvents(ordered.map((file) => fileEvents(file, options)))
}
