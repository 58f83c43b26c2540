import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { tableFromIPC } from 'apache-arrow'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { backtape } from '../support/command.ts'
import { RunFolder, strategyModule } from '../support/run-folder.ts'
import { hasSharedData, sharedData } from '../support/shared-data.ts'
import { EXPORT_FORMATS } from '../../src/tables/output-format.js'

const TABLES = ['fills', 'orders', 'equity', 'round-trips', 'hours', 'days', 'runs'] as const
type Name = (typeof TABLES)[number]
type Row = Readonly<Record<string, unknown>>

/** Columns of money of each table; everything else that is a decimal is a price or a quantity. */
const PERIOD = ['profit', 'realized_pnl', 'unrealized_pnl', 'fees', 'flows', 'funding', 'turnover', 'equity', 'drawdown']
const MONEY: Readonly<Record<Name, readonly string[]>> = {
  fills: ['value', 'fee', 'realized_pnl', 'wallet'],
  orders: [],
  equity: ['equity', 'realized_pnl', 'unrealized_pnl', 'fees', 'drawdown'],
  'round-trips': ['entry_price', 'exit_price', 'profit', 'gross_profit', 'fees', 'other_fees', 'high_price', 'low_price', 'favorable_excursion', 'adverse_excursion'],
  hours: PERIOD,
  days: PERIOD,
  runs: ['profit_BTC', 'fees_BTC', 'end_equity_BTC', 'turnover_BTC', 'max_drawdown_BTC', 'slippage_BTC'],
}

const folder = new RunFolder()
const out = (format: string): string => join(folder.path, format)
const notes = new Map<string, string>()
afterAll(() => { folder.remove() })

function textOf(name: Name, format: string): string {
  const bytes = readFileSync(join(out(format), `${name}.${format}`))
  return format.endsWith('.gz') ? gunzipSync(bytes).toString() : bytes.toString()
}

/** The exact rows: JSON lines hold every digit. */
function exactRows(name: Name): Row[] {
  return textOf(name, 'jsonl').trimEnd().split('\n').map((line) => JSON.parse(line) as Row)
}

/** A decimal text as an integer of 10^-18, half-even, by integers alone. */
function scaledOf(text: string): bigint {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.')
  const integer = BigInt(whole + fraction.padEnd(18, '0').slice(0, 18))
  const rest = fraction.slice(18).replace(/0+$/, '')
  const isUp = rest > '5' || (rest === '5' && integer % 2n === 1n)
  return (text.startsWith('-') ? -1n : 1n) * (isUp ? integer + 1n : integer)
}

const wanted = (name: Name, column: string): (bigint | null)[] => exactRows(name).map((row) => (row[column] === null ? null : scaledOf(row[column] as string)))
const isLong = (value: unknown): boolean => (String(value).split('.')[1] ?? '').length > 18

/** `fee 3, realized_pnl 1`, counted in the exact rows. */
function roundedText(name: Name): string {
  const counts = MONEY[name].map((column) => [column, exactRows(name).filter((row) => isLong(row[column])).length] as const)
  return counts.filter(([, count]) => count > 0).map(([column, count]) => `${column} ${count}`).join(', ')
}

async function duckRows(sql: string): Promise<unknown[][]> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  try {
    const connection = await instance.connect()
    const rows = (await connection.runAndReadAll(sql)).getRows()
    connection.closeSync()
    return rows
  } finally {
    instance.closeSync()
  }
}

/** Takes both sides by turns on the recorded coin-margined day, whose fees are values of 18 decimals times a rate. */
const TAKER = strategyModule(`  @Parameter(Quantity) size!: Quantity

  override onStart(): void {
    for (let step = 0; step < 6; step++) this.after(5000 + step * 7000, () => { this.take(step % 2 === 0) })
  }
  take(isBuy: boolean): void {
    this.instrument.placeOrder({ type: 'MARKET', side: isBuy ? 'BID' : 'ASK', quantity: this.size })
  }`)

