import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readServeConfig, serveFaults } from '../../src/serve/serve-config-reader.js'
import { refusalOf } from '../support/collected.ts'

const folder = mkdtempSync(join(tmpdir(), 'backtape-serve-'))
afterAll(() => { rmSync(folder, { recursive: true }) })
const written = (content: unknown): string => {
  const path = join(folder, 'serve.json')
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

/** The example of the issue. */
const EXAMPLE = {
  data: ['days'], host: '127.0.0.1', httpPort: 8080, controlPort: 8090, domainSocket: 'paper.sock',
  markets: { binance_swap: { feedPort: 14004 }, binance_spot: { feedPort: 14003 } },
  keys: [{ key: 'k-all', markets: ['binance_swap', 'binance_spot'], days: 'always' }, { key: 'k-one', instruments: [67824], days: ['2024-07-18'] }],
  accounts: { paper: { exchange: 'binance_swap', profile: 'generic', balances: { USDT: '100000' }, fees: { maker: '0.0002', taker: '0.0005' } } },
  replay: { speed: 60, start: 'first-subscription', from: '2024-07-18T12:00', loop: true }, ping: { everySeconds: 5, pongSeconds: 30 },
}

test('the example is read, its paths beside it, the bounds of the replay as those of a run', async () => {
  const { options: { replay, from, data, domainSocket, ...rest } } = await readServeConfig(written(EXAMPLE))
  expect({ replay, from, data, domainSocket }).toEqual({
    replay: { speed: 60, start: 'first-subscription', loop: true }, from: '2024-07-18T12:00', data: [join(folder, 'days')], domainSocket: join(folder, 'paper.sock'),
  })
  expect(rest).toMatchObject({ httpPort: 8080, markets: EXAMPLE.markets, accounts: EXAMPLE.accounts })
})

test.each<[string, object]>([
  ['what a run file has too', { assumptions: { queue: 'log' }, faults: [{ kind: 'status', at: '12:00', for: '5s' }], corporateActions: [], rates: { 'BTC/USD': '60000' }, seed: 3, prefer: 'b' }],
  ['a plan of actions', { controlPlan: [{ at: '12:00', action: 'gap', instrument: 'BTCUSDT', events: 2 }] }],
  ['lock-step by post', { controlPort: 0, replay: { speed: 'lockstep', step: 'post' } }],
  ['a comment for editors', { $schema: './serve.schema.json' }],
])('%s', async (_name, more) => {
  expect(await serveFaults({ data: ['days'], ...more })).toEqual([])
})

describe('refused', () => {
  test.each<[string, object, string, RegExp]>([
    ['no data', { data: undefined }, 'data', /at least one tick file/],
    ['empty data', { data: [] }, 'data', /at least one tick file/],
    ['a number as data', { data: [1] }, 'data[0]', /path/],
    ['a field of a run file that no server has', { strategy: './a.ts#A' }, 'strategy', /one of/],
    ['a typing error', { httport: 1 }, 'httport', /httpPort/],
    ['a port as text', { httpPort: '8080' }, 'httpPort', /a port from 0 to 65535/],
    ['a port too high', { controlPort: 65_536 }, 'controlPort', /a port from 0 to 65535/],
    ['a feed port that is none', { markets: { a: { feedPort: -1 } } }, 'markets.a.feedPort', /a port/],
    ['a market without its port', { markets: { a: {} } }, 'markets.a.feedPort', /a port/],
    ['an empty socket', { domainSocket: '' }, 'domainSocket', /path of a socket/],
    ['no key in the list', { keys: [] }, 'keys', /at least one/],
    ['a key that opens nothing', { keys: [{ key: 'a', days: 'always' }] }, 'keys[0]', /markets or instruments/],
    ['a key with a space', { keys: [{ key: 'a b', markets: ['a'], days: 'always' }] }, 'keys[0].key', /letters/],
    ['a key without days', { keys: [{ key: 'a', markets: ['a'] }] }, 'keys[0].days', /always/],
    ['a day that is none', { keys: [{ key: 'a', markets: ['a'], days: ['2024-13-01'] }] }, 'keys[0].days', /YYYY-MM-DD/],
    ['an instrument as text', { keys: [{ key: 'a', instruments: ['1'], days: 'always' }] }, 'keys[0].instruments[0]', /instrument id/],
    ['a key twice', { keys: [{ key: 'a', markets: ['a'], days: 'always' }, { key: 'a', markets: ['b'], days: 'always' }] }, 'keys[1].key', /not there before/],
    ['account and accounts', { account: {}, accounts: { a: {} } }, 'accounts', /not both/],
    ['fees without taker', { accounts: { a: { fees: { maker: '0' } } } }, 'accounts.a.fees.taker', /decimal/],
    ['a balance as a number', { accounts: { a: { balances: { USDT: 1 } } } }, 'accounts.a.balances.USDT', /in quotes/],
    ['a speed of 0', { replay: { speed: 0 } }, 'replay.speed', /above 0/],
    ['a speed as text', { replay: { speed: '60' } }, 'replay.speed', /above 0/],
    ['another start', { replay: { start: 'later' } }, 'replay.start', /first-subscription/],
    ['a time that is none', { replay: { from: 'noon' } }, 'replay.from', /a time|12:00/],
    ['a loop in lock-step', { replay: { speed: 'lockstep', loop: true } }, 'replay.loop', /false/],
    ['post without lock-step', { controlPort: 0, replay: { step: 'post' } }, 'replay.step', /ping/],
    ['post without a control port', { replay: { speed: 'lockstep', step: 'post' } }, 'controlPort', /a port/],
    ['a ping of 0', { ping: { everySeconds: 0, pongSeconds: 1 } }, 'ping.everySeconds', /seconds/],
    ['half a ping', { ping: { everySeconds: 1 } }, 'ping.pongSeconds', /seconds/],
    ['an unknown action', { controlPlan: [{ at: '12:00', action: 'explode' }] }, 'controlPlan[0].action', /one of pause/],
    ['a setting of the shop that is none', { shop: { nows: '2026-07-08T00:00:00Z' } }, 'shop.nows', /now/],
    ['a clock of the shop that is none', { shop: { now: 'noon' } }, 'shop.now', /"replay"/],
    ['a sample without its day', { shop: { samples: ['a_spot:XRP'] } }, 'shop.samples[0]', /exchange:CODE and a day/],
    ['an account without a token', { shop: { accounts: [{ name: 'ann' }] } }, 'shop.accounts[0].token', /a token of 16 to 200/],
    ['realtime days without their purchase', { shop: { accounts: [{ name: 'ann', token: 'a-token-of-ann-01', realtimeDays: [{ markets: ['a'], days: ['2026-07-02'] }] }] } }, 'shop.accounts[0].realtimeDays[0].bought', /a time/],
    ['realtime days of nothing', { shop: { accounts: [{ name: 'ann', token: 'a-token-of-ann-01', realtimeDays: [{ bought: '2026-07-01T00:00:00Z', days: ['2026-07-02'] }] }] } }, 'shop.accounts[0].realtimeDays[0]', /markets or instruments/],
    ['an action without a time', { controlPlan: [{ action: 'pause' }] }, 'controlPlan[0].at', /a time/],
    ['an unknown field of an action', { controlPlan: [{ at: '12:00', action: 'gap', event: 1 }] }, 'controlPlan[0].event', /events/],
    ['an action without what it needs', { controlPlan: [{ at: '12:00', action: 'gap' }] }, 'controlPlan[0].instrument', /exchange:code/],
    ['a go-to nowhere', { controlPlan: [{ at: '12:00', action: 'go-to' }] }, 'controlPlan[0].time', /12:00/],
    ['a speed of an action that is none', { controlPlan: [{ at: '12:00', action: 'speed', speed: 0 }] }, 'controlPlan[0].speed', /above 0/],
    ['a duration of an action that is none', { controlPlan: [{ at: '12:00', action: 'stall', for: 'long' }] }, 'controlPlan[0].for', /duration/],
    ['a key of an action that no configuration may have', { controlPlan: [{ at: '12:00', action: 'rotate-key', key: 'a', newKey: 'a b' }] }, 'controlPlan[0].newKey', /letters/],
    ['a fault of another form', { faults: [{ kind: 'status', for: '5s' }] }, 'faults[0]', /at .* or every/],
    ['an assumption that is none', { assumptions: { queue: 'hope' } }, 'assumptions.queue', /riskAverse/],
  ])('%s', async (_name, more, path, expected) => {
    const faults = await serveFaults({ data: ['days'], ...more })
    expect(faults.find((one) => one.path === path)?.expected ?? JSON.stringify(faults)).toMatch(expected)
  })

  test('all at once, with their places and without a key', async () => {
    const refusal = await refusalOf(() => readServeConfig(written({ data: ['days'], httpPort: 'x', keys: [{ key: 's3cret', markets: [], days: 'always' }], replay: { speed: -1 } })))
    expect(refusal.code).toBe('SERVE_FILE_INVALID')
    for (const words of ['3 faults', 'httpPort:', 'keys[0].markets:', 'replay.speed:']) expect(refusal.message).toContain(words)
    expect(refusal.message).not.toContain('s3cret')
  })

  // Keys are secrets wherever they stand, also where nobody would write them.
  test.each<[string, unknown, string]>([
    ['a key that opens nothing', { keys: [{ key: 's3cret', days: 'always' }] }, 'keys[0]: expected markets or instruments, found an object'],
    ['a key of other letters', { keys: [{ key: 'my s3cret!', markets: ['a'], days: 'always' }] }, 'found a text'],
    ['a list of texts', { keys: ['s3cret'] }, 'keys[0]: expected an object with key, days, and markets or instruments, found a text'],
    ['one text', { keys: 's3cret' }, 'keys: expected a list of at least one key, found a text'],
    ['an object of keys', { keys: { s3cret: 'always' } }, 'found an object'],
    ['a list in a list', { keys: [['s3cret']] }, 'found a list'],
    ['a key as the name of a field', { keys: [{ s3cret: 'always', key: 'k', markets: ['a'], days: 'always' }] }, 'keys[0]: expected one of key, markets, instruments, days, found another field'],
    ['a key with a blank as the name of a field', { keys: [{ 's3cret key': 'always', key: 'k', markets: ['a'], days: 'always' }] }, 'found another field'],
    ['a key in a list', { keys: [{ key: ['s3cret'], markets: ['a'], days: 'always' }] }, 'keys[0].key: expected a text of 1 to 200 letters, digits and -._~, found a list'],
    ['the key of an action in a list', { controlPlan: [{ at: '12:00', action: 'revoke-key', key: ['s3cret'] }] }, 'controlPlan[0].key'],
    ['the new key of an action', { controlPlan: [{ at: '12:00', action: 'rotate-key', key: 'a', newKey: 's3cret!' }] }, 'controlPlan[0].newKey'],
    ['actions by their keys', { controlPlan: [['s3cret']] }, 'found a list'],
    ['a key with a blank behind it', { keys: [{ key: 's3cret ', markets: ['a'], days: 'always' }] }, 'keys[0].key: expected a text of 1 to 200 letters, digits and -._~, found a text'],
    ['a key with a line end', { keys: [{ key: 's3cret\n', markets: ['a'], days: 'always' }] }, 'found a text'],
    ['a key in the days', { keys: [{ key: 'k', markets: ['a'], days: ['s3cret'] }] }, 'keys[0].days'],
    ['a key in the markets', { keys: [{ key: 'k', markets: 's3cret', days: 'always' }] }, 'keys[0].markets: expected a list of exchange codes, found a text'],
    ['a key as an unknown field of an action', { controlPlan: [{ at: '12:00', action: 'pause', s3cret: 1 }] }, 'controlPlan[0]: expected one of at, action, found another field'],
    ['an empty key', { keys: [{ markets: ['a'], days: 's3cret' }] }, 'keys[0].key: expected a text of 1 to 200 letters, digits and -._~, found nothing'],
    ['a key twice as a name', '{ "data": ["days"], "keys": { "s3cret": 1, "s3cret": 2 } }', 'keys: expected one value, found another field'],
    ['a key twice as the name of a field', '{ "data": ["days"], "keys": [{ "s3cret": 1, "s3cret": 2 }] }', 'keys[0]: expected one value, found another field'],
    ['a key twice in an action', '{ "data": ["days"], "controlPlan": [{ "s3cret": 1, "s3cret": 2 }] }', 'controlPlan[0]: expected one value, found another field'],
    ['a key inside a key', '{ "data": ["days"], "keys": [{ "key": { "s3cret": 1, "s3cret": 2 } }] }', 'keys[0].key: expected one value, found another field'],
    ['a key inside the markets of one', '{ "data": ["days"], "keys": [{ "markets": { "s3cret": 1, "s3cret": 2 } }] }', 'keys[0].markets: expected one value'],
    ['a key inside the key of an action', '{ "data": ["days"], "controlPlan": [{ "key": { "s3cret": 1, "s3cret": 2 } }] }', 'controlPlan[0].key: expected one value'],
    ['a key inside the time of an action', { controlPlan: [{ at: { s3cret: 1 }, action: 'pause' }] }, 'controlPlan[0].at'],
    ['a token of other letters', { shop: { accounts: [{ name: 'ann', token: 'my s3cret!' }] } }, 'shop.accounts[0].token: expected a token of 16 to 200 letters, digits and -._~, found a text'],
    ['a token as the name of a field', { shop: { accounts: [{ s3cret: 1, name: 'ann', token: 'a-token-of-ann-01' }] } }, 'shop.accounts[0]: expected one of name, token, owns, realtimeKey, realtimeDays, found another field'],
    ['accounts by their tokens', { shop: { accounts: { s3cret: 'ann' } } }, 'shop.accounts: expected a list of accounts, found an object'],
    ['a token as an account', { shop: { accounts: ['s3cret'] } }, 'shop.accounts[0]: expected an object with name and token, found a text'],
    ['a realtime key with a blank', { shop: { accounts: [{ name: 'ann', token: 'a-token-of-ann-01', realtimeKey: 's3cret ' }] } }, 'shop.accounts[0].realtimeKey: expected a text of 1 to 200 letters, digits and -._~, found a text'],
    ['a key in the realtime days', { shop: { accounts: [{ name: 'ann', token: 'a-token-of-ann-01', realtimeDays: [{ bought: 's3cret', markets: ['a'], days: ['s3cret'] }] }] } }, 'shop.accounts[0].realtimeDays[0].bought'],
    ['a token beside the accounts', { shop: { token: 's3cret' } }, 'found another field'],
    ['a list of configurations', JSON.stringify([{ keys: [{ key: 's3cret', days: 'always' }] }]), 'found a list'],
    ['a list of texts as the configuration', '["s3cret"]', 'found a list'],
    ['a configuration in quotes', JSON.stringify(JSON.stringify({ keys: [{ key: 's3cret', days: 'always' }] })), 'found a text'],
    ['a text alone', '"s3cret"', 'found a text'],
    ['keys in the replay', { replay: [{ keys: [{ key: 's3cret' }] }] }, 'replay: expected true, false, or an object with speed, start, from, to, loop, step and holes, found a list'],
    ['keys in capitals', { Keys: [{ key: 's3cret' }] }, 'found another field'],
    ['a key without quotes', '{ "data": ["days"], "keys": s3cret }', 'found something else at line 1, column 29'],
    ['a key with other quotes', "{ 'keys': 's3cret' }", 'found something else at line 1'],
    ['a key whose quote is missing', '{ "keys": "s3cret }', 'at line 1'],
  ])('no fault shows a key: %s', async (_name, content, words) => {
    const refusal = await refusalOf(() => readServeConfig(written(typeof content === 'string' ? content : { data: ['days'], ...(content as object) })))
    expect(refusal.code).toBe('SERVE_FILE_INVALID')
    expect(refusal.message).toContain(words)
    expect(refusal.message + JSON.stringify(refusal)).not.toContain('s3cret')
  })

  test.each([
    ['{ "data": ["days"], "keys": [{ "key": 91991991991991991991, "days": "always" }] }', 'keys[0].key'], ['{ "data": ["days"], "keys": [91991991991991991991] }', 'keys[0]'],
    ['{ "data": ["days"], "shop": { "accounts": [{ "token": 91991991991991991991 }] } }', 'shop.accounts[0].token'],
    ['{ "data": ["days"], "keys": -91991991991991991991e400 }', 'keys'], ['{ "data": ["days"], "keys": [{ "key": 91991991991991991991, "key": 1 }] }', 'keys[0].key'], ['{ "data": ["days"], "controlPlan": [{ "at": "12:00", "action": "revoke-key", "key": 91991991991991991991 }] }', 'controlPlan[0].key'],
  ])('nor one of digits: %s', async (content, path) => {
    const { message, place } = await refusalOf(() => readServeConfig(written(content)))
    expect(place).toMatchObject({ field: path, found: 'a number' })
    expect(message).not.toContain('91991')
  })

  test.each([
    ['{ "data": ["days"], "keys": { "9199199199": 1, "9199199199": 2 } }', 'keys'], ['{ "data": ["days"], "controlPlan": { "91991": { "a": 1, "a": 2 } } }', 'controlPlan'],
    ['{ "data": ["days"], "Keys": [{ "key": 91991991991991991991 }] }', ''], ['{ "data": ["days"], "replay": { "keys": [91991991991991991991] } }', ''], ['{ "data": ["days"], "keys": [{ "key": { "a": 91991991991991991991 } }] }', 'keys[0].key'],
  ])('nor one of digits as a name, or elsewhere: %s', async (content, path) => {
    const { message, place } = await refusalOf(() => readServeConfig(written(content)))
    expect(place).toMatchObject({ field: path, found: 'another field' })
    expect(message).not.toContain('91991')
  })

  test.each([
    ['a file that is not there', join(folder, 'nothing.json'), 'FILE_NOT_FOUND'],
    ['no JSON', written('{'), 'SERVE_FILE_INVALID'],
  ])('%s', async (_name, path, code) => {
    expect((await refusalOf(() => readServeConfig(path))).code).toBe(code)
  })
})
