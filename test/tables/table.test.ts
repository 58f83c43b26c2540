import { tableFromIPC } from 'apache-arrow'
import { expect, it } from 'vitest'
import { createTable } from '../../src/tables/table.js'

const table = createTable([
  { name: 'ts', type: { form: 'timestamp' }, nullable: false, values: [1_782_864_000_000_000_001n, 2n] },
  { name: 'price', type: { form: 'decimal', precision: 18, scale: 2 }, nullable: true, values: ['-1.25', null] },
  { name: 'note', type: { form: 'text' }, nullable: true, values: [null, 'ü'] },
  { name: 'count', type: { form: 'uint32' }, nullable: false, values: [1, 4_294_967_295] },
])

it('gives rows as objects, made once', () => {
  expect(table.rowCount).toBe(2)
  expect(table.rows[0]).toEqual({ ts: 1_782_864_000_000_000_001n, price: '-1.25', note: null, count: 1 })
  expect(table.rows).toBe(table.rows)
  expect(table.column('note')).toEqual([null, 'ü'])
})

it('gives Arrow bytes that keep every digit', () => {
  const arrow = tableFromIPC(table.toArrow())
  expect(arrow.schema.fields.map((field) => String(field.type))).toEqual(['Timestamp<NANOSECOND>', 'Decimal[18e+2]', 'Utf8', 'Uint32'])
  expect(arrow.getChild('ts')?.data[0]?.values[0]).toBe(1_782_864_000_000_000_001n)
  expect(Array.from(arrow.getChild('price')?.get(0) as Uint32Array)).toEqual([4_294_967_171, 4_294_967_295, 4_294_967_295, 4_294_967_295])
  expect(arrow.getChild('price')?.get(1)).toBeNull()
  expect(arrow.getChild('note')?.get(1)).toBe('ü')
  expect(arrow.getChild('count')?.get(1)).toBe(4_294_967_295)
})

it('refuses columns of unequal length and names that are no column', () => {
  const short = { name: 'a', type: { form: 'text' } as const, nullable: false, values: [] }
  expect(() => createTable([{ ...short, name: 'b', values: ['x'] }, short])).toThrow('column a has 0 values, the first column 1')
  expect(() => table.column('prices')).toThrow('no column prices; there are ts, price, note, count')
})

it('is its rows in a loop, and exact texts in JSON', () => {
  expect([...table]).toEqual(table.rows)
  expect(JSON.parse(JSON.stringify(table))).toEqual([{ ts: '1782864000000000001', price: '-1.25', note: null, count: 1 }, { ts: '2', price: null, note: 'ü', count: 4_294_967_295 }])
  const doubles = createTable([{ name: 'x', type: { form: 'double' }, nullable: true, values: [NaN, Infinity, -0, 0.1] }, { name: 'b', type: { form: 'boolean' }, nullable: true, values: [true, false, null, true] }])
  expect(doubles.toJSON()).toEqual([{ x: null, b: true }, { x: null, b: false }, { x: -0, b: null }, { x: 0.1, b: true }])
})

it('has an empty form', () => {
  expect(createTable([]).rows).toEqual([])
})
