import { basename } from 'node:path'
import type { TardisDay } from './tardis-folder-reader.js'
import type { RowFindings } from './tick-event.js'

/**
 * Sentences on what was left out of a day, and on what its files do not hold although a tick file of a recorder does.
 */
export function dayLimits(
  { files, needless }: Pick<TardisDay, 'files' | 'needless'>, findings: RowFindings, type: string,
): string[] {
  const types = new Set<string>(files.map((file) => file.type))
  const { rowsBeforeSnapshot, sidelessTrades, tickerRows, fundingTimes } = findings
  const notes = needless.map(({ file, because }) => `${file.type} is not needed: ${because}`)
  const count = (value: number): string => value.toLocaleString('en-US')
  if (rowsBeforeSnapshot > 0)
    notes.push(`${count(rowsBeforeSnapshot)} book rows before the first snapshot left out, as they fit no known book`)
  const { count: inexactCount, first } = findings.inexact
  if (first !== null) {
    const { file = '', line = 0, field = '', found = '' } = first.place
    notes.push(`${count(inexactCount)} ${inexactCount === 1 ? 'row' : 'rows'} left out, as a ` +
      'run holds no price or quantity of more than 2^53 - 1 in digits: the first is ' +
      `${field} ${found}, line ${String(line)} of ${basename(file)}`)
  }
  if (sidelessTrades > 0)
    notes.push(`${count(sidelessTrades)} trades of unknown side left out: a tick file has no such side`)
  if (types.has('book_snapshot_25') || types.has('book_snapshot_5')) {
    const depth = types.has('book_snapshot_25') ? '25' : '5'
    notes.push(`book made from differences of book_snapshot_${depth}: nothing is known beyond ${depth} levels a side`)
  } else if (!types.has('incremental_book_L2')) notes.push('no book: download incremental_book_L2 or book_snapshot_25')
  if (!types.has('trades')) notes.push('no trades: download trades')
  if (type !== 'spot' && !types.has('derivative_ticker'))
    notes.push('no mark price, index price and funding: download derivative_ticker')
  if (tickerRows > 0 && fundingTimes === 0 && type === 'perpetual')
    notes.push('no row says when funding is paid, so a run pays none')
  if (types.has('derivative_ticker'))
    notes.push('open interest and last price left out: a tick file has no place for them')
  notes.push(
    'event ids and chains are counters of this import: a message that the recorder lost does not show',
    'outages are not in the files: a stretch without rows is silence',
    'venue times and arrival times come from two clocks: a latency includes their difference',
  )
  return notes
}
