import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import type { RunOptions } from '../../src/configuration/run-options.js'
import { loadStrategy } from '../../src/configuration/strategy-module-reader.js'
import type { BacktestResult } from '../../src/results/backtest-result.js'
import type { StrategyServerConfig } from '../../src/strategy-server/strategy-server-options.js'
import { newFolder } from '../support/new-folder.ts'
import { spawnedVenues, SWAP_DAY, type Status, type VenueServer } from '../support/venue-instances.ts'

const root = resolve(import.meta.dirname, '../..')
const EXAMPLES = ['grid-trader', 'flow-taker', 'spread-trader', 'average-cross', 'avellaneda-maker', 'inventory-maker']
const LIMITS = { callbackMs: 3_000, heapMb: 256, bufferMb: 192 }

/** A program: its strategy, and the venue of it, which has the fields of a run file. */
interface Program {
  readonly name: string
  readonly strategyName: string
  readonly module: string
  readonly parameters: object
  readonly venue: Readonly<Record<string, unknown>>
}

let strategies = ''
const programs: Program[] = []
beforeAll(async () => {
  strategies = newFolder()
  for (const name of EXAMPLES) programs.push(exampleOf(name))
  for (const seed of [11, 12, 13, 14, 15]) programs.push(await randomOf(seed))
  cpSync(join(root, 'test/support/unruly-strategies.ts'), join(strategies, 'unruly.ts'))
})

function exampleOf(name: string): Program {
  const folder = join(root, 'examples', name)
  const { strategy, data, parameters, account, accounts, assumptions, seed, from, to } = JSON.parse(readFileSync(join(folder, `${name}.run.json`), 'utf8')) as Record<string, unknown>
  cpSync(join(folder, `${name}.ts`), join(strategies, `${name}.ts`))
  const stated = Object.entries({ account, accounts, assumptions, seed, from, to }).filter(([, value]) => value !== undefined)
  return {
    name, module: `${name}.ts`, strategyName: (strategy as string).split('#')[1]!, parameters: parameters as object,
    venue: { type: 'replay', files: (data as string[]).map((path) => resolve(folder, path)), ...Object.fromEntries(stated) },
  }
}

/** A program of scripts/random-programs, as far as a venue states one. */
async function randomOf(first: number): Promise<Program> {
  const { programOf } = await import(pathToFileURL(join(root, 'scripts/random-programs/program.mjs')).href) as { programOf: (seed: number) => RandomProgram }
  const draws = pathToFileURL(join(root, 'scripts/random-programs/draws.mjs')).pathname
  const text = readFileSync(join(root, 'scripts/random-programs/strategies.mjs'), 'utf8').replace("import { build } from './build.mjs'", "import * as build from 'backtape'").replace('./draws.mjs', draws)
  writeFileSync(join(strategies, 'random.mjs'), `${text}\nexport { Trader, Taker, Watcher }\n`)
  for (let seed = first * 100; ; seed++) {
    const { files, strategy, entries, options: { parameters, account, accounts, assumptions, seed: own, from, to } } = programOf(seed)
    if (entries !== null) continue
    const folder = newFolder()
    const days = files.map(({ name, bytes }) => {
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, name), bytes)
      return join(folder, name)
    })
    const stated = Object.entries({ account, accounts, assumptions, seed: own, from, to }).filter(([, value]) => value !== undefined)
    const program: Program = { name: `random-${seed}`, module: 'random.mjs', strategyName: strategy, parameters: parameters[0]!, venue: { type: 'replay', files: days, ...Object.fromEntries(stated) } }
    // Some of them are refused, and some trade nothing.
    const result = await backtested(program).catch(() => null)
    if (result !== null && result.journalLineCount > 50) return program
  }
}

interface RandomProgram {
  readonly files: readonly { readonly name: string, readonly bytes: Uint8Array }[]
  readonly strategy: string
  readonly entries: object | null
  readonly options: Readonly<Record<string, unknown>> & { readonly parameters: readonly object[] }
}

/** The result of `backtape backtest` of the same options. */
async function backtested({ venue: { type: _, files, ...options }, module, strategyName, parameters }: Program, more: object = {}): Promise<BacktestResult> {
  const strategy = await loadStrategy(`${join(strategies, module)}#${strategyName}`, '.', null)
  return runBacktest({ ...options, data: files as RunOptions['data'], strategy, parameters, ...more } as Parameters<typeof runBacktest>[0])
}

const CALM: Program = {
  name: 'calm', module: 'unruly.ts', strategyName: 'Calm', parameters: { instrument: 'XRPUSDT', slow: 1 },
  venue: { type: 'replay', files: [SWAP_DAY], from: '23:59', account: { balances: { USDT: '10000' }, fees: { maker: '0.0002', taker: '0.0005' } } },
}

