import { describe, expect, test } from 'vitest'
import { Account } from '../../src/exchange/accounts/account.js'
import type { AccountConfig } from '../../src/exchange/accounts/account-config.js'
import { corporateActionFault, postCorporateAction, type PlannedAction } from '../../src/exchange/accounts/corporate-actions.js'
import { Amount } from '../../src/model/amount.js'
import type { Instrument } from '../../src/model/instrument.js'
import type { OpenClose } from '../../src/model/order.js'
import type { OrderEntry } from '../../src/venue/venue.js'
import { ExchangeBench, placeEntry } from '../support/exchange-bench.ts'
import { lineBatch, madeInstrument } from '../support/market-lines.ts'
import { marginProfile } from '../support/played-money.ts'
import type { CorporateAction } from '../../src/venue/account-messages.js'

const book = { kind: 'snapshot', timeNs: 1, rows: [[0, 100, 50], [1, 110, 50]] } as const

interface Told { readonly log: string[], readonly cash: string, readonly flows: string, readonly events: string[], readonly open: number, readonly openValue?: string, readonly realizedPnl?: string }

interface Before { readonly side?: 'BID' | 'ASK', readonly type?: 'perpetual' | 'spot', readonly coins?: string, readonly cash?: string, readonly quantity?: number }

const texts = (amounts: ReadonlyMap<number, Amount>): string => [...amounts].sort(([a], [b]) => a - b).map(([id, amount]) => `${id} ${amount.toFixed()}`).join(', ')

/** Buys (or sells) 7 at 110 (100), rests one more, and meets an action at 50. */
function told(action: Omit<CorporateAction, 'instrumentId'>, { side = 'BID', type = 'perpetual', coins = '0', cash = '10000', quantity = 7 }: Before = {}): Told {
  const log: string[] = []
  const events: string[] = []
  const instrument = madeInstrument({ type })
  const planned: PlannedAction = { timeNs: 50, action: { instrumentId: 1, ...action } }
  const bench = new ExchangeBench({
    instruments: [{ instrument, batches: [lineBatch([book], { instrument })] }],
    accounts: [{ accountId: 'A', exchangeCode: 'test', balances: new Map([[1, coins], [2, cash]]), fees: { maker: '0', taker: '0' } }],
    corporateActions: [planned],
    observer: () => ({ money: ({ kind, amount, underlyingId, size, atPrice, leg }) => void events.push([kind, amount, underlyingId, size === undefined ? size : `of ${size}`, atPrice === undefined ? atPrice : `at ${atPrice}`, leg].filter((word) => word !== undefined).join(' ')) }),
    delivered: (_world, _client, timeNs, message) => {
      if (timeNs < 50) return
      if (message.kind === 'positionUpdate') log.push(...message.positions.map(({ longPosition, shortPosition }) => `position ${longPosition - shortPosition}`))
      else if (message.kind === 'orderUpdate') log.push(...message.orders.map(({ ownOrderId, state }) => `${String(ownOrderId)} ${state}`))
      else log.push(message.kind)
    },
  })
  bench.run([
    ...(quantity === 0 ? [] : [{ timeNs: 2, send: (entry: OrderEntry) => { entry.place([placeEntry('a', { side, price: side === 'BID' ? 110 : 100, totalQuantity: quantity })]) } }]),
    { timeNs: 3, send: (entry) => { entry.place([placeEntry('b', { price: 90 })]) } },
  ])
  const [account] = bench.worlds[0]!.accounts.values()
  const sums = account!.positions.get(1)?.sums
  return {
    log, events, open: [...bench.worlds[0]!.orders.openOrders()].length, cash: texts(account!.cash), flows: texts(account!.flows),
    ...(sums === undefined ? {} : { openValue: sums.openValue.toFixed(), realizedPnl: sums.realizedPnl.toFixed() }),
  }
}

const split = (buyVolume: string, sellVolume: string, liquidateFractionalShares: boolean): Omit<CorporateAction, 'instrumentId'> => ({ split: { lastPrice: '60', buyVolume, sellVolume, liquidateFractionalShares } })

