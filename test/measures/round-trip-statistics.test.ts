import { describe, expect, test } from 'vitest'
import { Decimal } from '../../src/model/decimal.js'
import { roundTripColumnStatistics, roundTripStatistics, type AmountRows, type ClosedRoundTrip } from '../../src/measures/round-trip-statistics.js'

const S = 1_000_000_000

/** Round trips by `profit seconds favorable adverse`. */
function trips(lines: readonly string[]): ClosedRoundTrip[] {
  return lines.map((line) => {
    const [profit = '', seconds, favorable = '', adverse = ''] = line.split(' ')
    return { profit: new Decimal(profit), holdingNs: Number(seconds) * S, favorable: new Decimal(favorable), adverse: new Decimal(adverse) }
  })
}

/** Amounts as texts. */
function found(lines: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(roundTripStatistics(trips(lines))).map(([name, value]) => [name, value instanceof Decimal ? value.toFixed() : value]))
}

describe('statistics of round trips', () => {
  test.each([
    ['nothing', [], {
      count: 0, winCount: 0, lossCount: 0, winRate: null, profit: '0', profitFactor: null, meanProfit: null, meanWin: null, meanLoss: null, payoff: null, greatestWin: null, greatestLoss: null,
      deviation: null, quality: null, longestWins: 0, longestLosses: 0, medianHoldingNs: null, meanHoldingNs: null, meanWinHoldingNs: null, meanLossHoldingNs: null, meanFavorable: null,
      meanAdverse: null, greatestFavorable: null, greatestAdverse: null,
    }],
    ['a win', ['0.1 2 0.3 0'], { winRate: 1, profitFactor: null, payoff: null, deviation: null, quality: null, greatestLoss: null, meanLossHoldingNs: null, greatestFavorable: '0.3', greatestAdverse: '0' }],
    ['a trip that brought nothing', ['0 1 0 0', '-1 1 0 1'], { winCount: 0, lossCount: 1, winRate: 0, profitFactor: 0, meanWin: null, longestLosses: 1 }],
    ['equal profits', ['0.1 1 0 0', '0.1 1 0 0', '0.1 1 0 0'], { profit: '0.3', deviation: 0, quality: null }],
    ['wins and losses', ['2 4 3 0.5', '-1 10 0.5 2', '3 6 3 0', '1 2 1 0', '-1 20 0 1.5', '-0.5 30 0 0.5', '0 1 0.1 0.1'], {
      count: 7, winCount: 3, lossCount: 3, profit: '3.5', profitFactor: 2.4, meanProfit: '0.5', meanWin: '2', meanLoss: '-0.833333333333333333', greatestWin: '3', greatestLoss: '-1',
      deviation: expect.closeTo(Math.sqrt((1.5 ** 2 + 1.5 ** 2 * 2 + 2.5 ** 2 + 0.5 ** 2 + 1 + 0.5 ** 2) / 6), 12), longestWins: 2, longestLosses: 2, medianHoldingNs: 6 * S,
      meanWinHoldingNs: 4 * S, meanLossHoldingNs: 20 * S, meanFavorable: '1.085714285714285714', greatestFavorable: '3', greatestAdverse: '2', payoff: expect.closeTo(2.4, 12),
    }],
  ])('of %s', (_what, lines, wanted) => {
    expect(found(lines)).toMatchObject(wanted)
  })

  test('sums are exact where doubles are not', () => {
    expect(found(Array.from({ length: 10 }, () => '0.1 1 0.1 0.2'))).toMatchObject({ profit: '1', meanProfit: '0.1', meanFavorable: '0.1', meanAdverse: '0.2' })
  })

  test('extremes are exact where doubles are equal', () => {
    const [less, more] = ['0.1000000000000000000001', '0.1000000000000000000002']
    expect(Number(less)).toBe(Number(more))
    const lines = [less, more, less].flatMap((size) => [`${size} 1 ${size} 0`, `-${size} 1 0 ${size}`])
    expect(found(lines)).toMatchObject({ profit: '0', greatestWin: more, greatestLoss: `-${more}`, greatestFavorable: more, greatestAdverse: more })
  })

  test('some rows of columns have the statistics of these round trips alone', () => {
    const all = trips(['2 4 3 0.5', '-1 10 0.5 2', '7 1 7 0', '-3 6 3 4'])
    const amounts = (amountOf: (trade: ClosedRoundTrip) => Decimal): AmountRows => {
      const texts = all.map((trade) => amountOf(trade).toFixed())
      return { doubles: texts.map(Number), addTo: (sum, row) => { sum.addText(texts[row]!) }, textAt: (row) => texts[row]! }
    }
    const columns = { profit: amounts((one) => one.profit), favorable: amounts((one) => one.favorable), adverse: amounts((one) => one.adverse), holdingNs: all.map((one) => one.holdingNs) }
    expect(roundTripColumnStatistics(columns, [1, 3])).toEqual(roundTripStatistics([all[1]!, all[3]!]))
  })

  test('quality is the root of the count times mean over deviation', () => {
    const { quality, deviation, meanProfit } = roundTripStatistics(trips(['1 1 0 0', '3 1 0 0', '-1 1 0 0', '5 1 0 0']))
    expect(quality).toBeCloseTo(2 * Number(meanProfit) / deviation!, 12)
  })
})
