import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { BacktestResult } from '../../src/results/backtest-result.js'
import { stopAll } from '../../src/strategy-server/stop-all-client.js'
import type { StrategyServerConfig } from '../../src/strategy-server/strategy-server-options.js'
import { newFolder } from '../support/new-folder.ts'
import { isNight, repeated } from '../support/repetitions.ts'
import { KEY, openedVenues, servedVenue, spawnedVenues, SWAP_DAY, venueConfig, type Status, type VenueServer } from '../support/venue-instances.ts'

const ACCOUNT = { balances: { USDT: '10000' }, fees: { maker: '0.0002', taker: '0.0005' } }
const CLOCK = { type: 'replay', files: [SWAP_DAY], from: '23:57', speed: 60, account: ACCOUNT } as const

let keyFile = ''
beforeAll(() => {
  keyFile = join(newFolder(), 'key')
  writeFileSync(keyFile, `${KEY}\n`, { mode: 0o600 })
})

const ends: (() => Promise<void>)[] = []
afterEach(async () => { for (const end of ends.splice(0).reverse()) await end() })

async function openWith(venues: object, more: Partial<StrategyServerConfig> = {}): Promise<VenueServer> {
  const server = await openedVenues(venueConfig(venues, more))
  ends.push(server.close)
  return server
}

async function served(...speed: readonly number[]): Promise<Awaited<ReturnType<typeof servedVenue>> & { readonly config: Awaited<ReturnType<typeof servedVenue>>['venue'] & { readonly keyFile: string } }> {
  const one = await servedVenue(...speed)
  ends.push(() => one.serving.close())
  return { ...one, config: { ...one.venue, keyFile } }
}

/** Everything that lies in a folder, as one text. */
function textOf(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1')).join('\n')
}

const secondOf = (time: string): number => Number((BigInt(time) / 1_000_000_000n) % 86_400n) - 86_220

describe('a replay with a clock', () => {
  test('is one for all instances, which join it where it is', { timeout: 180_000 }, async () => {
    const server = await openWith({ clock: { ...CLOCK, speed: 3 } })
    const [first, second] = [await server.made('first', 'clock'), await server.made('second', 'clock')]
    await server.start(first)
    await server.until(first, ({ progress }) => (progress?.fills ?? 0) > 0)
    await server.start(second)
    const joined = await server.until(second, ({ progress }) => progress !== undefined)
    expect(secondOf(joined.progress!.time)).toBeGreaterThan(8)
    await server.send('hello')
    await server.until(second, ({ progress }) => (progress?.fills ?? 0) > 0)
    const { progress } = await server.status(first)
    expect([progress!.positions.length, typeof progress!.profit?.amount]).toEqual([1, 'string'])
    await server.ask('/api/v1/strategy/stop-all', {})
    for (const id of [first, second])
      expect(await server.until(id, ({ end }) => end !== undefined)).toMatchObject({ state: 'STOPPED', reason: 'the run was stopped', end: { end: 'stopped', openOrders: [] } })
    const folder = join(server.config.store!, 'instances', first)
    expect(readdirSync(folder).sort()).toEqual(['journal.btj', 'received.jsonl', 'result.json'])
    const received = JSON.parse(readFileSync(join(folder, 'received.jsonl'), 'utf8').split('\n')[0]!) as { ts: string, message: string, origin: string }
    expect([received.ts.slice(0, 14), received.message, received.origin]).toEqual(['2026-07-01T23:', 'hello', 'me'])
    const { lines } = await server.ask<{ lines: { text: string }[] }>(`/api/v1/strategy/instance/${first}/log`)
    expect(lines.map(({ text }) => (JSON.parse(text) as { text: string }).text)).toEqual(['got hello', 'got hello to me'])
  })

  if (isNight) test('begins anew behind its end', { timeout: 180_000 }, async () => {
    const server = await openWith({ clock: { ...CLOCK, speed: 300 } })
    const id = await server.made('first', 'clock')
    for (let turn = 0; turn < 2; turn++) {
      await server.start(id)
      const { progress, ...whole } = await server.until(id, ({ end }) => end !== undefined)
      expect(whole).toMatchObject({ state: 'STOPPED', reason: 'the data have ended', end: { end: 'whole', openOrders: [] } })
      expect(progress!.events).toBeGreaterThan(1_000)
    }
  })

  if (isNight) test('is stopped before it has begun, and cannot begin', { timeout: 180_000 }, async () => {
    const server = await openWith({ clock: CLOCK, none: { ...CLOCK, files: ['no-such-day.txt.zst'] } })
    const id = await server.started('first', 'clock')
    await server.stop(id)
    expect(await server.until(id, ({ end }) => end !== undefined)).toMatchObject({ state: 'STOPPED', reason: 'the run was stopped' })
    expect(await server.made('second', 'none')).toContain('venue must be a venue whose data can be read')
  })
})

