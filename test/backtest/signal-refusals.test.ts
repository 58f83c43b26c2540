import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { Binary, Dictionary, Field, Float64, Int32, List, Table, tableFromArrays, tableToIPC, TimeSecond, Utf8, vectorFromArray } from 'apache-arrow'
import { afterAll, describe, expect, test } from 'vitest'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { changedInputs } from '../../src/backtest/golden-check.js'
import { runRunFile } from '../../src/backtest/run-file.js'
import { readRunFile } from '../../src/configuration/run-file-reader.js'
import type { SignalRow } from '../../src/model/signal-row.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { MADE_MIDNIGHT_NS, marketFile } from '../support/made-market-file.ts'
import { RunFolder, runContent, strategyModule } from '../support/run-folder.ts'
import { SignalFolder } from '../support/signal-files.ts'

const folder = new SignalFolder()
const runs = new RunFolder()
afterAll(() => {
  folder.remove()
  runs.remove()
})

class Taker extends Strategy {
  static rows: SignalRow[] = []
  override onSignal(_name: string, row: SignalRow): void {
    Taker.rows.push(row)
  }
}

const AT = '2026-07-01T00:00:00.000000'
const signal = (file: string, more: object = {}): object => ({ name: 'model', file, time: 'ts', delay: '0ms', ...more })
const options = (signals: unknown): Parameters<typeof runBacktest>[0] => ({
  strategy: Taker, data: [marketFile([])], day: '2026-07-01', parameters: {}, to: MADE_MIDNIGHT_NS + 1_000n, signals: signals as never,
})

async function messageOf(signals: unknown): Promise<string> {
  Taker.rows = []
  try {
    await runBacktest(options(signals))
  } catch (error) {
    return (error as Error).message.replaceAll(folder.path, '')
  }
  return 'nothing'
}

const NAMED = folder.write('named.csv', `ts,score\n${AT}1Z,0.5\n`)
mkdirSync(join(folder.path, 'a-folder'))
const GONE = join(folder.path, 'gone.csv')

/** The parts of a list of signals that need no file. */
const LISTS: readonly (readonly [what: string, signals: unknown, words: string])[] = [
  ['no list', signal(NAMED), 'signals: expected a list of signals, found {"name":"model"'],
  ['no name', [{ file: NAMED, time: 'ts', delay: '1ms' }], 'signals[0].name: expected a name of 1 to 80 characters, found nothing'],
  ['a name twice', [signal(NAMED), signal(NAMED)], 'signals[1].name: expected a name that no other signal has, found "model"'],
  ['no delay', [{ name: 'model', file: NAMED, time: 'ts' }], 'signals[0].delay: expected a duration such as 50ms, or 0ms, found nothing'],
  ['a delay without unit', [signal(NAMED, { delay: '50' })], 'signals[0].delay: expected a duration such as 50ms, or 0ms, found "50"'],
  ['a delay below 0', [signal(NAMED, { delay: '-1ms' })], 'signals[0].delay: expected a duration such as 50ms, or 0ms, found "-1ms"'],
  ['a delay above 30 days', [signal(NAMED, { delay: '31d' })], 'signals[0].delay: expected a duration from 0ns to 30d, found "31d"'],
  ['a bad unit', [signal(NAMED, { unit: 'minutes' })], 'signals[0].unit: expected s, ms, us or ns, found "minutes"'],
  ['a bad type', [signal(NAMED, { types: { score: 'float' } })], 'signals[0].types.score: expected integer, decimal, double, timestamp, boolean or text, found "float"'],
  ['an unknown field', [signal(NAMED, { column: 'ts' })], 'signals[0].column'],
  ['two that are refused each for its own', [{ ...signal(NAMED), delay: 'x' }, signal(GONE, { name: 'other' })], '2 faults:\n  signals[0].delay: expected a duration such as 50ms, or 0ms, found "x"\n  signals[1].file: expected a file that exists, found "/gone.csv"'],
  ['too many', Array.from({ length: 21 }, (_, at) => signal(NAMED, { name: `m${at}` })), 'signals: expected'],
]

