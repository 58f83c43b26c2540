import { expect, test } from 'vitest'
import { demandAction, demandFault } from '../../src/exchange/demands.js'
import { openServing, type Serving } from '../../src/serve/serving-server.js'
import { refusalOf } from '../support/collected.ts'
import { MadeDaysFolder } from '../support/made-days-folder.ts'
import { MADE_MIDNIGHT_NS } from '../support/made-market-file.ts'
import type { MarketLine } from '../support/market-lines.ts'
import { datasetsFolder } from '../support/datasets-folder.ts'
import { XRP_DAY } from '../support/run-folder.ts'
import { firstMessage, marketOrder, MARKET, ServedDays, servers } from '../support/served-days.ts'

const serve = servers()
const isDepth = (text: string): boolean => /^\[[01],/.test(text)

test('a loop begins again: the lines of the begin after a reset, accounts as at the begin', { timeout: 60_000 }, async () => {
  const served = await serve({ to: '23:55:10', replay: { loop: true, start: 'paused' } })
  const [reader, trader] = [await served.reader(), await served.trader()]
  trader.send(marketOrder(served.instrumentId, 1))
  await served.stepUntil(() => trader.texts.some((text) => text.includes('"msgType":"fill"')))
  await served.post('resume')
  await reader.until(() => reader.texts.filter((text) => /^\[0,.*,true\]$/.test(text)).length >= 2)
  await served.post('pause')
  const resets = reader.texts.flatMap((text, at) => (/^\[0,.*,true\]$/.test(text) ? [at] : []))
  const [first = 0, second = 0] = resets
  // A round between two resets is the round before it, its first snapshot being that with forceReset.
  const round = reader.texts.slice(first + 1, second).filter(isDepth)
  const before = reader.texts.slice(0, first).filter(isDepth).slice(1)
  expect(round.length).toBeGreaterThan(10)
  expect(round.slice(0, 10)).toEqual(before.slice(0, 10))
  const status = await firstMessage(trader, 'accountStatus')
  expect(status).toMatchObject({ status: 'OK', orders: [] })
  expect((status['walletPositions'] as { availableAmount: string }[]).map(({ availableAmount }) => availableAmount)).toEqual(['100000'])
})

test('a loop over a part of a day: the snapshot of each begin is that of the first, and depth events are a chain', { timeout: 60_000 }, async () => {
  const served = await serve({ from: '23:55:10', to: '23:55:15', replay: { loop: true, start: 'first-subscription' } })
  const reader = await served.reader()
  const isReset = (text: string): boolean => /^\[0,.*,true\]$/.test(text)
  await reader.until(() => reader.texts.filter(isReset).length >= 3)
  await served.post('pause')
  const depth = reader.texts.filter(isDepth)
  const first = depth[0]!
  expect(first).toMatch(/^\[0,/)
  for (const reset of depth.filter(isReset)) expect(reset).toBe(first.replace(/\]$/, ',true]'))
  let last = ''
  for (const text of depth) {
    const [, , before, id] = JSON.parse(text.replaceAll(/\b\d{16,}\b/g, '0')) as [number, number, string, string]
    if (!text.startsWith('[0,')) expect(before, text.slice(0, 80)).toBe(last)
    last = id
  }
  // What else is known at the begin comes with it, as it did first: a top of book, a mark, an index, a funding rate.
  const behind = (at: number): string[] => reader.texts.slice(at + 1, at + 5)
  const at = reader.texts.indexOf(first)
  expect(behind(reader.texts.findIndex(isReset))).toEqual(behind(at))
})


test.each(['now', 'first-subscription'] as const)('a loop at max that begins at %s: a reader gets its rounds, and the server ends when it is told to', { timeout: 20_000 }, async (start) => {
  const served = await serve({ from: '23:55:10', to: '23:55:15', replay: { loop: true, speed: 'max', start } })
  const reader = await served.reader()
  await reader.until(() => reader.texts.filter((text) => /^\[0,.*,true\]$/.test(text)).length >= 3)
  expect((await served.post('shutdown')).status).toBe(200)
  expect(await served.ended).toBe('stopped')
})

test.each([
  ['paused', { speed: 'max', start: 'paused' }], ['lock-step by post', { speed: 'lockstep', step: 'post' }],
] as const)('a step passes a second in which nothing happens, at the begin, in the middle, and to the end: %s', { timeout: 60_000 }, async (_what, replay) => {
  const folder = new MadeDaysFolder()
  const lines = [3.5, 3.6, 9.2].map((second, at): MarketLine => ({ kind: 'snapshot', timeNs: second * 1e9, rows: [[0, 100 + at, 5], [1, 102 + at, 5]] }))
  try {
    const [day = ''] = folder.write(new Map([[0, lines]]))
    const served = await serve({ data: [day], from: '00:00', to: '00:00:20', accounts: { paper: { exchange: 'test', balances: { CASH: '1000' } } }, keys: [{ key: 'k', markets: ['test'], days: 'always' }], replay })
    const reader = await served.reader()
    const seen: string[] = []
    for (let step = 0; step < 30; step++) {
      const { body } = await served.post('step')
      await new Promise((done) => setTimeout(done, 5))
      seen.push(`${String(Number(BigInt(body['time'] as string) - MADE_MIDNIGHT_NS) / 1e9)} ${reader.texts.filter(isDepth).length}`)
      if (body['hasEnded'] === true) break
    }
    expect(seen.slice(0, 6)).toEqual(['1 0', '2 0', '3 0', '3.5 1', '3.6 2', '4.6 2'])
    expect(seen).toContain('9.2 3')
    expect(seen.length).toBeLessThan(30)
  } finally {
    folder.remove()
  }
})

test('lock-step by post: nothing moves but by a step, and two clients that do the same see the same', { timeout: 60_000 }, async () => {
  const played = async (): Promise<readonly string[]> => {
    const served = await serve({ to: '23:55:10', replay: { speed: 'lockstep', step: 'post', start: 'first-subscription' } })
    const [reader, trader] = [await served.reader(), await served.trader()]
    for (let step = 0; step < 100; step++) {
      expect(await served.post('step')).toMatchObject({ status: 200, body: { lateRequests: 0 } })
      if (step % 20 !== 5) continue
      trader.send(marketOrder(served.instrumentId, step))
      // The adapter's welcome back: requests are played in the order of the connection.
      trader.send('{"msgType":"fence"}')
      await firstMessage(trader, 'invalidRequest')
      trader.texts.splice(trader.texts.findIndex((text) => text.includes('invalidRequest')), 1)
    }
    await served.close()
    return [...reader.texts, ...trader.texts.filter((text) => !text.includes('welcome'))]
  }
  const first = await played()
  expect(first.some((text) => text.includes('"msgType":"fill"'))).toBe(true)
  expect(await played()).toEqual(first)
})

test('a plan of actions is done when the clock has come there, also in the middle of max', { timeout: 60_000 }, async () => {
  const served = await serve({
    replay: { start: 'first-subscription' },
    controlPlan: [{ at: '23:56', action: 'error-state', instrument: 'XRPUSDT', text: 'planned' }, { at: '23:57', action: 'pause' }, { at: '23:56:30', action: 'correct-fill' }],
  })
  const reader = await served.reader()
  await reader.until(() => reader.texts.some((text) => text.includes('"ERROR","planned"')))
  while (!served.serving.pacer.isPaused) await new Promise((resolve) => setImmediate(resolve))
  const { clock } = served.serving.replay
  expect(new Date(Number(clock.now() / 1_000_000n)).toISOString()).toMatch(/T23:57:0/)
  expect(served.log.filter((text) => /plan/i.test(text))).toEqual([
    'plan: error-state', expect.stringMatching(/^Warning: controlPlan\[2\] \(correct-fill\) failed: ownFillId/), 'plan: pause',
  ])
  expect(served.serving.plan.failedCount).toBe(1)
})

test('keys end at the midnight of the clock', { timeout: 60_000 }, async () => {
  const served = await serve({
    data: ['01', '02'].map((day) => `${datasetsFolder}/synthetic_swap-XRPUSDT-2026-07-${day}.txt.zst`), from: '23:59', to: '00:01',
    keys: [{ key: 'first', markets: [MARKET], days: ['2026-07-01'] }, { key: 'k', markets: [MARKET], days: 'always' }],
  })
  const [reader] = [await served.reader('first'), await served.reader()]
  await served.post('resume')
  expect((await reader.toEnd()).slice(-2)).toEqual(['api key expired or revoked', 1008])
})

test.each<[string, object, string]>([
  ['the port of the adapter', { httpPort: 'taken' }, 'ADDRESS_TAKEN'],
  ['the control port', { controlPort: 'taken' }, 'ADDRESS_TAKEN'],
  ['the port of a feed', { markets: { [MARKET]: { feedPort: 'taken' } } }, 'ADDRESS_TAKEN'],
  ['an account of another exchange', { accounts: { a: { exchange: 'binance_swap' } } }, 'OPTION_INVALID'],
  ['a typing error', { httport: 1 }, 'OPTION_INVALID'],
  ['the end of the data as an option of the replay', { replay: { to: '23:56' } }, 'OPTION_INVALID'],
  ['a speed in capitals', { replay: { speed: 'LOCKSTEP' } }, 'OPTION_INVALID'],
  ['a speed of nothing', { replay: { speed: 0 } }, 'OPTION_INVALID'],
  ['a loop in lock-step', { replay: { speed: 'lockstep', loop: true } }, 'OPTION_INVALID'],
  ['another start', { replay: { start: 'nwo' } }, 'OPTION_INVALID'],
  ['other holes', { replay: { holes: 'skp' } }, 'OPTION_INVALID'],
  ['half a ping', { ping: { everySeconds: 1 } }, 'OPTION_INVALID'],
  ['a patience that is a number', { patience: 5 }, 'OPTION_INVALID'],
  ['a key with a blank', { keys: [{ key: 'k ', markets: [MARKET], days: 'always' }] }, 'OPTION_INVALID'],
  ['a plan that is a text', { controlPlan: 's3cret' }, 'OPTION_INVALID'],
  ['a plan that is an object', { controlPlan: { s3cret: 1 } }, 'OPTION_INVALID'],
  ['an action that is a text', { controlPlan: ['s3cret'] }, 'OPTION_INVALID'],
  ['an action that is null', { controlPlan: [null] }, 'OPTION_INVALID'],
  ['an action without a time', { controlPlan: [{ action: 'pause' }] }, 'OPTION_INVALID'],
  ['an action whose time is a number', { controlPlan: [{ at: 5, action: 'pause' }] }, 'OPTION_INVALID'],
  ['an action without its name', { controlPlan: [{ at: '23:56' }] }, 'OPTION_INVALID'],
  ['an unknown field of an action', { controlPlan: [{ at: '23:56', action: 'pause', s3cret: 1 }] }, 'OPTION_INVALID'],
  ['a list as the key of an action', { controlPlan: [{ at: '23:56', action: 'revoke-key', key: ['s3cret'] }] }, 'OPTION_INVALID'],
  ['a key in the markets of a key', { keys: [{ key: 'k', markets: ['s3cret'], days: 'always' }] }, 'OPTION_INVALID'],
  ['a typing error in the ping', { ping: { everySeconds: 5, pongSecond: 30 } }, 'OPTION_INVALID'],
  ['a signal, which no client would receive', { signals: [{ name: 's', file: 'nowhere.csv', time: 't', delay: '1s' }] }, 'OPTION_INVALID'],
  ['a time of the plan that is none', { controlPlan: [{ at: 'noon', action: 'pause' }] }, 'TIME_INVALID'],
  ['a port of a market that no data have', { markets: { binance_swap: { feedPort: 0 } } }, 'OPTION_INVALID'],
  ['a key of a market that no data have', { keys: [{ key: 'k', markets: [MARKET, 'binance_swap'], days: 'always' }] }, 'OPTION_INVALID'],
  ['an instrument of the plan that no data have', { controlPlan: [{ at: '23:56', action: 'gap', instrument: 'BTCUSDT' }] }, 'OPTION_INVALID'],
  ['an account of the plan that nobody has', { controlPlan: [{ at: '23:56', action: 'rate-limit', account: 'real' }] }, 'OPTION_INVALID'],
  ['a key of the plan that is none', { controlPlan: [{ at: '23:56', action: 'revoke-key', key: 'x' }] }, 'OPTION_INVALID'],
  ['half a split in the plan', { controlPlan: [{ at: '23:56', action: 'corporate-action', instrument: 'XRPUSDT', split: { lastPrice: '1' } }] }, 'OPTION_INVALID'],
  ['a time of the plan before the replay', { controlPlan: [{ at: '23:54', action: 'pause' }] }, 'OPTION_INVALID'],
  ['data that are not there', { data: ['nowhere'] }, 'FILE_NOT_FOUND'],
])('%s is refused, and nothing stays open', async (_name, options, code) => {
  const served = await serve()
  const port = Number(new URL(served.serving.addresses.http).port)
  const stated = JSON.parse(JSON.stringify(options, (_key, value: unknown) => (value === 'taken' ? port : value))) as object
  const refusal = await refusalOf(() => ServedDays.open(stated))
  expect(refusal.code).toBe(code)
  expect(refusal.message).not.toMatch(/"k"|s3cret/)
})

test.each<[string, (pacer: Serving['pacer']) => Promise<unknown>]>([
  ['an action', (pacer) => new Promise<void>((resolve) => { pacer.call(resolve) })],
  ['a step', (pacer) => pacer.step()],
  ['another go-to', (pacer) => pacer.goTo(86_280_000_000_000)],
])('%s that is asked while a paused replay is on its way somewhere is done, without another word', { timeout: 15_000 }, async (_name, ask) => {
  const serving = await openServing({ data: [XRP_DAY], from: '23:55', httpPort: 0, account: { balances: { USDT: '1000' }, fees: { maker: '0', taker: '0' } }, replay: { start: 'paused', speed: 'max' } })
  const ended = serving.run()
  try {
    // At once: the loop has not come to its first wait yet.
    await ask(serving.pacer)
    // Back: the files are opened again, which takes turns of the event loop.
    const gone = serving.pacer.goTo(86_200_000_000_000)
    await new Promise((resolve) => setImmediate(resolve))
    await Promise.all([gone, ask(serving.pacer)])
  } finally {
    await serving.close()
    await ended
  }
})

test('a plan outlives a go-to that goes back, and what it could not do is said at the end', { timeout: 60_000 }, async () => {
  const served = await serve({
    to: '23:56', controlPlan: [
      { at: '23:55:40', action: 'directory-down' }, { at: '23:59', action: 'gap', instrument: 'XRPUSDT' },
      { at: '23:55:30', action: 'rotate-key', key: 'k', newKey: 'n' }, { at: '23:55:35', action: 'revoke-key', key: 'n' },
    ],
  })
  await served.post('go-to', { time: '23:55:20' })
  await served.post('go-to', { time: '23:55:10' })
  await served.post('resume')
  expect(await served.ended).toBe('ended')
  expect(served.log.filter((text) => /plan/i.test(text))).toEqual([
    'plan: rotate-key', 'plan: revoke-key', 'plan: directory-down', 'Warning: controlPlan[1] (gap) was not done: the data have ended before 23:59',
  ])
})

test('a corporate action in the middle of max is done at the time at hand, and the replay goes on to its end', { timeout: 60_000 }, async () => {
  const served = await serve({ replay: { start: 'paused' } })
  const reader = await served.reader()
  await served.post('resume')
  const answers: Promise<{ readonly status: number }>[] = []
  await reader.until(() => {
    if (answers.length < 20) answers.push(served.post('corporate-action', { instrument: 'XRPUSDT', comment: 'x', dividend: { underlying: 'USDT', highPrice: '0.02', lowPrice: '0.01' } }))
    return answers.length >= 20
  })
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(answers.map(() => 200))
  expect(await served.ended).toBe('ended')
})

test('nothing is demanded of a world in its past', async () => {
  const { serving: { replay: { world, clock } } } = await serve()
  const nowNs = clock.nowNs()
  const effect = { kind: 'status', status: 'DISCONNECTED', message: '' } as const
  expect(() => { demandFault(world, { accountId: null, effect, startNs: nowNs - 1, everyNs: null, forNs: 1 }, nowNs) }).toThrow(RangeError)
  expect(() => { demandAction(world, { timeNs: nowNs - 1, action: { instrumentId: 1 } }, nowNs) }).toThrow(RangeError)
})