describe('a venue of hosts', () => {
  test.each(repeated([true, false]))('is stopped; orders are cancelled: %s', { timeout: 180_000 }, async (cancelOrders) => {
    const { config, openCount } = await served()
    const server = await openWith({ there: config })
    const id = await server.started('one', 'there')
    await server.trading(id)
    await server.stop(id, { cancelOrders })
    const { state, end, progress } = await server.until(id, (status) => status.end !== undefined)
    expect([state, end!.openOrders.length, openCount()]).toEqual(['STOPPED', ...cancelOrders ? [0, 0] : [2, 2]])
    const { summary: { orders: { orderCount, openAtEndCount } } } = JSON.parse(readFileSync(join(server.config.store!, 'instances', id, 'result.json'), 'utf8')) as BacktestResult
    expect([progress!.orders, progress!.openOrders]).toEqual([orderCount, openAtEndCount])
    if (cancelOrders) expect(openAtEndCount).toBe(0)
    expect(textOf(server.config.store!) + JSON.stringify([server.notes, await server.ask('/api/v1/strategy/instance'), await server.ask('/api/v1/metrics')])).not.toContain(KEY)
  })

  test.each(repeated([['loop', 'LIMIT_EXCEEDED'], ['throw', 'STRATEGY_FAILED'], ['exit', 'STRATEGY_FAILED'], ['timer', 'STRATEGY_FAILED']]))('a strategy that does: %s leaves no order', { timeout: 180_000 }, async (message, code) => {
    const { config, openCount } = await served()
    const server = await openWith({ there: { ...config, type: 'live' } }, { live: true })
    const id = await server.started('one', 'there')
    await server.trading(id)
    await server.send(message)
    expect(await server.until(id, ({ end }) => end !== undefined)).toMatchObject({ state: 'FAILED', end: { code, openOrders: [] } })
    expect(openCount()).toBe(0)
  })

  if (isNight) test('whose adapter stays away fails its instance alone', { timeout: 180_000 }, async () => {
    const [{ config, serving }, other] = [await served(), await served()]
    const server = await openWith({ there: { ...config, giveUpAfter: '500ms' }, other: other.config, gone: { ...config, backend: 'http://127.0.0.1:9' }, secret: { ...config, keyFile: 'no-such-file' } })
    expect(await server.made('gone', 'gone')).toContain('venue must be a venue whose hosts answer')
    expect(await server.made('secret', 'secret')).toContain('must hold the key of the feeds')
    expect(await server.made('wrong', 'there', { instrument: 'NONE' })).toContain('parameters.instrument must be')
    const [id, sound, later] = [await server.started('one', 'there'), await server.started('two', 'other'), await server.made('three', 'there')]
    await server.trading(id)
    await server.trading(sound)
    await serving.orderEntry.close()
    const failed = await server.until(id, ({ end }) => end !== undefined)
    expect(failed).toMatchObject({ state: 'FAILED', end: { code: 'CONNECTION_FAILED' } })
    expect(failed.reason).toMatch(/^the adapter of paper has been away for 500ms; its orders may still be open/)
    await server.start(later)
    expect(await server.until(later, ({ end }) => end !== undefined)).toMatchObject({ state: 'FAILED', end: { code: 'CONNECTION_FAILED' } })
    expect((await server.status(sound)).state).toBe('RUNNING')
  })

  if (isNight) test('the end of the server cancels the orders of its instances', { timeout: 180_000 }, async () => {
    const { config, openCount } = await served()
    const server = await openWith({ there: config })
    await server.trading(await server.started('one', 'there'))
    await server.close()
    expect(openCount()).toBe(0)
  })
})

