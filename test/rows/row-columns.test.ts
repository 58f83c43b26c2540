import fc from 'fast-check'
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { Decimal } from '../../src/model/decimal.js'
import { DrawnId, type Id } from '../../src/model/id.js'
import { RandomNumbers } from '../../src/model/random.js'
import { IdColumn } from '../../src/rows/id-column.js'
import { AmountColumn, ByteColumn, IndexColumn, NumberColumn, RareColumn, WordColumn } from '../../src/rows/row-columns.js'
import { BLOCK_ROWS, RowStore } from '../../src/rows/row-store.js'
import { RowTable } from '../../src/rows/row-table.js'
import { throughJson } from '../support/through-json.ts'

/** A column of each kind. */
class Rows {
  readonly table: RowTable
  readonly number: NumberColumn
  readonly later: NumberColumn
  readonly index: IndexColumn
  readonly byte: ByteColumn
  readonly word: WordColumn<string | number>
  readonly rare: RareColumn<{ readonly text: string }>
  readonly amount: AmountColumn
  readonly decimal: AmountColumn
  readonly id: IdColumn

  constructor(store: RowStore) {
    const table = (this.table = new RowTable(store))
    this.number = new NumberColumn(table, 'number')
    this.later = new NumberColumn(table, 'later', NaN)
    this.index = new IndexColumn(table, 'index')
    this.byte = new ByteColumn(table, 'byte')
    this.word = new WordColumn(table, 'word')
    this.rare = new RareColumn(table, 'rare')
    this.amount = new AmountColumn(table, 'amount')
    this.decimal = new AmountColumn(table, 'decimal')
    this.id = new IdColumn(table, 'id')
  }

  set(row: number, cells: Row): void {
    this.number.set(row, cells.number)
    this.later.set(row, cells.later)
    this.index.set(row, cells.index)
    this.byte.set(row, cells.byte)
    this.word.set(row, cells.word)
    this.rare.set(row, cells.rare)
    this.amount.set(row, cells.amount.integer, cells.amount.scale)
    this.decimal.setDecimal(row, new Decimal(cells.decimal))
    this.id.set(row, cells.id)
  }

  at(row: number): unknown[] {
    return [this.number.at(row), this.later.at(row), this.index.at(row), this.byte.at(row), this.word.at(row), this.rare.at(row), this.amount.integerAt(row), this.amount.scaleAt(row), this.decimal.textAt(row), this.id.at(row)]
  }
}

interface Row {
  readonly number: number
  readonly later: number
  readonly index: number
  readonly byte: number
  readonly word: string | number
  readonly rare: { readonly text: string } | null
  readonly amount: { readonly integer: number | bigint, readonly scale: number }
  readonly decimal: string
  readonly id: Id | null
}

const cellsOf = (row: Row): unknown[] => [row.number, row.later, row.index, row.byte, row.word, row.rare, row.amount.integer, row.amount.scale, new Decimal(row.decimal).toFixed(), row.id]

const uuid = fc.uuid()
const random = new RandomNumbers(1, 'row ids', 0)
const id: fc.Arbitrary<Id | null> = fc.oneof(fc.nat(5).map((count) => new DrawnId(random, count)), uuid, uuid.map((text) => text.toUpperCase()), uuid.map((text) => text.replace('-', '0')), fc.string({ minLength: 36, maxLength: 36 }), fc.string(), fc.string({ unit: 'binary', minLength: 36, maxLength: 36 }), fc.constantFrom(null, '00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000001', 'ffffffff-ffff-ffff-ffff-ffffffffffff'), fc.tuple(uuid, fc.nat(35), fc.constantFrom('g', '-', 'é', 'Ā', 'F')).map(([text, at, other]) => text.slice(0, at) + other + text.slice(at + 1)))
const wide = fc.bigInt({ min: -(10n ** 45n), max: 10n ** 45n }).filter((value) => !Number.isSafeInteger(Number(value)))
const decimal = fc.oneof(
  fc.tuple(fc.bigInt({ min: -(10n ** 39n), max: 10n ** 39n }), fc.integer({ min: -30, max: 12 })).map(([digits, exponent]) => `${digits}e${exponent}`),
  fc.tuple(fc.integer(), fc.integer({ min: 1, max: 99_999 })).map(([whole, part]) => `${whole}.${part}`), fc.constantFrom('0', '-0', '1e7', '1e14', '1e21', '1e-7', '10000000.0000001'),
)
const row: fc.Arbitrary<Row> = fc.record({
  number: fc.oneof(fc.maxSafeInteger(), fc.constantFrom(0, NaN, 1.5, Infinity)), later: fc.oneof(fc.constant(NaN), fc.nat()), index: fc.integer({ min: -1 }), byte: fc.nat(255),
  word: fc.oneof(fc.constantFrom('a', 'b', 7), fc.string()), rare: fc.constantFrom(null, { text: 'why' }), amount: fc.record({ integer: fc.oneof(fc.maxSafeInteger(), wide), scale: fc.nat(60) }), decimal, id,
})