function configOf(own: readonly Program[], store: string): StrategyServerConfig {
  return { strategies, store, port: 0, limits: LIMITS, venues: Object.fromEntries([...own, CALM].map(({ name, venue }) => [name, venue])) } as unknown as StrategyServerConfig
}

async function made(server: VenueServer, { name, module, strategyName, parameters }: Program, instanceName = name): Promise<string> {
  const { instanceId, error } = await server.ask<{ instanceId: string, error?: object }>('/api/v1/strategy/instance', { instanceName, strategyName: `${module}#${strategyName}`, parameters, venue: name })
  if (error !== undefined) throw new Error(JSON.stringify(error))
  return instanceId
}

async function ended(server: VenueServer, id: string): Promise<Status> {
  return server.until(id, ({ end, state }) => end !== undefined && state !== 'STARTING', 3_000)
}

const fingerprintOf = ({ end }: Status): string => (end as { fingerprint: string | null } | undefined)?.fingerprint ?? 'none'

/** What a run has left of its journal, whichever channels it received from. */
function journalDigestOf(store: string, id: string): string {
  return (JSON.parse(readFileSync(join(store, 'instances', id, 'result.json'), 'utf8')) as { journalDigest: string }).journalDigest
}

/** The digest of a backtest that plays what an instance received. */
async function digestOfReplayed(store: string, id: string): Promise<string> {
  const file = join(store, 'instances', id, 'received.jsonl')
  const signals = existsSync(file) ? { signals: [{ name: 'desk', file, time: 'ts', delay: '0ms', channel: 'desk' }] } : {}
  return (await backtested(CALM, signals)).journalDigest
}

test('instances have the fingerprints of backtests: alone, beside others and the unruly, with saved messages', { timeout: 600_000 }, async () => {
  const expected: string[] = []
  for (const one of programs) expected.push((await backtested(one)).fingerprint)
  const store = join(newFolder(), 'store')
  const { server } = await spawnedVenues(configOf(programs, store))
  try {
    const ids: string[] = []
    for (const one of programs) ids.push(await made(server, one))
    for (const [at, id] of ids.entries()) {
      await server.start(id)
      expect([programs[at]!.name, fingerprintOf(await ended(server, id))]).toEqual([programs[at]!.name, expected[at]])
    }
    const unruly = ['Looper', 'TimerLooper', 'HeapLeaker', 'BufferLeaker', 'BufferBurster', 'Exiter', 'TimerThrower', 'Rejecter', 'Promiser', 'Thrower', 'Flooder']
    const others = []
    for (const strategyName of unruly) others.push(await made(server, { ...CALM, strategyName }, strategyName))
    const calm = await made(server, CALM)
    await server.ask('/api/v1/strategy/instance/start', { instanceIds: [...others, ...ids, calm] })
    await server.until(calm, ({ state }) => state !== 'STARTING')
    for (let count = 0; (await server.status(calm)).state === 'RUNNING'; count++) await server.send(`m${count}`)
    for (const [at, id] of ids.entries()) expect([programs[at]!.name, fingerprintOf(await ended(server, id))]).toEqual([programs[at]!.name, expected[at]])
    for (const [at, id] of others.entries()) expect([unruly[at], (await ended(server, id)).state]).toEqual([unruly[at], unruly[at] === 'Flooder' ? 'STOPPED' : 'FAILED'])
    expect((await ended(server, calm)).state).toBe('STOPPED')
    expect(existsSync(join(store, 'instances', calm, 'received.jsonl'))).toBe(true)
    expect(journalDigestOf(store, calm)).toBe(await digestOfReplayed(store, calm))
  } finally {
    await server.close()
  }
})

test.each([100, 300, 600, 1_000, 1_500, 2_500, 4_000])('behind kill -9 after %d ms, resumed, they have the same fingerprints', { timeout: 600_000 }, async (ms) => {
  const store = join(newFolder(), 'store')
  const config = configOf(programs, store)
  const { server: killed } = await spawnedVenues(config)
  const ids: string[] = []
  const all = [...programs, CALM]
  for (const one of all) ids.push(await made(killed, one))
  await killed.ask('/api/v1/strategy/instance/start', { instanceIds: ids })
  const until = performance.now() + ms
  for (let count = 0; performance.now() < until; count++) await killed.send(`m${count}`)
  await killed.close()
  const { server } = await spawnedVenues({ ...config, resume: true })
  try {
    for (const [at, id] of ids.entries()) {
      const status = await ended(server, id)
      expect([all[at]!.name, status.state, status.reason]).toEqual([all[at]!.name, 'STOPPED', expect.anything()])
      if (all[at] !== CALM) expect([all[at]!.name, fingerprintOf(status)]).toEqual([all[at]!.name, (await backtested(all[at]!)).fingerprint])
      else expect(journalDigestOf(store, id)).toBe(await digestOfReplayed(store, id))
    }
  } finally {
    await server.close()
  }
})
