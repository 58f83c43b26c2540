import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CsvCells, type CsvRow } from '../../../src/tables/reading/csv-row-reader.js'

function cut(pieces: readonly string[]): CsvRow[] {
  const cells = new CsvCells((row, expected, found) => { throw new Error(`row ${row}: ${expected}, found ${found}`) })
  const rows: CsvRow[] = []
  for (const piece of pieces) {
    cells.push(piece)
    rows.push(...cells.take())
  }
  cells.end()
  return [...rows, ...cells.take()]
}

const letters = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'é', '€'), maxLength: 6 })
const table = fc.integer({ min: 2, max: 4 }).chain((width) => fc.array(fc.array(fc.option(letters), { minLength: width, maxLength: width }), { maxLength: 6 }))
const texted = (rows: readonly (readonly (string | null)[])[], end: string): string => rows.map((row) => row.map((cell) => (cell === null ? '' : /[",\n\r]/.test(cell) || cell === '' ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',') + end).join('')

describe('cells of CSV', () => {
  test('are those that were written, however the text is split', () => {
    fc.assert(fc.property(table, fc.constantFrom('\n', '\r\n'), fc.array(fc.nat(80), { maxLength: 6 }), fc.boolean(), (rows, end, cuts, isEnded) => {
      const text = isEnded ? texted(rows, end) : texted(rows, end).slice(0, -end.length)
      const at = [0, ...cuts.filter((one) => one < text.length).sort((a, b) => a - b), text.length]
      expect(cut(at.slice(1).map((to, index) => text.slice(at[index], to)))).toEqual(rows)
    }), { numRuns: 2_000 })
  })

  test.each([
    ['', []], ['a', [['a']]], ['a\n', [['a']]], ['\n\na\n\n', [['a']]], [',', [[null, null]]], ['"",\r\n', [['', null]]], ['"a""b"', [['a"b']]], ['a\rb\n', [['a\rb']]], ['"a"\r\n"b"\r\n', [['a'], ['b']]],
  ])('%j', (text, rows) => {
    expect(cut([text])).toEqual(rows)
    expect(cut(text.split(''))).toEqual(rows)
  })

  test.each([
    ['a"b\n', 'row 0: a quote only around a whole cell, found "a\\""'], ['x\n"a"b\n', 'row 1: a quote only around a whole cell, found "b"'], ['x\ny\n"a\n', 'row 2: a cell whose quote is closed, found the end of the file'],
    ['x\n"a" ,b\n', 'row 1: a quote only around a whole cell, found " "'], [`x\n${'a'.repeat(1_048_577)}`, 'row 1: at most 1048576 characters, found more'], [`x\n${','.repeat(1_048_577)}`, 'row 1: at most 1048576 characters, found more'],
  ])('%#', (text, words) => {
    expect(() => cut([text])).toThrow(words)
  })
})
