import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { GENERIC_PROFILE } from '../../src/exchange/profile/venue-profile.js'
import type { PlannedFault } from '../../src/exchange/adapter/fault-plan.js'
import { lookupAnswer } from '../../src/order-entry/adapter-lookup.js'
import { sharedFolder } from '../support/shared-data.ts'
import { marginProfile } from '../support/played-money.ts'
import { uuid } from '../support/served-world.ts'
import { SessionTalk, placeOf, stamp, type Said } from '../support/session-talk.ts'

const document = join(sharedFolder, 'spec/2-order-entry-protocol.md')

/** A case: the rows of spec 2 that it shows, and the check. */
type Case = readonly [rows: readonly string[], name: string, check: () => void]

const outage: PlannedFault = { accountId: 'A', effect: { kind: 'status', status: 'DISCONNECTED', message: 'gone' }, startNs: 100, everyNs: null, forNs: 100 }
const limits = { ...GENERIC_PROFILE, rateLimits: [{ id: 'orders', windowMs: 1000, tokens: { shared: 2 }, blockMs: 5000 }] }

function loggedIn(options: object = {}, bench: ConstructorParameters<typeof SessionTalk>[0] = {}): SessionTalk {
  const talk = new SessionTalk(bench)
  talk.logIn(options)
  return talk
}

const of = (said: readonly Said[], msgType: string): Said | undefined => said.find((one) => one.msgType === msgType)
const entriesOf = (said: readonly Said[], msgType: string): unknown => of(said, msgType)?.['entries']
const ioc = { price: '110', timeInForce: 'IMMEDIATE_OR_CANCEL' }
const one = (kind: string, entry: object): object => ({ msgType: kind, accountId: 'A', entries: [entry] })
const HEAD = { accountId: 'A', adapterTimestampNs: expect.any(Number) as number }
const PLACE_FIELDS = ['ownOrderId', 'clientOrderId', 'instrumentId', 'type', 'side', 'timeInForce', 'price', 'totalQuantity']

