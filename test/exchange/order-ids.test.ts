import { expect, test } from 'vitest'
import { OrderIds, type IdPurpose } from '../../src/exchange/matching/order-ids.js'
import { RandomNumbers } from '../../src/model/random.js'
import { uuidFromRandom } from '../../src/model/uuid.js'
import { throughJson } from '../support/through-json.ts'

const client = (accountId: string, clientId: string) => ({ accountId, clientId })

test('an id is a draw of the seed, the purpose, the account and the client, by the number of its own', () => {
  const ids = new OrderIds(7)
  const expected = (purpose: IdPurpose, accountId: string, clientId: string, number: number): string => uuidFromRandom(new RandomNumbers(7, `${purpose} ${accountId} ${clientId}`, 0), number)
  const first = ids.next('exchange-order', client('A', 'c'))
  // What others are given in between moves nothing.
  expect([ids.next('own-fill', client('A', 'c')), ids.next('exchange-order', client('A', 'd')), ids.next('exchange-order', client('B', 'c'))]).toEqual([expected('own-fill', 'A', 'c', 0), expected('exchange-order', 'A', 'd', 0), expected('exchange-order', 'B', 'c', 0)])
  expect([first, ids.next('exchange-order', client('A', 'c')), ids.next('exchange-order', client('A', 'c'))]).toEqual([0, 1, 2].map((number) => expected('exchange-order', 'A', 'c', number)))
  expect(String(new OrderIds(8).next('exchange-order', client('A', 'c')))).not.toBe(String(first))
})

test('after a checkpoint ids go on where they were, whatever was given before it', () => {
  const ids = new OrderIds(7)
  for (let i = 0; i < 3; i++) ids.next('exchange-trade', client('A', 'c'))
  expect([...ids.state()].map(([key, { count }]) => [key, count])).toEqual([['exchange-trade A c', 3]])
  const restored = new OrderIds(7)
  restored.next('own-fill', client('A', 'c'))
  restored.restore(throughJson(ids.state()))
  expect(restored.state()).toEqual(ids.state())
  const next = (from: OrderIds, purpose: IdPurpose): string => String(from.next(purpose, client('A', 'c')))
  expect(next(restored, 'exchange-trade')).toBe(next(ids, 'exchange-trade'))
  expect(next(restored, 'own-fill')).toBe(next(new OrderIds(7), 'own-fill'))
})
