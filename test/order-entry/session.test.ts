import { describe, expect, test } from 'vitest'
import { GENERIC_PROFILE } from '../../src/exchange/profile/venue-profile.js'
import { uuid } from '../support/served-world.ts'
import { SessionTalk, placeOf, stamp, type Said } from '../support/session-talk.ts'

const place = (...entries: readonly unknown[]): object => ({ msgType: 'place', accountId: 'A', entries })

/** The answer to a message, as `msgType: reason` or the errors of entries. */
function words(said: readonly Said[]): string[] {
  return said.map((one) => {
    if (one.msgType === 'invalidRequest') return `invalidRequest: ${String(one['message'])}`
    const entries = one['entries'] as readonly { error?: { type: string, message: string, source: string } }[] | undefined
    const errors = entries?.map(({ error }) => (error === undefined ? 'ok' : `${error.type} ${error.source} ${error.message}`)) ?? []
    const error = one['error'] as { type: string, message: string } | undefined
    return `${one.msgType}: ${[...errors, ...(error === undefined ? [] : [`${error.type} ${error.message}`])].join(' | ')}`
  })
}

const BAD_MESSAGES: readonly (readonly [name: string, message: object | string, reason: RegExp, request: unknown])[] = [
  ['no JSON', '{"a":', /no JSON: expected a value/, '{"a":'],
  ['an empty text', '', /no JSON/, ''],
  ['a list', '[1]', /must be a JSON object, found a list/, '[1]'],
  ['a text', '"a"', /found "a"/, '"a"'],
  ['null', 'null', /found null/, 'null'],
  ['deep brackets', `{"a":${'['.repeat(100)}`, /nested at most 64/, `{"a":${'['.repeat(100)}`],
  ['a name twice', '{"msgType":"logout","msgType":"login"}', /"msgType" twice/, { msgType: 'login' }],
  ['a number of too many digits', `{"a":${'9'.repeat(70)}}`, /at most 60 digits/, `{"a":${'9'.repeat(70)}}`],
  ['no msgType', { a: 1 }, /msgType must be a text, found nothing/, { a: 1 }],
  ['an unknown msgType', { msgType: 'dance' }, /unknown msgType "dance"/, { msgType: 'dance' }],
  ['a msgType of the prototype', { msgType: 'toString' }, /unknown msgType/, { msgType: 'toString' }],
  ['no accountId', { msgType: 'cancel', entries: [] }, /accountId must be a text/, { msgType: 'cancel', entries: [] }],
  ['another account', { msgType: 'cancel', accountId: 'B', entries: [{ ownOrderId: uuid(1) }] }, /must be that of the session/, { msgType: 'cancel', accountId: 'B', entries: [{ ownOrderId: uuid(1) }] }],
  ['no entries', { msgType: 'place', accountId: 'A' }, /entries must be a list, found nothing/, { msgType: 'place', accountId: 'A' }],
  ['an empty list', place(), /1 to 100 entries, found 0/, place()],
  ['101 entries', { msgType: 'cancel', accountId: 'A', entries: Array.from({ length: 101 }, () => ({ ownOrderId: uuid(1) })) }, /1 to 100 entries, found 101/, expect.anything()],
  ['an entry that is no object', place(1), /entries\[0\] must be an object, found the number 1/, place(1)],
  ['an entry without ids', place({ price: '1' }), /entries\[0\].ownOrderId must be an id, found nothing/, place({ price: '1' })],
  ['an id that is a number', place({ ...placeOf(1), ownOrderId: 5 }), /ownOrderId must be an id, found the number 5/, expect.anything()],
  ['a cancelAll without requestId', { msgType: 'cancelAll', accountId: 'A' }, /requestId must be an id, found nothing/, expect.anything()],
]

test.each(BAD_MESSAGES)('%s: invalidRequest with the request as received', (_name, message, reason, request) => {
  const talk = new SessionTalk()
  talk.logIn()
  const [said, ...rest] = talk.say(message)
  expect(said).toEqual({ msgType: 'invalidRequest', message: expect.stringMatching(reason), request })
  expect(rest).toEqual([])
})

