import { expect, test } from 'vitest'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { auditVerdict } from '../../src/tickfile/audit/audit-report.js'
import { auditReading } from '../../src/tickfile/audit/audit.js'
import { openSource } from '../../src/tickfile/archive/source-reader.js'
import { readTickFile } from '../../src/tickfile/tick-file-reader.js'
import { marketDay } from '../support/made-market-file.ts'
import { Planned } from '../support/planned-run.ts'

const lines = [{ kind: 'snapshot', timeNs: 1, rows: [[0, 99, 5], [1, 101, 5]] }] as const
const fileWith = (fields: object): Uint8Array => marketDay([{ lines }], { fields })
const audited = async (bytes: Uint8Array): Promise<ReturnType<typeof auditVerdict>> => auditVerdict(await auditReading(await readTickFile(await openSource(bytes))))
const run = (bytes: Uint8Array): Promise<unknown> => runBacktest({ strategy: Planned, data: [bytes], day: '2026-07-01', parameters: { instrument: 'TEST1', plan: [] } })

test.each<[field: string, fields: object, found: string]>([
  ['multiplier', { multiplier: 0 }, '0'],
  ['multiplier', { multiplier: -1 }, '-1'],
  ['contract_value', { contract_value: 0 }, '0'],
  ['contract_value', { contract_value: '-10' }, '-10'],
  ['ticksize', { ticksize: 0 }, '0'],
  ['ticksize', { ticksize: -0.5 }, '-0.5'],
  ['lot_size', { lot_size: 0 }, '0'],
  ['lot_size', { lot_size: '-1' }, '-1'],
  ['tick_table', { tick_table: { e: [{ p: 0, t: 1 }, { p: 100, t: 0 }] } }, '0'],
  ['contract_value', { contract_value: '1e300' }, '1e+300'],
  ['lot_size', { lot_size: '1e-300' }, '1e-300'],
  ['max_order', { max_order: '1e300' }, '1e+300'],
])('a %s that cannot be (%j) is no sound file and no run; its events can be read', async (field, fields, found) => {
  const bytes = fileWith(fields)
  const { ok, reasons } = await audited(bytes)
  expect([ok, reasons.length]).toEqual([false, 1])
  expect(reasons[0]).toContain(`${field} must be `)
  await expect(run(bytes)).rejects.toMatchObject({ code: 'MASTER_DATA_INVALID', place: { field, found, line: 1 } })
  let events = 0
  for await (const batch of (await readTickFile(await openSource(bytes))).batches()) events += batch.count
  expect(events).toBe(1)
})

test.each([
  {}, { contract_value: null }, { multiplier: null }, { ticksize: null }, { lot_size: null }, { min_order: 0 }, { max_order: null }, { min_value: 0 }, { strike_price: 0 }, { ticksize: '1.0E-4' }, { contract_value: 100 },
])('what vendors leave open is no fault: %j', async (fields) => {
  expect(await audited(fileWith(fields))).toEqual({ ok: true, reasons: [] })
  await expect(run(fileWith(fields))).resolves.toBeDefined()
})
