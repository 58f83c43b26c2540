import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
 
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readRunFile } from '../../src/configuration/run-file-reader.js'
import { runRunFile } from '../../src/backtest/run-file.js'
import { backtape } from '../support/command.ts'
import { RunFolder, runContent, strategyModule, XRP_DAY } from '../support/run-folder.ts'

const folder = new RunFolder()
afterAll(() => folder.remove())
const at = (name: string): string => join(folder.path, name)

const IDLE = strategyModule('')
const BYTES = readFileSync(XRP_DAY)

beforeAll(() => {
  copyFileSync(XRP_DAY, at('synthetic_swap-XRPUSDT-2026-07-01.txt.zst'))
  folder.write('subject.ts', IDLE)
  const data = ['synthetic_swap-XRPUSDT-2026-07-01.txt.zst']
  folder.write('latency.csv', 'request_ts,exchange_ts,response_ts\n1000,2000,3000\n2000,3500,4000\n')
  folder.write('idle.run.json', runContent({ data, assumptions: { requestLatency: 'recorded latency.csv' } }))
  folder.write('other.run.json', runContent({ data, to: '23:55:39' }))
  // Names that a journal may have, of files that it must not replace.
  symlinkSync(at('idle.run.json'), at('linked-run.jsonl'))
  linkSync(at('subject.ts'), at('hard.jsonl'))
  linkSync(at('idle.run.json'), at('run.jsonl'))
  symlinkSync(at('synthetic_swap-XRPUSDT-2026-07-01.txt.zst'), at('day.jsonl'))
  linkSync(at('latency.csv'), at('latency.jsonl'))
  mkdirSync(at('sub'))
})

