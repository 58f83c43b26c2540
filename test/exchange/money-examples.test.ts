import { Amount } from '../../src/model/amount.js'
import { describe, expect, test } from 'vitest'
import { contractFromInstrument, contractValue, optionPayoff } from '../../src/model/contract.js'
import { averageEntryPrice, emptyPosition, postFill, settlePosition, unrealizedPnl } from '../../src/model/position-sums.js'
import { bankruptcyPrice, initialMargin, liquidationPrice, maintenanceMargin, type MarginBracket } from '../../src/exchange/accounts/margin.js'
import type { Instrument } from '../../src/model/instrument.js'
import { madeInstrument } from '../support/market-lines.ts'

/*
 * Every kind of contract by hand: each row is computed on paper from the venue's published formula, which the table's title cites, with all
 * intermediate figures: value of the fill, realised profit, position, average entry, and at a mark the unrealised profit, the funding payment
 * (value at the mark * rate, paid by longs: https://web3.bitget.com/en/academy/funding-cost-calculation), fee and margins. Sources read 2026-11-21.
 */

const of = (text: string): Amount => Amount.from(text)
const BRACKETS: readonly MarginBracket[] = [
  { upTo: of('50000'), initialRate: of('0.01'), maintenanceRate: of('0.004'), deduction: of('0') },
  { upTo: of('500000'), initialRate: of('0.02'), maintenanceRate: of('0.005'), deduction: of('50') },
  { upTo: null, initialRate: of('0.05'), maintenanceRate: of('0.01'), deduction: of('2550') },
]

type FillRow = readonly [side: 'BID' | 'ASK', quantity: string, price: string, value: string, realized: string, position: string, average: string | null]
interface MarkRow {
  readonly price: string
  readonly value: string
  readonly unrealized: string
  /** Rate and what it takes from the position (above 0 is paid). */
  readonly funding: readonly [rate: string, paid: string]
  readonly taker: readonly [rate: string, fee: string]
}
interface Example {
  readonly name: string
  readonly source: string
  readonly instrument: Partial<Instrument>
  readonly isPrediction?: boolean
  /** Entry, more entry, partial close, flip. */
  readonly fills: readonly FillRow[]
  readonly mark: MarkRow
}

