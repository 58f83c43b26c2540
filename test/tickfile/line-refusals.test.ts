import { describe, expect, test } from 'vitest'
import type { BacktapeError } from '../../src/model/error.js'
import { MASTER, readLines } from '../support/tick-text.js'

const T = '1782345115843612834'
const E = '1782345115843000000'
const good = `[6,1210,"0","7",${T},0,[[0,"1.0698","100",1]]]`

/** A line, the code, the field and what is found there; `byteOffset` is checked against the first occurrence of `at` in the line. */
type Refusal = [line: string, code: string, field: string, found: string]

const book = (row: string): string => `[1,1210,"6","7",${T},${E},[${row}]]`
const trade = (row: string): string => `[2,1210,"6","7",${T},${E},[${row}]]`
const M = 'LINE_MALFORMED'

const refusals: Refusal[] = [
  ['abc', M, 'line', 'abc'],
  ['[', M, 'msgType', 'the end of the line'],
  ['[]', M, 'msgType', ']'],
  ['["1",1210]', M, 'msgType', '"1"'],
  ['[1.5,1210]', M, 'msgType', '1.5'],
  ['[-1,1210]', M, 'msgType', '-1'],
  ['[01,1210]', M, 'msgType', '01'],
  [MASTER, M, 'line', MASTER.slice(0, 80)],
  [`[1,1211,"6","7",${T},${E},[]]`, 'WRONG_INSTRUMENT', 'instrumentId', '1211'],
  [`[1,"1210","6","7",${T},${E},[]]`, M, 'instrumentId', '"1210"'],
  [`[1,1210,6,"7",${T},${E},[]]`, M, 'prevEventId', '6'],
  [`[1,1210,null,"7",${T},${E},[]]`, M, 'prevEventId', 'null'],
  [`[1,1210,"6",7,${T},${E},[]]`, M, 'eventId', '7'],
  [`[1,1210,"6","\\ud800",${T},${E},[]]`, M, 'eventId', '"\\ud800"'],
  [`[1,1210,"6","7","${T}",${E},[]]`, M, 'adapterTs', `"${T}"`],
  [`[1,1210,"6","7",0,${E},[]]`, M, 'adapterTs', '0'],
  [`[1,1210,"6","7",1.7e18,${E},[]]`, M, 'adapterTs', '1.7e18'],
  [`[1,1210,"6","7",-5,${E},[]]`, M, 'adapterTs', '-5'],
  [`[1,1210,"6","7",${T},null,[]]`, M, 'exchangeTs', 'null'],
  [`[1,1210,"6","7",${T},${E}]`, M, 'exchangeTs', ']'],
  [`[1,1210,"6","7",${T},${E},null]`, M, 'data', 'null'],
  [`[1,1210,"6","7",${T},${E},{}]`, M, 'data', '{}]'],
  [`[1,1210,"6","7",${T},${E},[]`, M, 'tail', 'the end of the line'],
  [`[1,1210,"6","7",${T},${E},[]]x`, M, 'line', 'x'],
  [`[1,1210,"6","7",${T},${E},[],[1,}]]`, M, 'tail', '}'],
  [book('[2,"1","1",1]'), M, 'side', '2'],
  [book('["0","1","1",1]'), M, 'side', '"0"'],
  [book('[0,1,"1",1]'), M, 'price', '1'],
  [book('[0,"abc","1",1]'), M, 'price', '"abc"'],
  [book('[0,"","1",1]'), M, 'price', '""'],
  [book('[0,"1.","1",1]'), M, 'price', '"1."'],
  [book('[0,".5","1",1]'), M, 'price', '".5"'],
  [book('[0,"1.2.3","1",1]'), M, 'price', '"1.2.3"'],
  [book('[0,"1e","1",1]'), M, 'price', '"1e"'],
  [book('[0,"0x10","1",1]'), M, 'price', '"0x10"'],
  [book('[0,"NaN","1",1]'), M, 'price', '"NaN"'],
  [book('[0,null,"1",1]'), M, 'price', 'null'],
  [book('[0,"9007199254740992x","1",1]'), M, 'price', '"9007199254740992x"'],
  [book('[0,"1","-9007199254740993",1]'), M, 'qty', '"-9007199254740993"'],
  [book('[0,"1","-1e-31",1]'), M, 'qty', '"-1e-31"'],
  [book('[0,"1e-401","1",1]'), 'VALUE_INEXACT', 'price', '"1e-401"'],
  [book('[0,"1","1e401",1]'), 'VALUE_INEXACT', 'qty', '"1e401"'],
  [book('[0,"1","-5",1]'), M, 'qty', '"-5"'],
  [book('[0,"1","1 ",1]'), M, 'qty', '"1 "'],
  [book('[0,"1","1"]'), M, 'qty', ']'],
  [book('[0,"1","1",1,1]'), M, 'data', ','],
  [book('[0,"1","1","1"]'), M, 'orderCount', '"1"'],
  [book('[0,"1"]'), M, 'price', ']'],
  [book('[]'), M, 'side', ']'],
  [book('0'), M, 'data', '0'],
  [book('[0,"1","1",1]').replace('[[', '['), M, 'data', '0'],
  [`[6,1210,"6","7",${T},${E},[[0,"1","1",1],[0,"1","1",1]]]`, M, 'data', '[0,"1","1",1]]]'],
  [`[6,1210,"6","7",${T},${E},[[0,"1","1",1],[1,"1","1",1],[1,"2","1",1]]]`, M, 'data', '[1,"2","1",1]]]'],
  [trade('[0,"1","1",5,0]'), M, 'tradeId', '5'],
  [trade('[0,"1","1","a\\x",0]'), M, 'tradeId', '"a\\x"'],
  [trade('[0,"1","1","\\udc00",0]'), M, 'tradeId', '"\\udc00"'],
  [trade('[0,"1","1","a\tb",0]'), M, 'tradeId', '"a\tb"'],
  [trade('[0,"1","1","a"]'), M, 'tradeId', ']'],
  [trade('[0,"1","1","a",0,0]'), M, 'data', ','],
  [trade('[0,"1","1","a","0"]'), M, 'exchangeTradeTs', '"0"'],
  [trade('[0,"1","1",nul,0]'), M, 'tradeId', 'nul'],
  [`[0,1210,"0","7",${T},${E},[],null]`, M, 'forceReset', 'null'],
  [`[0,1210,"0","7",${T},${E},[],1]`, M, 'forceReset', '1'],
  [`[5,1210,${T},7,"x"]`, M, 'state', '7'],
  [`[5,1210,${T},"READY"]`, M, 'state', ']'],
  [`[5,1210,${T},"READY",7]`, M, 'text', '7'],
  [`[5,1210,"READY","x"]`, M, 'adapterTs', '"READY"'],
  [`[7,1210,"0","7",${T},${E},null]`, M, 'data', 'null'],
  [`[7,1210,"0","7",${T},${E},"1",0.5]`, M, 'delta', '0.5'],
  [`[7,1210,"0","7",${T},${E},"1",null,"x"]`, M, 'gamma', '"x"'],
  [`[7,1210,"0","7",${T},${E},"1",null,null,"1e999"]`, 'VALUE_INEXACT', 'vega', '"1e999"'],
  [`[7,1210,"0","7",${T},${E},"1234567890.1234567890.1"]`, M, 'data', '"1234567890.1234567890.1"'],
  [`[8,1210,"0","7",${T},${E},"1e-401"]`, 'VALUE_INEXACT', 'data', '"1e-401"'],
  [`[9,1210,"0","7",${T},${E},["${'1'.repeat(5001)}",0]]`, M, 'rate', `"${'1'.repeat(79)}`],
  [`[8,1210,"0","7",${T},${E},["1"]]`, M, 'data', '["1"]]'],
  [`[9,1210,"0","7",${T},${E},"0.1"]`, M, 'data', '"0.1"'],
  [`[9,1210,"0","7",${T},${E},["0.1"]]`, M, 'rate', ']'],
  [`[9,1210,"0","7",${T},${E},["0.1","x"]]`, M, 'nextFundingTs', '"x"'],
  [`[9,1210,"0","7",${T},${E},["0.1",0,"x"]]`, M, 'predictedRate', '"x"'],
  [`[9,1210,"0","7",${T},${E},["0.1",0,null,1]]`, M, 'data', ','],
  [`[17,1210,"0","7",${T},${E},[[0,"1","1","id",0]]]`, M, 'exchangeLiquidationTs', '"id"'],
  [`[17,1210,"0","7",${T},${E},[[0,"1","1",0,0]]]`, M, 'data', ','],
  ['[99,{"a":1,}]', M, 'tail', '}'],
]

