import { describe, expect, expectTypeOf, test } from 'vitest'
import { checkedAnswer } from '../../../src/protocol/shop/shop-check.js'
import type { ShopRouteName } from '../../../src/protocol/shop/shop-routes.js'
import type { Sent, ShopSchemaName, Taken } from '../../../src/protocol/shop/shop-schemas.js'
import { thrownError } from '../../support/thrown-error.ts'

const COVERAGE: Sent<'Coverage'> = {
  first_day: '2024-08-01', last_day: '2024-08-03', days_with_data: 2, coverage_pct: 66.67, total_bytes: 10,
  gaps: [{ from: '2024-08-02', to: '2024-08-02', days: 1 }],
}

const SESSION: Sent<'Session'> = { status: 'paid', order_id: 'o1', download_token: 'sentinel-token' }

describe('types of the wire', () => {
  test('a server must send what is ours, a client may not count on it', () => {
    expectTypeOf<Sent<'Bundle'>['kind']>().toEqualTypeOf<'prediction_series' | 'option_chain' | 'futures_curve'>()
    expectTypeOf<Taken<'Bundle'>['kind']>().toEqualTypeOf<string | undefined>()
    expectTypeOf<Sent<'QuoteItem'>>().toEqualTypeOf<{
      readonly instrument_id: number, readonly date: string, readonly kind?: 'tick' | 'series_day'
    }>()
    expectTypeOf<Taken<'Coverage'>['first_day']>().toEqualTypeOf<string | null>()
    expectTypeOf<Taken<'Days'>['days'][number]['size']>().toEqualTypeOf<number>()
    expectTypeOf<'download'>().toExtend<ShopRouteName>()
  })
})

const ACCEPTED: readonly (readonly [what: string, name: ShopSchemaName, value: unknown, read: unknown])[] = [
  ['an answer as it is', 'Coverage', COVERAGE, COVERAGE],
  ['unknown fields', 'Coverage', { ...COVERAGE, more: { a: [1] } }, { ...COVERAGE, more: { a: [1] } }],
  ['unknown fields of items', 'Days', { days: [{ date: '2024-08-08', size: 1, md5: 'x' }], next_cursor: null },
    { days: [{ date: '2024-08-08', size: 1, md5: 'x' }] }],
  ['unknown words', 'DayState', { state: 'thawing' }, { state: 'thawing' }],
  ['a list without its end', 'Days', { days: [] }, { days: [] }],
  ['an optional field that is null', 'Session', { status: 'pending', order_id: null }, { status: 'pending' }],
  ['integers as text', 'DaySize', { date: '2024-08-08', size: '9007199254740991' },
    { date: '2024-08-08', size: 9007199254740991 }],
  ['a number as text', 'Coverage', { ...COVERAGE, coverage_pct: '66.67' }, COVERAGE],
  ['an id that is a number', 'Session', { ...SESSION, order_id: 17 }, { ...SESSION, order_id: '17' }],
  ['a bare list for an envelope of ours', 'Samples', [{ href: '/a' }], { samples: [{ href: '/a' }] }],
  ['another form of what is ours', 'Bundle', { bundle_id: 1, series_key: 'k', price_cents: 100, coverage: 'full', kind: 7 },
    { bundle_id: 1, series_key: 'k', price_cents: 100 }],
  ['what is ours, absent', 'Bundle', { bundle_id: 1, series_key: 'k', price_cents: 100 }, { bundle_id: 1, series_key: 'k', price_cents: 100 }],
  ['a field named as those of every object', 'DayState', JSON.parse('{"state":"ready","__proto__":{"a":1}}'),
    JSON.parse('{"state":"ready","__proto__":{"a":1}}')],
]