const EXAMPLES: readonly Example[] = [
  {
    // 2 BTC at 10,000 (20,000), 1 at 13,000 (13,000): 33,000 / 3 = 11,000. 1 closed at 12,000: 12,000 - 11,000 = 1,000.
    // 5 sold at 10,000: 2 close at -1,000 each = -2,000, 3 open short at 10,000. Mark 9,500: 3 * 500 = 1,500.
    name: 'linear: profit = quantity * (exit - entry) in USDT',
    source: 'https://www.orangex.com/support/help/articles/400-how-to-calculate-profit-%26-loss-for-usdt-margined-perpetual-contracts',
    instrument: {},
    fills: [
      ['BID', '2', '10000', '20000', '0', '2', '10000'],
      ['BID', '1', '13000', '13000', '0', '3', '11000'],
      ['ASK', '1', '12000', '12000', '1000', '2', '11000'],
      ['ASK', '5', '10000', '50000', '-2000', '-3', '10000'],
    ],
    // Value 28,500. A positive rate is paid to the short: 28,500 * 0.0001 = 2.85. Fee 28,500 * 0.0004 = 11.4.
    mark: { price: '9500', value: '28500', unrealized: '1500', funding: ['0.0001', '-2.85'], taker: ['0.0004', '11.4'] },
  },
  {
    // 100 contracts of 100 USD at 10,000 = 1 BTC, 100 at 12,500 = 0.8: average 20,000 / 1.8 = 11,111.1...
    // 50 closed at 20,000: entry value 1.8 / 4 = 0.45, exit 5,000 / 20,000 = 0.25: 0.2.
    // 250 sold at 8,000 (3.125 BTC): 150 close, entry 1.35, exit 15,000 / 8,000 = 1.875: -0.525; 100 open short at 1.25.
    name: 'inverse: profit = contracts * value * (1/entry - 1/exit) in coin',
    source: 'https://www.bitmex.com/app/inversePerpetualsGuide',
    instrument: { isInverse: true, contractValue: '100' },
    fills: [
      ['BID', '100', '10000', '1', '0', '100', '10000'],
      // 20,000 / 1.8; of the value in coin two and three roundings leave 16 and 15 digits.
      ['BID', '100', '12500', '0.8', '0', '200', '11111.11111111111111'],
      ['ASK', '50', '20000', '0.25', '0.2', '150', '11111.1111111111111'],
      ['ASK', '250', '8000', '3.125', '-0.525', '-100', '8000'],
    ],
    // Mark 10,000: value 1; the short of 1.25 gains when the coin value rises above... 1 - 1.25 = -0.25. Funding 1 * 0.0003 to the short.
    mark: { price: '10000', value: '1', unrealized: '-0.25', funding: ['0.0003', '-0.0003'], taker: ['0.0005', '0.0005'] },
  },
  {
    // BitMEX ETHUSD: 0.000001 XBT for each USD. 1,000,000 contracts at 500: 500 * 0.000001 * 1,000,000 = 500 XBT.
    // 400,000 closed at 510: 10 * 0.000001 * 400,000 = 4. 1,000,000 sold at 490: 600,000 close at -10: -6; 400,000 open short.
    name: 'quanto: profit = (exit - entry) * multiplier * contracts in the valuation coin',
    source: 'https://www.bitmex.com/app/seriesGuide/ETHUSD',
    instrument: { isQuanto: true, contractValue: '0.000001', valuationUnderlyingId: 3 },
    fills: [
      ['BID', '1000000', '500', '500', '0', '1000000', '500'],
      ['ASK', '400000', '510', '204', '4', '600000', '500'],
      ['ASK', '1000000', '490', '490', '-6', '-400000', '490'],
    ],
    // 480: value 480 * 0.4 = 192; short gains 10 * 0.4 = 4. Funding 192 * -0.0002: the short pays 0.0384.
    mark: { price: '480', value: '192', unrealized: '4', funding: ['-0.0002', '0.0384'], taker: ['0.00075', '0.144'] },
  },
  {
    name: 'spot: the two assets change hands; profit by average cost',
    source: 'the definition of an exchange of assets',
    instrument: { type: 'spot' },
    // 2 at 100 = 200, 2 at 110 = 220: 105. 1 sold at 120: 15. The rest, 3 at 315, sold at 100: -15.
    fills: [
      ['BID', '2', '100', '200', '0', '2', '100'],
      ['BID', '2', '110', '220', '0', '4', '105'],
      ['ASK', '1', '120', '120', '15', '3', '105'],
    ],
    mark: { price: '100', value: '300', unrealized: '-15', funding: ['0', '0'], taker: ['0.001', '0.3'] },
  },
  {
    // A call bought for 0.05 BTC of premium; half sold for 0.08.
    name: 'option: the premium is price * contracts * multiplier',
    source: 'https://support.deribit.com/hc/en-us/articles/25944688327069-Inverse-Options',
    instrument: { type: 'call', strikePrice: '100000', valuationUnderlyingId: 1 },
    fills: [
      ['BID', '10', '0.05', '0.5', '0', '10', '0.05'],
      ['ASK', '5', '0.08', '0.4', '0.15', '5', '0.05'],
      ['ASK', '7', '0.06', '0.42', '0.05', '-2', '0.06'],
    ],
    mark: { price: '0.07', value: '0.14', unrealized: '-0.02', funding: ['0', '0'], taker: ['0.0003', '0.000042'] },
  },
  {
    name: 'prediction: shares at a price between 0 and 1',
    source: 'https://docs.polymarket.com/faq/resolution',
    instrument: {},
    isPrediction: true,
    fills: [
      ['BID', '100', '0.40', '40', '0', '100', '0.4'],
      ['ASK', '50', '0.55', '27.5', '7.5', '50', '0.4'],
    ],
    mark: { price: '0.30', value: '15', unrealized: '-5', funding: ['0', '0'], taker: ['0.02', '0.3'] },
  },
]

describe.each(EXAMPLES)('$name ($source)', ({ instrument, isPrediction, fills, mark }) => {
  const contract = contractFromInstrument(madeInstrument(instrument), { isPrediction: isPrediction ?? false })

  test('entry, partial close, flip, mark, funding, fee', () => {
    const position = emptyPosition()
    let realizedSum = of('0')
    for (const [side, quantity, price, value, realized, held, average] of fills) {
      expect(contractValue(contract, of(quantity), of(price)).toFixed()).toBe(value)
      const pnl = postFill(contract, position, side, of(quantity), of(price))
      realizedSum = realizedSum.plus(pnl)
      expect([pnl.toFixed(), position.quantity.toFixed(), averageEntryPrice(contract, position)?.toFixed() ?? null]).toEqual([realized, held, average])
    }
    expect(position.realizedPnl.toFixed()).toBe(realizedSum.toFixed())
    const value = contractValue(contract, position.quantity.abs(), of(mark.price))
    expect(value.toFixed()).toBe(mark.value)
    expect(unrealizedPnl(contract, position, of(mark.price)).toFixed()).toBe(mark.unrealized)
    const [rate, paid] = mark.funding
    expect(value.times(of(rate)).signed(position.quantity.sign).toFixed()).toBe(of(paid).toFixed())
    expect(value.times(of(mark.taker[0])).toFixed()).toBe(mark.taker[1])
  })
})