const restored = (rows: Rows, store: RowStore): Rows => {
  const state = throughJson(rows.table.state())
  const other = new Rows(store)
  other.table.restore(state)
  expect(throughJson(other.table.state())).toEqual(state)
  return other
}

test('cells are what was set last, rows used again and a state as JSON included', () => {
  fc.assert(fc.property(fc.array(row, { minLength: 1, maxLength: 40 }), fc.array(fc.tuple(fc.nat(), row)), fc.boolean(), (first, changes, isKeeping) => {
    const store = new RowStore(isKeeping)
    const rows = new Rows(store)
    const expected = [...first]
    for (const cells of first) rows.set(rows.table.add(), cells)
    for (const [place, cells] of changes) {
      const at = place % expected.length
      if (!isKeeping) {
        rows.table.release(at)
        expect(rows.table.add()).toBe(at)
      }
      rows.set(at, cells)
      expected[at] = cells
    }
    for (const one of [rows, restored(rows, store)]) expect(expected.map((_, at) => one.at(at))).toEqual(expected.map(cellsOf))
    expect(rows.table.length).toBe(isKeeping ? first.length : 0)
  }), { numRuns: 300 })
})

test('a row that is used again is as empty as a new one', () => {
  fc.assert(fc.property(fc.array(row, { minLength: 1, maxLength: 20 }), fc.array(fc.nat()), (all, again) => {
    const rows = new Rows(new RowStore(false))
    for (const cells of all) rows.set(rows.table.add(), cells)
    const empty = new Rows(new RowStore(false))
    empty.table.add()
    for (const place of again) {
      rows.table.release(place % all.length)
      const at = rows.table.add()
      rows.word.set(at, 'a')
      empty.word.set(0, 'a')
      expect(rows.at(at)).toEqual(empty.at(0))
    }
  }))
})

test('beyond the limit whole blocks lie in a file that has no name, and come back where a row is read or changes', () => {
  const count = 9 * BLOCK_ROWS + 5
  const store = new RowStore(true, 2 * BLOCK_ROWS)
  const [rows, others] = [new Rows(store), new Rows(store)]
  const made = fc.sample(row, { numRuns: 500, seed: 7 })
  const expected: Row[] = []
  for (let at = 0; at < count; at++) {
    const cells = made[at % 500]!
    expected.push(cells)
    rows.set(rows.table.add(), cells)
    others.set(others.table.add(), made[(at + 3) % 500]!)
    if (at % 7 !== 0) continue
    // Something long ago changes.
    const earlier = (at * 31) % (at + 1)
    expected[earlier] = made[(at + 11) % 500]!
    rows.set(earlier, expected[earlier])
  }
  for (const one of [rows, restored(rows, store)])
    for (let at = 0; at < count; at++) expect(one.at((at * 1000) % count)).toEqual(cellsOf(expected[(at * 1000) % count]!))
  for (let at = 0; at < count; at += 97) expect(others.at(at)).toEqual(cellsOf(made[(at + 3) % 500]!))
  expect(readdirSync(tmpdir()).filter((name) => name.startsWith('backtape-rows-'))).toEqual([])
})

test('tables that have ended count towards the limit, however short they are, and are read as they were', () => {
  const store = new RowStore(true, 40)
  const made = fc.sample(row, { numRuns: 500, seed: 7 })
  const tables = [3, 0, 30, 17, BLOCK_ROWS, BLOCK_ROWS + 9].map((count) => {
    const rows = new Rows(store)
    for (let at = 0; at < count; at++) rows.set(rows.table.add(), made[at % 500]!)
    rows.table.end()
    return { rows, count }
  })
  for (const { rows, count } of [...tables, ...tables.map(({ rows, count }) => ({ rows: restored(rows, new RowStore(true)), count }))]) {
    expect(rows.table.length).toBe(count)
    for (let at = 0; at < count; at++) expect(rows.at(at)).toEqual(cellsOf(made[at % 500]!))
  }
})
