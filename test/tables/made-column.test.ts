import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DrawnId, type Id } from '../../src/model/id.js'
import { RandomNumbers } from '../../src/model/random.js'
import { exactInteger } from '../../src/rows/exact-integer.js'
import { IdColumn } from '../../src/rows/id-column.js'
import { AmountColumn, ByteColumn, NumberColumn } from '../../src/rows/row-columns.js'
import { RowStore } from '../../src/rows/row-store.js'
import { RowTable } from '../../src/rows/row-table.js'
import { amounts, idSource, maybeAmounts, maybeHalves, maybeIds, maybeScaled, maybeTimes, times } from '../../src/results/row-sources.js'
import { fittedTable, MONEY_TYPE, roundedCounts, textColumns } from '../../src/results/money-column.js'
import type { Column, TableColumn } from '../../src/tables/column.js'
import { MadeColumn, type ColumnSource } from '../../src/tables/made-column.js'
import type { ExportFormat } from '../../src/tables/output-format.js'
import type { TableForm } from '../../src/tables/table-form.js'
import { writeTable } from '../../src/tables/table-stream.js'
import { createTable, type Table } from '../../src/tables/table.js'

const DAY = 19_943
const S = 1_000_000_000
const FORMATS: readonly TableForm[] = [
  ...(['csv', 'jsonl', 'json', 'parquet', 'arrows'] as const).map((format: ExportFormat) => ({ format })),
  { format: 'csv', times: 'iso' }, { format: 'parquet', numbers: 'float64' },
]

async function written(table: Pick<Table, 'columns' | 'rowCount' | 'column' | 'metadata'>, form: TableForm): Promise<string> {
  const parts: Buffer[] = []
  await writeTable(table, form, { write: async (bytes) => { parts.push(Buffer.from(bytes)) } })
  return Buffer.concat(parts).toString('base64')
}

/** A table of columns that are made, and the same of the lists of their values. */
function tablesOf(rowCount: number, columns: readonly (readonly [column: Column, source: ColumnSource])[]): readonly [made: Table, plain: Table] {
  const made = columns.map(([column, source]) => new MadeColumn(column, source, rowCount, 0))
  const plain = made.map(({ name, type, nullable, values }): TableColumn => ({ name, type, nullable, values }))
  return [createTable(made), createTable(plain)]
}

const column = (name: string, type: Column['type']): Column => ({ name, type, nullable: true })

/** An amount: null, a short one, one beyond 2^53, with zeros at its end. */
const AMOUNT = fc.oneof(
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 8, arbitrary: fc.tuple(fc.maxSafeInteger(), fc.integer({ min: 0, max: 18 })) },
  { weight: 2, arbitrary: fc.tuple(fc.bigInt({ min: -(10n ** 19n), max: 10n ** 19n }), fc.integer({ min: 0, max: 18 })) },
  { weight: 2, arbitrary: fc.tuple(fc.integer().map((digits) => BigInt(digits) * 10n ** 9n), fc.integer({ min: 0, max: 25 })) },
)
/** One that no decimal of 38 digits holds. */
const MISFIT = fc.tuple(fc.oneof(fc.constant(1n), fc.bigInt({ min: 10n ** 30n, max: 10n ** 45n })), fc.integer({ min: 19, max: 25 }))

const SOURCES = [new RandomNumbers(1, 'a', 0), new RandomNumbers(2, 'b', 0)]
const ID: fc.Arbitrary<Id | null> = fc.oneof(
  fc.constant(null), fc.tuple(fc.nat(1), fc.nat()).map(([source, count]) => new DrawnId(SOURCES[source]!, count)),
  fc.uuid(), fc.constantFrom('mine', 'a,b', '"', '#', '', '\u00e9\u4e2d', '\n', 'ABCDEF01-0000-4000-8000-000000000000'),
)

const ROW = fc.record({
  amount: AMOUNT, scaled: fc.oneof(fc.maxSafeInteger(), fc.constant(NaN), fc.constant(2 ** 60)), scale: fc.integer({ min: 0, max: 18 }),
  twice: fc.oneof(fc.maxSafeInteger(), fc.constant(NaN)), timeNs: fc.oneof(fc.integer({ min: 0, max: 86_400 * S }), fc.constant(NaN)), sentNs: fc.integer({ min: -S, max: 100 * S }),
  id: ID, other: ID, isOther: fc.boolean(),
})