/** Files and columns, with their sentence behind `Cannot run: `. */
const FILES: readonly (readonly [what: string, content: string | Uint8Array | null, more: object, words: string])[] = [
  ['a missing file', null, { file: GONE }, 'signals[0].file: expected a file that exists, found "/gone.csv"'],
  ['a folder', null, { file: join(folder.path, 'a-folder') }, 'signals[0].file: expected a plain file, found a folder (/a-folder)'],
  ['an empty file', '', {}, 'signals[0].file: expected a CSV file with a header, found no line (/x)'],
  ['no rows', 'ts,score\n', {}, 'signals[0].file: expected a file with at least one row, found none'],
  ['an unknown time', `at,score\n${AT}1Z,1\n`, {}, 'signals[0].time: expected a column of the file (at, score), found "ts"'],
  ['an unknown known', `ts,score\n${AT}1Z,1\n`, { known: 'seen' }, 'signals[0].known: expected a column of the file (ts, score), found "seen"'],
  ['a type of no column', `ts,score\n${AT}1Z,1\n`, { types: { size: 'double' } }, 'signals[0].types: expected columns of the file (ts, score), found "size"'],
  ['a time of texts', `ts,score\n${AT}1Z,1\n`, { types: { ts: 'text' } }, 'signals[0].time: expected a column of timestamps, or integers and their unit, found "ts" of texts'],
  ['a unit for times', tableToIPC(new Table({ ts: vectorFromArray([new Date(0)]) })), { unit: 'ms' }, 'signals[0].time: expected a column of integers, as a unit is stated, found "ts" of timestamps'],
  ['integers without unit', tableToIPC(new Table({ ts: vectorFromArray([1], new Int32()) })), {}, 'signals[0].time: expected a column of timestamps, or integers and their unit, found "ts" of integers'],
  ['floats for times', tableToIPC(new Table({ ts: vectorFromArray([1], new Float64()) })), { unit: 's' }, 'signals[0].time: expected a column of integers, as a unit is stated, found "ts" of doubles'],
  ['a column twice', `ts,score,score\n${AT}1Z,1,2\n`, {}, 'signals[0].file: expected a table whose columns have different names, found two of the name "score" (/x)'],
  ['a prototype', `ts,__proto__\n${AT}1Z,1\n`, {}, 'signals[0].file: expected a table without a column __proto__, found one (/x)'],
  ['gzip', gzipSync(`ts\n${AT}1Z\n`), {}, 'signals[0].file: expected a Parquet, Arrow, CSV or JSON file that is not packed, found gzip (/x)'],
  ['other bytes', Uint8Array.of(0x74, 0x73, 0x0a, 0xc0, 0xc0, 0x0a), {}, 'signals[0].file: expected text in UTF-8, found other bytes (/x)'],
  ['a cut Arrow stream', tableToIPC(tableFromArrays({ ts: [1] }), 'stream').slice(0, -8), {}, 'signals[0].file: expected a whole Arrow file or stream, found one that is cut (/x)'],
  ['a cut Arrow file', tableToIPC(tableFromArrays({ ts: [1] }), 'file').slice(0, -9), {}, 'signals[0].file: expected a whole Arrow file or stream, found one that is cut (/x)'],
  ['Arrow lists', tableToIPC(new Table({ ts: vectorFromArray([[1]], new List(new Field('item', new Int32(), true))) })), {}, 'column "ts" of type List<Int32> (/x)'],
  ['Arrow clock times', tableToIPC(new Table({ ts: vectorFromArray([1], new TimeSecond()) })), {}, 'column "ts" of type Time32'],
  ['Arrow bytes', tableToIPC(new Table({ ts: vectorFromArray([Uint8Array.of(1)], new Binary()) })), {}, 'column "ts" of type Binary'],
  ['types of Arrow', tableToIPC(tableFromArrays({ ts: [1] })), { types: { ts: 'double' } }, 'signals[0].file: expected a CSV or JSON file, as types are stated, found Arrow (/x)'],
  ['a damaged Parquet file', 'PAR1 and nothing else', {}, 'signals[0].file: expected a Parquet file that can be read, found'],
]

