import { Amount } from '../../src/model/amount.js'
import { describe, expect, test } from 'vitest'
import { Account } from '../../src/exchange/accounts/account.js'
import type { AccountConfig } from '../../src/exchange/accounts/account-config.js'
import { GENERIC_PROFILE } from '../../src/exchange/profile/venue-profile.js'
import { openingTermsOf } from '../../src/exchange/risk/pre-trade.js'
import { marginPrice, orderPrice } from '../../src/exchange/risk/order-limits.js'
import { contractFromInstrument } from '../../src/model/contract.js'
import type { TradedInstrument } from '../../src/exchange/matching/order-engine.js'
import { madeOrder } from '../support/made-orders.ts'
import type { Instrument } from '../../src/model/instrument.js'
import type { Side } from '../../src/model/side.js'
import { madeInstrument } from '../support/market-lines.ts'
import { marginProfile } from '../support/played-money.ts'

describe('what a venue tells of what opening takes', () => {
  const SHORT_OPTIONS = { initialRate: '0.15', minimumInitialRate: '0.1', maintenanceRate: '0.075' }
  const sells = { ...marginProfile(['cross']), margin: { ...marginProfile(['cross']).margin!, shortOptions: SHORT_OPTIONS } }
  const stepless = { ...marginProfile(['cross']), margin: { modes: ['cross'] as const, brackets: [] } }
  const named = { ...GENERIC_PROFILE, name: 'venue', kind: 'options' } as const
  const OPTION: Partial<Instrument> = { type: 'call', strikePrice: '100' }
  /** Words of the terms: kind, size and underlying, then what binds. */
  const said = (instrument: Partial<Instrument>, config: Partial<AccountConfig>): string => {
    const account = new Account({ accountId: 'A', exchangeCode: 'test', balances: new Map([[2, '100']]), fees: { maker: '0', taker: '0' }, ...config })
    const terms = openingTermsOf(account, { instrument: madeInstrument(instrument), priceScale: 0, quantityScale: 0 })
    if (terms === undefined) return 'nothing'
    const { kind, contractSize, settlementUnderlyingId, ...more } = terms
    const { initialMargin, ...flags } = { initialMargin: [], ...more }
    return [kind, contractSize.toFixed(), settlementUnderlyingId, ...initialMargin.map(({ upTo, initialRate }) => `${initialRate.toFixed()}<=${upTo?.toFixed() ?? 'all'}`), ...Object.entries(flags).map(([name, value]) => `${name}=${value}`)].join(' ')
  }

  test.each<[words: string, instrument: Partial<Instrument>, config: Partial<AccountConfig>, expected: string]>([
    ['coins: their wallets say it all', { type: 'spot' }, { profile: marginProfile(['cross']) }, 'nothing'],
    ['an account without declared balances', {}, { profile: marginProfile(['cross']), balances: new Map() }, 'nothing'],
    ['an account that nothing is checked of', {}, { profile: marginProfile(['cross']), checks: 'none' }, 'nothing'],
    ['a venue without margin', {}, { profile: GENERIC_PROFILE }, 'nothing'],
    ['a venue without steps', {}, { profile: stepless }, 'nothing'],
    ['cross margin by steps', { multiplier: '0.1' }, { profile: marginProfile(['cross']) }, 'linear 0.1 2 0.1<=1000 0.2<=5000 isIsolated=false'],
    ['isolated margin by steps', { isInverse: true, contractValue: '100' }, { profile: marginProfile(['isolated']) }, 'inverse 100 1 0.1<=1000 0.2<=5000 isIsolated=true'],
    ['a prediction contract: its stake', { type: 'perpetual' }, { profile: { ...named, kind: 'prediction' } }, 'prediction 1 2 isCoverFree=true shortSale=stake'],
    ['an option where selling is free', OPTION, { profile: GENERIC_PROFILE }, 'option 1 2 isCoverFree=false shortSale=unstated'],
    ['an option where nothing says what a seller needs', OPTION, { profile: named }, 'option 1 2 isCoverFree=false shortSale=refused'],
    ['an option under margin that says nothing of sellers', OPTION, { profile: marginProfile(['cross']) }, 'option 1 2 isCoverFree=true shortSale=refused'],
    ['an option under margin that does', OPTION, { profile: sells }, 'option 1 2 isCoverFree=true shortSale=unstated'],
  ])('%s', (_words, instrument, config, expected) => {
    expect(said(instrument, config)).toBe(expected)
  })
})

