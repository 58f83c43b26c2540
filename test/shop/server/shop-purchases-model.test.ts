import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ShopReply } from '../../../src/shop/server/shop-reply.js'
import { FakeGoods } from '../../support/fake-goods.ts'
import { NaivePurchases, type PurchaseStep } from '../../support/naive-purchases.ts'
import { checkoutRequest, openedShop, SHOP_NOW } from '../../support/opened-shop.ts'
import { isNight } from '../../support/repetitions.ts'
import { shopReply } from '../../support/shop-answers.ts'

const HOUR_MS = 3_600_000
const ACCOUNTS = [{ name: 'ann', token: 'token-of-ann' }, { name: 'bob', token: 'token-of-bob' }]
const SOLD_DAYS = 4
const dayOf = (day: number): string => `5 2024-08-0${day + 1}`

const afterMs = fc.oneof({ weight: 15, arbitrary: fc.integer({ min: 0, max: HOUR_MS }) }, fc.constantFrom(-HOUR_MS, 23 * HOUR_MS, 24 * HOUR_MS, 24 * HOUR_MS - 1, 720 * HOUR_MS, 720 * HOUR_MS - 1))
const session = fc.nat(2)
const step: fc.Arbitrary<PurchaseStep> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('checkout' as const), key: fc.nat(7), days: fc.uniqueArray(fc.nat(SOLD_DAYS), { minLength: 1, maxLength: 2 }), buyer: fc.constantFrom(null, null, 'ann', 'bob'), afterMs }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('pay' as const, 'poll' as const), session, afterMs }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('refund' as const, 'expire' as const, 'read' as const, 'read' as const, 'read' as const), session, afterMs }) },
  fc.record({ kind: fc.constant('restart' as const), afterMs }),
)

function keyOf(key: number): string {
  return `00000000-0000-4000-8000-${String(key).padStart(12, '0')}`
}

/** Two baskets of one day, the first of which is paid in every second case. */
const begin = fc.boolean().map((isPaid): PurchaseStep[] => [
  ...[0, 1].map((key): PurchaseStep => ({ kind: 'checkout', key, days: [key], buyer: null, afterMs: 0 })), { kind: isPaid ? 'pay' : 'poll', session: 0, afterMs: 0 },
])

test('any steps get the answers of the plainest shop', async () => {
  const seen = new Set<string>()
  await fc.assert(fc.asyncProperty(begin, fc.array(step, { maxLength: 30, size: 'max' }), async (first, more) => {
    const shop = await openedShop({ accounts: ACCOUNTS }, new FakeGoods().add(5, 'BTC', { days: ['2024-08-01', '2024-08-02', '2024-08-03', '2024-08-04'] }))
    const naive = new NaivePurchases(SOLD_DAYS)
    const made: { readonly sessionId: string, readonly orderId: string }[] = []
    // Nothing that is looked at here is old enough to be forgotten.
    let leftMs = 6 * 24 * HOUR_MS
    let jumps = 5
    const word = (reply: ShopReply): string => {
      if (reply.kind === 'refusal') return { invalidInput: 'used key', notAvailable: 'missing', alreadyOwned: 'owned', orderExpired: 'expired', noAccess: 'none' }[reply.error as string] ?? reply.error
      const body = (reply as { body: Record<string, string> }).body
      if (body['checkout_url'] === undefined) return body['status'] ?? ''
      const at = made.findIndex((one) => one.sessionId === body['session_id'])
      if (at >= 0) return `session ${at}`
      made.push({ sessionId: body['session_id'] ?? '', orderId: body['order_id'] ?? '' })
      return `session ${made.length - 1}`
    }
    const ask = async (one: PurchaseStep): Promise<string> => {
      const { handlers, purchases } = shop.service
      if (one.kind === 'restart') {
        await shop.reopen()
        return 'restarted'
      }
      if (one.kind === 'checkout') {
        const headers = { key: keyOf(one.key), ...one.buyer === null ? {} : { authorization: `Bearer token-of-${one.buyer}` } }
        return word(await shopReply(handlers, 'checkout', checkoutRequest(one.days.map(dayOf), headers)))
      }
      const { sessionId = 'x', orderId = 'x' } = made[one.session] ?? {}
      if (one.kind === 'pay') purchases.pay(sessionId)
      if (one.kind === 'refund') purchases.refund(orderId)
      if (one.kind === 'expire') purchases.expire(orderId)
      if (one.kind === 'pay' || one.kind === 'poll') return word(await shopReply(handlers, 'session', { path: { session_id: sessionId } }))
      return word(await shopReply(handlers, 'order', { path: { order_id: orderId }, headers: { authorization: `Bearer ${purchases.downloadToken(orderId)}` } }))
    }
    for (const one of [...first, ...more]) {
      const isShort = Math.abs(one.afterMs) <= 25 * HOUR_MS
      if (isShort && one.afterMs > 0 && leftMs < one.afterMs) continue
      if (isShort) leftMs -= Math.max(0, one.afterMs)
      else if (jumps === 0 || naive.sessions.some(({ state }) => state !== 'paid')) continue
      else jumps--
      shop.time.ms += one.afterMs
      const answer = naive.answer(one, shop.time.ms)
      expect(await ask(one)).toBe(answer)
      seen.add(`${one.kind} ${answer.replace(/\d+/, '')}`)
    }
    expect(shop.time.ms).toBeGreaterThan(SHOP_NOW - 31 * HOUR_MS)
  }), { numRuns: 60 })
  // The cases are worth their while; the few of a day need not have what is rare.
  const often = ['checkout session ', 'checkout used key', 'pay paid', 'poll pending']
  for (const one of isNight ? [...often, 'checkout missing', 'read paid', 'refund refunded', 'expire expired'] : often) expect([...seen]).toContain(one)
}, 60_000)
