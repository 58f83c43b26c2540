import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Instrument } from '../../src/model/instrument.js'
import type { MarketLine } from '../support/market-lines.ts'
import { Planned, plannedRun } from '../support/planned-run.ts'

const S = 1e9

/** Says at the end what it holds. */
class Knowing extends Planned {
  override onStop(): void {
    const { averageEntryPrice, unrealisedPnl, realisedPnl, fills, account } = this.instrument
    const [average, unrealised, realised, equity] = [averageEntryPrice, unrealisedPnl, realisedPnl, account.equity].map((value) => value?.toFixed() ?? null)
    const bought = fills.reduce((sum, { side, quantity }) => (side === 'BID' ? sum.plus(quantity.toDecimal()) : sum.minus(quantity.toDecimal())), this.instrument.quantity('0').toDecimal())
    this.log(JSON.stringify({ average, unrealised, realised, equity, bought: bought.toFixed(), free: account.available('CASH').toFixed() }))
  }
}

const COIN = { balances: { BASE: '1000' }, fees: { maker: '0.001', taker: '0.002' } }
const CASH = { ...COIN, balances: { CASH: '100000' } }

const kinds: readonly (readonly [name: string, instrument: Partial<Instrument>, account: typeof COIN | typeof CASH])[] = [
  ['linear', { multiplier: '0.01' }, CASH],
  ['inverse', { isInverse: true, contractValue: '10' }, COIN],
  ['quanto', { isQuanto: true, contractValue: '0.003' }, CASH],
  ['spot', { type: 'spot' }, CASH],
  ['call', { type: 'call', strikePrice: '90', expiry: null }, CASH],
]

/** A book around 100 that moves each second; with a mark price or without. */
function market(prices: readonly number[], isMarked: boolean): MarketLine[] {
  return prices.flatMap((price, at): MarketLine[] => [
    { kind: 'snapshot', timeNs: at * S, rows: [[0, price - 1, 500], [1, price + 1, 500]] },
    ...(isMarked ? [{ kind: 'mark' as const, timeNs: at * S + 1, value: price + (at % 2) }] : []),
  ])
}

const orders = fc.array(fc.record({ at: fc.integer({ min: 1, max: 40 }), side: fc.constantFrom('BID', 'ASK'), quantity: fc.integer({ min: 1, max: 40 }) }), { minLength: 1, maxLength: 12 })

describe('a strategy knows at its end what the exchange knows, to the last digit', () => {
  test.each(kinds)('%s', async (_name, instrument, account) => {
    await fc.assert(fc.asyncProperty(orders, fc.array(fc.integer({ min: 80, max: 130 }), { minLength: 45, maxLength: 45 }), fc.boolean(), async (plan, prices, isMarked) => {
      const lines = plan.map(({ at, side, quantity }) => `${at}s ${side} ${side === 'BID' ? 200 : 50} ${quantity} IOC`)
      const journal: string[] = []
      const [result] = await plannedRun({
        files: [market(prices, isMarked)], plans: [lines], instrument,
        options: { strategy: Knowing, account, journal: () => ({ write: (line) => void journal.push(line) }) },
      })
      const { money, instruments } = result!.summary
      const log = journal.map((line) => JSON.parse(line) as { readonly kind: string, readonly text?: string }).find(({ kind }) => kind === 'log')
      const known = JSON.parse(log!.text!) as Record<string, string | null>
      const [sums, held] = [money[0]!, instruments[0]!]
      expect(known).toEqual({
        average: held.averageEntryPrice ?? null, unrealised: sums.unrealizedPnl, realised: sums.realizedPnl, equity: sums.endEquity, bought: held.netTraded ?? held.position,
        free: known['free'],
      })
    }), { numRuns: 20 })
  })
})