const BAD_PLACES: readonly (readonly [name: string, entry: object, words: RegExp])[] = [
  ['a price that is a number', { price: 100 }, /^INVALID_REQUEST INTERNAL entries\[0\].price must be a decimal text, found the number 100$/],
  ['a quantity that is a number', { totalQuantity: 1 }, /totalQuantity must be a decimal text/],
  ['a price off the tick', { price: '100.3' }, /price must be a multiple of the tick size 0.5, found 100.3/],
  ['a price finer than the scale', { price: '100.05' }, /price must be a price of at most 1 decimal place/],
  ['a quantity finer than the scale', { totalQuantity: '0.001' }, /totalQuantity must be a quantity of at most 2 decimal places/],
  ['a price with an exponent', { price: '1e2' }, /price must be a decimal text, found "1e2"/],
  ['a price beyond 2^53', { price: '99999999999999999' }, /below 2\^53/],
  ['a price of 0', { price: '0' }, /^INVALID_PRICE INTERNAL/],
  ['a price below 0', { price: '-1' }, /^INVALID_PRICE INTERNAL/],
  ['a quantity of 0', { totalQuantity: '0' }, /^INVALID_QUANTITY INTERNAL/],
  ['a quantity below 0', { totalQuantity: '-1' }, /^INVALID_QUANTITY INTERNAL/],
  ['no quantity', { totalQuantity: null }, /totalQuantity must be a decimal text, found nothing|totalQuantity must be a decimal text, found null/],
  ['a price on a pegged order', { type: 'PRIMARY_PEGGED' }, /INVALID_REQUEST INTERNAL entries\[0\].price must be absent for a PRIMARY_PEGGED order/],
  ['an id that is no UUID', { ownOrderId: 'abc' }, /ownOrderId must be a UUID, found "abc"/],
  ['a client id that is no UUID', { clientOrderId: 'abc' }, /clientOrderId must be a UUID/],
  ['an unknown side', { side: 'BUY' }, /side must be one of BID, ASK, found "BUY"/],
  ['an unknown openClose', { openClose: 'MAYBE' }, /openClose must be one of AUTO, OPEN, CLOSE/],
  ['postOnly as a text', { postOnly: 'true' }, /postOnly must be true or false/],
  ['a context that is a text', { context: 'x' }, /context must be a JSON object/],
  ['a context too long', { context: { a: 'x'.repeat(70_000) } }, /context must be JSON of at most 65536 characters/],
  ['an instrument that is a text', { instrumentId: '1' }, /instrumentId must be an integer/],
  ['an instrument of nobody', { instrumentId: 9 }, /^UNKNOWN_INSTRUMENT INTERNAL/],
  ['an order type nobody knows', { type: 'WISH' }, /^NOT_SUPPORTED INTERNAL/],
  ['no type', { type: null }, /type must be a text/],
]

test.each(BAD_PLACES)('%s: an error in that entry, the other one goes on', (_name, entry, reason) => {
  const talk = new SessionTalk()
  talk.logIn()
  const said = talk.say(place(placeOf(1, entry), placeOf(2)))
  const answer = said.find(({ msgType }) => msgType === 'placeResponse')
  const entries = answer?.['entries'] as readonly { error?: { type: string, message: string, source: string }, result?: object }[]
  expect(entries).toHaveLength(2)
  expect(`${entries[0]?.error?.type ?? ''} ${entries[0]?.error?.source ?? ''} ${entries[0]?.error?.message ?? ''}`).toMatch(reason)
  if (entry.constructor === Object && 'instrumentId' in entry) return
  expect(entries[1]?.result).toMatchObject({ instrumentId: 1, price: '100', totalQuantity: '1' })
})

test('an integer in a context that no double holds is malformed', () => {
  const talk = new SessionTalk()
  talk.logIn()
  const text = JSON.stringify(place(placeOf(1, { context: { id: 1 } }))).replace('"id":1', '"id":12345678901234567890')
  expect(words(talk.say(text))).toEqual([expect.stringMatching(/INVALID_REQUEST INTERNAL entries\[0\].context must be JSON with integers/)])
})