describe('the price by which an order counts', () => {
  const BOOK = { BID: [[100, 2], [98, 2], [95, 9]], ASK: [[101, 2], [103, 2], [106, 9]] } as const
  /** A market of prices in tenths, with or without a book. */
  const traded = (isEmpty = false): TradedInstrument => ({
    market: { priceScale: 1, shown: isEmpty ? { bestBidPrice: NaN, bestAskPrice: NaN } : { bestBidPrice: 1000, bestAskPrice: 1010 } },
    orders: {
      // Levels up to the limit, best first, until there is enough.
      reachable: (side: Side, limit: number, quantity: number) => {
        let [left, lastPrice] = [quantity, NaN]
        for (const [price, size] of isEmpty ? [] : BOOK[side]) if (left > 0 && (side === 'ASK' ? price <= limit : price >= limit)) [left, lastPrice] = [left - size, price * 10]
        return { quantity: quantity - Math.max(0, left), lastPrice }
      },
    },
  } as unknown as TradedInstrument)
  const order = (side: Side, totalQuantity: number, price: number | null) => madeOrder({ side, totalQuantity, price: price === null ? null : price * 10 })

  test.each<[side: Side, quantity: number, price: number | null, isEmpty: boolean, reference: number | null, expected: string | undefined]>([
    ['BID', 9, 97, false, 50, '97'], ['BID', 2, null, false, 50, '101'], ['BID', 3, null, false, 50, '103'], ['BID', 99, null, false, 50, '106'],
    ['ASK', 2, null, false, 50, '100'], ['ASK', 3, null, false, 50, '98'], ['ASK', 5, null, false, 50, '95'],
    ['BID', 3, null, true, 50, '50'], ['ASK', 3, null, true, 50, '50'], ['ASK', 3, null, true, null, undefined],
  ])('%s of %i at %s (no book: %s, reference %s): %s', (side, quantity, price, isEmpty, reference, expected) => {
    expect(orderPrice(traded(isEmpty), order(side, quantity, price), reference === null ? null : Amount.from(reference))?.toFixed()).toBe(expected)
  })

  test.each<[kind: 'linear' | 'inverse', side: Side, price: number | null, isEmpty: boolean, mark: number | null, expected: string | undefined]>([
    // What grows dearer with the price: purchases by their own, sales by the best of own, mark and bid.
    ['linear', 'BID', 90, false, 120, '90'], ['linear', 'BID', null, false, 120, '103'], ['linear', 'ASK', 90, false, 80, '100'], ['linear', 'ASK', 90, false, 120, '120'], ['linear', 'ASK', 130, false, 120, '130'],
    ['linear', 'ASK', 90, false, null, '100'], ['linear', 'ASK', 90, true, null, '90'], ['linear', 'ASK', 90, true, 95, '95'], ['linear', 'ASK', null, true, null, undefined], ['linear', 'BID', null, true, null, undefined],
    // What grows dearer as the price falls: the other way round.
    ['inverse', 'ASK', 110, false, 80, '110'], ['inverse', 'ASK', null, false, 80, '98'], ['inverse', 'BID', 110, false, 120, '101'], ['inverse', 'BID', 110, false, 80, '80'], ['inverse', 'BID', 70, false, 80, '70'],
    ['inverse', 'BID', 110, false, null, '101'], ['inverse', 'BID', 110, true, null, '110'],
  ])('%s margin of a %s of 3 at %s (no book: %s, mark %s): %s', (kind, side, price, isEmpty, mark, expected) => {
    const contract = contractFromInstrument(madeInstrument(kind === 'inverse' ? { isInverse: true, contractValue: '1' } : {}))
    expect(marginPrice(traded(isEmpty), contract, order(side, 3, price), mark === null ? null : Amount.from(mark))?.toFixed()).toBe(expected)
  })
})
