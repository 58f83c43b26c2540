import fc from 'fast-check'
import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { ShopTokens, type TokenHolder } from '../../../src/shop/server/shop-tokens.js'
import { refusalOf } from '../../support/collected.ts'

const SECRET = new Uint8Array(32).fill(7)
const tokens = new ShopTokens(SECRET)
const ORDER = { orderId: 'ord_1' }
const TOKEN = tokens.tokenOf(ORDER)

test.each([0, 1, 16, 31])('a secret of %i bytes is refused, and not shown', async (size) => {
  const { code, message } = await refusalOf(() => new ShopTokens(new Uint8Array(size).fill(65)))
  expect([code, message]).toEqual(['OPTION_INVALID', `Cannot make tokens: the secret must have 32 bytes, found ${size} bytes`])
})

test.each<readonly [TokenHolder, string]>([
  [{ orderId: '' }, 'orderId'], [{ account: '', rotation: 0 }, 'account'], [{ account: 'a', rotation: -1 }, 'rotation'], [{ account: 'a', rotation: 0.5 }, 'rotation'],
  [{ account: 'a', rotation: NaN }, 'rotation'], [{ account: 'a', rotation: Infinity }, 'rotation'], [{ account: 'a', rotation: 2 ** 53 }, 'rotation'],
])('%j has no token', async (holder, field) => {
  for (const work of [() => tokens.tokenOf(holder), () => tokens.isTokenOf(holder, TOKEN)]) {
    expect(await refusalOf(work)).toMatchObject({ code: 'OPTION_INVALID', place: { field } })
  }
})

test.each([
  '', ' ', TOKEN.slice(1), TOKEN.slice(0, -1), `${TOKEN}A`, `${TOKEN}=`, ` ${TOKEN}`, `${TOKEN}\n`, TOKEN.toLowerCase(), TOKEN.toUpperCase(), `A${TOKEN.slice(1)}`, `${TOKEN.slice(0, -1)}_`,
  Buffer.from(TOKEN, 'base64url').toString('base64'), Buffer.from(TOKEN, 'base64url').toString('hex'), `${TOKEN}${TOKEN}`, 'x'.repeat(100_000), '\0', 'null', 'undefined', '[object Object]', '*', '***',
])('%j is not the token of the order', (given) => {
  expect(tokens.isTokenOf(ORDER, given)).toBe(false)
})

test('an order and an account have the token that HMAC says, and no other does', () => {
  expect(TOKEN).toBe(createHmac('sha256', SECRET).update('["order","ord_1"]').digest('base64url'))
  expect(TOKEN).toMatch(/^[\w-]{43}$/)
  expect([tokens, new ShopTokens(SECRET)].map((one) => one.isTokenOf(ORDER, TOKEN))).toEqual([true, true])
  const account = { account: 'ord_1', rotation: 3 }
  expect(tokens.isTokenOf(account, tokens.tokenOf(account))).toBe(true)
  expect(new ShopTokens(new Uint8Array(32).fill(8)).isTokenOf(ORDER, TOKEN)).toBe(false)
  expect(new ShopTokens(new Uint8Array(33).fill(7)).isTokenOf(ORDER, TOKEN)).toBe(false)
})

test('a secret that is overwritten afterwards changes nothing, and nothing shows it', () => {
  const secret = SECRET.slice()
  const one = new ShopTokens(secret)
  secret.fill(0)
  expect(one.tokenOf(ORDER)).toBe(TOKEN)
  expect(JSON.stringify(one)).toBe('{}')
})

test('any two holders have different tokens', () => {
  const name = fc.oneof(fc.string({ minLength: 1, maxLength: 4 }), fc.constantFrom('a', 'a","1', 'a",1', '1', 'order', 'account', '\u00e4', 'a\u0308'))
  const holder = fc.oneof(name.map((orderId): TokenHolder => ({ orderId })), fc.record({ account: name, rotation: fc.nat(3) }))
  fc.assert(fc.property(holder, holder, (a, b) => {
    expect(tokens.isTokenOf(a, tokens.tokenOf(b))).toBe(JSON.stringify(a) === JSON.stringify(b))
  }), { numRuns: 1000 })
})
