import { describe, expect, test } from 'vitest'
import { corporateActionFault, type PlannedAction } from '../../src/exchange/corporate-actions.js'
import type { CorporateAction } from '../../src/venue/messages.js'
import { ExchangeBench, placeEntry } from '../support/exchange-bench.ts'
import { lineBatch, madeInstrument } from '../support/market-lines.ts'

const book = { kind: 'snapshot', timeNs: 1, rows: [[0, 100, 50], [1, 110, 50]] } as const

interface Told { readonly log: string[], readonly cash: string, readonly open: number, readonly openValue: string }

/** Buys (or sells) 7 at 110 (100), rests one more, and meets an action at 50. */
function told(action: Omit<CorporateAction, 'instrumentId'>, { side = 'BID', type = 'perpetual' }: { readonly side?: 'BID' | 'ASK', readonly type?: 'perpetual' | 'spot' } = {}): Told {
  const log: string[] = []
  const instrument = madeInstrument({ type })
  const planned: PlannedAction = { timeNs: 50, action: { instrumentId: 1, ...action } }
  const bench = new ExchangeBench({
    instruments: [{ instrument, batches: [lineBatch([book], { instrument })] }],
    accounts: [{ accountId: 'A', exchangeCode: 'test', balances: new Map([[1, '0'], [2, '10000']]), fees: { maker: '0', taker: '0' } }],
    corporateActions: [planned],
    delivered: (_world, _client, timeNs, message) => {
      if (timeNs < 50) return
      if (message.kind === 'positionUpdate') log.push(...message.positions.map(({ longPosition, shortPosition }) => `position ${longPosition - shortPosition}`))
      else if (message.kind === 'orderUpdate') log.push(...message.orders.map(({ ownOrderId, state }) => `${ownOrderId} ${state}`))
      else log.push(message.kind)
    },
  })
  bench.run([
    { timeNs: 2, send: (entry) => { entry.place([placeEntry('a', { side, price: side === 'BID' ? 110 : 100, totalQuantity: 7 })]) } },
    { timeNs: 3, send: (entry) => { entry.place([placeEntry('b', { price: 90 })]) } },
  ])
  const [account] = bench.worlds[0]!.accounts.values()
  return {
    log, open: bench.worlds[0]!.handler.openReports('A', 0).length, openValue: account!.positions.get(1)!.sums.openValue.toFixed(),
    cash: [...account!.cash].sort(([a], [b]) => a - b).map(([id, amount]) => `${id} ${amount.toFixed()}`).join(', '),
  }
}

const split = (buyVolume: string, sellVolume: string, liquidateFractionalShares: boolean): Omit<CorporateAction, 'instrumentId'> => ({ split: { lastPrice: '60', buyVolume, sellVolume, liquidateFractionalShares } })

describe('corporate actions', () => {
  test('a split: orders go, the position grows, what it cost stays', () => {
    expect(told(split('2', '1', true))).toEqual({ log: ['b CANCELED', 'corporateAction', 'position 14', 'walletUpdate'], open: 0, openValue: '770', cash: '1 0, 2 10000' })
  })

  test('a split the other way: half a unit is liquidated at the last price, or rounded', () => {
    // 7 at 770 become 3.5 at 770; half of one costs 110 and brings 30.
    expect(told(split('1', '2', true))).toMatchObject({ log: ['b CANCELED', 'corporateAction', 'position 3', 'walletUpdate'], openValue: '660', cash: '1 0, 2 9920' })
    expect(told(split('1', '2', false))).toMatchObject({ log: ['b CANCELED', 'corporateAction', 'position 4', 'walletUpdate'], openValue: '770', cash: '1 0, 2 10000' })
  })

  test('a split on spot: the balance is the position', () => {
    expect(told(split('1', '2', true), { type: 'spot' })).toMatchObject({ cash: '1 3, 2 9260' })
    expect(told(split('3', '1', false), { type: 'spot' })).toMatchObject({ cash: '1 21, 2 9230' })
  })

  test('a dividend: a long receives the lower price, a short pays the higher, orders stay', () => {
    const dividend = { dividend: { underlyingId: 2, highPrice: '0.6', lowPrice: '0.5' }, comment: 'quarter' }
    expect(told(dividend)).toMatchObject({ log: ['corporateAction', 'position 7', 'walletUpdate'], open: 1, cash: '1 0, 2 10003.5' })
    expect(told(dividend, { side: 'ASK' })).toMatchObject({ cash: '1 0, 2 9995.8' })
  })

  test('who holds nothing hears of it, and has nothing changed', () => {
    const heard: string[] = []
    const instrument = madeInstrument()
    new ExchangeBench({
      instruments: [{ instrument, batches: [lineBatch([book], { instrument })] }], corporateActions: [{ timeNs: 9, action: { instrumentId: 1, ...split('2', '1', true) } }],
      delivered: (_world, _client, timeNs, message) => { heard.push(`${timeNs} ${message.kind}`) },
    }).run([])
    expect(heard).toEqual(['9 corporateAction'])
  })

  test.each<[Omit<CorporateAction, 'instrumentId'>, string]>([
    [{}, 'a split or a dividend'], [split('0', '1', true), 'decimals in quotes above 0 in split'], [split('1', 'x', true), 'decimals in quotes above 0 in split'],
    [{ dividend: { underlyingId: 2, highPrice: '1', lowPrice: '2' } }, 'decimals in quotes in dividend, lowPrice not above highPrice'],
    [{ dividend: { underlyingId: 2, highPrice: '1', lowPrice: 'x' } }, 'decimals in quotes in dividend, lowPrice not above highPrice'],
    [{ dividend: { underlyingId: 2, highPrice: '', lowPrice: '0' } }, 'decimals in quotes in dividend, lowPrice not above highPrice'],
  ])('%j is refused in words', (action, words) => {
    expect(corporateActionFault({ instrumentId: 1, ...action })).toBe(words)
  })

  test.each<Omit<CorporateAction, 'instrumentId'>>([
    split('2', '1', true), split('0.5', '1.25', false), { dividend: { underlyingId: 2, highPrice: '1', lowPrice: '1' } }, { dividend: { underlyingId: 2, highPrice: '0.1', lowPrice: '0.0000000000000000000001' } },
  ])('%j is taken', (action) => {
    expect(corporateActionFault({ instrumentId: 1, ...action })).toBeNull()
  })
})