const CASES: readonly Case[] = [
  [['event welcome'], 'the first message', () => {
    expect(new SessionTalk().taken()).toEqual([{ msgType: 'welcome', processId: 'adapter-1', version: '1.0', protocolVersion: '2.1' }])
  }],
  [['request login', 'state Session connected', 'result status', 'result orders', 'result instrumentPositions', 'result isolatedInstrumentPositions', 'result walletPositions', 'result maintenanceMargin', 'result totalBalances', 'result rateLimitLoads', 'result capabilities'], 'the login result has every field', () => {
    const [said] = new SessionTalk().logIn()
    expect(said).toMatchObject({ msgType: 'loginResponse', accountId: 'A', requestId: 'r1' })
    expect(Object.keys(said?.['result'] as object).sort()).toEqual(['capabilities', 'instrumentPositions', 'isolatedInstrumentPositions', 'maintenanceMargin', 'orders', 'rateLimitLoads', 'status', 'totalBalances', 'walletPositions'])
    expect(said?.['result']).toMatchObject({ status: 'OK', walletPositions: [{ underlyingId: 2, availableAmount: '100000', amountBlockedForMargin: '0', marginBalance: '100000', walletType: 'ACCOUNT' }] })
    expect((said?.['result'] as { capabilities: object }).capabilities).toMatchObject({ amend: true, replace: true, cancelAll: true, orderTypes: expect.arrayContaining(['LIMIT']) as string[] })
  }],
  [['request logout', 'state Session logged in'], 'no response to a logout', () => {
    const talk = loggedIn()
    expect(talk.say({ msgType: 'logout', accountId: 'A', requestId: 'r' })).toEqual([])
    expect(talk.session.login).toBeNull()
  }],
  [['option includeContext'], 'contexts only where asked for', () => {
    const context = { a: [1, 'ü'] }
    const update = (options: object): unknown => (of(loggedIn(options).place({ context }), 'orderUpdate')?.['data'] as { context?: object }[])[0]?.context
    expect([update({}), update({ includeContext: true })]).toEqual([undefined, context])
  }],
  [['option filterByProcessId'], 'orders of other processes', () => {
    const talk = loggedIn({ filterByProcessId: true })
    const other = new SessionTalk({}, talk)
    other.logIn({}, { processId: 'q' })
    talk.taken()
    other.place({})
    expect(of(talk.taken(), 'orderUpdate')).toBeUndefined()
    expect(of(talk.say(one('place', placeOf(2))), 'orderUpdate')).toMatchObject({ data: [{ ownOrderId: uuid(2), owner: { processId: 'p' } }] })
  }],
  [['option enableCorporateActions', 'event corporateAction'], 'corporate actions only where asked for', () => {
    const corporateActions = [{ timeNs: 10, action: { instrumentId: 1, split: { lastPrice: '100', buyVolume: '2', sellVolume: '1', liquidateFractionalShares: false }, comment: 'c' } }]
    const action = (options: object): Said | undefined => of(loggedIn(options, { corporateActions }).run(20), 'corporateAction')
    expect(action({})).toBeUndefined()
    expect(action({ enableCorporateActions: true })).toEqual({ msgType: 'corporateAction', ...HEAD, instrumentId: 1, comment: 'c', split: { lastPrice: '100', buyVolume: '2', sellVolume: '1', liquidateFractionalShares: false } })
  }],
  [['option useLegacyPositionEncoding', 'event positionUpdate'], 'both encodings of positions', () => {
    const update = (options: object): Said | undefined => of(loggedIn(options).place(ioc), 'positionUpdate')
    const position = { instrumentId: 1, longPosition: '1', shortPosition: '0' }
    expect(update({})).toEqual({ msgType: 'positionUpdate', ...HEAD, data: [expect.objectContaining(position)] })
    expect(update({ useLegacyPositionEncoding: false })).toEqual({ msgType: 'positionUpdate', ...HEAD, positions: [expect.objectContaining(position)], isolatedPositions: [] })
  }],
  [['request place', 'response placeResponse', 'event orderUpdate', 'state Order PENDING_NEW', ...PLACE_FIELDS.map((name) => `place ${name}`)], 'an order is placed', () => {
    const said = loggedIn().place({ postOnly: true })
    const echo = { exchangeOrderId: expect.any(String) as string, instrumentId: 1, type: 'LIMIT', side: 'BID', timeInForce: 'GOOD_TILL_CANCEL', price: '100', totalQuantity: '1', postOnly: true }
    expect(said.map(({ msgType }) => msgType).slice(0, 2)).toEqual(['placeResponse', 'orderUpdate'])
    expect(said[0]).toEqual({ msgType: 'placeResponse', ...HEAD, entries: [{ ownOrderId: uuid(1), clientOrderId: uuid(1), exchangeTimestampNs: expect.any(Number) as number, result: echo }] })
    expect(said[1]).toEqual({ msgType: 'orderUpdate', ...HEAD, data: [{ ...echo, ownOrderId: uuid(1), clientOrderId: uuid(1), state: 'CONFIRMED', executedQuantity: '0', exchangeTimestampNs: expect.any(Number) as number, owner: { processId: 'p' } }] })
  }],
  [['place postOnly', 'place openClose', 'place walletType', 'place useSpare', 'place owner', 'place context', 'place displayQuantity', 'place triggerPrice', 'place pegOffsetValue', 'place closeOnly', 'place reduceOnly', 'place autoBorrow', 'place autoRepay'], 'every option of an order is read, and refused by name where it is malformed', () => {
    const bad: Readonly<Record<string, unknown>> = { postOnly: 1, openClose: 'X', walletType: 1, useSpare: 'x', owner: 'me', context: 1, displayQuantity: 1, triggerPrice: 1, pegOffsetValue: 1, closeOnly: 1, reduceOnly: 1, autoBorrow: 1, autoRepay: 1 }
    for (const [name, value] of Object.entries(bad)) {
      const entries = entriesOf(loggedIn().place({ [name]: value }), 'placeResponse')
      expect(entries).toMatchObject([{ error: { type: 'INVALID_REQUEST', message: expect.stringContaining(`entries[0].${name} must be`) as string, source: 'INTERNAL' } }])
    }
    expect(of(loggedIn().place({ owner: { org: 'o', processId: 'forged' } }), 'orderUpdate')).toMatchObject({ data: [{ owner: { org: 'o', processId: 'p' } }] })
  }],
  [['request amend', 'response amendResponse'], 'an amend', () => {
    const talk = loggedIn()
    talk.place({})
    const said = talk.say(one('amend', { ownOrderId: uuid(1), currentClientOrderId: uuid(1), newClientOrderId: uuid(2), price: '99.5', totalQuantity: '2' }))
    expect(entriesOf(said, 'amendResponse')).toEqual([{ ownOrderId: uuid(1), clientOrderId: uuid(2), exchangeTimestampNs: expect.any(Number) as number, result: { price: '99.5', totalQuantity: '2' } }])
  }],
  [['request replace', 'response replaceResponse'], 'a replace', () => {
    const talk = loggedIn()
    talk.place({})
    const said = talk.say(one('replace', { currentOwnOrderId: uuid(1), newOwnOrderId: uuid(2), currentClientOrderId: uuid(1), newClientOrderId: uuid(2), price: '99.5' }))
    expect(entriesOf(said, 'replaceResponse')).toEqual([{ exchangeOrderId: expect.any(String) as string, ownOrderId: uuid(2), clientOrderId: uuid(2), exchangeTimestampNs: expect.any(Number) as number, result: { price: '99.5', totalQuantity: '1' } }])
  }],
  [['request cancel', 'response cancelResponse', 'state Order CONFIRMED cancel succeeds'], 'a cancel', () => {
    const talk = loggedIn()
    talk.place({})
    const said = talk.say(one('cancel', { ownOrderId: uuid(1) }))
    expect(entriesOf(said, 'cancelResponse')).toEqual([{ ownOrderId: uuid(1), exchangeTimestampNs: expect.any(Number) as number, result: {} }])
    expect(of(said, 'orderUpdate')).toMatchObject({ data: [{ state: 'CANCELED' }] })
  }],
  [['request cancelAll', 'response cancelAllResponse'], 'a cancelAll, its error at the top level', () => {
    const talk = loggedIn()
    talk.place({})
    const said = talk.say(`{"msgType":"cancelAll","accountId":"A","requestId":"${uuid(9)}","createTimestampNs":${stamp(5)}}`)
    expect(of(said, 'cancelAllResponse')).toEqual({ msgType: 'cancelAllResponse', ...HEAD, requestId: uuid(9), exchangeTimestampNs: expect.any(Number) as number, result: {} })
    expect(of(talk.say({ msgType: 'cancelAll', accountId: 'A', requestId: 'x', createTimestampNs: 'now' }), 'cancelAllResponse')).toMatchObject({ requestId: 'x', error: { type: 'INVALID_REQUEST', source: 'INTERNAL' } })
  }],
  [['request cancelAll'], 'a cancelAll of a client whose clock is years ahead of the replay, or means nothing', () => {
    const talk = loggedIn()
    for (const [index, created] of ['1795632288000000000', '9007199254740993000', '0', '-1', '123456789012345678901234567890'].entries()) {
      talk.say({ msgType: 'place', accountId: 'A', entries: [placeOf(index + 1)] })
      const said = talk.say(`{"msgType":"cancelAll","accountId":"A","requestId":"${uuid(9)}","createTimestampNs":${created}}`)
      expect(of(said, 'cancelAllResponse'), created).toMatchObject({ requestId: uuid(9), result: {} })
      expect(of(said, 'orderUpdate'), created).toMatchObject({ data: [{ state: 'CANCELED' }] })
    }
    for (const created of ['1.5', '"1795632288000000000"', 'null', '[]', 'true'])
      expect(of(talk.say(`{"msgType":"cancelAll","accountId":"A","requestId":"${uuid(9)}","createTimestampNs":${created}}`), 'cancelAllResponse'), created)
        .toMatchObject({ requestId: uuid(9), error: { type: 'INVALID_REQUEST', source: 'INTERNAL' } })
  }],
  [['request orderContext', 'response orderContextResponse'], 'an order context: exactly one of result and error', () => {
    const talk = loggedIn()
    talk.place({})
    const entry = (number: number): object => ({ ownOrderId: uuid(number), clientOrderId: uuid(number), context: { k: 'v' } })
    const said = talk.say({ msgType: 'orderContext', accountId: 'A', entries: [entry(1), entry(2)] })
    expect(of(said, 'orderContextResponse')).toEqual({ msgType: 'orderContextResponse', accountId: 'A', entries: [{ ownOrderId: uuid(1), clientOrderId: uuid(1), result: { context: { k: 'v' } } }, { ownOrderId: uuid(2), clientOrderId: uuid(2), error: expect.objectContaining({ type: 'ORDER_NOT_FOUND', source: 'INTERNAL' }) as object }] })
  }],
  [['request fillContext', 'response fillContextResponse', 'event fill', 'event walletUpdate', 'state Order CONFIRMED fill received'], 'a fill, its wallets and its context', () => {
    const talk = loggedIn()
    const said = talk.place(ioc)
    const fill = (of(said, 'fill')?.['data'] as { ownFillId: string }[])[0]
    expect(fill).toEqual({ ownFillId: expect.any(String) as string, exchangeTradeId: expect.any(String) as string, exchangeTimestampNs: expect.any(Number) as number, ownOrderId: uuid(1), exchangeOrderId: expect.any(String) as string, clientOrderId: uuid(1), instrumentId: 1, side: 'BID', price: '110', quantity: '1', fees: '0.11', feeUnderlyingId: 2, addedLiquidity: false, update: false, owner: { processId: 'p' } })
    expect(of(said, 'orderUpdate')).toBeDefined()
    expect(said.findLast(({ msgType }) => msgType === 'orderUpdate')).toMatchObject({ data: [{ state: 'FILLED', executedQuantity: '1' }] })
    expect(of(said, 'walletUpdate')).toMatchObject({ ...HEAD, maintenanceMargin: [], totalBalances: [], data: [{ underlyingId: 2, marginBalance: expect.any(String) as string }] })
    const answer = talk.say({ msgType: 'fillContext', accountId: 'A', entries: [{ ownFillId: fill?.ownFillId, context: { k: 1 } }, { ownFillId: 'none', context: {} }] })
    expect(of(answer, 'fillContextResponse')).toMatchObject({ entries: [{ ownFillId: fill?.ownFillId, result: { context: { k: 1 } } }, { ownFillId: 'none', error: { type: 'FILL_NOT_FOUND' } }] })
  }],
  [[], 'the isolated margin of an instrument is a wallet of its own', () => {
    const profile = marginProfile(['cross', 'isolated'], { capabilities: { ...GENERIC_PROFILE.capabilities, walletTypes: ['ACCOUNT', 'ISOLATED'] } })
    const talk = loggedIn({}, { profile })
    const isolated = { underlyingId: 2, instrumentId: 1, availableAmount: '0', amountBlockedForMargin: expect.any(String) as string }
    const said = talk.place({ ...ioc, openClose: 'OPEN', walletType: 'ISOLATED' })
    expect(of(said, 'orderUpdate')).toMatchObject({ data: [{ walletType: 'ISOLATED', openClose: 'OPEN' }] })
    expect((of(said, 'walletUpdate')!['data'] as { type?: string }[]).map(({ type }) => type)).toEqual([undefined, 'ISOLATED'])
    expect(of(said, 'walletUpdate')).toMatchObject({ data: [{ underlyingId: 2 }, { ...isolated, type: 'ISOLATED' }] })
    const [login] = new SessionTalk({}, talk).logIn({}, { processId: 'q' })
    expect(login).toMatchObject({ result: { walletPositions: [{ walletType: 'ACCOUNT' }, { ...isolated, walletType: 'ISOLATED' }], capabilities: { walletTypes: ['ACCOUNT', 'ISOLATED'] } } })
  }],
  [['event rateLimitLoad', 'error 3'], 'rate limits: loads, and the time of a retry', () => {
    const talk = loggedIn({}, { profile: { ...limits, capabilities: { ...limits.capabilities, retryTime: true } } })
    expect(of(talk.place({}), 'rateLimitLoad')).toEqual({ msgType: 'rateLimitLoad', ...HEAD, rateLimitLoads: [{ id: 'orders', p: 0.5, a: 0.5, r: 0.5, c: 0.5 }] })
    talk.say(one('place', placeOf(2)))
    expect(entriesOf(talk.say(one('place', placeOf(3))), 'placeResponse')).toMatchObject([{ error: { type: 'RATE_LIMIT_EXCEEDED', source: 'INTERNAL', retryTimeNs: expect.any(Number) as number } }])
    expect(entriesOf(talk.say(one('place', placeOf(4))), 'placeResponse')).toMatchObject([{ error: { type: 'RATE_LIMIT_BLOCKED_AFTER_EXCEEDED', retryTimeNs: expect.any(Number) as number } }])
  }],
  [['event accountStatus', 'state Account OK', 'state Account DISCONNECTED', 'error 4'], 'the exchange is lost and comes back', () => {
    const talk = loggedIn({}, { faults: [outage] })
    const lost = of(talk.run(150), 'accountStatus')
    expect(lost).toMatchObject({ accountId: 'A', status: 'DISCONNECTED', message: 'gone' })
    expect(Object.keys(lost ?? {}).sort()).toEqual(['accountId', 'instrumentPositions', 'isolatedInstrumentPositions', 'maintenanceMargin', 'message', 'msgType', 'orders', 'rateLimitLoads', 'status', 'totalBalances', 'walletPositions'])
    expect(entriesOf(talk.place({}), 'placeResponse')).toMatchObject([{ error: { type: 'DISCONNECTED', source: 'INTERNAL' } }])
    expect(of(talk.run(250), 'accountStatus')).toMatchObject({ status: 'OK' })
  }],
  [['event invalidRequest', 'error 5'], 'what cannot be parsed or routed', () => {
    expect(loggedIn().say('nonsense')).toMatchObject([{ msgType: 'invalidRequest', request: 'nonsense' }])
  }],
  [['error 1', 'error 2'], 'errors stand in their entry, with their source', () => {
    const said = loggedIn().place({ postOnly: true, price: '110' }, { price: '99' })
    expect(entriesOf(said, 'placeResponse')).toMatchObject([{ error: { type: 'POST_ONLY_WOULD_CROSS', message: expect.any(String) as string, source: 'EXCHANGE' } }, { result: { price: '99' } }])
  }],
  [['error 6', 'error 7', 'endpoint http://<backend-host>/api/accounts/{accountId}/tradingservers', 'endpoint http://{host}:{port}/api/info'], 'the routes, and an account of nobody (our choice)', () => {
    const address = { processId: 'adapter-1', version: '1.0', domainSocket: '/tmp/a.sock' }
    const ask = (path: string, remoteAddress = '10.0.0.1'): unknown => lookupAnswer({ path, remoteAddress, localAddress: '::ffff:10.0.0.2', localPort: 7 }, address, new Map([['A', { exchangeId: 3 }]]), { clock: 'simulated', version: 'forged' })
    expect(ask('/api/accounts/A/tradingservers')).toEqual({ status: 200, body: { status: 'ok', result: 'ok', count: 1, data: [{ server_id: 'adapter-1', exchange_id: 3, host: '10.0.0.2', port: 7, ip: '10.0.0.2' }] } })
    expect(ask('/api/accounts/B/tradingservers')).toEqual({ status: 404, body: { status: 'error', result: 'unknown account', count: 0, data: [] } })
    expect(ask('/api/accounts/%E0/tradingservers')).toMatchObject({ status: 404 })
    expect(ask('/api/info')).toEqual({ status: 200, body: { clock: 'simulated', process_id: 'adapter-1', version: '1.0', endpoints: [{ endpoint: '/api/v2', protocol_version: '2.1' }] } })
    for (const local of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '127.8.9.1']) expect(ask('/api/info', local)).toMatchObject({ body: { domain_socket: { path: '/tmp/a.sock', protocol_version: '2.1' } } })
    for (const far of ['10.0.0.1', '::ffff:10.127.0.1', 'fe80::1', '']) expect(ask('/api/info', far)).not.toHaveProperty('body.domain_socket')
    expect(ask('/')).toBeNull()
  }],
]