describe.each(['wasm', 'javascript'] as const)('lines that are refused, decoder %s', (lines) => {
  test.each(refusals)('%s', async (line, code, field, found) => {
    const { events, error } = await readLines(`${good}\n\n${line}\n${good}\n`, { lines })
    const { code: foundCode, place } = error as BacktapeError
    expect([foundCode, place.field, place.found, place.line]).toEqual([code, field, found, 4])
    expect(events).toHaveLength(1)
    const start = MASTER.length + 1 + good.length + 2
    const offset = place.byteOffset ?? NaN
    if (found !== 'the end of the line') expect(line.slice(offset - start).startsWith(found)).toBe(true)
  })

  test('every one of them is counted, and nothing else is lost', async () => {
    const text = refusals.map(([line]) => `${line}\n${good}\n`).join('')
    const { events, error, reading } = await readLines(text, { lines, onDamage: 'count' })
    expect(error).toBeNull()
    expect(events).toHaveLength(refusals.length)
    expect(reading?.summary.damagedLineCount).toBe(refusals.length)
    expect(reading?.summary.damages.map((damage) => [damage.code, damage.place.field])).toEqual(refusals.map(([, code, field]) => [code, field]).slice(0, 100))
    expect(reading?.summary.lineCount).toBe(2 * refusals.length + 1)
  })
})

test('the sentence names line, file, field and finding', async () => {
  const { error } = await readLines(`${book('[0,"abc","1",1]')}\n`)
  expect((error as Error).message).toBe('Cannot decode line 2 of 1210_2026-06-25.txt.zst: price must be a decimal, found "abc"')
})
