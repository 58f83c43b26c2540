import { describe, expect, test } from 'vitest'
import { CONTROL_ACTIONS } from '../../src/serve/control-actions.js'
import { SHOP_ACTIONS } from '../../src/serve/shop-actions.js'
import type { FeedPeer } from '../support/feed-peer.ts'
import { firstMessage, marketOrder, MARKET, servers, type ServedDays } from '../support/served-days.ts'

const serve = servers()

const seen = (peer: FeedPeer, pattern: RegExp): Promise<void> => peer.until(() => peer.texts.some((text) => pattern.test(text)) || peer.closeCode !== null)
/** Messages of the depth topic: kind, prevEventId and eventId. */
const depth = ({ texts }: FeedPeer): { kind: number, previous: string, id: string }[] => texts.flatMap((text) => {
  const found = /^\[([01]),\d+,"?([^",]*)"?,"?([^",]*)"?,/.exec(text)
  return found === null ? [] : [{ kind: Number(found[1]), previous: found[2]!, id: found[3]! }]
})
/** Updates that do not follow the depth message before them. */
const breaks = (peer: FeedPeer): number => depth(peer).filter((one, at, all) => at > 0 && one.kind === 1 && one.previous !== all[at - 1]!.id).length
const directory = async ({ serving }: ServedDays): Promise<Response> =>
  fetch(`${serving.addresses.http}/api/realtime/instruments?market=${MARKET}`, { headers: { authorization: 'Bearer k' } })

/** The messages of each action that a real client receives. */
const CASES: Readonly<Record<string, (served: ServedDays) => Promise<void>>> = {
  async 'pause, resume'(served) {
    const reader = await served.reader()
    expect((await served.post('resume')).status).toBe(200)
    await seen(reader, /^\[1,/)
    const paused = await served.post('pause')
    const { clock } = served.serving.replay
    await served.post('error-state', { instrument: served.instrumentId })
    await seen(reader, /"ERROR"/)
    expect([paused.body['time'], served.serving.pacer.isPaused]).toEqual([String(clock.now()), true])
  },
  async step(served) {
    const reader = await served.reader()
    const before = reader.texts.length
    const first = await served.post('step')
    await reader.until(() => reader.texts.length > before)
    const second = await served.post('step')
    expect(first).toMatchObject({ status: 200, body: { hasEnded: false, lateRequests: 0 } })
    expect(BigInt(second.body['time'] as string) > BigInt(first.body['time'] as string)).toBe(true)
  },
  async speed(served) {
    const reader = await served.reader()
    expect((await served.post('speed', { speed: 1_000 })).status).toBe(200)
    await served.post('resume')
    await seen(reader, /^\[1,/)
    expect(served.serving.pacer.speed).toBe(1_000)
    await served.post('speed', { speed: 'max' })
    expect(await served.ended).toBe('ended')
    await served.serving.close()
    await reader.toEnd()
    // The made-up day has one gap of its own.
    expect(breaks(reader)).toBe(1)
  },
  async 'go-to'(served) {
    const reader = await served.reader()
    const trader = await served.trader()
    for (const time of ['23:57:00', '23:56:00']) {
      reader.texts.length = 0
      expect((await served.post('go-to', { time })).body).toMatchObject({ ok: true, time: String(BigInt(Date.parse(`2026-07-01T${time}Z`)) * 1_000_000n) })
      await seen(reader, /^\[0,.*,true\]$/)
      expect(reader.texts.filter((text) => text.startsWith('[1,'))).toEqual([])
      await served.stepUntil(() => depth(reader).length > 5)
      expect(breaks(reader)).toBe(0)
    }
    // Backwards accounts are those of the begin.
    await firstMessage(trader, 'accountStatus', '"status":"OK"')
  },
  async 'revoke-key'(served) {
    const reader = await served.reader()
    await served.post('revoke-key', { key: 'k' })
    expect((await reader.toEnd()).slice(-2)).toEqual(['api key expired or revoked', 1008])
    expect((await served.reader()).refusal).toMatchObject({ status: 401, body: 'api key rejected: unknown api key' })
  },
  async 'rotate-key'(served) {
    const reader = await served.reader()
    expect((await served.post('rotate-key', { key: 'k', newKey: 'n' })).body).toMatchObject({ key: 'n' })
    expect((await reader.toEnd()).slice(-2)).toEqual(['api key expired or revoked', 1008])
    expect((await served.reader()).refusal).toMatchObject({ status: 401 })
    expect((await served.reader('n')).refusal).toBeNull()
  },
  async 'expire-instrument'(served) {
    const reader = await served.reader()
    await served.post('expire-instrument', { instrument: 'XRPUSDT' })
    await seen(reader, /"ERROR","instrument permission expired or revoked"/)
    reader.send(`[11,${served.instrumentId},{}]`)
    await seen(reader, /"ERROR","instrument not permitted for this api key"/)
    await served.post('expire-instrument', { instrument: 'XRPUSDT', on: false })
    reader.texts.length = 0
    reader.send(`[11,${served.instrumentId},{}]`)
    await seen(reader, /"READY"/)
    expect(reader.closeCode).toBeNull()
  },
  async 'unconfigure-market'(served) {
    const reader = await served.reader()
    await served.post('unconfigure-market', { market: MARKET })
    expect((await reader.toEnd()).slice(-2)).toEqual(['api key expired or revoked', 1008])
    expect((await served.reader()).refusal).toMatchObject({ status: 401, body: 'api key rejected: market not configured' })
    expect((await served.reader('nobody')).refusal).toMatchObject({ status: 401, body: 'api key rejected: market not configured' })
    expect((await directory(served)).status).toBe(404)
    await served.post('unconfigure-market', { market: MARKET, on: false })
    expect([(await served.reader()).refusal, (await directory(served)).status]).toEqual([null, 200])
    expect(await served.post('unconfigure-market', {})).toMatchObject({ status: 400, body: { field: 'market' } })
    expect(await served.post('unconfigure-market', { market: 'elsewhere' })).toMatchObject({ status: 400 })
  },
  async midnight(served) {
    const [always, today] = [await served.reader(), await served.reader('today')]
    expect((await served.post('midnight')).body).toMatchObject({ days: 1 })
    expect((await today.toEnd()).slice(-2)).toEqual(['api key expired or revoked', 1008])
    expect((await served.reader('today')).refusal).toMatchObject({ status: 401, body: 'api key rejected: no active realtime subscription for this market today (UTC)' })
    expect((await served.post('midnight', { days: 0 })).body).toMatchObject({ days: 0 })
    expect([(await served.reader('today')).refusal, always.closeCode]).toEqual([null, null])
  },
  async 'directory-down, directory-up'(served) {
    await served.post('directory-down')
    const down = await directory(served)
    expect([down.status, down.headers.get('retry-after')]).toEqual([503, '30'])
    await served.post('directory-up')
    expect((await directory(served)).status).toBe(200)
  },
  async 'exchange-down, exchange-up'(served) {
    const trader = await served.trader()
    await served.post('exchange-down', { account: 'paper', message: 'cable cut' })
    await served.stepUntil(() => trader.texts.some((text) => text.includes('"DISCONNECTED"')))
    expect(await firstMessage(trader, 'accountStatus')).toMatchObject({ status: 'DISCONNECTED', message: 'cable cut' })
    trader.send(marketOrder(served.instrumentId, 1))
    await served.stepUntil(() => trader.texts.some((text) => text.includes('placeResponse')))
    expect(await firstMessage(trader, 'placeResponse')).toMatchObject({ entries: [{ error: { type: 'DISCONNECTED', source: 'INTERNAL' } }] })
    await served.post('exchange-up')
    await served.stepUntil(() => trader.texts.some((text) => text.includes('"status":"OK"') && text.includes('accountStatus')))
  },
  async 'rate-limit'(served) {
    const trader = await served.trader()
    await served.post('rate-limit', { for: '1s' })
    trader.send(marketOrder(served.instrumentId, 1))
    await served.stepUntil(() => trader.texts.some((text) => text.includes('placeResponse')))
    expect(await firstMessage(trader, 'placeResponse')).toMatchObject({ entries: [{ error: { type: 'RATE_LIMIT_EXCEEDED', source: 'INTERNAL' } }] })
    trader.texts.length = 0
    const { clock } = served.serving.replay
    const endNs = clock.nowNs() + 1_000_000_000
    await served.stepUntil(() => clock.nowNs() > endNs)
    trader.send(marketOrder(served.instrumentId, 2))
    await served.stepUntil(() => trader.texts.some((text) => text.includes('"msgType":"fill"')))
  },
  async 'correct-fill'(served) {
    const trader = await served.trader()
    trader.send(marketOrder(served.instrumentId, 1))
    await served.stepUntil(() => trader.texts.some((text) => text.includes('"msgType":"fill"')))
    const { ownFillId } = ((await firstMessage(trader, 'fill'))['data'] as { ownFillId: string }[])[0]!
    expect((await served.post('correct-fill', { fees: '0.5' })).status).toBe(200)
    await served.stepUntil(() => trader.texts.some((text) => text.includes('"update":true')))
    expect(await firstMessage(trader, 'fill', '"update":true')).toMatchObject({ data: [{ update: true, fees: '0.5', usdFees: '0.49923' }] })
    expect(trader.texts.some((text) => text.includes(ownFillId) && text.includes('"update":false'))).toBe(true)
    expect((await served.post('correct-fill', { ownFillId, fees: '0.7' })).status).toBe(200)
    await served.stepUntil(() => trader.texts.some((text) => text.includes(ownFillId) && text.includes('"fees":"0.7"')))
    expect(await firstMessage(trader, 'fill', '"fees":"0.7"')).toMatchObject({ data: [{ ownFillId, usdFees: '0.698922' }] })
    // A rebate, and a correction that states no fees.
    expect((await served.post('correct-fill', { ownFillId, fees: '-0.1' })).status).toBe(200)
    await served.stepUntil(() => trader.texts.some((text) => text.includes('"fees":"-0.1"')))
    expect(await firstMessage(trader, 'fill', '"fees":"-0.1"')).toMatchObject({ data: [{ ownFillId, usdFees: '-0.099846' }] })
    trader.texts.length = 0
    expect((await served.post('correct-fill', { ownFillId })).status).toBe(200)
    await served.stepUntil(() => trader.texts.some((text) => text.includes('"update":true')))
    const [as] = (await firstMessage(trader, 'fill', '"update":true'))['data'] as { fees: string, usdFees: string }[]
    expect(Number(as!.usdFees)).toBeCloseTo(Number(as!.fees) * 0.99846, 12)
  },
  async 'corporate-action'(served) {
    const trader = await served.trader({ enableCorporateActions: true })
    const dividend = { underlying: 'USDT', highPrice: '0.02', lowPrice: '0.01' }
    expect((await served.post('corporate-action', { instrument: 'XRPUSDT', dividend })).status).toBe(200)
    await served.stepUntil(() => trader.texts.some((text) => text.includes('corporateAction')))
    expect(await firstMessage(trader, 'corporateAction')).toMatchObject({ instrumentId: served.instrumentId, dividend: { highPrice: '0.02' } })
  },
  async gap(served) {
    const reader = await served.reader()
    await served.stepUntil(() => depth(reader).length > 5)
    expect(breaks(reader)).toBe(0)
    await served.post('gap', { instrument: 'XRPUSDT', events: 3 })
    const { length } = depth(reader)
    await served.stepUntil(() => depth(reader).length > length + 5)
    expect(breaks(reader)).toBe(1)
  },
  async silence(served) {
    const reader = await served.reader()
    await served.stepUntil(() => depth(reader).length > 5)
    const { clock } = served.serving.replay
    const endNs = clock.nowNs() + 5_000_000_000
    await served.post('silence', { instrument: 'XRPUSDT', for: '5s' })
    const { length } = reader.texts
    await served.stepUntil(() => clock.nowNs() >= endNs)
    expect(reader.texts.length - length).toBeLessThanOrEqual(1)
    await served.stepUntil(() => depth(reader).length > 10)
    expect(breaks(reader)).toBe(1)
  },
  async 'force-reset'(served) {
    const reader = await served.reader()
    await served.stepUntil(() => depth(reader).length > 0)
    reader.texts.length = 0
    await served.post('force-reset')
    await seen(reader, /^\[0,.*,true\]$/)
    expect(reader.texts[0]).toMatch(/"READY",""\]$/)
  },
  async 'error-state'(served) {
    const reader = await served.reader()
    await served.post('error-state', { instrument: 'XRPUSDT', text: 'venue closed' })
    await seen(reader, /"ERROR","venue closed"\]$/)
    const { length } = depth(reader)
    await served.stepUntil(() => depth(reader).length > length)
  },
  async drop(served) {
    const [reader, trader] = [await served.reader(), await served.trader()]
    expect((await served.post('drop', { socket: 'feed', market: MARKET })).body).toMatchObject({ connections: 1 })
    expect((await reader.toEnd()).at(-1)).toBe(1006)
    expect(trader.closeCode).toBeNull()
    expect((await served.post('drop', { account: 'paper' })).body).toMatchObject({ connections: 1 })
    expect((await trader.toEnd()).at(-1)).toBe(1006)
  },
  async stall(served) {
    const [reader, other] = [await served.reader(), await served.trader()]
    expect((await served.post('stall', { processId: 'reader' })).body).toMatchObject({ connections: 1 })
    const { length } = reader.texts
    for (let step = 0; step < 20; step++) await served.post('step')
    expect([reader.texts.length, other.closeCode]).toEqual([length, null])
    await served.post('stall', { processId: 'reader', on: false })
    await reader.until(() => reader.texts.length >= length + 20)
    await served.post('stall', { socket: 'feed', for: '1ms' })
    await served.stepUntil(() => reader.texts.length > length + 40)
  },
  async shutdown(served) {
    const reader = await served.reader()
    expect((await served.post('shutdown')).status).toBe(200)
    expect(await served.ended).toBe('stopped')
    await served.serving.close()
    expect((await reader.toEnd()).slice(-2)).toEqual(['service shutdown', 1001])
  },
}

describe('a client sees', () => {
  test.each(Object.entries(CASES))('%s', { timeout: 60_000 }, async (_name, seenBy) => {
    await seenBy(await serve({
      keys: [{ key: 'k', markets: [MARKET], days: 'always' }, { key: 'today', markets: [MARKET], days: ['2026-07-01'] }],
    }))
  })

  test('every action has a case', () => {
    // Those of the shop have theirs in shop-actions.test.ts.
    const named = [...Object.keys(CASES).flatMap((names) => names.split(', ')), ...Object.keys(SHOP_ACTIONS)]
    expect(named.sort()).toEqual(Object.keys(CONTROL_ACTIONS).sort())
  })
})