describe('corporate actions', () => {
  test('a split: orders go, the position grows, what it cost stays', () => {
    expect(told(split('2', '1', true))).toEqual({ log: ['b CANCELED', 'corporateAction', 'position 14', 'walletUpdate'], events: ['split 0 2 of 14 net'], open: 0, openValue: '770', realizedPnl: '0', cash: '1 0, 2 10000', flows: '' })
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

  test('coins that were never traded are split and paid for like others, and have no position beside their balance', () => {
    const coins = { type: 'spot', coins: '7', quantity: 0 } as const
    expect(told(split('2', '1', true), coins)).toMatchObject({ log: ['b CANCELED', 'corporateAction', 'walletUpdate'], cash: '1 14, 2 10000', flows: '1 7' })
    // 3.5: half of one is sold at 60, as any coin would be; or they are the nearest even.
    expect(told(split('1', '2', true), coins)).toMatchObject({ log: ['b CANCELED', 'corporateAction', 'position 0', 'walletUpdate'], cash: '1 3, 2 10030', flows: '1 -3.5' })
    expect(told(split('1', '2', false), coins)).toMatchObject({ cash: '1 4, 2 10000', flows: '1 -3' })
    expect(told({ dividend: { underlyingId: 2, highPrice: '0.6', lowPrice: '0.5' } }, coins)).toMatchObject({ log: ['corporateAction', 'walletUpdate'], open: 1, cash: '1 7, 2 10003.5', flows: '2 3.5' })
  })

  test('coins of both kinds: 10 that were there and 7 that were bought are 17', () => {
    // 8.5: the bought ones are 3.5 of 770, of which half of one costs 110 and brings 30; 5 are a flow.
    expect(told(split('1', '2', true), { type: 'spot', coins: '10' })).toMatchObject({ cash: '1 8, 2 9260', openValue: '660', realizedPnl: '-80', flows: '1 -5' })
    // 8.5 are 8: what the rounding took is no matter of the bought ones.
    expect(told(split('1', '2', false), { type: 'spot', coins: '10' })).toMatchObject({ cash: '1 8, 2 9230', openValue: '770', realizedPnl: '0', flows: '1 -5.5' })
  })

  test('what an action moved is told with its amount, as funding is', () => {
    // 3.5: half of one costs 110 and brings 30.
    expect(told(split('1', '2', true)).events).toEqual(['split -80 2 of 3 at 60 net'])
    expect(told(split('1', '2', false)).events).toEqual(['split 0 2 of 4 net'])
    // Coins: 7 become 3, half of one is sold at 60.
    expect(told(split('1', '2', true), { type: 'spot' }).events).toEqual(['split -4 1 of 3', 'split 30 2 of 3 at 60'])
    expect(told(split('2', '1', true), { type: 'spot', coins: '10' }).events).toEqual(['split 17 1 of 34'])
    const dividend = { dividend: { underlyingId: 2, highPrice: '0.6', lowPrice: '0.5' } }
    expect(told(dividend).events).toEqual(['dividend 3.5 2 of 7 at 0.5 net'])
    expect(told(dividend, { type: 'spot', coins: '10' }).events).toEqual(['dividend 8.5 2 of 17 at 0.5'])
  })

  test('a fraction is profit once, not a flow beside it', () => {
    expect(told(split('1', '2', true))).toMatchObject({ realizedPnl: '-80', flows: '' })
  })

  test('what a split rounds to nothing is lost where it was paid for', () => {
    expect(told(split('1', '20', false), { type: 'spot' })).toMatchObject({ cash: '1 0, 2 9230', openValue: '0', realizedPnl: '-770', flows: '' })
    expect(told(split('1', '20', false))).toMatchObject({ cash: '1 0, 2 10000', openValue: '0', realizedPnl: '0' })
  })

  test('a dividend is paid on what is held, leg by leg', () => {
    const account = new Account({ accountId: 'A', exchangeCode: 'test', balances: new Map([[2, '1000']]), fees: { maker: '0', taker: '0' } })
    const entry = { instrument: madeInstrument(), priceScale: 0, quantityScale: 0 }
    account.post(entry, 'BID', { price: 100, priceScale: 0, quantity: 7, quantityScale: 0 }, true, { openClose: 'OPEN' })
    account.post(entry, 'ASK', { price: 100, priceScale: 0, quantity: 2, quantityScale: 0 }, true, { openClose: 'OPEN' })
    const moved = postCorporateAction(account, { instrumentId: 1, dividend: { underlyingId: 2, highPrice: '0.6', lowPrice: '0.5' } }, entry)
    expect(moved?.map(({ leg, size, amount }) => `${leg} ${size} ${amount}`)).toEqual(['long 7 3.5', 'short -2 -1.2'])
  })

  test('a dividend that cash cannot pay is a debt', () => {
    expect(told({ dividend: { underlyingId: 2, highPrice: '0.6', lowPrice: '0.5' } }, { side: 'ASK', cash: '1' })).toMatchObject({ cash: '1 0, 2 0', events: ['dividend -4.2 2 of -7 at 0.6 net', 'debt 3.2 2'] })
  })

  test('who holds nothing hears of it, and has nothing changed', () => {
    const received: string[] = []
    const instrument = madeInstrument()
    new ExchangeBench({
      instruments: [{ instrument, batches: [lineBatch([book], { instrument })] }], corporateActions: [{ timeNs: 9, action: { instrumentId: 1, ...split('2', '1', true) } }],
      delivered: (_world, _client, timeNs, message) => { received.push(`${timeNs} ${message.kind}`) },
    }).run([])
    expect(received).toEqual(['9 corporateAction'])
  })

  test.each(['perpetual', 'spot'] as const)('who held it once and holds nothing now, too: %s', (type) => {
    const received: string[] = []
    const instrument = madeInstrument({ type })
    const trade = (timeNs: number, side: 'BID' | 'ASK', price: number) => ({ timeNs, send: (entry: OrderEntry) => { entry.place([placeEntry(`o${timeNs}`, { side, price, totalQuantity: 1 })]) } })
    new ExchangeBench({
      instruments: [{ instrument, batches: [lineBatch([book], { instrument })] }], corporateActions: [{ timeNs: 9, action: { instrumentId: 1, ...split('2', '1', true) } }],
      delivered: (_world, _client, timeNs, message) => { if (timeNs === 9) received.push(message.kind) },
    }).run([trade(2, 'BID', 110), trade(3, 'ASK', 100)])
    expect(received).toEqual(['corporateAction'])
  })

  test('coins of one kind are split, those of another stay', () => {
    const [coins, others] = [{ instrument: madeInstrument({ type: 'spot' }), priceScale: 0, quantityScale: 0 }, { instrument: madeInstrument({ id: 2, type: 'spot', baseUnderlyingId: 5 }), priceScale: 0, quantityScale: 0 }]
    const account = new Account({ accountId: 'A', exchangeCode: 'test', balances: new Map([[2, '1000']]), fees: { maker: '0', taker: '0' } })
    for (const entry of [coins, others]) account.post(entry, 'BID', { price: 50, priceScale: 0, quantity: 7, quantityScale: 0 }, true)
    const moved = postCorporateAction(account, { instrumentId: 1, ...split('2', '1', true) }, coins)
    expect(moved?.map(({ underlyingId, amount }) => `${underlyingId} ${amount}`)).toEqual(['1 7'])
    expect([texts(account.cash), account.positions.get(1)?.sums.quantity.toFixed(), account.positions.get(2)?.sums.quantity.toFixed()]).toEqual(['1 14, 2 300, 5 7', '14', '7'])
  })

  test.each<[Omit<CorporateAction, 'instrumentId'>, string]>([
    [{}, 'a split or a dividend'], [split('0', '1', true), 'decimals in quotes above 0 in split'], [split('1', 'x', true), 'decimals in quotes above 0 in split'],
    [split('1x', '1', true), 'decimals in quotes above 0 in split'], [split('1', 'x1', true), 'decimals in quotes above 0 in split'],
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

/** An account with 1000 of underlying 2 that traded 7 at 110, and what the action made of it. */
function posted(action: Omit<CorporateAction, 'instrumentId'>, side: 'BID' | 'ASK', instrument: Partial<Instrument>, { config = {}, openClose, price = 110, borrowed = 0, quantityScale = 0 }: { readonly quantityScale?: number, readonly config?: Partial<AccountConfig>, readonly openClose?: OpenClose, readonly price?: number, readonly borrowed?: number } = {}): string[] {
  const account = new Account({ accountId: 'A', exchangeCode: 'test', balances: new Map([[2, '1000']]), fees: { maker: '0', taker: '0' }, ...config })
  const entry = { instrument: madeInstrument(instrument), priceScale: 2, quantityScale }
  account.loans.borrow(1, Amount.from(borrowed))
  account.add(1, Amount.from(borrowed))
  account.post(entry, side, { price: price * 100, priceScale: 2, quantity: 7, quantityScale: 0 }, true, { openClose })
  postCorporateAction(account, { instrumentId: 1, ...action }, entry)
  const position = account.positions.get(1)!
  return [
    `cash ${texts(account.cash)}`, `realized ${position.sums.realizedPnl.toFixed()}`, `owed ${account.loans.owed(1).toFixed()}`, `flows ${texts(account.flows)}`,
    ...[...position.legs].map(([leg, { sums, margin }]) => `${leg} ${sums.quantity.toFixed()} at ${sums.openValue.toFixed()} with ${margin.toFixed()}`),
  ]
}

describe('what an action does to the sums of a position', () => {
  const call = { type: 'call', strikePrice: '100' } as const
  const dividend = (underlyingId: number) => ({ dividend: { underlyingId, highPrice: '0.6', lowPrice: '0.5' } })
  const isolated = { config: { profile: marginProfile(['isolated']) }, openClose: 'OPEN' } as const

  test.each<[string, () => string[], string[]]>([
    // Half a call costs 110 of the 770 that were paid, and is sold for 30.
    ['a fraction of an option is sold for its price', () => posted(split('1', '2', true), 'BID', call), ['cash 1 0, 2 260', 'realized -80', 'net 3 at 660 with 0']],
    // 7 are 1.75: of tenths, which are the lots where master data name none, 0.05 is a fraction; it cost 22 and brings 3.
    ['the lot is a digit of the quantity where none is named', () => posted(split('1', '4', true), 'BID', { lotSize: null }, { quantityScale: 1 }), ['cash 1 0, 2 981', 'realized -19', 'net 1.7 at 748 with 0']],
    // 770 were received for seven; half of one is bought back for 30.
    ['one that was sold is bought back', () => posted(split('1', '2', true), 'ASK', call), ['cash 1 0, 2 1740', 'realized 80', 'net -3 at -660 with 0']],
    // 7 at 0.4 cost 2.8; half of one cost 0.4, and brings 30 at this wild price.
    ['so is one of a prediction contract', () => posted(split('1', '2', true), 'BID', {}, { config: { predictions: new Set([1]) }, price: 0.4 }), ['cash 1 0, 2 1027.2', 'realized 29.6', 'net 3 at 2.4 with 0']],
    // 77 were set aside for 3.5: 66 for 3.
    ['margin of an isolated fraction is free', () => posted(split('1', '2', true), 'BID', {}, isolated), ['cash 1 0, 2 920', 'realized -80', 'net 0 at 0 with 0', 'long 3 at 660 with 66']],
    ['margin stays with what is rounded', () => posted(split('1', '2', false), 'BID', {}, isolated), ['cash 1 0, 2 1000', 'realized 0', 'net 0 at 0 with 0', 'long 4 at 770 with 77']],
    ['and is free where nothing is left', () => posted(split('1', '20', false), 'BID', {}, isolated), ['cash 1 0, 2 1000', 'realized 0', 'net 0 at 0 with 0', 'long 0 at 0 with 0']],
    ['a dividend of an isolated position is its own', () => posted(dividend(2), 'BID', {}, isolated), ['cash 1 0, 2 1003.5', 'realized 0', 'flows 2 3.5', 'net 0 at 0 with 0', 'long 7 at 770 with 80.5']],
    ['one of a cross position is cash', () => posted(dividend(2), 'BID', {}, { config: { profile: marginProfile(['cross', 'isolated']) } }), ['cash 1 0, 2 1003.5', 'realized 0', 'flows 2 3.5', 'net 7 at 770 with 0']],
    ['so is one in an underlying that margin is not kept in', () => posted(dividend(3), 'BID', {}, isolated), ['cash 1 0, 2 1000, 3 3.5', 'realized 0', 'flows 3 3.5', 'net 0 at 0 with 0', 'long 7 at 770 with 77']],
    ['and one of an option, which has no margin', () => posted(dividend(2), 'BID', call, isolated), ['cash 1 0, 2 233.5', 'realized 0', 'flows 2 3.5', 'net 0 at 0 with 0', 'long 7 at 770 with 0']],
    // 7 were borrowed and sold for 770.
    ['what was borrowed is split with the rest', () => posted(split('2', '1', true), 'ASK', { type: 'spot' }, { borrowed: 7 }), ['cash 1 0, 2 1770', 'realized 0', 'owed 14', 'net -14 at -770 with 0']],
    ['the lender is paid the higher dividend', () => posted(dividend(2), 'ASK', { type: 'spot' }, { borrowed: 7 }), ['cash 1 0, 2 1765.8', 'realized 0', 'owed 7', 'flows 2 -4.2', 'net -7 at -770 with 0']],
  ])('%s', (_name, played, expected) => {
    const unsaid = ['owed 0', 'flows ']
    expect(played().filter((line) => !unsaid.includes(line))).toEqual(expected)
  })
})
