import { tableFromIPC } from 'apache-arrow'
import { describe, expect, test } from 'vitest'
import { AMOUNT_TYPE, fittedTable, MONEY_TYPE, textColumns } from '../../src/results/money-column.js'
import { runsTable } from '../../src/results/runs-table.js'
import type { ColumnType, TableColumn } from '../../src/tables/column.js'
import { createTable } from '../../src/tables/table.js'
import type { MarketLine } from '../support/market-lines.ts'
import { plannedRun } from '../support/planned-run.ts'
import type { BacktestResult } from '../../src/results/backtest-result.js'

const S = 1_000_000_000
const MARKET: MarketLine[] = [
  { kind: 'snapshot', timeNs: 0, rows: [[0, 100, 50], [1, 101, 50]] }, { kind: 'mark', timeNs: 0, value: 100 }, { kind: 'mark', timeNs: 170 * S, value: 102 },
]
const PLANS = [['10s BID 101 2 IOC'], ['10s BID 101 4 IOC', '20s ASK 100 1 IOC'], []]

const typesOf = (bytes: Uint8Array): string[] => tableFromIPC(bytes).schema.fields.map(({ name, type, nullable }) => `${name} ${String(type)} ${nullable}`)

describe('results of a list of parameters', () => {
  test('carry their parameters, in the metadata of every table too', async () => {
    const results = await plannedRun({ files: [MARKET], plans: PLANS })
    expect(results.map(({ parameters }) => parameters)).toEqual(PLANS.map((plan) => ({ instrument: 'TEST1', plan })))
    for (const [number, { fills, orders, equity, fingerprint }] of results.entries()) {
      for (const table of [fills, orders, equity]) {
        const { metadata } = tableFromIPC(table.toArrow()).schema
        expect([metadata.get('set'), JSON.parse(metadata.get('parameters')!), metadata.get('fingerprint')]).toEqual([String(number), { instrument: 'TEST1', plan: PLANS[number] }, fingerprint])
      }
    }
  })

  test('are the rows of one table', async () => {
    const results = await plannedRun({ files: [MARKET], plans: PLANS })
    const table = runsTable(results)
    expect(table.rows.map((row) => [row['set'], row['param_instrument'], row['param_plan'], row['profit_CASH'], row['fees_CASH'], row['orders'], row['fills'], row['stop']])).toEqual([
      [0, 'TEST1', '["10s BID 101 2 IOC"]', '1.596', '0.404', 1, 1, null], [1, 'TEST1', '["10s BID 101 4 IOC","20s ASK 100 1 IOC"]', '0.992', '1.008', 2, 2, null], [2, 'TEST1', '[]', '0', '0', 0, 0, null],
    ])
    expect(table.column('fingerprint')).toEqual(results.map(({ fingerprint }) => fingerprint))
    expect(typesOf(table.toArrow()).filter((text) => text.startsWith('max_drawdown'))).toEqual(['max_drawdown_CASH Decimal[38e+18] true'])
  })

  test('types of the tables are the same in every run', async () => {
    const [empty] = await plannedRun({ files: [MARKET], plans: [[]] })
    const [full] = await plannedRun({ files: [MARKET], plans: [PLANS[1]!] })
    const [spot] = await plannedRun({ files: [MARKET], plans: [PLANS[0]!], instrument: { type: 'spot' } })
    for (const name of ['fills', 'orders', 'equity', 'roundTrips', 'hours', 'days'] as const) {
      const types = typesOf(empty![name].toArrow())
      expect([typesOf(full![name].toArrow()), typesOf(spot![name].toArrow())]).toEqual([types, types])
      expect(types.filter((text) => text.includes('Decimal')).every((text) => text.includes('Decimal[38e+18]'))).toBe(true)
    }
  })

  /** Buys 2 at 101 for a fee of that rate; the table of fills. */
  const bought = async (taker: string): Promise<BacktestResult> => {
    const [result] = await plannedRun({ files: [MARKET], plans: [PLANS[0]!], options: { account: { balances: { CASH: '1000' }, fees: { maker: '0', taker } } } })
    return result!
  }

  test('money of more than 18 decimals is rounded in Arrow and counted; rows hold it', async () => {
    const result = await bought('0.0000000000000000001')
    expect(result.fills.rows[0]!.fee).toBe('0.0000000000000000202')
    expect(result.fills.column('fee')).toEqual(['0.0000000000000000202'])
    expect(result.fills.rounded).toEqual(new Map([['fee', 1]]))
    expect(textColumns(result.fills).filter(({ type }) => type.form === 'text').map(({ name }) => name)).toContain('fee')
    const fills = tableFromIPC(result.fills.toArrow())
    expect(fills.schema.metadata.get('rounded')).toBe('fee 1')
    expect([...(fills.getChild('fee')!.get(0) as Uint32Array)]).toEqual([20, 0, 0, 0])
    const runs = runsTable([result])
    expect(runs.rows[0]!['fees_CASH']).toBe('0.0000000000000000202')
    expect(tableFromIPC(runs.toArrow()).schema.metadata.get('rounded')).toBe('profit_CASH 1, fees_CASH 1, end_equity_CASH 1, max_drawdown_CASH 1')
    expect((await bought('0.001')).fills.rounded).toEqual(new Map())
  })

  const column = (name: string, type: ColumnType, ...values: (string | null)[]): TableColumn => ({ name, type, nullable: true, values })
  test.each([
    ['0.0000000000000000005', '0', 1], ['0.0000000000000000015', '0.000000000000000002', 1], ['0.0000000000000000025', '0.000000000000000002', 1],
    ['0.00000000000000000250000000000001', '0.000000000000000003', 1], ['-0.0000000000000000015', '-0.000000000000000002', 1], ['-0.0000000000000000004', '0', 1],
    ['12345678901234567890.1234567890123456785', '12345678901234567890.123456789012345678', 1],
    ['0.000000000000000001', '0.000000000000000001', 0], ['99999999999999999999.999999999999999999', '99999999999999999999.999999999999999999', 0], ['0', '0', 0],
  ])('money of %s stands as %s', (value, stands, count) => {
    const table = fittedTable('made', createTable([column('fee', MONEY_TYPE, null, value)]))
    expect([table.column('fee'), table.metadata.get('rounded')]).toEqual([[null, stands], count === 0 ? undefined : 'fee 1'])
  })

  test.each([
    ['a price of 19 decimals', AMOUNT_TYPE, '0.0000000000000000001'],
    ['a price of 21 digits before its point', AMOUNT_TYPE, '100000000000000000000'],
    ['money of 21 digits before its point', MONEY_TYPE, '-100000000000000000000'],
    ['money of 21 digits and 19 decimals', MONEY_TYPE, '100000000000000000000.0000000000000000001'],
    ['money that comes to 21 digits when rounded', MONEY_TYPE, '99999999999999999999.9999999999999999995'],
  ])('%s is refused with its place', (_name, type, value) => {
    const table = createTable([column('own', type, '1', value)])
    const message = `Cannot state own of row 1 of the table made as decimal128(38, 18): found ${value}; CSV and JSON hold every digit`
    const place = { field: 'own', expected: 'at most 18 decimals and 20 digits before them', found: value }
    expect(() => fittedTable('made', table)).toThrow(expect.objectContaining({ code: 'VALUE_INEXACT', message, place }))
  })
})

describe('spot', () => {
  test('summary and fills have net traded and wallet in the place of a position', async () => {
    const account = { balances: { CASH: '1000', BASE: '5' }, fees: { maker: '0', taker: '0' } }
    const [result] = await plannedRun({ files: [MARKET], plans: [PLANS[1]!], instrument: { type: 'spot' }, options: { account } })
    expect(result!.summary.instruments[0]).toMatchObject({ position: null, netTraded: '3', wallet: '8', lowestPosition: '0', highestPosition: '4' })
    expect(result!.fills.rows.map(({ position, net_traded: net, wallet }) => [position, net, wallet])).toEqual([[null, '4', '9'], [null, '3', '8']])
    const [future] = await plannedRun({ files: [MARKET], plans: [PLANS[1]!] })
    expect(future!.fills.rows.map(({ position, net_traded: net, wallet }) => [position, net, wallet])).toEqual([['4', null, null], ['3', null, null]])
    expect(future!.summary.instruments[0]).not.toHaveProperty('netTraded')
  })
})
