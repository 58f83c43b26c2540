import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readRunFile } from '../../src/configuration/run-file-reader.js'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { openServing, type ServedDays } from '../../src/serve/open-serving.js'
import type { ParameterConfig } from '../../src/strategy/parameter-values.js'
import { backtape } from '../support/command.ts'
import { startCommand, until } from '../support/started-command.js'

const ROOT = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'backtape-live-cli-'))
const run = join(folder, 'flow.run.json')
const market = { data: [join(ROOT, 'datasets/synthetic_spot-XRPUSDT-2026-07-01.txt.zst')], from: '23:57', to: '23:58' }
const KEY = 'a-key-of-the-feeds'

const STRATEGY = `import { Strategy, Parameter, TradingInstrument } from 'backtape'
export class Taker extends Strategy {
  @Parameter(TradingInstrument) instrument!: TradingInstrument
  override onStart(): void { this.every(5_000, () => { this.trade() }) }
  trade(): void {
    const { bestBid, bestAsk, openOrders } = this.instrument
    if (bestBid === null || bestAsk === null || openOrders.length > 4) return
    const quantity = this.instrument.quantity('100')
    this.instrument.placeOrder({ side: 'BID', quantity, price: bestAsk.price, postOnly: false })
    this.instrument.placeOrder({ side: 'BID', quantity, price: this.instrument.price('1.0500') })
  }
}
`

beforeAll(() => {
  mkdirSync(join(folder, 'node_modules'))
  writeFileSync(join(folder, 'taker.ts'), STRATEGY)
  writeFileSync(run, JSON.stringify({
    strategy: './taker.ts#Taker', ...market, parameters: { instrument: 'XRPUSDT' }, account: { balances: { USDT: '100000' }, fees: { maker: '0.0001', taker: '0.0003' } },
  }))
})
afterAll(() => { rmSync(folder, { recursive: true, force: true }) })

/** The days of the run file behind servers; lock-step unless it says otherwise. */
async function served(speed: 'lockstep' | number = 'lockstep'): Promise<ServedDays> {
  const { options } = await readRunFile(run)
  const { strategy: _, parameters: _parameters, ...rest } = options
  return openServing({ ...rest, httpPort: 0, keys: [{ key: KEY, markets: ['synthetic_spot'], days: 'always' }], replay: { speed } })
}

const hosts = ({ addresses: { feeds, http } }: ServedDays): string[] => ['--feed', feeds[0]!.json, '--backend', http]

const WITH_KEY = { env: { BACKTAPE_FEED_KEY: KEY } }

test('prints what a backtest prints, and leaves its tables, report and journal', async () => {
  const serving = await served()
  const played = serving.run()
  const out = join(folder, 'tables')
  const { code, out: stdout } = await backtape(['live', run, ...hosts(serving), '--out', out, '--journal', join(folder, 'j.btj'), '--json'], WITH_KEY)
  await played
  await serving.close()
  expect(code).toBe(0)
  const { options } = await readRunFile(run)
  const backtest = await runBacktest({ ...options, parameters: options.parameters as ParameterConfig })
  const live = JSON.parse(stdout) as { summary: { fillCount: number, total: object, orders: { byState: object } }, reason: string }
  expect([live.reason, live.summary.fillCount, live.summary.total, live.summary.orders.byState]).toEqual(['the data have ended', backtest.fills.rowCount, JSON.parse(JSON.stringify(backtest.summary.total)), backtest.summary.orders.byState])
  expect(backtest.fills.rowCount).toBeGreaterThan(3)
  expect(readdirSync(out)).toEqual(expect.arrayContaining(['fills.csv', 'orders.csv', 'equity.csv', 'round-trips.csv', 'report.html', 'report.json']))
  const lines = readFileSync(join(out, 'fills.csv'), 'utf8').trim().split('\n')
  expect(lines).toHaveLength(1 + backtest.fills.rowCount)
  // The key stands nowhere.
  for (const name of readdirSync(out)) expect(readFileSync(join(out, name)).includes(KEY)).toBe(false)
})