/** Rows, with their sentence behind `Cannot read row N of FILE: `. */
const ROWS: readonly (readonly [what: string, text: string, more: object, words: string])[] = [
  ['a null time', `ts,score\n${AT}1Z,1\n,2\n`, {}, 'row 2 of /x: "ts" must be a time, found null'],
  ['a time that is none', `ts,score\n${AT}1Z,1\nyesterday,2\n`, {}, 'row 2 of /x: "ts" must be an ISO-8601 time, found "yesterday"'],
  ['a time without day', `ts,score\n12:00,1\n`, {}, 'row 1 of /x: "ts" must be an ISO-8601 time, found "12:00"'],
  ['a day that is none', `ts\n2026-02-30T00:00:00Z\n`, {}, 'row 1 of /x: "ts" must be an ISO-8601 time, found "2026-02-30T00:00:00Z"'],
  ['times that fall', `ts\n${AT}2Z\n${AT}2Z\n${AT}1Z\n`, {}, 'row 3 of /x: "ts" must be at or after that of the row before, 2026-07-01T00:00:00.000000200Z, found 2026-07-01T00:00:00.000000100Z'],
  ['a signal from the future', `ts,seen\n${AT}1Z,${AT}1Z\n${AT}2Z,${AT}3Z\n`, { known: 'seen' }, 'row 2 of /x: "seen" must be at most its ts, 2026-07-01T00:00:00.000000200Z, found 2026-07-01T00:00:00.000000300Z: the row is from the future'],
  ['a future in another unit', 'ts,seen\n1782864000,1782864001\n', { known: 'seen', unit: 's' }, 'row 1 of /x: "seen" must be at most its ts, 2026-07-01T00:00:00.000000000Z, found 2026-07-01T00:00:01.000000000Z: the row is from the future'],
  ['no time of the newest input', `ts,seen\n${AT}1Z,\n`, { known: 'seen' }, 'row 1 of /x: "seen" must be a time, found null'],
  ['a time of another century', 'ts\n99999999999999\n', { unit: 's' }, 'row 1 of /x: "ts" must be a time from 1678 to 2261, found 99999999999999'],
  ['a fraction of a unit', 'ts\n1.5\n', { unit: 's' }, 'row 1 of /x: "ts" must be an integer, found "1.5"'],
  ['a number too late', `ts,score\n${AT}1Z,0.5\n${AT}2Z,\n${AT}3Z,high\n`, {}, 'row 3 of /x: "score" must be a decimal like its first value (or state its type in types), found "high"'],
  ['a cell of another type', `ts,score\n${AT}1Z,0.5\n`, { types: { score: 'integer' } }, 'row 1 of /x: "score" must be an integer, found "0.5"'],
  ['a cell too few', `ts,score\n${AT}1Z\n`, {}, 'row 1 of /x: it must be a row of 2 cells, found 1'],
  ['a cell too many', `ts,score\n${AT}1Z,1\n${AT}1Z,1,2\n`, {}, 'row 2 of /x: it must be a row of 2 cells, found 3'],
  ['an open quote', `ts,score\n${AT}1Z,1\n${AT}1Z,"1\n`, {}, 'row 2 of /x: it must be a row of CSV with a cell whose quote is closed, found the end of the file'],
  ['a quote inside', `ts,score\n${AT}1Z,1"2\n`, {}, 'row 1 of /x: it must be a row of CSV with a quote only around a whole cell, found "1\\""'],
]

