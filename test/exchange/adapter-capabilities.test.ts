import { describe, expect, test } from 'vitest'
import {
  adapterCapabilities, changeRefusal, placeRefusal, kindRefusal,
} from '../../src/exchange/adapter/adapter-checks.js'
import { GENERIC_PROFILE } from '../../src/exchange/profile/venue-profile.js'
import type { AmendEntry, PlaceEntry, ReplaceEntry } from '../../src/venue/messages.js'
import { attributesIn, ORDER_ATTRIBUTES, type AttributeNeed } from '../../src/venue/order-attributes.js'
import { placeEntry } from '../support/exchange-bench.ts'
import { madeInstrument } from '../support/market-lines.ts'
import type { Capabilities } from '../../src/venue/account-messages.js'

const instrument = { instrument: madeInstrument(), priceScale: 0, quantityScale: 0 }
const ALL = adapterCapabilities(GENERIC_PROFILE)
const refusal = (terms: Partial<PlaceEntry>, missing: Partial<Capabilities> = {}): string | null => placeRefusal(placeEntry('a', terms), instrument, { ...ALL, ...missing })?.message ?? null
const amend: AmendEntry = { ownOrderId: 'a', currentClientOrderId: 'a', newClientOrderId: 'b' }
const replace: ReplaceEntry = { currentOwnOrderId: 'a', newOwnOrderId: 'b', currentClientOrderId: 'a', newClientOrderId: 'b' }

describe('what a place entry may say', () => {
  test.each<[keyof PlaceEntry, Partial<PlaceEntry>, Partial<Capabilities>]>([
    ['displayQuantity', { displayQuantity: 1 }, { displayQuantity: false }],
    ['triggerPrice', { triggerPrice: 100 }, { orderTypes: ['LIMIT'] }],
    ['pegOffsetValue', { pegOffsetValue: 1 }, { orderTypes: ['LIMIT', 'STOP_LIMIT'] }],
    ['closeOnly', { closeOnly: true }, { closeOnly: false }],
    ['reduceOnly', { reduceOnly: true }, { reduceOnly: false }],
    ['autoBorrow', { autoBorrow: true }, { availableBorrow: false }],
    ['autoRepay', { autoRepay: true }, { availableBorrow: false }],
    ['useSpare', { useSpare: true }, { spare: false }],
  ])('%s needs its capability, where it is said', (field, terms, missing) => {
    expect([refusal(terms), refusal(terms, missing)]).toEqual([null, `this venue does not support ${field}`])
    expect([false, null, undefined].map((value) => refusal({ [field]: value }, missing))).toEqual([null, null, null])
  })

  // From the table alone, so that an attribute with a new need cannot pass unrefused where a loop does not know it.
  const missingFor = (needs: AttributeNeed): Partial<Capabilities> => {
    if (needs === 'trigger') return { orderTypes: ['LIMIT', 'MARKET_PEGGED'] }
    if (needs === 'peg') return { orderTypes: ['LIMIT', 'STOP_LIMIT'] }
    return { [needs]: false }
  }
  const needing = (text: 'place' | 'amend' | 'replace'): (readonly [string, AttributeNeed, unknown])[] =>
    attributesIn(text).flatMap((field) => {
      const { needs, unit } = ORDER_ATTRIBUTES[field]
      return needs === undefined ? [] : [[field, needs, JSON.stringify(unit) === '"flag"' ? true : 1] as const]
    })
  test('every attribute of the table that needs a capability is refused without it, in an entry, amend and replace', () => {
    expect(needing('place').length).toBeGreaterThan(7)
    for (const [field, needs, value] of needing('place')) {
      expect([field, refusal({ [field]: value }, missingFor(needs))]).toEqual([field, unsupported(field)])
    }
    for (const [text, entry] of [['amend', amend], ['replace', replace]] as const) {
      for (const [field, needs, value] of needing(text)) {
        const refused = changeRefusal({ ...entry, [field]: value }, instrument, { ...ALL, ...missingFor(needs) })
        expect([text, field, refused?.message]).toEqual([text, field, unsupported(field)])
      }
    }
  })
  const unsupported = (field: string): string => `this venue does not support ${field}`

  test('one kind of peg is enough for an offset', () => {
    expect([['MARKET_PEGGED'], ['PRIMARY_PEGGED']].map(([type]) => refusal({ type: type!, pegOffsetValue: 1 }, { orderTypes: [type!] }))).toEqual([null, null])
  })

  test('where master data name no lot and no tick, every whole number above 0 is one', () => {
    const bare = { instrument: madeInstrument({ lotSize: null, tickSize: null }), priceScale: 2, quantityScale: 1 }
    const found = (price: number, totalQuantity: number) => placeRefusal(placeEntry('a', { price, totalQuantity }), bare, ALL)?.type ?? null
    expect([found(12_345, 7), found(1, 1), found(0.5, 1), found(1, 0.5), found(1, 0)]).toEqual([null, null, 'INVALID_PRICE', 'INVALID_QUANTITY', 'INVALID_QUANTITY'])
  })

  test('type, time in force and wallet must be among what there is', () => {
    expect(refusal({ type: 'FANCY' }, { orderTypes: ['LIMIT', 'MARKET'] })).toBe('order type FANCY is not among LIMIT, MARKET')
    expect(refusal({ timeInForce: 'FILL_OR_KILL' }, { timeInForces: ['GOOD_TILL_CANCEL', 'IMMEDIATE_OR_CANCEL'] })).toBe('timeInForce FILL_OR_KILL is not among GOOD_TILL_CANCEL, IMMEDIATE_OR_CANCEL')
    expect([refusal({ walletType: 'MARGIN' }), refusal({ walletType: 'ACCOUNT' })]).toEqual(['wallet type MARGIN is not among ACCOUNT', null])
  })
})