describe.skipIf(!hasSharedData)('the tables of a run on an inverse contract', { timeout: 240_000 }, () => {
  beforeAll(async () => {
    folder.write('subject.ts', TAKER)
    const run = folder.write('coin.run.json', {
      strategy: './subject.ts#Subject', data: [sharedData('days/binance_coin_swap-BTCUSD_PERP-2024-08-09.txt.zst')], from: '00:01', to: '00:02',
      parameters: { instrument: 'BTCUSD_PERP', size: '7' },
      account: { balances: { BTC: '1' }, fees: { maker: '0.0001', taker: '0.00037' } },
    })
    for (const format of EXPORT_FORMATS) {
      const { code, err } = await backtape(['backtest', run, '--out', out(format), '--to', format])
      expect([format, code]).toEqual([format, 0])
      notes.set(format, err)
    }
    await backtape(['backtest', run, '--out', out('doubles'), '--to', 'parquet', '--numbers', 'float64'])
  }, 240_000)

  test('hold every digit in every format of text, and say nothing', () => {
    expect(exactRows('fills').filter(({ fee }) => isLong(fee)).length).toBeGreaterThan(3)
    for (const format of EXPORT_FORMATS.filter((own) => /csv|json/.test(own))) {
      expect(notes.get(format)).not.toContain('rounded')
      for (const name of TABLES) {
        const text = textOf(name, format)
        for (const row of exactRows(name)) for (const column of MONEY[name]) if (isLong(row[column])) expect(text).toContain(row[column])
      }
    }
  })

  test('have their parameters in a file beside each table of text', () => {
    for (const format of EXPORT_FORMATS.filter((own) => /csv|json/.test(own))) {
      for (const name of TABLES.filter((one) => one !== 'runs')) {
        const { metadata } = JSON.parse(readFileSync(join(out(format), `${name}.${format}.json`), 'utf8')) as { metadata: Readonly<Record<string, string>> }
        expect([metadata['table'], metadata['set'], JSON.parse(metadata['parameters']!)]).toEqual([name, '0', { instrument: 'BTCUSD_PERP', size: '7' }])
        expect(metadata['fingerprint']).toMatch(/^bt3:/)
        expect([metadata['strategy'], metadata['from'], metadata['to']]).toEqual(['Subject', '2024-08-09T00:01:00.000000000Z', '2024-08-09T00:02:00.000000000Z'])
        expect(metadata).not.toHaveProperty('rounded')
      }
    }
    expect(exactRows('runs')[0]).toMatchObject({ param_instrument: 'BTCUSD_PERP', param_size: '7' })
  })

  test.each(['parquet', 'arrow', 'arrows'])('stand rounded half-even to 18 decimals in %s, which one note counts', (format) => {
    const counts = TABLES.flatMap((name) => (roundedText(name) === '' ? [] : roundedText(name).split(', ').map((text) => `${name}.${text.replace(' ', ': ')}`)))
    const places = `rounded half-even to 18 places in the ${format === 'parquet' ? 'Parquet' : 'Arrow'} tables`
    const found = notes.get(format)!.split('\n').filter((line) => line.includes('rounded'))
    expect(found).toEqual([`${counts.join(', ')} values of more than 18 decimals stand ${places}; CSV and JSON hold every digit`])
    expect(found[0]).toContain(`fills.fee: ${exactRows('fills').length}`)
  })

  test.each(TABLES)('%s in Arrow: types, values and metadata', (name) => {
    for (const format of ['arrow', 'arrows']) {
      const table = tableFromIPC(readFileSync(join(out(format), `${name}.${format}`)))
      expect(table.schema.metadata.get('rounded') ?? '').toBe(roundedText(name))
      const decimals = table.schema.fields.filter(({ type }) => String(type).startsWith('Decimal'))
      expect(decimals.map(({ type }) => String(type))).toEqual(decimals.map(() => 'Decimal[38e+18]'))
      for (const column of MONEY[name]) expect(decimals.map((field) => field.name)).toContain(column)
      for (const { name: column } of decimals) {
        const words = [...table.getChild(column)!] as (Uint32Array | null)[]
        const values = words.map((word) => (word === null ? null : BigInt.asIntN(128, word.reduceRight((sum, part) => (sum << 32n) | BigInt(part >>> 0), 0n))))
        expect([column, values]).toEqual([column, wanted(name, column)])
      }
    }
  })

  test.each(TABLES)('%s in Parquet: types, values and metadata', async (name) => {
    const path = join(out('parquet'), `${name}.parquet`)
    const types = await duckRows(`select column_name, column_type from (describe select * from '${path}')`)
    const decimals = types.filter(([, type]) => String(type).startsWith('DECIMAL')).map(([column]) => String(column))
    expect(types.filter(([column]) => MONEY[name].includes(String(column))).map(([, type]) => type)).toEqual(MONEY[name].map(() => 'DECIMAL(38,18)'))
    for (const column of decimals) {
      const rows = await duckRows(`select "${column}"::VARCHAR from '${path}'`)
      expect([column, rows.map(([value]) => (value === null ? null : scaledOf(value as string)))]).toEqual([column, wanted(name, column)])
    }
    const metadata = new Map((await duckRows(`select decode(key), decode(value) from parquet_kv_metadata('${path}')`)) as [string, string][])
    expect(metadata.get('rounded') ?? '').toBe(roundedText(name))
  })

  test.each(TABLES)('%s with --numbers float64 holds the doubles nearest to the exact values', async (name) => {
    const path = join(out('doubles'), `${name}.parquet`)
    for (const column of MONEY[name]) {
      const found = (await duckRows(`select "${column}" from '${path}'`)).map(([value]) => value)
      expect([column, found]).toEqual([column, exactRows(name).map((row) => (row[column] === null ? null : Number(row[column])))])
    }
  })
})