describe('behind a crash of the server', () => {
  test('open orders are named, and a new run takes them over', { timeout: 180_000 }, async () => {
    const { config, openCount } = await served(10)
    const plain = venueConfig({ there: config, clock: CLOCK })
    const { server: killed, child } = await spawnedVenues(plain)
    const [id, clocked] = [await killed.started('one', 'there'), await killed.started('two', 'clock')]
    await killed.trading(id)
    await killed.until(clocked, ({ state }) => state === 'RUNNING')
    child.kill('SIGKILL')
    await killed.close()
    const server = await openedVenues(plain)
    ends.push(server.close)
    const named = await server.until(id, ({ openOrders }) => openOrders !== undefined)
    expect(named).toMatchObject({ state: 'INTERRUPTED', reason: 'the server ended while it ran; open at its adapter: 2 orders' })
    expect(named.openOrders).toHaveLength(2)
    expect(await server.until(clocked, ({ openOrders }) => openOrders !== undefined)).toMatchObject({ state: 'INTERRUPTED', openOrders: [], reason: expect.stringContaining('to another fingerprint') as string })
    expect(openCount()).toBe(2)
    await server.start(id, { resume: true })
    await server.until(id, ({ state, progress }) => state === 'RUNNING' && (progress?.events ?? 0) > 0)
    expect(server.notes.join('\n')).toContain('positions and open orders of the run before are taken over')
    await server.stop(id)
    expect(await server.until(id, ({ end }) => end !== undefined)).toMatchObject({ state: 'STOPPED', end: { openOrders: [] } })
    expect(openCount()).toBe(0)
  })
})

describe('orders that runs of before have left', () => {
  const open = async (): Promise<{ readonly server: VenueServer, readonly id: string, readonly openCount: () => number }> => {
    const { config, openCount } = await served()
    const server = await openWith({ there: config, other: config })
    const id = await server.started('one', 'there')
    await server.trading(id)
    await server.stop(id, { cancelOrders: false })
    await server.until(id, ({ end }) => end !== undefined)
    expect(openCount()).toBe(2)
    return { server, id, openCount }
  }

  test('are not forgotten: a delete and another venue are refused, a start takes them over, its stop cancels them', { timeout: 180_000 }, async () => {
    const { server, id, openCount } = await open()
    const refusal = { error: { code: 'ORDERS_OPEN', details: { instanceId: id } } }
    expect(await server.ask(`/api/v1/strategy/instance/${id}/delete`, {})).toMatchObject(refusal)
    expect(await server.ask('/api/v1/strategy/instance/delete', { instanceIds: [id] })).toMatchObject(refusal)
    expect(await server.ask(`/api/v1/strategy/instance/${id}/reconfigure`, { parameters: { instrument: 'XRPUSDT' }, venue: 'other' })).toMatchObject(refusal)
    await server.start(id)
    await server.until(id, ({ progress }) => progress?.openOrders === 2)
    await server.stop(id)
    expect(await server.until(id, ({ end }) => end !== undefined)).toMatchObject({ state: 'STOPPED', end: { openOrders: [] } })
    expect(openCount()).toBe(0)
    expect(await server.ask(`/api/v1/strategy/instance/${id}/delete`, {})).toBe(null)
  })

  test('are cancelled by stop-all, which says so', { timeout: 180_000 }, async () => {
    const { server, id, openCount } = await open()
    const [one, ...more] = await stopAll({ server: server.url, token: null })
    expect([one, more, openCount()]).toMatchObject([{ instanceId: id, state: 'STOPPED', openOrders: [], reason: 'the run was stopped; no order of it is open' }, [], 0])
    expect(await stopAll({ server: server.url, token: null })).toEqual([])
  })

  if (isNight) test('may be open where their adapter is away: a delete needs to be told', { timeout: 180_000 }, async () => {
    const { server, id } = await open()
    await ends.shift()!()
    const asked = await server.ask<Status[]>('/api/v1/strategy/stop-all', {})
    expect(asked).toMatchObject([{ openOrders: [expect.any(String), expect.any(String)] }])
    await server.until(id, ({ reason }) => reason?.includes('2 orders may be open at its adapter, which cannot be asked') ?? false)
    expect(await server.ask(`/api/v1/strategy/instance/${id}/delete`, { leaveOrders: true })).toBe(null)
  })
})