test('the section live of the run file says the same as the options', async () => {
  const serving = await served()
  const played = serving.run()
  const own = join(folder, 'own.run.json')
  const { feeds, http } = serving.addresses
  writeFileSync(own, JSON.stringify({ ...JSON.parse(readFileSync(run, 'utf8')) as object, live: { feeds: [{ url: feeds[0]!.sbe, market: 'synthetic_spot' }], backend: http, accounts: ['account'], keyVariable: 'MY_KEY', cancel: 'none' } }))
  const { code, out: stdout } = await backtape(['live', own], { env: { MY_KEY: KEY } })
  await played
  await serving.close()
  expect([code, stdout]).toEqual([0, expect.stringContaining('as the adapter reported them')])
  // A backtest does not read it.
  expect((await backtape(['backtest', own, '--json'])).code).toBe(0)
})

test('on paper it is the backtest, with tables and report, and no backend is asked', async () => {
  const serving = await served(60)
  void serving.run().then(() => serving.close())
  const { feeds, http } = serving.addresses
  const out = join(folder, 'paper')
  const { code, out: stdout, err } = await backtape(['live', run, '--paper', '--feed', feeds[0]!.json, '--directory', http, '--out', out, '--json'], WITH_KEY)
  expect([code, err]).toEqual([0, expect.stringContaining('Feed synthetic_spot: open')])
  const { options } = await readRunFile(run)
  const backtest = await runBacktest({ ...options, parameters: options.parameters as ParameterConfig })
  const paper = JSON.parse(stdout) as { summary: { fillCount: number, orders: { byState: object }, assumptions: object }, reason: string }
  expect(paper.reason).toBe('the feed said service shutdown')
  expect(paper.summary).toMatchObject({ fillCount: backtest.fills.rowCount, orders: { byState: backtest.summary.orders.byState }, assumptions: backtest.summary.assumptions })
  expect(readdirSync(out)).toEqual(expect.arrayContaining(['fills.csv', 'orders.csv', 'equity.csv', 'round-trips.csv', 'report.html', 'report.json']))
})

describe('refuses, before anything is connected', () => {
  test.each([
    ['paper with a backend', [run, '--paper', '--feed', 'ws://127.0.0.1:9/api/v6', '--backend', 'http://127.0.0.1:9'], '--backend: it must be left out with --paper'],
    ['paper without a feed', [run, '--paper', '--directory', 'http://127.0.0.1:9'], '--feed: it must be given, or live.feeds of the run file, found neither of them'],
    ['paper without a directory', [run, '--paper', '--feed', 'ws://127.0.0.1:9/api/v6'], '--directory: it must be given, or live.directory of the run file'],
    ['a lag without paper', [run, '--lag', '1s', '--feed', 'ws://127.0.0.1:9/api/v6', '--backend', 'http://127.0.0.1:9'], '--lag: it must be left out without --paper'],
    ['no key', [run, '--feed', 'ws://127.0.0.1:9/api/v6', '--backend', 'http://127.0.0.1:9'], 'the environment variable BACKTAPE_FEED_KEY must hold the key of the feeds, found nothing'],
    ['no feed', [run, '--backend', 'http://127.0.0.1:9'], '--feed: it must be given, or live.feeds of the run file, found neither of them'],
    ['no backend', [run, '--feed', 'ws://127.0.0.1:9/api/v6'], '--backend: it must be given, or live.backend of the run file'],
    ['an end', [run, '--feed', 'ws://x/api/v6', '--backend', 'http://x', '--to', '12:00'], '--to: it must be a format of tables'],
    ['a word for what is cancelled', [run, '--cancel', 'some'], '--cancel'],
    ['a file that is not there', [join(folder, 'none.run.json'), '--feed', 'ws://x', '--backend', 'http://x'], 'it does not exist'],
  ])('%s', async (_what, args, sentence) => {
    const { code, err: stderr } = await backtape(['live', ...args])
    expect([code, stderr]).toEqual([expect.any(Number), expect.stringContaining(sentence)])
    expect(code).toBeGreaterThan(0)
  })

  test.each([
    ['an unknown field', { live: { feed: 'ws://x' } }, 'live'], ['no feeds', { live: { feeds: [] } }, 'live.feeds'], ['a key in the file', { live: { keyVariable: 'a-b' } }, 'live.keyVariable'], ['a time that is none', { live: { giveUpAfter: 'soon' } }, 'live.giveUpAfter'], ['a lag that is none', { live: { lag: '1 hour' } }, 'live.lag'],
    ['two sets', { parameters: [{ instrument: 'XRPUSDT' }, { instrument: 'XRPUSDT' }], live: { feeds: ['ws://127.0.0.1:9/api/v6'], backend: 'http://127.0.0.1:9' } }, 'one set of parameters'],
  ])('a run file with %s', async (_what, changes, sentence) => {
    const path = join(folder, 'bad.run.json')
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(run, 'utf8')) as object, ...changes }))
    const { code, err: stderr } = await backtape(['live', path], WITH_KEY)
    expect([code !== 0, stderr]).toEqual([true, expect.stringContaining(sentence)])
  })

  test('a host that nobody has, without the key', async () => {
    const { code, err: stderr } = await backtape(['live', run, '--feed', 'ws://127.0.0.1:9/api/v6', '--backend', 'http://127.0.0.1:9'], WITH_KEY)
    expect([code, stderr.includes(KEY)]).toEqual([1, false])
    expect(stderr).toContain('127.0.0.1:9')
  })
})

