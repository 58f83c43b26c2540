import { tableFromIPC } from 'apache-arrow'
import { describe, expect, test } from 'vitest'
import { textColumns } from '../../src/backtest/money-column.js'
import { runsTable } from '../../src/backtest/runs-table.js'
import type { MarketLine } from '../support/market-lines.ts'
import { plannedRun } from '../support/planned-run.ts'

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
    for (const name of ['fills', 'orders', 'equity'] as const) {
      const types = typesOf(empty![name].toArrow())
      expect([typesOf(full![name].toArrow()), typesOf(spot![name].toArrow())]).toEqual([types, types])
      expect(types.filter((text) => text.includes('Decimal')).every((text) => text.includes('Decimal[38e+18]'))).toBe(true)
    }
  })

  test('a value that does not fit is refused with its place; rows hold it', async () => {
    const account = { balances: { CASH: '1000' }, fees: { maker: '0', taker: '0.0000000000000000001' } }
    const [result] = await plannedRun({ files: [MARKET], plans: [PLANS[0]!], options: { account } })
    expect(result!.fills.rows[0]!.fee).toBe('0.0000000000000000202')
    expect(result!.fills.column('fee')).toEqual(['0.0000000000000000202'])
    expect(() => result!.fills.toArrow()).toThrow('Cannot state fee of row 0 of the table fills as decimal128(38, 18): found 0.0000000000000000202')
    expect(textColumns(result!.fills).filter(({ type }) => type.form === 'text').map(({ name }) => name)).toContain('fee')
    expect(runsTable([result!]).rows[0]!['fees_CASH']).toBe('0.0000000000000000202')
    expect(() => runsTable([result!]).toArrow()).toThrow('Cannot state profit_CASH of row 0 of the table runs')
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