describe('what a profile does not say of closing and hiding', () => {
  const rules = GENERIC_PROFILE.orders
  const of = (terms: Partial<PlaceEntry>, { closeOnlyCancelsOthers: _unsaid, ...silent } = rules!): string | null => kindRefusal(placeEntry('a', terms), instrument, silent)?.message ?? null

  test('closeOnly needs to know what it does to other orders, reduceOnly does nothing to them', () => {
    expect([of({ closeOnly: true }), of({ reduceOnly: true }), of({ closeOnly: false })]).toEqual(['the venue profile does not say orders.closeOnlyCancelsOthers', null, null])
  })

  test.each(['closeOnly', 'reduceOnly'])('%s opens nothing', (field) => {
    expect(of({ [field]: true, openClose: 'OPEN' })).toBe(`an order that is ${field} cannot OPEN a position`)
  })

  test('a part that is shown is above 0; 0 hides the order, where that is allowed', () => {
    const hides = (displayQuantity: number, hiddenOrders: boolean) => of({ totalQuantity: 5, displayQuantity }, { ...rules!, hiddenOrders })
    expect([hides(0, true), hides(2, true), hides(2, false)]).toEqual([null, null, null])
    expect([hides(-1, true), hides(-1, false), hides(0.5, true), hides(0, false)]).toEqual([
      'displayQuantity must be above 0, or 0 for a hidden order, found -1', 'displayQuantity must be above 0, found -1', 'displayQuantity must be above 0, found 0.5',
      'the venue profile does not allow orders.hiddenOrders (displayQuantity 0)',
    ])
  })
})

describe('what an amend or a replacement may say', () => {
  const of = (entry: AmendEntry | ReplaceEntry, missing: Partial<Capabilities> = {}): string | null => changeRefusal(entry, instrument, { ...ALL, ...missing })?.message ?? null

  test('each needs its capability', () => {
    expect([of(amend, { replace: false }), of(amend, { amend: false }), of(replace, { amend: false }), of(replace, { replace: false })]).toEqual([null, 'this venue does not support amend', null, 'this venue does not support replace'])
  })

  test('a trigger and an offset need orders that have them, what does not say them needs none', () => {
    expect([of({ ...amend, triggerPrice: 5 }), of({ ...amend, triggerPrice: 5 }, { orderTypes: ['LIMIT'] }), of(amend, { orderTypes: ['LIMIT'] })]).toEqual([null, 'this venue does not support triggerPrice', null])
    expect([of({ ...amend, pegOffsetValue: 5 }), of({ ...amend, pegOffsetValue: 5 }, { orderTypes: ['LIMIT'] })]).toEqual([null, 'this venue does not support pegOffsetValue'])
    expect(of({ ...amend, pegOffsetValue: 0.5 })).toBe('pegOffsetValue must be a number that the instrument can state, found 0.5')
    expect(of({ ...amend, triggerPrice: 0.5 })).toBe('triggerPrice must be a number that the instrument can state, found 0.5')
  })

  test('of an order that it does not know it judges no terms', () => {
    expect(changeRefusal({ ...amend, price: 0.5 }, undefined, ALL)).toBeNull()
    expect(of({ ...amend, price: 0.5 })).not.toBeNull()
  })
})

test('an adapter can do what its profile states and the exchange does', () => {
  const { orderTypes, timeInForces, amend: canAmend, spare, replace: canReplace } = adapterCapabilities({ name: 'p', kind: 'generic', capabilities: { orderTypes: ['LIMIT', 'FANCY'], timeInForces: ['DAY', 'FILL_OR_KILL'], amend: true } })
  expect({ orderTypes, timeInForces, canAmend, spare, canReplace }).toEqual({ orderTypes: ['LIMIT'], timeInForces: ['FILL_OR_KILL'], canAmend: true, spare: false, canReplace: false })
})
