import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { BacktapeError } from '../../src/model/error.js'
import { instrumentTerms } from '../../src/tardis/instrument-terms.js'
import { statedTermsFromText, type MarketKind, type StatedTerms } from '../../src/tardis/stated-terms.js'
import { importTardis } from '../../src/tardis/tardis-import-writer.js'
import { TARDIS_COLUMNS, tardisFileFromName, type TardisType } from '../../src/tardis/tardis-layout.js'
import { StepFinder } from '../../src/tardis/step-finder.js'
import { backtape } from '../support/command.ts'
import { writeSheet } from '../support/tardis-maker.ts'

const folder = mkdtempSync(join(tmpdir(), 'backtape-refused-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const place = { exchange: 'binance', symbol: 'BTCUSDT', day: '2026-07-01' }
const AT = '1782864000000005'
const LEAD = `binance,BTCUSDT,${AT},${AT}`
let count = 0

/** The error of the only day of a folder. */
async function errorOf(path: string): Promise<BacktapeError | null> {
  const { days } = await importTardis(path, { out: join(path, 'out') })
  expect(days).toHaveLength(1)
  expect(days[0]?.outcome).toBe('failed')
  return days[0]?.error ?? null
}

/** Rows of a data type that are refused: the line, the field, and words of the sentence. */
const ROWS: readonly (readonly [name: string, type: TardisType, rows: string[], line: number, field: string, words: RegExp])[] = [
  ['a cell too few', 'trades', [`${LEAD},1,buy,100`], 2, 'row', /8 cells, found 7/],
  ['a cell too many', 'quotes', [`${LEAD},1,101,100,1,9`], 2, 'row', /8 cells, found 9/],
  ['quotation marks', 'trades', [`${LEAD},"1",buy,100,1`], 2, 'row', /free of quotation marks/],
  ['an endless exponent of a price', 'trades', [`${LEAD},1,buy,1e200,1`], 2, 'price', /a decimal, not negative, found "1e200"/],
  ['an exponent of no number', 'incremental_book_L2', [`${LEAD},true,bid,100,1E`], 2, 'amount', /found "1E"/],
  ['a negative amount in scientific form', 'trades', [`${LEAD},1,buy,100,-1e-7`], 2, 'amount', /found "-1e-7"/],
  ['a negative amount', 'trades', [`${LEAD},1,buy,100,-1`], 2, 'amount', /found "-1"/],
  ['a negative price', 'incremental_book_L2', [`${LEAD},true,bid,-100,1`], 2, 'price', /found "-100"/],
  ['no price', 'trades', [`${LEAD},1,buy,,1`], 2, 'price', /found ""/],
  ['a level without an amount', 'book_snapshot_5', [`${LEAD},101,,100,1${','.repeat(16)}`], 2, 'asks[0].amount', /found ""/],
  ['a word as a price', 'quotes', [`${LEAD},1,abc,100,1`], 2, 'ask_price', /found "abc"/],
  ['a side of a trade in a book', 'incremental_book_L2', [`${LEAD},true,buy,100,1`], 2, 'side', /bid or ask, found "buy"/],
  ['a side of a book in a trade', 'trades', [`${LEAD},1,bid,100,1`], 2, 'side', /buy or sell/],
  ['an unknown side of a liquidation', 'liquidations', [`${LEAD},1,unknown,100,1`], 2, 'side', /buy or sell/],
  ['another truth', 'incremental_book_L2', [`${LEAD},1,bid,100,1`], 2, 'is_snapshot', /false or true/],
  ['another symbol', 'trades', [`${LEAD},1,buy,100,1`, `binance,ETHUSDT,${AT},${AT},1,buy,100,1`], 3, 'symbol', /BTCUSDT, as the name says, found ETHUSDT/],
  ['another exchange', 'trades', [`okex,BTCUSDT,${AT},${AT},1,buy,100,1`], 2, 'exchange', /binance, as the name says/],
  ['milliseconds', 'trades', ['binance,BTCUSDT,1782864000000,1782864000000,1,buy,100,1'], 2, 'local_timestamp', /16 digits/],
  ['a venue time in seconds', 'trades', [`binance,BTCUSDT,1782864000,${AT},1,buy,100,1`], 2, 'timestamp', /16 digits/],
  ['another day', 'trades', ['binance,BTCUSDT,1782950400000000,1782950400000000,1,buy,100,1'], 2, 'local_timestamp', /on the day/],
  ['a step back', 'trades', [`${LEAD},1,buy,100,1`, 'binance,BTCUSDT,1782864000000004,1782864000000004,2,buy,100,1'], 3, 'local_timestamp', /at least 1782864000000005 of the row above/],
  ['a rate in words', 'derivative_ticker', [`${LEAD},,high,,,,,`], 2, 'funding_rate', /a decimal, found "high"/],
  ['an endless exponent', 'derivative_ticker', [`${LEAD},,1e-999,,,,,`], 2, 'funding_rate', /a decimal/],
  ['a funding time in seconds', 'derivative_ticker', [`${LEAD},1782864000,0.1,,,,,`], 2, 'funding_timestamp', /16 digits/],
  ['an empty line', 'trades', [''], 2, 'row', /8 cells, found 1/],
]

describe('rows that are refused, with file, line, field, expected and found', () => {
  test.each(ROWS)('%s', async (_, type, rows, line, field, words) => {
    const path = join(folder, `row${count++}`)
    const file = writeSheet(path, place, type, rows)
    const error = await errorOf(path)
    expect(error).toMatchObject({ code: 'ROW_INVALID', place: { file, line, field } })
    expect(error?.message).toMatch(words)
    expect(error?.message.startsWith(`Cannot import line ${String(line)} of ${file}: ${field} must be `)).toBe(true)
  })
})

const HEADERS: readonly (readonly [name: string, header: string, words: RegExp])[] = [
  ['of another type', TARDIS_COLUMNS.quotes.join(','), /no column id/],
  ['without a column', TARDIS_COLUMNS.trades.filter((one) => one !== 'side').join(','), /no column side/],
  ['in another order', [...TARDIS_COLUMNS.trades].reverse().join(','), /exchange in column 1/],
  ['with a column more', `${TARDIS_COLUMNS.trades.join(',')},fee`, /nothing more in column 9/],
  ['none at all', `${LEAD},1,buy,100,1`, /no column exchange/],
]

describe('headers that are refused', () => {
  test.each(HEADERS)('%s', async (_, header, words) => {
    const path = join(folder, `header${count++}`)
    mkdirSync(path)
    writeFileSync(join(path, 'binance_trades_2026-07-01_BTCUSDT.csv'), `${header}\n${LEAD},1,buy,100,1\n`)
    const error = await errorOf(path)
    expect(error).toMatchObject({ code: 'ROW_INVALID', place: { line: 1, field: 'header' } })
    expect(error?.message).toMatch(words)
  })
})

describe('files that are refused', () => {
  const rows = Array.from({ length: 3000 }, (_, i) => `${LEAD},${String(i * 7919)},buy,100.${String(i)},1`)
  const FILES: readonly (readonly [name: string, damage: (bytes: Uint8Array) => Uint8Array, words: RegExp])[] = [
    ['a cut gzip file', (bytes) => bytes.slice(0, bytes.length / 2), /cut off.*download it again/],
    ['one without its last byte', (bytes) => bytes.slice(0, -1), /cut off/],
    ['a wrong checksum', (bytes) => bytes.map((byte, at) => (at === bytes.length - 6 ? byte ^ 1 : byte)), /damaged/],
    ['no gzip file', () => new TextEncoder().encode('exchange,symbol'), /damaged/],
  ]
  test.each(FILES)('%s', async (_, damage, words) => {
    const path = join(folder, `file${count++}`)
    const file = writeSheet(path, place, 'trades', rows)
    writeFileSync(file, damage(readFileSync(file)))
    const error = await errorOf(path)
    expect(error?.code).toBe('FILE_UNREADABLE')
    expect(error?.message).toMatch(words)
  })

  test('a plain file whose last line has no end; a line beyond the limit; no row at all', async () => {
    const cut = join(folder, 'cut')
    const file = writeSheet(cut, place, 'trades', rows, false)
    writeFileSync(file, readFileSync(file).subarray(0, -3))
    expect((await errorOf(cut))?.message).toMatch(/line 3001 .*ended by a line end.*a cut file/)
    const long = join(folder, 'long')
    writeFileSync(writeSheet(long, place, 'trades', []), gzipSync(`x${'y'.repeat(3_000_000)}`))
    expect((await errorOf(long))?.code).toBe('LINE_TOO_LONG')
    const empty = join(folder, 'empty')
    writeSheet(empty, place, 'trades', [])
    expect((await errorOf(empty))?.message).toMatch(/hold no row that becomes an event/)
  })

  test('a bad day does not stop the others', async () => {
    const path = join(folder, 'others')
    writeSheet(path, place, 'trades', [`${LEAD},1,buy,x,1`])
    writeSheet(path, { ...place, day: '2026-07-02' }, 'trades', ['binance,BTCUSDT,1782950400000000,1782950400000000,1,buy,100,1'])
    const { days } = await importTardis(path, { out: join(path, 'out') })
    expect(days.map(({ outcome }) => outcome)).toEqual(['failed', 'imported'])
  })

  test('two files of one kind and day end everything', async () => {
    const path = join(folder, 'twice')
    writeSheet(path, place, 'trades', [`${LEAD},1,buy,100,1`])
    writeSheet(join(path, 'again'), place, 'trades', [`${LEAD},1,buy,100,1`], false)
    await expect(importTardis(path, { out: path })).rejects.toThrow(/is also trades of binance BTCUSDT on 2026-07-01; leave one/)
  })

  test.each([
    ['nowhere', /there is no such folder/],
    ['empty-folder', /it holds no \.csv/],
  ])('the folder %s', async (name, words) => {
    if (name === 'empty-folder') mkdirSync(join(folder, name))
    await expect(importTardis(join(folder, name), { out: folder })).rejects.toThrow(words)
  })

  test.each([
    ['deribit_options_chain_2026-07-01_OPTIONS.csv.gz', /options_chain is not supported/],
    ['binance_candles_2026-07-01_BTCUSDT.csv.gz', /candles is none of the data types/],
    ['binance-futures_trades_2026-07-01_PERPETUALS.csv.gz', /many instruments in one file/],
    ['binance_trades_2026-02-30_BTCUSDT.csv', /there is no day 2026-02-30/],
    ['notes.csv', /its name is not EXCHANGE_DATATYPE/],
  ])('the name %s', (name, words) => {
    expect(tardisFileFromName(name, name)).toMatch(words)
  })
})

describe('terms that money depends on', () => {
  const at = (exchange: string, symbol: string, stated: Partial<StatedTerms> | null = null, kind: MarketKind | null = null) =>
    instrumentTerms(exchange, symbol, kind, stated === null ? null : { exchange, symbol, ...stated })

  test.each<readonly [exchange: string, symbol: string, stated: Partial<StatedTerms> | null, kind: MarketKind | null, words: RegExp]>([
    ['bitmex', 'XBTUSD', null, null, /the kind of market, and money depends on it; state it in a file given with --instrument, such as \{"exchange":"bitmex"/],
    ['bitmex', 'XBTUSD', null, 'perpetual', /if the contract is inverse/],
    ['bitmex', 'XBTUSD', { is_inverse: true }, 'perpetual', /the contract value.*"contract_value":"<contract value>"/],
    ['bybit', 'BTCUSDT', { is_inverse: false }, 'perpetual', /the multiplier/],
    ['bitmex', 'ETHUSD', { is_quanto: true, contract_value: '0.000001' }, 'perpetual', /the asset that profit is paid in/],
    ['deribit', 'BTC-28AUG26-68000-C', null, 'option', /the strike, the expiry/],
    ['deribit', 'BTC-28AUG26-68000-C', { type: 'call', strike_price: '68000' }, null, /the strike, the expiry/],
    ['bybit-spot', 'BTCTUSD', null, null, /its assets/],
    ['bitstamp', 'XYZ', null, null, /its assets/],
  ])('%s %s %j %s', (exchange, symbol, stated, kind, words) => {
    expect(() => at(exchange, symbol, stated, kind)).toThrow(words)
  })

  test('what exchange and symbol say beyond doubt', () => {
    expect(at('binance-futures', 'BTCUSDT_260925')).toMatchObject({ type: 'future', base: 'BTC', quote: 'USDT', settle: 'USDT', multiplier: '1', expiry: '2026-09-25T08:00:00Z' })
    expect(at('binance', 'BNBBUSD')).toMatchObject({ type: 'spot', base: 'BNB', quote: 'BUSD' })
    expect(at('coinbase', 'ETH-USD')).toMatchObject({ type: 'spot', base: 'ETH', quote: 'USD' })
    expect(at('bitmex', 'XBTUSD', { type: 'perpetual', is_inverse: true, contract_value: '1', base: 'XBT', quote: 'USD' }))
      .toMatchObject({ isInverse: true, contractValue: '1', settle: 'XBT', notes: [] })
  })

  test.each([
    ['[', /its content must be JSON/],
    ['{"exchange":"a"}', /symbol must be a text, found nothing/],
    ['[{"exchange":"a","symbol":"b","contract_size":"1"}]', /\[0\]\.contract_size must be a known field, such as contract_value/],
    ['{"exchange":"a","symbol":"b","multiplier":0.01}', /multiplier must be a decimal above 0 in quotation marks, found 0\.01/],
    ['{"exchange":"a","symbol":"b","ticksize":"0"}', /ticksize must be a decimal above 0/],
    ['{"exchange":"a","symbol":"b","type":"swap"}', /type must be one of spot, perpetual/],
    ['{"exchange":"a","symbol":"b","expiry":"tomorrow"}', /expiry must be a time/],
    ['{"exchange":"a","symbol":"b","usd_rates":{"USDT":1}}', /usd_rates must be decimals/],
    ['{"exchange":"a","symbol":"b","id":-1}', /id must be a whole number/],
    ['[{"exchange":"a","symbol":"b"},{"exchange":"a","symbol":"B"}]', /stated once/],
    ['7', /must be an object/],
  ])('a file of instruments: %s', (text, words) => {
    expect(() => statedTermsFromText(text, 'terms.json')).toThrow(words)
  })

  test('the command asks for them before it reads a file, with exit code 2', async () => {
    const path = join(folder, 'inverse')
    const sheet = { exchange: 'binance-delivery', symbol: 'BTCUSD_PERP', day: '2026-07-01' }
    writeSheet(path, sheet, 'trades', [`binance-delivery,BTCUSD_PERP,${AT},${AT},1,buy,61000.1,3`])
    const asked = await backtape(['import', 'tardis', path, '--out', join(path, 'out'), '--kind', 'perpetual'])
    expect(asked).toMatchObject({ code: 2, out: '' })
    expect(asked.err).toMatch(/if the contract is inverse.*--instrument, such as \{"exchange":"binance-delivery","symbol":"BTCUSD_PERP"/)
    const terms = join(path, 'terms.json')
    writeFileSync(terms, JSON.stringify({ exchange: 'binance-delivery', symbol: 'BTCUSD_PERP', is_inverse: true, contract_value: '100', base: 'BTC', quote: 'USD', ticksize: '0.1', lot_size: '1' }))
    const told = await backtape(['import', 'tardis', path, '--out', join(path, 'out'), '--kind', 'perpetual', '--instrument', terms])
    expect(told.out).toMatch(/binance_delivery-BTCUSD_PERP-2026-07-01\.txt\.zst: 1 event, sound/)
    expect(await backtape(['import', 'databento', path])).toMatchObject({ code: 2 })
  })
})

test.each([
  [['100.50', '101.0', '99.5'], '0.5'], [['0.0001', '0.00025'], '0.00005'], [['300', '450'], '150'], [['0', '0.00'], null],
  [['12345678901234567890.5', '1'], '0.5'], [['5', '7', '9.10'], '0.1'], [[], null],
])('the step of %j is %s', (texts, step) => {
  const finder = new StepFinder()
  for (const text of texts) finder.note(text)
  expect(finder.text()).toBe(step)
})
