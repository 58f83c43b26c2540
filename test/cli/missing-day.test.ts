import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { errorSentence } from '../../src/cli/terminal/exit-code.js'
import { lackingAdvice, shopAdvice } from '../../src/cli/terminal/missing-day.js'
import { BacktapeError, type ErrorCode, type ErrorPlace } from '../../src/model/error.js'
import { FaultsError } from '../../src/model/fault.js'
import { shopFileName } from '../../src/model/shop-file-name.js'
import { backtape } from '../support/command.ts'
import { datasetsFolder } from '../support/datasets-folder.ts'
import { newFolder } from '../support/new-folder.ts'

const before = process.env['BACKTAPE_SHOP']
const setShop = (url: string | undefined): void => {
  if (url === undefined) delete process.env['BACKTAPE_SHOP']
  else process.env['BACKTAPE_SHOP'] = url
}
beforeEach(() => { setShop('http://127.0.0.1:1') })
afterEach(() => { setShop(before) })

const adviceOf = (place: ErrorPlace, code: ErrorCode = 'FILE_NOT_FOUND'): string => shopAdvice(new BacktapeError(code, 'Cannot', place))
const get = (words: string): string => `; the shop may have it: backtape shop get ${words}`

describe('the command that brings a day', () => {
  test.each<[string, ErrorPlace, string]>([
    ['a file as the shop names it', { file: 'days/binance_swap-BTCUSDT-2024-08-08.txt.zst' }, 'binance_swap:BTCUSDT 2024-08-08'],
    ['a code with hyphens and a date', { file: 'deribit-BTC-2024-08-09-C-2024-08-08.txt.zst' }, 'deribit:BTC-2024-08-09-C 2024-08-08'],
    ['a code whose letters are escaped', { file: shopFileName('a_spot', 'BTC/USDT', '2026-01-02', 'txt.zst') }, 'a_spot:BTC/USDT 2026-01-02'],
    ['a file by its id', { file: '67824_2024-08-08.txt.zst' }, '67824 2024-08-08'],
    ['an older name', { file: 'd:\\67824_2024-08-08_xrp-master-a.txt.zst' }, '67824 2024-08-08'],
    ['a member of an archive', { file: 'all.tar#binance_swap-BTCUSDT-2024-08-08.txt.zst' }, 'binance_swap:BTCUSDT 2024-08-08'],
    ['a pattern of folders', { field: 'data', found: 'days/**/a_spot-XRP-2026-07-01.txt.zst' }, 'a_spot:XRP 2026-07-01'],
    ['days of an instrument in a folder', { field: 'data', instrument: 'BTCUSDT', days: '2024-08-07..2024-08-09', found: 'none' }, 'BTCUSDT 2024-08-07..2024-08-09'],
    ['a day of an instrument in a folder', { field: 'data', instrument: 'a_swap:BTC', days: '2024-08-07', found: 'none' }, 'a_swap:BTC 2024-08-07'],
  ])('%s', (_name, place, words) => {
    expect(adviceOf(place)).toBe(get(words))
  })

  test.each<[string, ErrorPlace]>([
    ['another name', { file: 'notes.txt.zst' }],
    ['no such day', { file: 'a_spot-XRP-2026-02-30.txt.zst' }],
    ['a pattern of days', { field: 'data', found: 'a_spot-XRP-2026-07-*.txt.zst' }],
    ['a pattern of codes', { field: 'data', found: 'a_spot-*-2026-07-01.txt.zst' }],
    ['any instrument', { field: 'data', expected: 'a tick file from 2024-08-07 to 2024-08-09', found: 'none' }],
    ['days without an end', { field: 'data', expected: 'BTCUSDT from 2024-08-07', found: 'none' }],
    ['a place of another field', { field: 'latency', found: 'a_spot-XRP-2026-07-01.txt.zst' }],
    ['what a shell would run', { file: 'a_spot-$(reboot)-2026-07-01.txt.zst' }],
    ['an escaped sign of a shell', { file: 'a_spot-a_u003bb-2026-07-01.txt.zst' }],
    ['what a terminal would obey', { file: 'a_spot-a\u001b[2J-2026-07-01.txt.zst' }],
  ])('none for %s', (_name, place) => {
    expect(adviceOf(place)).toBe('')
  })

  test('one command for all files of a run', () => {
    const faults = ['a_spot-XRP-2026-07-01.txt.zst', 'a_spot-B-2026-07-01.txt.zst', 'x/a_spot-XRP-2026-07-02.txt.zst', 'a_spot-"X"-2026-07-02.txt.zst', 'notes.txt']
      .map((file, at) => ({ path: `data[${at}]`, expected: 'a file that exists', found: 'words', file }))
    const error = new FaultsError('RUN_FILE_INVALID', 'Cannot read the run file', [...faults, { path: 'from', expected: 'a time', found: '"noon"' }], 'the file', 'a_spot-XRP-2026-07-09.txt.zst')
    expect(shopAdvice(error)).toBe(get('a_spot:XRP 2026-07-01,2026-07-02 a_spot:B 2026-07-01'))
  })

  test('none for another error, nor where no shop is set', () => {
    const place = { file: '67824_2024-08-08.txt.zst' }
    expect(adviceOf(place, 'FILE_UNREADABLE')).toBe('')
    for (const url of [undefined, '']) {
      setShop(url)
      expect(errorSentence(new BacktapeError('FILE_NOT_FOUND', 'Cannot', place))).toBe('Cannot')
    }
  })
})

