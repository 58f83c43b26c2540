import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { loadStrategy } from '../../src/configuration/strategy-module-reader.js'
import { readJournal } from '../../src/results/journal-file-reader.js'
import type { BacktestResult } from '../../src/results/backtest-result.js'
import { orderOptions, type InstanceOrder, type ReplayVenue } from '../../src/strategy-server/instance-run.js'
import type * as unruly from '../support/unruly-strategies.ts'
import { UNRULY_MODULE, unrulyOrder, WatchedInstance } from '../support/instance-runs.ts'
import { newFolder } from '../support/new-folder.ts'
import { isNight, repeated } from '../support/repetitions.ts'

let folder = ''
beforeAll(() => { folder = newFolder('instances') })

/** The result of `backtape backtest` of the same, with what an instance received as its signals. */
async function backtested(order: InstanceOrder<ReplayVenue>, channels: readonly string[] = []): Promise<BacktestResult> {
  const strategy = await loadStrategy(`${order.modulePath}#${order.strategyName}`, '.', order.bundles)
  const file = join(order.folder, 'received.jsonl')
  const signals = (existsSync(file) ? channels : []).map((channel) => ({ name: channel, file, time: 'ts', delay: '0ms', channel }))
  return runBacktest({ ...orderOptions(order), strategy, parameters: order.parameters, ...(signals.length === 0 ? {} : { signals }) })
}

async function journalOf({ folder: own }: InstanceOrder): Promise<readonly string[]> {
  const lines: string[] = []
  try {
    for await (const part of readJournal(join(own, 'journal.btj'))) lines.push(...part.lines())
  } catch (error) {
    lines.push((error as Error).message)
  }
  return lines
}

describe('the run of an instance', () => {
  test('has the result of a backtest, beside others too', async () => {
    const order = unrulyOrder(folder, 'Calm')
    const instances = [order, ...(isNight ? [unrulyOrder(folder, 'Calm'), unrulyOrder(folder, 'Calm')] : [])].map((one) => new WatchedInstance(one))
    const plain = await backtested(order)
    for (const { ended, opened, calls, logged, progress, order: { folder: own } } of instances) {
      expect(await ended).toMatchObject({ end: 'whole', fingerprint: plain.fingerprint, journalLineCount: plain.journalLineCount, openOrders: [], droppedCount: 0 })
      expect(opened).toEqual(['desk'])
      expect(calls.at(-1)).toBe('ended')
      expect(calls.filter((one) => one === 'ended' || one === 'running')).toEqual(['running', 'ended'])
      expect(logged.filter((text) => text.includes('filled')).length).toBe(plain.summary.fillCount)
      const { fillCount, orders: { orderCount, openAtEndCount } } = plain.summary
      expect(progress.at(-1)).toMatchObject({ fillCount, orderCount, openOrderCount: openAtEndCount })
      expect(openAtEndCount).toBeGreaterThan(0)
      expect(readdirSync(own).sort()).toEqual(['journal.btj', 'result.json'])
      const result = JSON.parse(readFileSync(join(own, 'result.json'), 'utf8')) as Record<string, unknown>
      expect([result['fingerprint'], result['end'], (result['summary'] as { fillCount: number }).fillCount]).toEqual([plain.fingerprint, 'whole', plain.summary.fillCount])
    }
    expect((await journalOf(order)).length).toBe(plain.journalLineCount)
  })

  test('receives messages, which are saved and played again', async () => {
    const order = unrulyOrder(folder, 'Calm', { parameters: { instrument: 'XRPUSDT', slow: 1 } })
    let sent = 0
    const instance = new WatchedInstance(order, { published: () => { if (sent < 20) instance.run.receive('desk', { origin: 'wire', message: `${sent++}` }) } })
    await instance.running
    instance.run.receive('desk', { origin: 'wire', message: 'first' })
    const end = await instance.ended
    expect(end).toMatchObject({ end: 'whole', droppedCount: 0 })
    expect(instance.published.length).toBe(21)
    const plain = await backtested(order, ['desk'])
    const { journalDigest } = JSON.parse(readFileSync(join(order.folder, 'result.json'), 'utf8')) as { journalDigest: string }
    expect(journalDigest).toBe(plain.journalDigest)
  })

  test.each(repeated([true, false]))('is stopped, and cancels its orders: %s', async (cancelOrders) => {
    const order = unrulyOrder(folder, 'Calm', { parameters: { instrument: 'XRPUSDT', slow: 10 } })
    const instance = new WatchedInstance(order, { progressed: ({ openOrderCount }) => { if (openOrderCount > 0) instance.run.stop(cancelOrders) } })
    const end = await instance.ended
    expect([end.end, end.reason, end.openOrders.length > 0]).toEqual(['stopped', 'the run was stopped', !cancelOrders])
    expect(await journalOf(order)).toHaveLength(end.journalLineCount)
  })

  test('is killed: nothing is said any more', async () => {
    const instance = new WatchedInstance(unrulyOrder(folder, 'Calm', { parameters: { instrument: 'XRPUSDT', slow: 1 } }))
    await instance.running
    await instance.run.kill()
    const { length } = instance.calls
    await new Promise((resolve) => { setTimeout(resolve, 50) })
    expect([instance.calls.length, instance.calls.includes('ended')]).toEqual([length, false])
  })

  test('says all faults of its parameters at once', async () => {
    const end = await new WatchedInstance(unrulyOrder(folder, 'Calm', { parameters: { instrument: 'NONE', slow: 'x' } })).ended
    expect([end.code, end.faults.map(({ path }) => path)]).toEqual(['OPTION_INVALID', ['parameters.instrument', 'parameters.slow']])
    expect((await new WatchedInstance(unrulyOrder(folder, 'Calm', { strategyName: 'Nobody' })).ended).code).toBe('STRATEGY_NOT_FOUND')
  })
})

