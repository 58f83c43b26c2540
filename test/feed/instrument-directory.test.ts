import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { directoryRoute, type DirectoryOptions } from '../../src/feed/instrument-directory.js'
import { directoryRows, readDirectory } from '../../src/feed/instrument-directory-client.js'
import { masterLine } from '../../src/feed/master-line.js'
import { openSource } from '../../src/tickfile/archive/source-reader.js'
import { masterDataFromLine } from '../../src/tickfile/lines/master-data.js'
import { readTickFile } from '../../src/tickfile/tick-file-reader.js'
import { refusalOf } from '../support/collected.ts'
import { get } from '../support/feed-peer.ts'
import { MadeAccess, MadeFeed } from '../support/made-feed.ts'
import { madeInstrument } from '../support/market-lines.ts'
import { dayFiles } from '../support/shared-data.ts'

const open: Server[] = []
afterEach(() => { for (const server of open.splice(0)) server.close() })

async function listening(handle: Parameters<typeof createServer>[1] & object): Promise<string> {
  const http = createServer(handle)
  open.push(http)
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`
}

const MARKETS = [{ code: 'test_swap', exchangeId: 1, name: 'Test swaps' }, { code: 'test_spot', exchangeId: 2, name: 'Test spot' }]
const COLUMNS = ['instrument_id', 'code', 'type', 'base_underlying', 'counter_underlying', 'state', 'ticksize', 'lot_size', 'contract_value', 'multiplier', 'min_order', 'max_order', 'exchange_id', 'exchange_code']

async function directory(options: Partial<DirectoryOptions> = {}): Promise<{ url: string, access: MadeAccess, feed: MadeFeed }> {
  const access = new MadeAccess()
  const feed = new MadeFeed()
  const route = directoryRoute({ source: feed, markets: MARKETS, access, ...options })
  const url = await listening((request, response) => { if (!route(request, response)) response.writeHead(418).end() })
  return { url: `${url}/api/realtime/instruments`, access, feed }
}

const BEARER = { authorization: 'Bearer k' }

describe('the route', () => {
  test('lists a market as JSON: columns in their order, decimals as texts', async () => {
    const { url } = await directory()
    const { status, type, body } = await get(`${url}?market=test_swap`, BEARER)
    expect([status, type]).toEqual([200, 'application/json'])
    const answer = JSON.parse(body) as { instruments: object[] }
    expect(answer).toMatchObject({ market: { exchange_id: 1, code: 'test_swap', name: 'Test swaps' }, generated_at: '2026-06-24T00:00:00.000000000Z', count: 2 })
    expect(answer.instruments.map((one) => Object.keys(one))).toEqual([COLUMNS, COLUMNS])
    expect(answer.instruments[0]).toEqual({
      instrument_id: 1210, code: 'XRPUSDT', type: 'perpetual', base_underlying: 'XRP', counter_underlying: 'USDT', state: 'open', ticksize: '0.0001', lot_size: '100', contract_value: null,
      multiplier: '1', min_order: null, max_order: null, exchange_id: 1, exchange_code: 'test_swap',
    })
  })

  test('leaves closed instruments out; one whose state is not known is in review', async () => {
    const made = (id: number, state: string | null) => madeInstrument({ id, code: `I${String(id)}`, exchangeCode: 'test_spot', state })
    const { url } = await directory({ source: new MadeFeed([made(5, 'closed'), made(6, 'open'), made(7, null), made(8, 'review'), made(9, 'CLOSED')]) })
    const { count, instruments } = JSON.parse((await get(`${url}?market=test_spot`, BEARER)).body) as { count: number, instruments: { instrument_id: number, state: string }[] }
    expect([count, instruments.map((one) => [one.instrument_id, one.state])]).toEqual([4, [[6, 'open'], [7, 'open'], [8, 'review'], [9, 'review']]])
    expect((await get(`${url}?market=test_spot&format=csv`, BEARER)).body).not.toContain('I5')
  })

  test('lists it as CSV: one header line, absent values empty, cells quoted where they must be', async () => {
    const feed = new MadeFeed([madeInstrument({ id: 5, code: 'A,"B"', exchangeCode: 'test_spot', state: 'suspended' })])
    const { url } = await directory({ source: feed })
    const { type, body } = await get(`${url}?market=test_spot&format=csv`, BEARER)
    expect(type).toBe('text/csv; charset=utf-8')
    expect(body).toBe(`${COLUMNS.join(',')}\r\n5,"A,""B""",perpetual,XRP,USDT,review,1,1,,1,,,1,test_spot\r\n`)
  })

  test('an unknown market and every rejected key are answered alike, to the byte', async () => {
    const { url, access } = await directory()
    access.keys.set('spot-only', new Set(['test_spot']))
    const answers = await Promise.all([
      get(`${url}?market=nowhere`, BEARER), get(url, BEARER), get(`${url}?market=test_swap`), get(`${url}?market=test_swap`, { authorization: 'Bearer nobody' }), get(`${url}?market=test_swap`, { authorization: 'Bearer spot-only' }),
      get(`${url}?market=test_swap`, { authorization: 'Basic k' }), get(`${url}?market=test_swap&apiKey=k`), get(`${url}?market=%zz`, BEARER), get(`${url}?market=nowhere`),
    ])
    for (const answer of answers) {
      const { date: _date, ...headers } = answer.headers
      expect({ ...answer, headers }).toEqual({ status: 404, type: 'application/json', body: '{"error":{"code":"NOT_FOUND"}}', headers: { 'content-type': 'application/json', connection: 'close', 'transfer-encoding': 'chunked' } })
    }
  })

  test('since: what has changed after it', async () => {
    const feed = new MadeFeed()
    const entries = feed.instruments.entries.map((entry) => (entry.instrument.id === 1211 ? { ...entry, termsFromNs: 5000 } : entry))
    const { url } = await directory({ source: { clock: feed.clock, underlyings: feed.underlyings, instruments: { entries, get: (id) => feed.instruments.get(id) } } })
    const idsSince = async (since: string): Promise<number[]> => (JSON.parse((await get(`${url}?market=test_swap&since=${since}`, BEARER)).body) as { instruments: { instrument_id: number }[] }).instruments.map((one) => one.instrument_id)
    expect(await idsSince('2026-06-23T23:59:59Z')).toEqual([1210, 1211])
    expect(await idsSince('2026-06-24T00:00:00.000000000Z')).toEqual([1211])
    expect(await idsSince('2026-06-24T00:00:00.000005Z')).toEqual([])
  })

  test.each([
    ['?market=test_swap&format=xml', 400], ['?market=test_swap&since=yesterday', 400], ['?market=test_swap&since=12:00', 400], ['?market=test_swap&since=%zz', 404],
  ])('%s is answered %i', async (query, status) => {
    const { url } = await directory()
    expect((await get(url + query, BEARER)).status).toBe(status)
  })

  test('other methods, other paths, a check that is not available', async () => {
    let isAvailable = true
    const { url } = await directory({ isAvailable: () => isAvailable })
    expect((await get(`${url}?market=test_swap`, BEARER, 'POST')).status).toBe(405)
    expect((await get(`${url}/more?market=test_swap`, BEARER)).status).toBe(418)
    isAvailable = false
    const down = await get(`${url}?market=test_swap`, BEARER)
    expect([down.status, down.headers['retry-after']]).toEqual([503, '30'])
    expect(await refusalOf(() => readDirectory(url, 'test_swap', 'k'))).toMatchObject({ code: 'FEED_UNREACHABLE', place: { expected: 'a request after 30 s' } })
  })
})

describe('the client', () => {
  test('reads what the route sends, with the whole terms', async () => {
    const { url, feed } = await directory()
    const reading = await readDirectory(url, 'test_swap', 'k', { hasMaster: true })
    expect(reading).toMatchObject({ generatedAt: '2026-06-24T00:00:00.000000000Z', market: 'test_swap' })
    expect(reading.instruments.map(({ instrumentId, tickSize, exchangeId }) => [instrumentId, tickSize, exchangeId])).toEqual([[1210, '0.0001', 1], [1211, '0.1', 1]])
    expect(reading.instruments[0]!.master).toMatchObject({ instrument: feed.instruments.get(1210)!.instrument, underlyings: feed.underlyings.entries })
    expect((await readDirectory(url, 'test_swap', 'k', { since: reading.generatedAt })).instruments).toEqual([])
    // The vendor's directory has no `master`, so it is asked for only where it is wanted.
    expect((await readDirectory(url, 'test_swap', 'k')).instruments.map(({ master }) => master)).toEqual([null, null])
  })

  test('reads decimals of a foreign directory with their digits', async () => {
    const url = await listening((_request, response: ServerResponse) => response.end('{"generated_at":"x","instruments":[{"instrument_id":7,"code":"A","ticksize":1.0E-4,"lot_size":0.010000000000000000001,"more":1}]}'))
    expect((await readDirectory(url, 'm', 'k')).instruments[0]).toMatchObject({ instrumentId: 7, tickSize: '0.0001', lotSize: '0.010000000000000000001', minOrder: null, exchangeId: null, master: null })
  })

  test.each<[string, number, string, string]>([
    ['a rejected key', 404, '{}', 'FEED_REJECTED'], ['a server that fails', 500, '', 'FEED_UNREACHABLE'], ['no JSON', 200, '<html>', 'FEED_UNREACHABLE'], ['no instruments', 200, '{}', 'FEED_UNREACHABLE'],
    ['an instrument without an id', 200, '{"instruments":[{"code":"A"}]}', 'FEED_UNREACHABLE'], ['master data that are none', 200, '{"instruments":[{"instrument_id":1,"code":"A","master":{}}]}', 'MASTER_DATA_MALFORMED'],
  ])('%s', async (_name, status, body, code) => {
    const url = await listening((_request, response: ServerResponse) => response.writeHead(status).end(body))
    const refusal = await refusalOf(() => readDirectory(url, 'm', 'my-secret'))
    expect(refusal.code).toBe(code)
    expect(JSON.stringify(refusal)).not.toContain('my-secret')
  })
})

describe('a directory of any length', () => {
  const rows = (count: number): string => Array.from({ length: count }, (_, at) => `{"instrument_id":${at},"code":"C${at}","ticksize":0.10,"text":"${'x'.repeat(500)}"}`).join(',')

  test('comes row by row; whoever wants no more ends the connection', async () => {
    let isClosed = false
    const url = await listening((_request, response: ServerResponse) => {
      response.on('close', () => { isClosed = true })
      response.write(`{"instruments":[${rows(2000)}`)
    })
    const ids: number[] = []
    for await (const { instrumentId, tickSize } of directoryRows(url, 'm', 'k')) {
      ids.push(instrumentId)
      if (tickSize !== '0.1' || ids.length === 1500) break
    }
    expect(ids).toEqual(Array.from({ length: 1500 }, (_, at) => at))
    while (!isClosed) await new Promise((resolve) => setTimeout(resolve, 5))
  })

  test.each([
    ['one that breaks off', `{"instruments":[${rows(3)}`, 'FEED_UNREACHABLE'], ['one of another form at its end', `{"instruments":[${rows(3)}]`, 'FEED_UNREACHABLE'], ['an instrument of 2 MiB', `{"instruments":[{"code":"${'x'.repeat(2 ** 21)}"}]}`, 'LIMIT_EXCEEDED'],
    ['deep brackets', `{"instruments":[${'['.repeat(100)}`, 'FEED_UNREACHABLE'], ['an instrument that is none', '{"instruments":[7]}', 'FEED_UNREACHABLE'], ['a text', '"instruments"', 'FEED_UNREACHABLE'],
  ])('%s is refused', async (_, body, code) => {
    const url = await listening((_request, response: ServerResponse) => response.end(body))
    expect((await refusalOf(() => readDirectory(url, 'm', 'k'))).code).toBe(code)
  })

  test('over 64 MiB reads too', async () => {
    const chunk = rows(2000)
    const url = await listening((_request, response: ServerResponse) => {
      response.write('{"instruments":[')
      for (let at = 0; at < 70; at++) response.write(`${chunk},`)
      response.end('{"instrument_id":1,"code":"last"}],"generated_at":"now"}')
    })
    let [count, last] = [0, '']
    for await (const { code } of directoryRows(url, 'm', 'k')) [count, last] = [count + 1, code]
    expect([count, last, chunk.length * 70 > 64 * 1024 * 1024]).toEqual([140_001, 'last', true])
  }, 60_000)
})

test('line 1 is written so that it reads back to the same terms', () => {
  const instrument = madeInstrument({
    id: 9, codeAlias: 'x', nativeCode: 'y', state: 'open', contractValue: '100', strikePrice: '1', start: '2020-01-01T00:00:00Z', expiry: '2100-12-25T00:00:00Z', tickSize: null, tickBands: [{ floor: '0', tickSize: '0.01' }, { floor: '10', tickSize: '0.1' }],
    significantDigits: 5, maxDecimals: 6, minOrder: '1', maxOrder: '2', minValue: '5', fundingIntervalSeconds: 28_800, isInverse: true, isQuanto: true, active: null,
  })
  expect(masterDataFromLine(JSON.stringify(masterLine(instrument, [])), 'x').instrument).toEqual(instrument)
})

test.each(dayFiles)('line 1 of %s too', async (path) => {
  const reading = await readTickFile(await openSource(path))
  const back = masterDataFromLine(JSON.stringify(masterLine(reading.instrument, reading.underlyings)), 'x')
  await reading.close()
  expect({ ...back.instrument }).toEqual({ ...reading.instrument })
  expect(back.underlyings).toEqual(reading.underlyings)
})
