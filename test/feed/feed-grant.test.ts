import { afterEach, expect, test } from 'vitest'
import { FeedGrant } from '../../src/feed/feed-grant.js'
import { epochNsFromText } from '../../src/model/time.js'
import { closeServers, madeServer } from '../support/feed-peer.ts'

afterEach(closeServers)

const marketOf = (id: number): string => (id === 7 ? 'spot' : 'swap')
const nsOf = (text: string): bigint => epochNsFromText(`2024-07-${text}Z`, null)

/** Bought at 18:00 of the 18th for the 19th and the 21st. */
function grantAt(now: string): FeedGrant {
  const terms = { markets: ['swap'], instruments: [7], days: ['2024-07-19', '2024-07-21'] }
  return new FeedGrant(terms, { marketOf, now: () => nsOf(now), boughtNs: nsOf('18T18:00') })
}

test.each<[string, string, boolean, boolean]>([
  ['the day before', '17T23:59', false, false],
  ['a moment before the purchase', '18T17:59:59.999999999', false, false],
  ['the purchase', '18T18:00', true, true],
  ['the rest of its day, which is free', '18T23:59:59.999999999', true, true],
  ['the first paid day', '19T00:00', true, true],
  ['a day between', '20T00:00', true, false],
  ['the last paid day', '21T23:59:59.999999999', true, true],
  ['the day behind', '22T00:00', true, false],
])('%s', (_name, now, isBought, isOpen) => {
  const grant = grantAt(now)
  expect([grant.isBought(), grant.opens('swap'), grant.opens('spot'), grant.permits('swap', 1), grant.permits('spot', 7)]).toEqual([isBought, isOpen, isOpen, isOpen, isOpen])
  expect([grant.opens('futures'), grant.permits('futures', 1), grant.permits('spot', 8), grant.permits('spot', 1)]).toEqual([false, false, false, false])
})

test('a purchase applies at the next login', () => {
  const grant = grantAt('18T20:00')
  expect(['18T17:59', '18T18:00', '18T19:00'].map((login) => grant.permits('swap', 1, nsOf(login)))).toEqual([false, true, true])
})

test('permissions are those of the time of the login', async () => {
  const logins: (bigint | undefined)[] = []
  const access = { rejection: () => null, isPermitted: (_key: string, _market: string, _id: number, login?: bigint) => logins.push(login) > 0 }
  const { reader, feed, server } = await madeServer({ access })
  const one = await reader('[11,1210]')
  await one.received(1)
  const now = feed.clock.now()
  feed.nowNs += 5_000
  server.recheckAccess()
  expect(logins).toEqual([now, now])
})