describe('an instance whose process was killed', () => {
  test.each(repeated([null, 0, 50, 100, 200, 300, 400, 500, 700, 900]))('goes on to the same result, %s ms after its begin, or behind its first checkpoint', async (ms) => {
    const order = unrulyOrder(folder, 'Calm', { parameters: { instrument: 'XRPUSDT', slow: 1 }, checkpointMs: 20 })
    const child = spawn(process.execPath, [join(import.meta.dirname, '../support/instance-process.mjs'), JSON.stringify(order)], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    const [checkpoint, received] = ['checkpoint.json', 'received.jsonl'].map((name) => join(order.folder, name)) as [string, string]
    for (let waitedMs = 0; ms === null ? !existsSync(checkpoint) || !existsSync(received) : waitedMs < ms; waitedMs += 10) await new Promise((resolve) => { setTimeout(resolve, 10) })
    child.kill('SIGKILL')
    await once(child, 'exit')
    const instance = new WatchedInstance({ ...order, isResumed: true })
    const end = await instance.ended
    const plain = await backtested(order, ['desk'])
    const result = JSON.parse(readFileSync(join(order.folder, 'result.json'), 'utf8')) as Readonly<Record<string, unknown>>
    expect([end.end, result['journalDigest'], end.journalLineCount]).toEqual(['whole', plain.journalDigest, plain.journalLineCount])
    expect((await journalOf(order)).length).toBe(plain.journalLineCount)
    if (ms === null) expect(plain.summary.signals?.[0]?.playedCount).toBeGreaterThan(0)
  }, 60_000)
})

/** Strategies that misbehave: the code, words of the reason, true where its own stack is known. */
const UNRULY: readonly (readonly [name: keyof typeof unruly, code: string, words: string, hasStack: boolean])[] = [
  ['Looper', 'LIMIT_EXCEEDED', 'did not return within 2500 ms', false],
  ['TimerLooper', 'LIMIT_EXCEEDED', 'kept its thread for 2500 ms outside of a callback', false],
  ['HeapLeaker', 'LIMIT_EXCEEDED', '', false],
  ['BufferLeaker', 'LIMIT_EXCEEDED', 'too many buffers: at most 192 MiB', false],
  ['BufferBurster', 'LIMIT_EXCEEDED', '', false],
  ['Exiter', 'STRATEGY_FAILED', 'process.exit(3)', true],
  ['TimerThrower', 'STRATEGY_FAILED', 'out of a timer', true],
  ['Rejecter', 'STRATEGY_FAILED', 'nobody catches it', true],
  ['Promiser', 'STRATEGY_FAILED', 'returned a promise', false],
  ['Thrower', 'STRATEGY_FAILED', 'out of a callback', true],
]

/** By night all of them. */
const OF_DAY: readonly string[] = ['Looper', 'BufferLeaker', 'Exiter']

describe('a strategy that misbehaves ends alone', () => {
  test('beside one that does not', async () => {
    const all = UNRULY.filter(([name]) => isNight || OF_DAY.includes(name))
    const others = all.map(([name]) => new WatchedInstance(unrulyOrder(folder, name)))
    const flooder = new WatchedInstance(unrulyOrder(folder, 'Flooder'))
    const order = unrulyOrder(folder, 'Calm', { parameters: { instrument: 'XRPUSDT', slow: 1 } })
    const calm = new WatchedInstance(order)
    for (const [at, [name, code, words, hasStack]] of all.entries()) {
      const end = await (others[at] as WatchedInstance).ended
      expect([name, end.end, end.code]).toEqual([name, 'failed', code])
      expect(end.reason).toContain(words)
      if (hasStack) expect([name, end.stack?.includes(UNRULY_MODULE)]).toEqual([name, true])
      expect(JSON.parse(readFileSync(join(unrulyFolder(others[at]), 'result.json'), 'utf8'))).toMatchObject({ reason: end.reason, code })
    }
    const plain = await backtested(order)
    expect(await calm.ended).toMatchObject({ reason: 'the data have ended', fingerprint: plain.fingerprint })
    // It waits while this thread is behind, and nobody else does.
    if (isNight) expect((await flooder.ended).end).toBe('whole')
    else await flooder.run.kill()
    expect(flooder.published.length).toBeGreaterThan(1_000)
  }, 120_000)
})

const unrulyFolder = (one: WatchedInstance | undefined): string => one?.order.folder ?? ''
