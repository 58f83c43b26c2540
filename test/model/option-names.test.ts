import { describe, expect, test } from 'vitest'
import { checkOptionNames } from '../../src/model/option-names.js'
import { BacktapeError } from '../../src/model/error.js'

interface Some { readonly from?: string; readonly maxRows?: number; readonly every?: string }
const check = (options: unknown) => (): void => { checkOptionNames('make a table', options as Some, { from: true, maxRows: true, every: true }) }

describe('names of options', () => {
  test.each<[options: unknown, found: string]>([
    [{ form: 1 }, 'the unknown option "form"; did you mean from?'], [{ maxrows: 1 }, 'the unknown option "maxrows"; did you mean maxRows?'],
    [{ from: 'x', evry: '1s' }, 'the unknown option "evry"; did you mean every?'], [{ form: undefined }, 'the unknown option "form"; did you mean from?'],
    [{ colour: 1 }, 'the unknown option "colour"'], [{ '': 1 }, 'the unknown option ""'], [{ __proto__: null, constructor: 1 }, 'the unknown option "constructor"'], [{ ['x'.repeat(500)]: 1 }, `the unknown option "${'x'.repeat(80)}"`],
  ])('%j', (options, found) => {
    expect(check(options)).toThrow(`Cannot make a table: an option must be one of from, maxRows, every, found ${found}`)
    expect(check(options)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }))
  })

  test.each<[options: unknown, found: string]>([[null, 'null'], ['from', '"from"'], [5, '5'], [[], '[]'], [() => 1, 'function']])('%j are none', (options, found) => {
    expect(check(options)).toThrow(`Cannot make a table: the options must be an object, found ${found}`)
    expect(check(options)).toThrow(BacktapeError)
  })

  test.each([{}, { from: 'x' }, { maxRows: 0, every: undefined }, Object.create({ inherited: 1 })])('%j are taken', (options) => { expect(check(options)).not.toThrow() })
})