describe('logging in', () => {
  const login = { msgType: 'login', accountId: 'A', requestId: 'r1', processId: 'p', version: '1' }
  test.each([
    ['an account of nobody', { ...login, accountId: 'X' }, 'loginResponse: UNKNOWN_ACCOUNT this adapter does not serve the account'],
    ['no processId', { ...login, processId: undefined }, 'loginResponse: INVALID_REQUEST processId must be a text of 1 to 128 characters, found nothing'],
    ['an empty version', { ...login, version: '' }, 'loginResponse: INVALID_REQUEST version must be a text of 1 to 128 characters, found ""'],
    ['an option that is a text', { ...login, options: { includeContext: 'yes' } }, 'loginResponse: INVALID_REQUEST options.includeContext must be true or false, found "yes"'],
    ['options that are a list', { ...login, options: [] }, 'loginResponse: INVALID_REQUEST options must be an object, found a list'],
    ['no requestId', { ...login, requestId: undefined }, 'invalidRequest: requestId must be a text of 1 to 128 characters, found nothing'],
    ['no accountId', { ...login, accountId: 7 }, 'invalidRequest: accountId must be a text of 1 to 128 characters, found the number 7'],
    ['a request before it', place(placeOf(1)), 'invalidRequest: not logged in'],
    ['a cancelAll before it', { msgType: 'cancelAll', accountId: 'A', requestId: uuid(1), createTimestampNs: 1 }, 'invalidRequest: not logged in'],
    ['our own message before it', { msgType: 'stepped' }, 'invalidRequest: not logged in'],
  ])('%s is refused', (_name, message, reason) => {
    const talk = new SessionTalk()
    expect(words(talk.say(message))).toEqual([reason])
    expect(talk.session.login).toBeNull()
  })

  test('twice: ALREADY_LOGGED_IN; after a logout nothing is answered but a new login', () => {
    const talk = new SessionTalk()
    talk.logIn()
    expect(words(talk.logIn())).toEqual(['loginResponse: ALREADY_LOGGED_IN the connection is logged in already'])
    expect(talk.say({ msgType: 'logout', accountId: 'A', requestId: 'r2' })).toEqual([])
    expect(words(talk.say(place(placeOf(1))))).toEqual(['invalidRequest: not logged in'])
    expect(talk.logIn()[0]).toMatchObject({ msgType: 'loginResponse', result: { status: 'OK', orders: [] } })
  })
})

test('times are integers of epoch nanoseconds in digits', () => {
  const talk = new SessionTalk()
  talk.logIn()
  talk.session.receive(JSON.stringify(place(placeOf(1))))
  talk.bench.run([], talk.bench.nowNs)
  expect(talk.texts.find((text) => text.includes('placeResponse'))).toContain(`"adapterTimestampNs":${stamp(0)}`)
})

test('filterByProcessId: orders and fills of other processes are not seen, positions and wallets are', () => {
  const talk = new SessionTalk()
  const other = new SessionTalk({}, talk)
  talk.logIn({ filterByProcessId: true })
  other.logIn({}, { processId: 'q' })
  other.taken()
  other.place({ price: '99' }, { side: 'BID', price: '110', timeInForce: 'IMMEDIATE_OR_CANCEL' })
  expect([...new Set(talk.taken().map(({ msgType }) => msgType))].sort()).toEqual(['positionUpdate', 'walletUpdate'])
  expect(talk.say({ msgType: 'logout', accountId: 'A', requestId: 'r' })).toEqual([])
  const [login] = talk.logIn({ filterByProcessId: true })
  expect((login?.['result'] as { orders: unknown[] }).orders).toEqual([])
  talk.say({ msgType: 'logout', accountId: 'A', requestId: 'r' })
  expect((talk.logIn()[0]?.['result'] as { orders: { owner: object }[] }).orders).toMatchObject([{ ownOrderId: uuid(1), owner: { processId: 'q' } }])
})

test('nothing is sent after the connection has gone, and what was open stays', () => {
  const talk = new SessionTalk()
  talk.logIn()
  talk.place({})
  talk.session.close()
  expect(talk.say(place(placeOf(2)))).toEqual([])
  expect(talk.run(2000)).toEqual([])
  const later = new SessionTalk({}, talk)
  expect((later.logIn()[0]?.['result'] as { orders: unknown[] }).orders).toMatchObject([{ ownOrderId: uuid(1), state: 'CONFIRMED' }])
})