describe('signals that are refused', () => {
  test.each(LISTS)('%s', async (_what, signals, words) => {
    expect(await messageOf(signals)).toContain(`Cannot run: ${words}`)
  })

  test.each(FILES)('%s', async (_what, content, more, words) => {
    const file = content === null ? '' : folder.write('x', content)
    const message = await messageOf([{ ...signal(file), ...more }])
    expect(message).toMatch(/^Cannot run: signals\[0\]\./)
    expect(message).toContain(words)
    expect(message).not.toContain('\n')
  })

  test.each(ROWS)('%s', async (_what, text, more, words) => {
    expect(await messageOf([signal(folder.write('x', text), more)])).toBe(`Cannot read ${words}`)
  })

  test('Parquet nanoseconds that are marked as UTC are exact', async () => {
    const path = await folder.parquet('zoned', [{ ts: `${AT}001Z` }], { ts: 'timestamp' })
    expect(await messageOf([signal(path)])).toBe('nothing')
    expect(Taker.rows).toEqual([{ ts: 1_782_864_000_000_000_001n }])
    const bytes = readFileSync(path)
    const at = bytes.indexOf(Uint8Array.of(0x8c, 0x12, 0x1c, 0x3c, 0x00))
    bytes[at + 1] = 0x11
    writeFileSync(path, bytes)
    expect(await messageOf([signal(path)])).toBe('nothing')
    expect(Taker.rows).toEqual([{ ts: 1_782_864_000_000_000_001n }])
  })

  test.each([
    ['lists', '[1]', 'LIST'], ['bytes', '\'a\'::BLOB', 'BYTE_ARRAY'], ['clock times', 'TIME \'01:00:00\'', 'TIME'], ['ids of 128 bits', 'uuid()', 'UUID'], ['structures', '{\'a\': 1}', 'STRUCT'],
  ])('Parquet %s', async (_what, sql, type) => {
    const path = join(folder.path, 'typed.parquet')
    await folder.sql(`copy (select TIMESTAMP '2026-07-01 00:00:00' ts, ${sql} other, 1 later) to '${path}'`)
    expect(await messageOf([signal(path)])).toContain(`found column "other" of type ${type} (`)
  })

  test('a file that changes while it is read', async () => {
    const rows = Array.from({ length: 20_000 }, (_, at) => `${AT.slice(0, -6)}${String(at).padStart(9, '0')}Z,${at}\n`).join('')
    const path = folder.write('changed.csv', `ts,score\n${rows}`)
    class Vandal extends Strategy {
      override onSignal(): void {
        appendFileSync(path, `${AT}9Z,1\n`)
        rmSync(path)
        writeFileSync(path, `ts,score\n${rows}`)
        this.stop()
      }
    }
    await expect(runBacktest({ ...options([signal(path)]), strategy: Vandal })).rejects.toThrow(/changed\.csv: it must be left alone while a run reads it, found another version of it$/)
  })

  test('a file by the name of a pattern is that file alone', async () => {
    await folder.parquet('m[1]', [{ ts: `${AT}1Z` }], { ts: 'timestamp' })
    await folder.parquet('m1', [{ ts: `${AT}2Z` }, { ts: `${AT}3Z` }], { ts: 'timestamp' })
    expect(await messageOf([signal(join(folder.path, 'm[1].parquet'))])).toBe('nothing')
    expect(Taker.rows).toHaveLength(1)
  })
})