test('a strategy that throws leaves what it traded, as the result of a run that failed, and no order', async () => {
  writeFileSync(join(folder, 'thrower.ts'), STRATEGY.replace('    const { bestBid', "    if (++this.count > 4) throw new Error('out of ideas')\n    const { bestBid").replace('  override onStart', '  count = 0\n  override onStart'))
  const own = join(folder, 'thrower.run.json')
  writeFileSync(own, JSON.stringify({ ...JSON.parse(readFileSync(run, 'utf8')) as object, strategy: './thrower.ts#Taker' }))
  const serving = await served(20)
  void serving.run()
  const out = join(folder, 'failed')
  const { code, err } = await backtape(['live', own, ...hosts(serving), '--out', out], WITH_KEY)
  await serving.close()
  expect([code, err]).toEqual([1, expect.stringContaining('out of ideas')])
  const lines = (name: string): string[] => readFileSync(join(out, name), 'utf8').trim().split('\n').slice(1)
  expect(lines('fills.csv').length).toBeGreaterThan(0)
  expect(lines('orders.csv').filter((line) => line.includes('CONFIRMED'))).toEqual([])
  expect(readFileSync(join(out, 'runs.csv'), 'utf8')).toContain('true')
  expect(readFileSync(join(out, 'report.html'), 'utf8')).toContain('the run failed')
})

describe('a signal', () => {
  test('ends a paper run likewise', async () => {
    writeFileSync(join(folder, 'taker.ts'), STRATEGY.replace("price: this.instrument.price('1.0500') })", "price: this.instrument.price('1.0500') })\n    this.log('traded')").replace('5_000', '500'))
    const serving = await served(2)
    void serving.run()
    const { feeds, http } = serving.addresses
    const out = join(folder, 'paper-stopped')
    const command = startCommand(['live', run, '--paper', '--feed', feeds[0]!.json, '--directory', http, '--out', out], folder, WITH_KEY.env)
    await until(() => command.errors().includes('traded') || command.child.exitCode !== null)
    command.child.kill('SIGINT')
    const { code, err } = await command.end
    await serving.close()
    expect([code, err]).toEqual([130, expect.stringContaining('Ended: stopped by its signal')])
    const orders = readFileSync(join(out, 'orders.csv'), 'utf8').trim().split('\n').slice(1)
    expect(orders.filter((line) => line.includes('CONFIRMED'))).toEqual([])
    expect(orders.filter((line) => line.includes('CANCELED')).length).toBeGreaterThan(0)
  })

  test.each([['SIGINT', 130], ['SIGHUP', 129]] as const)('%s stops, cancels its own orders, writes the result, and ends with %d', async (signal, wanted) => {
    writeFileSync(join(folder, 'taker.ts'), STRATEGY.replace("price: this.instrument.price('1.0500') })", "price: this.instrument.price('1.0500') })\n    this.log('traded')").replace('5_000', '500'))
    const serving = await served(2)
    void serving.run()
    const out = join(folder, `stopped by ${signal}`)
    const command = startCommand(['live', run, ...hosts(serving), '--out', out], folder, WITH_KEY.env)
    await until(() => command.errors().includes('traded') || command.child.exitCode !== null)
    command.child.kill(signal)
    const { code, err } = await command.end
    await serving.close()
    expect([code, err]).toEqual([wanted, expect.stringContaining('Ended: stopped by its signal')])
    const orders = readFileSync(join(out, 'orders.csv'), 'utf8').trim().split('\n').slice(1)
    expect(orders.length).toBeGreaterThan(1)
    expect(orders.filter((line) => line.includes('CONFIRMED'))).toEqual([])
    expect(orders.filter((line) => line.includes('CANCELED')).length).toBeGreaterThan(0)
  })
})
