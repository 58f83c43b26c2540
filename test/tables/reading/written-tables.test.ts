import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runBacktest } from '../../../src/backtest/run-backtest.js'
import { writeBookGrid } from '../../../src/day/book-grid-writer.js'
import { openTickFile } from '../../../src/day/tick-day.js'
import { fittedTable } from '../../../src/results/money-column.js'
import { Parameter } from '../../../src/strategy/parameter.js'
import { Strategy } from '../../../src/strategy/strategy.js'
import { TradingInstrument } from '../../../src/strategy/trading-instrument.js'
import { readTable } from '../../../src/tables/reading/table-reader.js'
import { createTableFile } from '../../../src/tables/table-file-writer.js'
import { writeTable } from '../../../src/tables/table-stream.js'
import type { Table } from '../../../src/tables/table.js'
import { datasetsFolder } from '../../support/datasets-folder.ts'
import { newFolder } from '../../support/new-folder.ts'

const XRP = join(datasetsFolder, 'synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
const FORMATS = ['parquet', 'arrow', 'arrows'] as const

class Taker extends Strategy {
  instrument!: TradingInstrument

  override onStart(): void {
    let step = 0
    this.every(2000, () => {
      step++
      this.instrument.placeOrder({ type: 'MARKET', side: step % 3 === 0 ? 'ASK' : 'BID', quantity: this.instrument.quantity('10') })
    })
  }
}
Parameter(TradingInstrument)(Taker.prototype, 'instrument')

/** Writes a table in every format that is read back, and compares every value. */
async function comesBack(name: string, table: Table): Promise<void> {
  for (const format of FORMATS) {
    const path = join(newFolder(), `${name}.${format}`)
    const file = await createTableFile(path, { format }, { force: false, inputs: [] })
    await writeTable(table, { format }, file)
    await file.commit(table.metadata)
    const read = await readTable(path)
    expect(read.rows, `${name} ${format}`).toEqual(table.rows)
    expect(Object.fromEntries(read.metadata)).toEqual(Object.fromEntries(table.metadata))
  }
}

test('minutes and other spans come back', async () => {
  const day = await openTickFile(XRP)
  await comesBack('minutes', await day.minutes({ columns: 'all' }))
  await comesBack('spans', await day.minutes({ every: '10s' }))
}, 60_000)

test('a grid of books comes back, and is the table of the day', async () => {
  const day = await openTickFile(XRP)
  const table = await day.bookTable({ everyMs: 20_000, levels: 7 })
  for (const format of FORMATS) {
    const path = join(newFolder(), `grid.${format}`)
    await writeBookGrid(day, path, { everyMs: 20_000, levels: 7, form: { format } })
    const read = await readTable(path)
    expect(read.rows).toEqual(table.rows)
    expect(read.metadata.get('every_ms')).toBe(table.metadata.get('every_ms'))
  }
}, 60_000)

test('tables of a run come back', async () => {
  const result = await runBacktest({ strategy: Taker, data: [XRP], from: '23:56', to: '23:58', parameters: { instrument: 'XRPUSDT' }, account: { balances: { USDT: '100000' }, fees: { maker: '0.0001', taker: '0.0005' } } })
  const { fills, orders, equity, roundTrips, hours, days } = result
  for (const [name, table] of Object.entries({ fills, orders, equity, roundTrips, hours, days })) {
    expect(table.rowCount, name).toBeGreaterThan(0)
    await comesBack(name, fittedTable(name, table))
  }
  expect(fills.numbers('price')).toEqual(Float64Array.from(fills.column('price'), Number))
  expect(fills.timesNs('exchange_ts')[0]).toBe(fills.rows[0]?.exchange_ts)
}, 60_000)
