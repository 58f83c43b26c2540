import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CONTROL_ACTIONS } from '../../src/serve/control-actions.js'
import { ServedDays } from '../support/served-days.ts'

let served: ServedDays
beforeAll(async () => { served = await ServedDays.open() })
afterAll(() => served.close())

describe('the control port refuses', () => {
  test.each<[string, string, string, Record<string, string>, string, number, string]>([
    ['no token', 'pause', '{}', { authorization: '' }, 'POST', 401, 'UNAUTHORIZED'],
    ['another token', 'pause', '{}', { authorization: 'Bearer 00' }, 'POST', 401, 'UNAUTHORIZED'],
    ['a token in another scheme', 'pause', '{}', { authorization: 'Basic 00' }, 'POST', 401, 'UNAUTHORIZED'],
    ['a list without a token', '', '{}', { authorization: '' }, 'GET', 401, 'UNAUTHORIZED'],
    ['a page', 'pause', '{}', { origin: 'http://127.0.0.1' }, 'POST', 403, 'FORBIDDEN'],
    ['a page without an origin of its own', 'pause', '{}', { origin: 'null' }, 'POST', 403, 'FORBIDDEN'],
    ['another method', 'pause', '{}', {}, 'PUT', 405, 'METHOD'],
    ['reading an action', 'pause', '{}', {}, 'GET', 405, 'METHOD'],
    ['posting to the list', '', '{}', {}, 'POST', 405, 'METHOD'],
    ['an unknown action', 'explode', '{}', {}, 'POST', 404, 'UNKNOWN'],
    ['an action of every object', 'toString', '{}', {}, 'POST', 404, 'UNKNOWN'],
    ['a broken escape', '%zz', '{}', {}, 'POST', 404, 'UNKNOWN'],
    ['a body that is no JSON', 'pause', '{', {}, 'POST', 400, 'INVALID'],
    ['a body that is a list', 'pause', '[]', {}, 'POST', 400, 'INVALID'],
    ['a body that is a text', 'pause', '"x"', {}, 'POST', 400, 'INVALID'],
    ['a long body', 'pause', `{"a":"${'x'.repeat(70_000)}"}`, {}, 'POST', 413, 'TOO_LARGE'],
    ['an unknown field', 'pause', '{"for":"1s"}', {}, 'POST', 400, 'INVALID'],
    ['no speed', 'speed', '{}', {}, 'POST', 400, 'INVALID'],
    ['a speed of 0', 'speed', '{"speed":0}', {}, 'POST', 400, 'INVALID'],
    ['a speed as text', 'speed', '{"speed":"60"}', {}, 'POST', 400, 'INVALID'],
    ['lock-step in the middle', 'speed', '{"speed":"lockstep"}', {}, 'POST', 409, 'NOT_NOW'],
    ['no time', 'go-to', '{}', {}, 'POST', 400, 'INVALID'],
    ['a time that is none', 'go-to', '{"time":"noon"}', {}, 'POST', 400, 'INVALID'],
    ['a time before the replay', 'go-to', '{"time":"23:54"}', {}, 'POST', 400, 'INVALID'],
    ['no key', 'revoke-key', '{}', {}, 'POST', 400, 'INVALID'],
    ['a key as the name of a field', 'revoke-key', '{"s3cret":true}', {}, 'POST', 400, 'INVALID'],
    ['a key as the name of a second field', 'rotate-key', '{"key":"k","s3cret":1}', {}, 'POST', 400, 'INVALID'],
    ['a list as a key', 'revoke-key', '{"key":["s3cret"]}', {}, 'POST', 400, 'INVALID'],
    ['an object as a new key', 'rotate-key', '{"key":"k","newKey":{"s3cret":1}}', {}, 'POST', 400, 'INVALID'],
    ['an unknown key', 'revoke-key', '{"key":"x"}', {}, 'POST', 404, 'UNKNOWN'],
    ['a rotation of an unknown key', 'rotate-key', '{"key":"x"}', {}, 'POST', 404, 'UNKNOWN'],
    ['an empty new key', 'rotate-key', '{"key":"k","newKey":""}', {}, 'POST', 400, 'INVALID'],
    ['a new key that no configuration may have', 'rotate-key', '{"key":"k","newKey":"a b"}', {}, 'POST', 400, 'INVALID'],
    ['an unknown fill', 'correct-fill', '{"ownFillId":"x"}', {}, 'POST', 404, 'UNKNOWN'],
    ['no instrument', 'gap', '{}', {}, 'POST', 400, 'INVALID'],
    ['an unknown instrument', 'gap', '{"instrument":"BTC"}', {}, 'POST', 400, 'INVALID'],
    ['no events', 'gap', '{"instrument":"XRPUSDT","events":0}', {}, 'POST', 400, 'INVALID'],
    ['half an event', 'gap', '{"instrument":"XRPUSDT","events":0.5}', {}, 'POST', 400, 'INVALID'],
    ['a duration without a unit', 'silence', '{"instrument":"XRPUSDT","for":"5"}', {}, 'POST', 400, 'INVALID'],
    ['a duration as a number', 'silence', '{"instrument":"XRPUSDT","for":5}', {}, 'POST', 400, 'INVALID'],
    ['more than a day', 'silence', '{"instrument":"XRPUSDT","for":"2d"}', {}, 'POST', 400, 'INVALID'],
    ['days of years', 'midnight', '{"days":1000}', {}, 'POST', 400, 'INVALID'],
    ['an unknown account', 'exchange-down', '{"account":"real"}', {}, 'POST', 400, 'INVALID'],
    ['a number as an account', 'rate-limit', '{"account":1}', {}, 'POST', 400, 'INVALID'],
    ['nobody to drop', 'drop', '{}', {}, 'POST', 409, 'NOT_NOW'],
    ['another kind of socket', 'drop', '{"socket":"udp"}', {}, 'POST', 400, 'INVALID'],
    ['nobody to stall', 'stall', '{"processId":"x"}', {}, 'POST', 409, 'NOT_NOW'],
    ['a fill that never was', 'correct-fill', '{}', {}, 'POST', 409, 'NOT_NOW'],
    ['an action without one', 'corporate-action', '{"instrument":"XRPUSDT"}', {}, 'POST', 400, 'INVALID'],
    ['half a split', 'corporate-action', '{"instrument":"XRPUSDT","split":{"lastPrice":"1"}}', {}, 'POST', 400, 'INVALID'],
    ['a dividend of an unknown coin', 'corporate-action', '{"instrument":"XRPUSDT","dividend":{"underlying":"DOGE","highPrice":"1","lowPrice":"1"}}', {}, 'POST', 400, 'INVALID'],
  ])('%s', async (_name, action, body, headers, method, status, error) => {
    const answer = await served.post(action, body, headers, method)
    expect(answer).toMatchObject({ status, body: { ok: false, error } })
    expect(JSON.stringify(answer)).not.toContain(served.serving.addresses.control!.token)
    expect(JSON.stringify(answer)).not.toContain('s3cret')
  })

  test('another host, as that of a page of somebody else would be', async () => {
    const { url, token } = served.serving.addresses.control!
    const status = await new Promise((resolve, reject) => {
      request(`${url}/pause`, { method: 'POST', headers: { host: 'evil.example', authorization: `Bearer ${token}` } }, (response) => {
        response.resume()
        resolve(response.statusCode)
      }).on('error', reject).end()
    })
    expect(status).toBe(403)
  })

  test('a step of a replay that goes by itself', async () => {
    const going = await ServedDays.open({ replay: { start: 'first-subscription' } })
    expect(await going.post('step')).toMatchObject({ status: 409, body: { error: 'NOT_NOW' } })
    await going.close()
  })
})

test('the list has every action with its fields and what ends it', async () => {
  const { body } = await served.post('', {}, {}, 'GET')
  expect((body['actions'] as { name: string }[]).map(({ name }) => name)).toEqual(Object.keys(CONTROL_ACTIONS))
})

test('keys and tokens are in no log', () => {
  expect(served.log.join('\n')).not.toMatch(new RegExp(served.serving.addresses.control!.token))
})