describe('signals that are taken', () => {
  test.each([
    ['no zone as UTC', 'ts\n2026-07-01 00:00:00.0000001\n', {}, [{ ts: MADE_MIDNIGHT_NS + 100n }]],
    ['another zone', 'ts\n2026-07-01T02:00:00.0000001+02:00\n', {}, [{ ts: MADE_MIDNIGHT_NS + 100n }]],
    ['nanoseconds as integers', 'ts\n1782864000000000007\n', { unit: 'ns' }, [{ ts: 1_782_864_000_000_000_007n }]],
    ['milliseconds as integers', 'ts\r\n1782864000000\r\n', { unit: 'ms' }, [{ ts: 1_782_864_000_000 }]],
    ['a mark in front, an index without a name, no last line end', `\ufeff,ts\n0,${AT}1Z`, {}, [{ '': expect.objectContaining({}), ts: MADE_MIDNIGHT_NS + 100n }]],
    ['codes with zeros in front as text', `ts,code\n${AT}1Z,007\n`, {}, [{ ts: MADE_MIDNIGHT_NS + 100n, code: '007' }]],
    ['numbers as stated', `ts,score,bad\n${AT}1Z,1e-3,inf\n`, { types: { score: 'double', bad: 'double' } }, [{ ts: MADE_MIDNIGHT_NS + 100n, score: 0.001, bad: Infinity }]],
    ['booleans of Python', `ts,isOn\n${AT}1Z,True\n${AT}1Z,\n`, {}, [{ ts: MADE_MIDNIGHT_NS + 100n, isOn: true }, { ts: MADE_MIDNIGHT_NS + 100n, isOn: null }]],
    ['an empty text and none', `ts,a,b\n${AT}1Z,"",\n\n`, {}, [{ ts: MADE_MIDNIGHT_NS + 100n, a: '', b: null }]],
  ])('%s', async (_what, text, more, rows) => {
    expect(await messageOf([signal(folder.write('x', text), more)])).toBe('nothing')
    expect(Taker.rows).toEqual(rows)
  })

  test('Arrow dictionaries, days and integers of 32 bits', async () => {
    const table = new Table({ ts: vectorFromArray([1_782_864_000], new Int32()), word: vectorFromArray(['up'], new Dictionary(new Utf8(), new Int32())) })
    expect(await messageOf([signal(folder.write('x', tableToIPC(table, 'file')), { unit: 's' })])).toBe('nothing')
    expect(Taker.rows).toEqual([{ ts: 1_782_864_000, word: 'up' }])
  })
})

describe('a run file', () => {
  const subject = `  override onSignal(name: string, row: SignalRow): void { this.log(name + ' ' + String(row['score'])) }`
  const module = strategyModule(subject).replace('type Order', 'type Order, type SignalRow')

  test('names the file by its own place, and its faults by their path', async () => {
    runs.write('subject.ts', module)
    runs.write('in/forecasts.csv', 'ts,score\n2026-07-01T23:55:31Z,0.25\n2026-07-01T23:55:32Z,0.5\n')
    const more = { signals: [{ name: 'model', file: 'in/forecasts.csv', time: 'ts', delay: '50ms' }] }
    const run = await readRunFile(runs.write('a.run.json', runContent(more)))
    expect(run.inputs).toContain(join(runs.path, 'in/forecasts.csv'))
    const [result] = await runRunFile(run)
    expect(result?.summary.signals).toMatchObject([{ file: 'forecasts.csv', playedCount: 2 }])
    const child = await readRunFile(runs.write('below/b.run.json', { extends: '../a.run.json' }))
    expect((await runRunFile(child))[0]?.fingerprint).toBe(result?.fingerprint)
    const bad = await readRunFile(runs.write('c.run.json', runContent({ signals: [{ ...more.signals[0], file: 'none.csv', time: 'at' }] })))
    await expect(runRunFile(bad)).rejects.toThrow(/c\.run\.json: signals\[0\]\.file: expected a file that exists, found ".*none\.csv"$/)
  })

  test('of a golden says which signal has changed', () => {
    const world = (sha256: string): Parameters<typeof changedInputs>[0] => ({ inputs: { signals: [{ name: 'model', sha256 }, { name: 'other', sha256: 'same' }] } }) as never
    expect(changedInputs(world('a'), world('b'))).toEqual(['signals (model)'])
  })
})