describe('columns that are made', () => {
  test('are written, in every format, as the lists of their values are', async () => {
    await fc.assert(fc.asyncProperty(fc.array(ROW, { maxLength: 40 }), fc.option(MISFIT), async (rows, misfit) => {
      const store = new RowStore()
      const table = new RowTable(store)
      const amount = new AmountColumn(table, 'amount')
      const [scaled, twice, timeNs, sentNs] = ['scaled', 'twice', 'timeNs', 'sentNs'].map((name) => new NumberColumn(table, name)) as [NumberColumn, NumberColumn, NumberColumn, NumberColumn]
      const scale = new ByteColumn(table, 'scale')
      const [id, other] = [new IdColumn(table, 'id'), new IdColumn(table, 'other')]
      for (const one of rows) {
        const row = table.add()
        amount.set(row, one.amount === null ? NaN : exactInteger(BigInt(one.amount[0])), one.amount?.[1] ?? 0)
        scaled.set(row, one.scaled)
        scale.set(row, one.scale)
        twice.set(row, one.twice)
        timeNs.set(row, one.timeNs)
        sentNs.set(row, one.sentNs)
        id.set(row, one.id)
        other.set(row, one.other)
      }
      if (misfit !== null) amount.set(table.add(), exactInteger(misfit[0]), misfit[1])
      const columnAt = (row: number): IdColumn => (rows[row]?.isOther === true ? other : id)
      const [made, plain] = tablesOf(table.length, [
        [column('sent_ts', { form: 'timestamp' }), times((row) => sentNs.at(row), DAY)], [column('ts', { form: 'timestamp' }), maybeTimes((row) => timeNs.at(row), DAY)],
        [column('money', MONEY_TYPE), maybeAmounts(amount)], [column('scaled', MONEY_TYPE), maybeScaled((row) => scaled.at(row), (row) => scale.at(row))],
        [column('mid', MONEY_TYPE), maybeHalves(twice, scale)], [column('id', { form: 'text' }), maybeIds(id)],
        [column('other', { form: 'text' }), idSource((row) => (row % 3 === 2 ? null : columnAt(row).at(row)), (row, into) => row % 3 !== 2 && columnAt(row).words(row, into))],
      ])
      expect(made.numbers('money')).toEqual(plain.numbers('money'))
      expect(roundedCounts(made)).toEqual(roundedCounts(plain))
      expect(textColumns(made).map(({ type }) => type)).toEqual(textColumns(plain).map(({ type }) => type))
      for (const form of FORMATS) {
        const [a, b] = [made, plain].map((one) => async () => {
          const isText = form.format.startsWith('csv') || form.format.startsWith('json')
          return written(isText ? { columns: textColumns(one), rowCount: one.rowCount, column: one.column, metadata: one.metadata } : fittedTable('made', one), form)
        })
        const wanted = await b!().catch((error: unknown) => String(error))
        expect(await a!().catch((error: unknown) => String(error))).toBe(wanted)
      }
    }), { numRuns: 60 })
  })

  test('stand rounded where a row lies beyond 38 digits, and are refused where they cannot', () => {
    const table = new RowTable(new RowStore())
    const amount = new AmountColumn(table, 'amount')
    for (const [integer, scale] of [[15n, 1], [25n * 10n ** 17n, 36], [5n, 19], [10n ** 25n, 25]] as const) amount.set(table.add(), exactInteger(integer), scale)
    const [made] = tablesOf(table.length, [[column('money', MONEY_TYPE), amounts(amount)]])
    expect(fittedTable('made', made).column('money')).toEqual(['1.5', '0.000000000000000002', '0', '1'])
    expect(roundedCounts(made)).toEqual(new Map([['money', 2]]))
    amount.set(0, 10n ** 45n, 24)
    const [wide] = tablesOf(table.length, [[column('money', MONEY_TYPE), amounts(amount)]])
    expect(() => fittedTable('made', wide)).toThrow('row 0 of the table made')
  })

  test('of times far apart come in chunks of their own', async () => {
    const table = new RowTable(new RowStore())
    const timeNs = new NumberColumn(table, 'timeNs')
    for (const day of [-103, -50, NaN, 60, 103, -103]) timeNs.set(table.add(), day * 86_400 * S)
    const [made, plain] = tablesOf(table.length, [[column('ts', { form: 'timestamp' }), maybeTimes((row) => timeNs.at(row), DAY)]])
    for (const form of FORMATS) expect(await written(made, form)).toBe(await written(plain, form))
  })
})
