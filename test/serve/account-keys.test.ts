import { describe, expect, test } from 'vitest'
import type { ServeOptions } from '../../src/serve/serve-options.js'
import type { ShopAccount, ShopRealtimeDays } from '../../src/shop/server/shop-settings.js'
import { refusalOf } from '../support/collected.ts'
import { newFolder } from '../support/new-folder.ts'
import { MARKET, type ServedDays, servers } from '../support/served-days.ts'

/** The day that is served, and the one behind it. */
const [DAY, NEXT] = ['2026-07-01', '2026-07-02']
const TOKEN = 'account-token-of-ann'
const PURCHASE: ShopRealtimeDays = { bought: `${DAY}T23:57:00Z`, markets: [MARKET], days: [NEXT] }
const UNKNOWN = 'api key rejected: unknown api key'
const NOT_ACTIVE = 'api key rejected: no active realtime subscription for this market today (UTC)'
const EXPIRED = ['api key expired or revoked', 1008]

const opened = servers()
const accountOf = (more: Partial<ShopAccount>): ShopAccount => ({ name: 'ann', token: TOKEN, ...more })
const optionsOf = (...accounts: readonly ShopAccount[]): Partial<ServeOptions> => ({ shop: { stateFolder: newFolder(), accounts } })

async function accountPage(served: ServedDays): Promise<string> {
  return (await fetch(`${served.serving.addresses.http}/account`, { headers: { authorization: `Bearer ${TOKEN}` } })).text()
}
const keyOn = (page: string): string | undefined => /<p><code>([^<]+)<\/code>/.exec(page)?.[1]

/** Makes the key anew, as a person does on the page. */
async function rotated(served: ServedDays): Promise<string> {
  const [address, authorization] = [`${served.serving.addresses.http}/account`, `Bearer ${TOKEN}`]
  const page = await fetch(address, { headers: { authorization } })
  const [cookie] = page.headers.getSetCookie().map((one) => one.split(';')[0]!)
  const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())![1]!
  const answer = await fetch(address, { method: 'POST', redirect: 'manual', headers: { authorization, cookie: cookie! }, body: new URLSearchParams({ csrf }) })
  expect(answer.status).toBe(303)
  return keyOn(await accountPage(served))!
}
const refusedWith = async (served: ServedDays, key: string): Promise<string | undefined> => (await served.reader(key)).refusal?.body

