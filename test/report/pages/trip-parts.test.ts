import { describe, expect, test } from 'vitest'
import type { RoundTripInput } from '../../../src/report/pages/report-input.js'
import { tripParts } from '../../../src/report/pages/trip-parts.js'
import { columnsOf } from '../../support/columns-of.ts'

/** Round trips by `profit side instrument underlying`, each of its own quantity, which names it; `open` is an open one. */
function partsOf(lines: readonly string[]): ReturnType<typeof tripParts> {
  const rows = lines.map((line, at): RoundTripInput => {
    const [profit = '', side = '', instrument = '', underlying = '', open] = line.split(' ')
    return {
      entry_ts: BigInt(at), exit_ts: open === undefined ? BigInt(at + 1) : null, holding_ns: 1n, instrument, side, qty: String(at), entry_price: '1', exit_price: '2', underlying, profit,
      favorable_excursion: '3', adverse_excursion: '4', is_open: open !== undefined,
    }
  })
  return tripParts(columnsOf(rows), 'CASH')
}

describe('round trips', () => {
  test('are those that were closed in the underlying, by side and by instrument', () => {
    const { groups, byInstrument } = partsOf(['1 BID a CASH', '2 ASK b CASH', '-4 BID b CASH', '8 BID a COIN', '16 BID a CASH open'])
    expect(groups.map(({ group, count, profit }) => [group, count, profit])).toEqual([['all', 3, '-1'], ['long', 2, '-3'], ['short', 1, '2']])
    expect(byInstrument.map(({ group, count, profit }) => [group, count, profit])).toEqual([['a', 1, '1'], ['b', 2, '-2']])
    expect(partsOf(['1 BID a CASH']).byInstrument).toEqual([])
    expect(partsOf([])).toMatchObject({ best: [], worst: [], profits: { edges: [], counts: [] } })
  })

  // Of equal profits the one that was closed first stands first among the best, and last among the worst.
  test.each<[string, readonly string[], readonly number[], readonly number[]]>([
    ['few', ['1', '-2', '0', '3'], [3, 0], [1]],
    ['many', ['1', '9', '2', '8', '3', '7', '-1', '-9', '-2', '-8', '-3', '-7'], [1, 3, 5, 4, 2], [7, 9, 11, 10, 8]],
    ['equal ones', Array.from({ length: 12 }, () => '1'), [0, 1, 2, 3, 4], []],
    ['equal losses', Array.from({ length: 12 }, () => '-1'), [], [11, 10, 9, 8, 7]],
    ['equal doubles', ['5', '5', '5', '5', '0.1000000000000000000001', '0.1000000000000000000002', '0', '0', '0', '0', '0'], [0, 1, 2, 3, 5], []],
  ])('have the best and the worst of %s', (_what, profits, best, worst) => {
    const parts = partsOf(profits.map((profit) => `${profit} BID a CASH`))
    expect([parts.best.map(({ qty }) => Number(qty)), parts.worst.map(({ qty }) => Number(qty))]).toEqual([best, worst])
  })
})