test('a simulated venue whose hosts are on the wall\'s clock is refused', async () => {
  const { config } = await served()
  const adapter = createServer((request, response) => {
    const clock = request.url?.startsWith('/api/info') === true
    void fetch(`${config.backend}${request.url ?? ''}`).then(async (answer) => {
      const body = await answer.json() as object
      response.end(JSON.stringify(clock ? { ...body, clock: 'wall' } : body).replaceAll(new URL(config.backend).port, String((adapter.address() as AddressInfo).port)))
    })
  })
  await once(adapter.listen(0, '127.0.0.1'), 'listening')
  ends.push(async () => { adapter.close() })
  const server = await openWith({ there: { ...config, backend: `http://127.0.0.1:${(adapter.address() as AddressInfo).port}`, directory: config.backend } })
  expect(await server.made('one', 'there')).toContain('clock must be simulated, as that of `backtape serve`, found another one')
})

describe('venues that are refused', () => {
  const HOSTS = { type: 'simulated', feeds: ['ws://127.0.0.1:9/api/v6'], backend: 'http://127.0.0.1:9', accounts: ['paper'] }
  test.each([
    [{ ...HOSTS, type: 'vendor' }, 'venues.a.type', 'replay, simulated or live'], [{ ...HOSTS, type: 'live' }, 'live', 'true, as the venue a is live'],
    [{ ...HOSTS, key: KEY }, 'the options', 'another field'], [{ ...HOSTS, apiKey: KEY }, 'the options', 'another field'], [{ ...CLOCK, speed: 0 }, 'venues.a.speed', 'max, or a factor above 0'],
    [{ ...CLOCK, speed: 'lockstep' }, 'venues.a.speed', 'max, or a factor above 0'], [{ ...CLOCK, speed: -1 }, 'venues.a.speed', 'above 0'], [{ type: 'replay', speed: 60 }, 'venues.a.files', 'a list'],
    [{ ...CLOCK, backend: 'http://127.0.0.1:9' }, 'venues.a.backend', 'absent, as a venue of type replay'], [{ ...HOSTS, speed: 60 }, 'venues.a.speed', 'absent, as a venue of hosts'],
    [{ ...HOSTS, accounts: { paper: ACCOUNT } }, 'venues.a.accounts', 'a list of account names'], [{ ...CLOCK, account: undefined, accounts: ['paper'] }, 'venues.a.accounts', 'account'], [{ ...HOSTS, feeds: [] }, 'venues.a.feeds', 'a list'],
    [{ type: 'simulated' }, 'venues.a.backend', 'a URL'], [{ ...HOSTS, keyFile: 'a', keyVariable: 'B' }, 'venues.a.keyVariable', 'keyFile or keyVariable'], [{ ...HOSTS, keyVariable: 'a key' }, 'venues.a.keyVariable', 'environment'],
  ])('%j at %s: %s', async (venue, path, words) => {
    const refused = await openedVenues(venueConfig({ a: venue })).then(() => 'opened', (error: unknown) => error as Error & { code: string })
    expect(refused).toMatchObject({ code: 'OPTION_INVALID' })
    const { message } = refused as Error
    expect(message).toContain(path)
    expect(message).toContain(words)
    expect(message).not.toContain(KEY)
  })

  test.each(['no-such-folder', import.meta.filename])('strategies that are no folder: %s', async (strategies) => {
    await expect(openedVenues(venueConfig({ clock: CLOCK }, { strategies }))).rejects.toMatchObject({ code: 'OPTION_INVALID', place: { field: 'strategies' } })
  })

  test('a key that others can read', async () => {
    if (process.platform === 'win32') return
    const { config } = await served()
    const open644 = join(newFolder(), 'key')
    writeFileSync(open644, KEY)
    chmodSync(open644, 0o644)
    const server = await openWith({ there: { ...config, keyFile: open644 } })
    expect(await server.made('one', 'there')).toContain(open644)
  })
})