const day = (): string => at('synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
const run = (): string => at('idle.run.json')

describe('no output is an input, with --force or without', { timeout: 180_000 }, () => {
  test.each<[string, () => string[], () => string]>([
    ['minutes', () => ['minutes', day(), '--to', 'csv', '--out', day()], day],
    [
      'minutes by another spelling',
      () => ['minutes', day(), '--to', 'csv', '--out', at('sub/../synthetic_swap-XRPUSDT-2026-07-01.txt.zst')],
      day,
    ],
    ['a journal over the run file', () => ['backtest', run(), '--journal', at('run.jsonl')], run],
    ['a journal over the run file through a link', () => ['backtest', run(), '--journal', at('linked-run.jsonl')], run],
    ['a journal over the strategy', () => ['backtest', run(), '--journal', at('hard.jsonl')], () => at('subject.ts')],
    ['a journal over the data', () => ['backtest', run(), '--journal', at('day.jsonl')], day],
    [
      'a journal over a recorded latency',
      () => ['backtest', run(), '--journal', at('latency.jsonl')],
      () => at('latency.csv'),
    ],
    ['a checkpoint over the run file', () => ['backtest', run(), '--checkpoint', run()], run],
    ['a checkpoint over the data', () => ['backtest', run(), '--checkpoint', day()], day],
  ])('%s', async (_, words, path) => {
    const before = readFileSync(path())
    const results = await Promise.all([backtape(words()), backtape([...words(), '--force'])])
    for (const { code, out, err } of results) {
      expect([code, out]).toEqual([2, ''])
      expect(err).toMatch(/^Cannot write .*input.*never overwritten; choose another name\n$/)
    }
    expect(readFileSync(path()).equals(before)).toBe(true)
  })

  test('nor is it a golden of the run, or a kept day of its cache', async () => {
    expect((await backtape(['verify', run(), '--update'])).code).toBe(0)
    const cache = at('cache')
    folder.write('cache/0123-2-no-day.backtape-day', 'kept')
    linkSync(at('idle.golden.json'), at('golden.jsonl'))
    linkSync(join(cache, '0123-2-no-day.backtape-day'), at('kept-day.jsonl'))
    for (const path of [at('golden.jsonl'), at('idle.golden.jsonl.gz'), at('kept-day.jsonl')]) {
      const before = readFileSync(path)
      const { code, err } = await backtape(['backtest', run(), '--cache', cache, '--journal', path, '--force'])
      expect([code, err]).toEqual([2, expect.stringContaining('never overwritten')])
      expect(readFileSync(path).equals(before)).toBe(true)
    }
  })

  test('nor a device, nor twice the same file', async () => {
    const device = await backtape(['minutes', day(), '--to', 'csv', '--out', '/dev/null', '--force'])
    expect([device.code, device.err]).toEqual([
      1,
      expect.stringContaining('it is a device, and an output must be a plain file'),
    ])
    const twice = await backtape(['backtest', run(), '--journal', at('fills.jsonl'), '--out', folder.path, '--to', 'jsonl'])
    expect([twice.code, twice.err]).toEqual([2, expect.stringContaining('two outputs of this command have that name')])
    expect(existsSync(at('fills.jsonl'))).toBe(false)
  })

  test('a day is as it was bought', () => {
    expect(readFileSync(day()).equals(BYTES)).toBe(true)
  })
})

describe('the file of checkpoints', { timeout: 180_000 }, () => {
  const checkpoint = (): string => at('kept.checkpoint.json')
  const withCheckpoints = (path: string, ...more: string[]): string[] => [
    'backtest',
    path,
    '--checkpoint',
    checkpoint(),
    ...more,
  ]

  /** A checkpoint of the idle run, as an interrupted run leaves it. */
  async function takenCheckpoint(): Promise<string> {
    let text = ''
    await runRunFile(await readRunFile(run()), {
      checkpoints: {
        every: '5s',
        take: (taken) => {
          text = JSON.stringify(taken)
          return false
        },
      },
    })
    return text
  }

  test.each([
    ['a text of somebody else', 'mine'],
    ['other JSON', '{"worlds":1}'],
    ['nothing at all', ''],
  ])('is left alone where it is %s, and the run is refused before it starts', async (_, content) => {
    writeFileSync(checkpoint(), content)
    const { code, out, err } = await backtape(withCheckpoints(run()))
    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(/^Cannot write the checkpoint .*: it is no checkpoint; .*--force\n$/)
    expect(readFileSync(checkpoint(), 'utf8')).toBe(content)
  })

  test('of another configuration is left alone', async () => {
    const text = await takenCheckpoint()
    writeFileSync(checkpoint(), text)
    const { code, err } = await backtape(withCheckpoints(at('other.run.json'), '--checkpoint-every', '2s'))
    expect([code, err]).toEqual([2, expect.stringContaining('it is a checkpoint of a run of another configuration')])
    expect(readFileSync(checkpoint(), 'utf8')).toBe(text)
  })

  test('of this run is written again and removed at its end; without a checkpoint taken it stays', async () => {
    const text = await takenCheckpoint()
    writeFileSync(checkpoint(), text)
    expect((await backtape(withCheckpoints(run()))).code).toBe(0)
    expect(readFileSync(checkpoint(), 'utf8')).toBe(text)
    expect((await backtape(withCheckpoints(run(), '--checkpoint-every', '5s'))).code).toBe(0)
    expect(existsSync(checkpoint())).toBe(false)
  })

  test('is removed by the run that resumed from it', async () => {
    writeFileSync(checkpoint(), await takenCheckpoint())
    expect((await backtape(withCheckpoints(run(), '--resume'))).code).toBe(0)
    expect(existsSync(checkpoint())).toBe(false)
  })

  test('is written over with --force, whatever plain file it was', async () => {
    writeFileSync(checkpoint(), 'mine')
    expect((await backtape(withCheckpoints(run(), '--checkpoint-every', '5s', '--force'))).code).toBe(0)
    expect(existsSync(checkpoint())).toBe(false)
    writeFileSync(checkpoint(), 'mine')
    expect((await backtape(withCheckpoints(run(), '--force'))).code).toBe(0)
    expect(readFileSync(checkpoint(), 'utf8')).toBe('mine')
  })

  test('that cannot be written is refused before the run', async () => {
    const { code, out, err } = await backtape([
      'backtest',
      run(),
      '--checkpoint',
      at('none/x.json'),
      '--checkpoint-every',
      '5s',
    ])
    expect([code, out, err]).toEqual([1, '', expect.stringContaining('its folder does not exist; create it first')])
  })
})