test('the commands that bring what a run lacks', () => {
  const warnings = ['a_spot:XRP has no file of 2026-06-29, 2026-07-03: a gap', 'a_spot:XRP has no file of 2026-06-29, 2026-07-03: a gap', 'a_spot:$X has no file of 2026-06-29: a gap', 'The mark is old']
  expect(lackingAdvice(warnings)).toBe(get('a_spot:XRP 2026-06-29,2026-07-03').slice(2))
  expect(lackingAdvice(['The mark is old'])).toBe('')
  setShop(undefined)
  expect(lackingAdvice(warnings)).toBe('')
})

describe('commands whose day is missing', () => {
  const file = 'binance_swap-BTCUSDT-2024-08-08.txt.zst'
  const runFile = 'examples/grid-trader/grid-trader.run.json'
  const folder = newFolder()
  const [lacking, absent] = [join(folder, 'lacking.run.json'), join(folder, 'absent.run.json')]
  beforeAll(() => {
    const { strategy: _strategy, from: _from, to: _to, ...content } = JSON.parse(readFileSync(runFile, 'utf8')) as Record<string, string>
    const write = (path: string, from: string, to: string): void => {
      const data = [{ instrument: 'synthetic_swap:XRPUSDT', from, to, in: datasetsFolder }]
      writeFileSync(path, JSON.stringify({ ...content, strategy: resolve('examples/grid-trader/grid-trader.ts#GridTrader'), data }))
    }
    write(lacking, '2026-06-30', '2026-07-01')
    write(absent, '2026-05-30', '2026-05-31')
  })

  test.each<[string, readonly string[], number, string]>([
    ['info', ['info', file], 1, 'binance_swap:BTCUSDT 2024-08-08'],
    ['audit', ['audit', `days/${file}`], 1, 'binance_swap:BTCUSDT 2024-08-08'],
    ['convert', ['convert', file, '--out', folder], 1, 'binance_swap:BTCUSDT 2024-08-08'],
    ['backtest', ['backtest', runFile, '--data', file], 1, 'binance_swap:BTCUSDT 2024-08-08'],
    ['backtest without a day', ['backtest', absent], 1, 'synthetic_swap:XRPUSDT 2026-05-30..2026-05-31'],
    ['backtest that lacks a day', ['backtest', lacking], 0, 'synthetic_swap:XRPUSDT 2026-06-30'],
  ])('%s', async (_name, words, wanted, command) => {
    const env = { BACKTAPE_SHOP: 'http://127.0.0.1:1' }
    const [{ out, err, code }, plain] = [await backtape(words, { env }), await backtape(words, { env: { BACKTAPE_SHOP: '' } })]
    expect([code, (out + err).includes(get(command).slice(2))]).toEqual([wanted, true])
    expect((plain.out + plain.err).includes('shop')).toBe(false)
  }, 60_000)
})
