import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PackedRows, type PackedForm } from '../../src/report/packed-rows.js'

interface Row {
  readonly row: number
  readonly id: string | null
  amount: number | null
  readonly list: (number | null)[]
  readonly decimal: string
  readonly word: string | number | boolean | null
  readonly rare: { readonly text: string } | string | null
}

const FORMS: { readonly [Name in Exclude<keyof Row, 'row'>]: PackedForm } = { id: 'id', amount: 'number', list: 'numbers', decimal: 'decimal', word: 'word', rare: 'rare' }

const amount = fc.oneof(fc.maxSafeInteger(), fc.nat(100), fc.constantFrom(null, NaN, 0, -1))
const digits = fc.constantFrom('0', '1', '9', '12', '00', '120', '001', '123456789', '999999999999999', '1000000000000000', '9007199254740993')
const decimal = fc.oneof(
  fc.tuple(fc.constantFrom('', '-', '+', '--'), digits, fc.constantFrom('', '.', ',', '..'), fc.oneof(digits, fc.constant(''))).map((parts) => parts.join('')),
  fc.tuple(fc.integer(), fc.integer({ min: 1, max: 99_999 })).map(([whole, part]) => `${whole}.${part}`),
  fc.constantFrom('', '-', '.', '-0', '0', '-0.5', '0.0', '1e5', 'NaN', '0x1', 'é'), fc.string({ maxLength: 5 }),
)
const id = fc.oneof(fc.uuid(), fc.uuid().map((text) => text.toUpperCase()), fc.uuid().map((text) => text.replace('-', '0')), fc.string({ minLength: 36, maxLength: 36 }), fc.string(), fc.string({ unit: 'binary', minLength: 36, maxLength: 36 }), fc.constantFrom(null, '00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000001'), fc.tuple(fc.uuid(), fc.nat(35), fc.constantFrom('g', '-', 'é', 'Ā', 'F')).map(([text, at, other]) => text.slice(0, at) + other + text.slice(at + 1)))
const row = fc.record({
  id, amount, list: fc.array(amount, { minLength: 4, maxLength: 4 }), decimal, word: fc.constantFrom('a', 'b', 1, true, false, null), rare: fc.constantFrom(null, 'why', { text: 'no' }),
})

test('records are the same before and after they are packed, in whatever order', () => {
  fc.assert(fc.property(fc.array(fc.tuple(row, fc.nat()), { maxLength: 30 }), (all) => {
    const rows = new PackedRows<Row>(FORMS)
    const records = all.map(([fields], index): Row => ({ row: index, ...fields }))
    for (const record of records) rows.add(record)
    const order = all.map(([, place], index) => ({ place, index })).sort((a, b) => a.place - b.place)
    for (const { index } of order) {
      expect(rows.at(index)).toBe(records[index])
      rows.pack(index)
      rows.pack(index)
      expect(rows.all()).toEqual(records)
      expect(records.map((_, at) => rows.field('id')(at))).toEqual(records.map((record) => record.id))
      expect(records.map((_, at) => rows.field('decimal')(at))).toEqual(records.map((record) => record.decimal))
      expect(records.map((_, at) => rows.item('list', 2)(at))).toEqual(records.map((record) => record.list[2]))
    }
    expect(rows.length).toBe(records.length)
  }), { numRuns: 300 })
})

test('rows of many chunks, fields in another order, and a record that changed before it was packed', () => {
  const rows = new PackedRows<Row>(FORMS)
  const uuidOf = (number: number): string => `1b9d6bcd-bbfd-4b2d-9b5d-${String(number).padStart(12, '0')}`
  const recordOf = (number: number): Row => ({ rare: null, word: number % 7, decimal: `${number}.5`, list: [number, null, -number, NaN], amount: number, id: uuidOf(number), row: number })
  for (let number = 0; number < 5000; number++) {
    const record = recordOf(number)
    rows.add(record)
    record.amount = -number
    if (number % 3 > 0) rows.pack(number)
  }
  for (let number = 0; number < 5000; number++) expect(rows.at(number)).toEqual({ ...recordOf(number), amount: number === 0 ? -0 : -number })
  rows.pack(-1)
  rows.pack(5000)
  expect(rows.length).toBe(5000)
})