describe('margin and liquidation (formulas of Binance USDS-M and COIN-M, cited in src/exchange/accounts/margin.ts)', () => {
  const linear = contractFromInstrument(madeInstrument())
  const inverse = contractFromInstrument(madeInstrument({ isInverse: true, contractValue: '100' }))

  test.each([
    // 100,000 lies in the second step: 100,000 * 0.02 and 100,000 * 0.005 - 50.
    ['50000', '500', '200'],
    ['100000', '2000', '450'],
    ['1000000', '50000', '7450'],
  ])('a position of %s takes %s and must keep %s', (value, initial, maintenance) => {
    expect(initialMargin(BRACKETS, of(value)).toFixed()).toBe(initial)
    expect(maintenanceMargin(BRACKETS, of(value)).toFixed()).toBe(maintenance)
  })

  test.each([
    // (WB + cum - EP * q) / (q * MMR - q) for a long: (1000 + 50 - 100,000) / (10 * 0.005 - 10) = 98,950 / 9.95.
    ['long in the second step', linear, true, '10', '100000', '1000', '9944.723618090452261307', '9900'],
    // For a short (WB + cum + EP * q) / (q * MMR + q): 101,050 / 10.05.
    ['short in the second step', linear, false, '10', '100000', '1000', '10054.7263681592039801', '10100'],
    // The first step: (100 - 10,000) / (1 * 0.004 - 1) = 9,900 / 0.996.
    ['long in the first step', linear, true, '1', '10000', '100', '9939.759036144578313253', '9900'],
    // At 60,500 the position is opened in the second step and liquidated in the first: 60,500 - 12,000 = 48,500 / 0.996.
    ['long that falls into a lower step', linear, true, '1', '60500', '12000', '48694.779116465863453815', '48500'],
    ['long that its collateral covers whole', linear, true, '1', '10000', '10000', null, null],
    // COIN-M long: value (1 + 0.1) / 1.004 = 1.09561... BTC for 10,000 USD: 10,000 * 1.004 / 1.1 = 9,127.27...
    ['inverse long', inverse, true, '100', '1', '0.1', '9127.272727272727272727', '9090.909090909090909091'],
    // Short: (1 - 0.1) / 0.996, so 10,000 * 0.996 / 0.9 = 11,066.6...
    ['inverse short', inverse, false, '100', '1', '0.1', '11066.666666666666666667', '11111.111111111111111111'],
    ['inverse short that its collateral covers whole', inverse, false, '100', '1', '1', null, null],
  ] as const)('%s', (_name, contract, isLong, quantity, openValue, collateral, liquidation, bankruptcy) => {
    const position = { contract, isLong, quantity: of(quantity), openValue: of(openValue) }
    expect(liquidationPrice(position, of(collateral), BRACKETS)?.toFixed() ?? null).toBe(liquidation)
    expect(bankruptcyPrice(position, of(collateral))?.toFixed() ?? null).toBe(bankruptcy)
  })
})

describe('settlement', () => {
  test.each([
    // Deribit's examples: 125,000 - 100,000 = 25,000 USD, 25,000 / 125,000 = 0.2 BTC; linear USDC options pay the difference.
    ['call', 'coin', '100000', '125000', '0.2'],
    ['call', 'coin', '100000', '90000', '0'],
    ['put', 'coin', '10000', '5000', '1'],
    ['call', 'money', '250', '275', '25'],
    ['put', 'money', '250', '275', '0'],
  ] as const)('a %s paid in %s, strike %s, index %s', (right, paidIn, strike, index, payoff) => {
    expect(optionPayoff({ right, strike: of(strike), paidIn }, of(index)).toFixed()).toBe(payoff)
  })

  test('closes the position at its price and is no turnover', () => {
    const contract = contractFromInstrument(madeInstrument({ type: 'call', strikePrice: '100000', valuationUnderlyingId: 1 }))
    const position = emptyPosition()
    postFill(contract, position, 'BID', of('1'), of('0.05'))
    expect(settlePosition(contract, position, of('0.2')).toFixed()).toBe('0.15')
    expect([position.quantity, position.openValue, position.realizedPnl, position.turnover].map((sum) => sum.toFixed())).toEqual(['0', '0', '0.15', '0.05'])
    expect(settlePosition(contract, position, of('0.2')).toFixed()).toBe('0')
  })

  test.each([
    [{ isInverse: true, contractValue: null }, 'contract_value'],
    [{ isQuanto: true, contractValue: '1', valuationUnderlyingId: null }, 'valuation_underlying_id'],
    [{ type: 'put', strikePrice: null }, 'strike_price'],
    [{ counterUnderlyingId: null }, 'counter_underlying_id'],
  ] as const)('master data without what a contract needs are refused by name (%o)', (more, field) => {
    expect(() => contractFromInstrument(madeInstrument(more))).toThrow(field)
  })
})