describe('the realtime days of an account', () => {
  test('a key is there from the purchase on; that day is free, and the next one is paid', async () => {
    const served = await opened(optionsOf(accountOf({ realtimeDays: [PURCHASE] })))
    const page = await accountPage(served)
    const key = keyOn(page)!
    expect([page.includes(MARKET), page.includes(NEXT), page.includes('no route to buy them')]).toEqual([true, true, true])
    expect(await refusedWith(served, key)).toBe(UNKNOWN)
    await served.post('go-to', { time: '23:57' })
    const reader = await served.reader(key)
    expect([reader.refusal, reader.texts.some((text) => text.includes('"READY"'))]).toEqual([null, true])
    const directory = await fetch(`${served.serving.addresses.http}/api/realtime/instruments?market=${MARKET}`, { headers: { authorization: `Bearer ${key}` } })
    expect(directory.status).toBe(200)
    await served.post('midnight')
    expect([reader.closeCode, await refusedWith(served, key)]).toEqual([null, undefined])
    await served.post('midnight')
    expect((await reader.toEnd()).slice(-2)).toEqual(EXPIRED)
    expect(await refusedWith(served, key)).toBe(NOT_ACTIVE)
  })

  test('a new key opens what the old one did, which ends at the next check', async () => {
    const served = await opened(optionsOf(accountOf({ realtimeKey: 'first-key', realtimeDays: [{ ...PURCHASE, bought: `${DAY}T00:00:00Z` }] })))
    const reader = await served.reader('first-key')
    const key = await rotated(served)
    expect([reader.refusal, reader.closeCode, await refusedWith(served, 'first-key'), await refusedWith(served, key)]).toEqual([null, null, UNKNOWN, undefined])
    served.serving.feed.recheckAccess()
    expect((await reader.toEnd()).slice(-2)).toEqual(EXPIRED)
  })

  test('the control port rotates it as the account page does, to a key of the shop alone', async () => {
    const served = await opened(optionsOf(accountOf({ realtimeKey: 'first-key', realtimeDays: [{ ...PURCHASE, bought: `${DAY}T00:00:00Z` }] })))
    const reader = await served.reader('first-key')
    for (const [asked, status] of [[{ key: 'first-key', newKey: 'mine' }, 409], [{ key: 'other-key' }, 404]] as const) expect((await served.post('rotate-key', asked)).status).toBe(status)
    expect(await refusedWith(served, 'first-key')).toBeUndefined()
    const { status, body } = await served.post('rotate-key', { key: 'first-key' })
    const key = (body as { readonly key: string }).key
    expect([status, keyOn(await accountPage(served))]).toEqual([200, key])
    expect([(await reader.toEnd()).slice(-2), await refusedWith(served, 'first-key'), await refusedWith(served, key)]).toEqual([EXPIRED, UNKNOWN, undefined])
    expect((await served.post('rotate-key', { key: 'first-key' })).status).toBe(404)
  })

  test('a key without days opens nothing, and an account without either has no key', async () => {
    const served = await opened(optionsOf(accountOf({ realtimeKey: 'first-key' }), { name: 'bob', token: 'account-token-of-bob' }))
    expect(await refusedWith(served, 'first-key')).toBe(NOT_ACTIVE)
    const page = await (await fetch(`${served.serving.addresses.http}/account`, { headers: { authorization: 'Bearer account-token-of-bob' } })).text()
    expect([keyOn(page), page.includes('The first realtime day makes it')]).toEqual([undefined, true])
  })

  test.each<[string, Partial<ServeOptions>, RegExp]>([
    ['a day that is that of its purchase', optionsOf(accountOf({ realtimeDays: [{ ...PURCHASE, days: [DAY] }] })), /realtimeDays must be after the day of its purchase, 2026-07-01, found 2026-07-01/],
    ['a day before its purchase', optionsOf(accountOf({ realtimeDays: [{ ...PURCHASE, days: ['2026-06-30'] }] })), /found 2026-06-30/],
    ['a purchase at no time', optionsOf(accountOf({ realtimeDays: [{ ...PURCHASE, bought: '2026-02-30T00:00:00Z' }] })), /2026-02-30/],
    ['a market that the data lack', optionsOf(accountOf({ realtimeDays: [{ ...PURCHASE, markets: ['elsewhere'] }] })), /shop\.accounts\[0\]\.realtimeDays\[0\]\.markets\[0\]/],
    ['a purchase of nothing', optionsOf(accountOf({ realtimeDays: [{ bought: PURCHASE.bought, days: [NEXT] }] })), /shop\.accounts\[0\]\.realtimeDays\[0\]: expected markets or instruments/],
    ['a purchase of no day', optionsOf(accountOf({ realtimeDays: [{ ...PURCHASE, days: [] }] })), /shop\.accounts\[0\]\.realtimeDays\[0\]\.days: expected a list of days/],
    ['a key of two accounts', optionsOf(accountOf({ realtimeKey: 'same' }), { name: 'bob', token: 'account-token-of-bob', realtimeKey: 'same' }), /accounts\.realtimeKey must be a realtimeKey of its own$/],
    ['a key that the server has', { keys: [{ key: 'same', markets: [MARKET], days: 'always' }], ...optionsOf(accountOf({ realtimeKey: 'same' })) }, /shop\.accounts\[0\]\.realtimeKey: expected a key that is not there before/],
  ])('%s is refused', async (_name, options, words) => {
    const { message } = await refusalOf(() => opened(options))
    expect(message).toMatch(words)
    expect([message.includes('"same"'), message.includes(TOKEN)]).toEqual([false, false])
  })
})