const REFUSED: readonly (readonly [what: string, name: ShopSchemaName, value: unknown, field: string | undefined, expected: RegExp, found: RegExp])[] = [
  ['nothing', 'Coverage', undefined, undefined, /an object/, /nothing/],
  ['null', 'Coverage', null, undefined, /an object/, /null/],
  ['a list', 'Coverage', [COVERAGE], undefined, /an object/, /a list/],
  ['a page of HTML', 'Coverage', '<html>', undefined, /an object/, /<html>/],
  ['a missing field', 'DayState', {}, 'state', /a text/, /nothing/],
  ['a field of the prototype', 'DayState', Object.create({ state: 'ready' }), 'state', /a text/, /nothing/],
  ['a missing field in a list', 'Days', { days: [{ date: '2024-08-08', size: 1 }, { date: '2024-08-08' }] }, 'days[1].size', /an integer from 0/, /nothing/],
  ['a text for a list', 'Days', { days: 'none' }, 'days', /a list/, /none/],
  ['an object for a list', 'Days', { days: { length: 0 } }, 'days', /a list/, /an object/],
  ['a number for a text', 'DayState', { state: 1 }, 'state', /a text/, /1/],
  ['null for a text', 'DayState', { state: null }, 'state', /a text/, /null/],
  ['a fraction', 'DaySize', { date: '2024-08-08', size: 1.5 }, 'size', /an integer/, /1.5/],
  ['a negative size', 'DaySize', { date: '2024-08-08', size: -1 }, 'size', /from 0/, /-1/],
  ['a negative size as text', 'DaySize', { date: '2024-08-08', size: '-1' }, 'size', /from 0/, /-1/],
  ['a number beyond 2^53', 'DaySize', { date: '2024-08-08', size: 2 ** 53 }, 'size', /to 9007199254740991/, /9007199254740992/],
  ['a number beyond 2^53 as text', 'DaySize', { date: '2024-08-08', size: '9007199254740993' }, 'size', /to 9007199254740991/, /"9007199254740993"/],
  ['a text of many digits', 'DaySize', { date: '2024-08-08', size: '1'.repeat(1000) }, 'size', /an integer/, /^.{80}$/],
  ['a text of hex digits', 'DaySize', { date: '2024-08-08', size: '0x10' }, 'size', /an integer/, /0x10/],
  ['an empty text for a number', 'DaySize', { date: '2024-08-08', size: '' }, 'size', /an integer/, /""/],
  ['a day that does not exist', 'DaySize', { date: '2024-02-30', size: 1 }, 'date', /YYYY-MM-DD/, /2024-02-30/],
  ['a day with a path', 'DaySize', { date: '../2024-08-08', size: 1 }, 'date', /YYYY-MM-DD/, /\.\./],
  ['an infinite share', 'Coverage', { ...COVERAGE, coverage_pct: Infinity }, 'coverage_pct', /a number/, /Infinity/],
  ['a paid session without its token', 'Session', { status: 'paid', order_id: 'o1' }, 'download_token', /a text/, /\*\*\*/],
  ['a token of another type', 'Session', { ...SESSION, download_token: ['sentinel-token'] }, 'download_token', /a text/, /^\*\*\*$/],
  ['a session in a list', 'Session', [SESSION], undefined, /an object/, /^a list$/],
  ['an id with a space', 'Session', { ...SESSION, order_id: 'a b' }, 'order_id', /an id/, /a b/],
  ['an id with a fraction', 'Session', { ...SESSION, order_id: 1.5 }, 'order_id', /an id/, /1.5/],
  ['an object inside another', 'SearchHit', { instrument_id: 1, code: 'a', type: 's', exchange: { code: 'x' }, state: 'open', data: {} }, 'exchange.name', /a text/, /nothing/],
]

describe('an answer of a server', () => {
  test.each(ACCEPTED)('%s', (_what, name, value, read) => {
    expect(checkedAnswer(name, value, 'GET /x')).toEqual(read)
  })

  test.each(REFUSED)('%s is refused', (_what, name, value, field, expected, found) => {
    const error = thrownError(() => checkedAnswer(name, value, 'GET /x'))
    expect(error.code).toBe('SHOP_ANSWER_INVALID')
    expect(error.place.field).toBe(field)
    expect(error.place.expected).toMatch(expected)
    expect(error.place.found).toMatch(found)
    expect(error.message).toMatch(/^Cannot read the answer of GET \/x: /)
    expect(`${error.message}${JSON.stringify(error.place)}`).not.toContain('sentinel-token')
  })

  test('the value given is left as it was', () => {
    const value = { status: 'pending', order_id: 5, more: 1 }
    checkedAnswer('Session', value, 'GET /x')
    expect(value).toEqual({ status: 'pending', order_id: 5, more: 1 })
  })

  test('a long list, and the first fault in it', () => {
    const days: unknown[] = Array.from({ length: 200_000 }, () => ({ date: '2024-08-08', size: 1 }))
    expect(checkedAnswer('Days', { days }, 'GET /x').days).toHaveLength(200_000)
    days[199_999] = days[100_000] = null
    expect(thrownError(() => checkedAnswer('Days', { days }, 'GET /x')).place.field).toBe('days[100000]')
  })
})