test.each(CASES)('%j: %s', (_rows, _name, check) => { check() })

/** First cells of the table below a heading, their commas split. */
function cells(text: string, heading: string): string[] {
  const section = text.split(`\n${heading}\n`)[1]?.split(/\n#{2,3} /)[0] ?? ''
  return section.split('\n').filter((line) => line.startsWith('|') && !line.startsWith('|--')).slice(1).map((line) => line.split('|').slice(1, -1).map((cell) => cell.trim().replaceAll('`', '')).join('|'))
}

function rowsOf(text: string): string[] {
  const first = (heading: string, word: string): string[] => cells(text, heading).flatMap((row) => (row.split('|')[0] ?? '').split(', ').map((name) => `${word} ${name}`))
  const states = cells(text, '## States and transitions').map((row) => {
    const [object = '', state = '', trigger = ''] = row.split('|')
    return `state ${object} ${state}${state === 'CONFIRMED' ? ` ${trigger}` : ''}`
  })
  const errors = [...(text.split('\n## Errors\n')[1]?.split('\n## ')[0] ?? '').matchAll(/^(\d+)\. /gm)].map(([, number]) => `error ${number ?? ''}`)
  return [
    ...first('### Login request options', 'option'), ...first('### Login result', 'result'), ...first('### Place entry', 'place'), ...first('### Result entries in responses', 'response'),
    ...first('### Client requests', 'request'), ...first('## Events', 'event'), ...cells(text, '### Adapter lookup').map((row) => `endpoint ${row.split('|')[1] ?? ''}`), ...states, ...errors,
  ]
}

test.skipIf(!existsSync(document))('every row of document 2 has a case, and no case has a row that the document lacks', () => {
  const wanted = rowsOf(readFileSync(document, 'utf8'))
  expect(wanted.length).toBeGreaterThan(60)
  const shown = CASES.flatMap(([rows]) => rows)
  expect([...new Set(wanted)].filter((row) => !shown.includes(row))).toEqual([])
  expect(shown.filter((row) => !wanted.includes(row))).toEqual([])
})