test('an own order id of another client keeps the instrument of its order', () => {
  const talk = new SessionTalk()
  talk.logIn()
  talk.place({})
  expect(words(talk.place({ instrumentId: 1 }))).toEqual([expect.stringMatching(/ORDER_ID_DUPLICATE/)])
  expect(talk.say({ msgType: 'amend', accountId: 'A', entries: [{ ownOrderId: uuid(1), currentClientOrderId: uuid(1), newClientOrderId: uuid(2), price: '99' }] })[0])
    .toMatchObject({ msgType: 'amendResponse', entries: [{ ownOrderId: uuid(1), clientOrderId: uuid(2), result: { price: '99' } }] })
})

test('entries without an answer are limited', () => {
  const talk = new SessionTalk()
  talk.logIn()
  talk.plays = false
  for (let round = 0; round < 100; round++)
    talk.say({ msgType: 'cancel', accountId: 'A', entries: Array.from({ length: 100 }, (_, index) => ({ ownOrderId: uuid(round * 100 + index) })) })
  expect(words(talk.say(place(placeOf(1))))).toEqual([expect.stringMatching(/invalidRequest: at most 10000 entries may wait/)])
  talk.plays = true
  talk.bench.run([], talk.bench.nowNs)
  expect(talk.place({})[0]?.msgType).toBe('placeResponse')
})

describe.each(['amend', 'replace'] as const)('%s', (kind) => {
  const change = (order: number, fields: object): object => ({
    msgType: kind, accountId: 'A', entries: [kind === 'amend'
      ? { ownOrderId: uuid(order), currentClientOrderId: uuid(order), newClientOrderId: uuid(9), ...fields }
      : { currentOwnOrderId: uuid(order), newOwnOrderId: uuid(8), currentClientOrderId: uuid(order), newClientOrderId: uuid(9), ...fields }],
  })
  const talkWith = (isOn: boolean): SessionTalk => {
    const talk = new SessionTalk({ profile: { ...GENERIC_PROFILE, capabilities: { ...GENERIC_PROFILE.capabilities, [kind]: isOn } } })
    talk.logIn()
    talk.place({})
    return talk
  }

  test.each([
    ['an open order', 1, { price: '99' }, /: ok$/],
    ['an unknown order, with a price', 7, { price: '99' }, new RegExp(`: ORDER_NOT_FOUND INTERNAL no open order has the id ${uuid(7)}: `)],
    ['an unknown order, with a quantity', 7, { totalQuantity: '1' }, new RegExp(`: ORDER_NOT_FOUND INTERNAL no open order has the id ${uuid(7)}: `)],
    ['an unknown order, without either', 7, {}, kind === 'replace' ? new RegExp(`: ORDER_NOT_FOUND EXCHANGE no open order has the id ${uuid(7)}: `) : /: ORDER_NOT_FOUND EXCHANGE no open order has this id: /],
    ['a price that is a number', 1, { price: 99 }, /: INVALID_REQUEST INTERNAL/],
  ])('where the adapter takes it: %s', (_name, order, fields, expected) => {
    expect(words(talkWith(true).say(change(order, fields)))[0]).toMatch(expected)
  })

  test.each([
    ['an open order', 1, { price: '99' }, /: NOT_SUPPORTED INTERNAL this venue does not support/],
    ['an unknown order, with a price', 7, { price: '99' }, /: NOT_SUPPORTED INTERNAL this venue does not support/],
    ['an unknown order, with a quantity', 7, { totalQuantity: '1' }, /: NOT_SUPPORTED INTERNAL/],
    ['an unknown order, without either', 7, {}, /: NOT_SUPPORTED INTERNAL/],
    ['a price that is a number', 1, { price: 99 }, /: INVALID_REQUEST INTERNAL/],
  ])('where it does not: %s', (_name, order, fields, expected) => {
    expect(words(talkWith(false).say(change(order, fields)))[0]).toMatch(expected)
  })
})
