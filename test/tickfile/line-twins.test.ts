import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBatch } from '../../src/model/event-batch-columns.js'
import type { BatchCapacity } from '../../src/model/event-batch-columns.js'
import { BatchFiller } from '../../src/tickfile/lines/batch-filler.js'
import { readLineDecoder } from '../../src/tickfile/lines/line-decoder-reader.js'
import { LineDecoder } from '../../src/tickfile/lines/line-decoder.js'
import { masterDataFromLine, scalesOfInstrument } from '../../src/tickfile/lines/master-data.js'
import { TextLines } from '../../src/tickfile/lines/text-lines.js'
import { emptySummary } from '../../src/tickfile/lines/reading.js'
import { SettledBatches } from '../../src/tickfile/lines/settled-batches.js'
import { TickTextDecoder } from '../../src/tickfile/lines/tick-text-decoder.js'
import type { EventBatch } from '../../src/model/event-batch.js'
import { PROGRAM_BYTES, WasmLineDecoder } from '../../src/tickfile/lines/wasm-line-decoder.js'
import { plainFromBatch } from '../support/naive-tick-line.js'
import { isNight } from '../support/repetitions.ts'
import { MASTER } from '../support/tick-text.js'

const { instrument } = masterDataFromLine(MASTER, 'made')
const HEADROOM = 256
const memory = new WebAssembly.Memory({ initial: 12, maximum: 12, shared: true })
const program = await readLineDecoder(memory)

/** Small columns, so that every limit is met. */
const capacity: BatchCapacity = { eventCount: 5, rowCount: 12, tradeRowCount: 6, tradeIdBytes: 200, valueCount: 40, textCount: 6, textBytes: 60 }

/** What both twins make of a text that arrives in pieces. */
function decode(text: Uint8Array, cuts: number[], twin: 'wasm' | 'javascript', lineLimitBytes = 5000): unknown {
  const place = twin === 'wasm' ? { buffer: memory.buffer, byteOffset: PROGRAM_BYTES * 8 } : {}
  const batch = createBatch({ instrument, epochDay: 0, capacity, ...place })
  const lines = new LineDecoder(new BatchFiller(batch, capacity), instrument.id, 20_628, scalesOfInstrument(instrument))
  const summary = emptySummary()
  const wasm = twin === 'wasm' ? new WasmLineDecoder(program, memory, batch, instrument.id, lineLimitBytes) : null
  const feed = new TextLines(lineLimitBytes, HEADROOM)
  const decoder = new TickTextDecoder({ fileName: 'made', text: feed, lines, wasm, summary, lineLimitBytes, isCounting: true })
  const slots = new Uint8Array(memory.buffer)
  const said: unknown[] = []
  const settled = new SettledBatches(summary, true)
  const say = (ready: EventBatch): void => {
    const { count, priceScale, quantityScale, firstEventIndex, epochDay } = ready
    said.push([count, priceScale, quantityScale, firstEventIndex, epochDay])
    for (let i = 0; i < ready.count; i++) said.push([plainFromBatch(ready, i), ready.flags[i]])
  }
  const take = (): void => {
    const ready = decoder.take()
    if (ready === null) return
    for (const batch of settled.settle(ready, decoder.farLines)) say(batch)
    decoder.recycle()
  }
  const drain = (): void => {
    while (decoder.advance()) take()
    const tooLong = feed.carryRest()
    if (tooLong !== null) decoder.meetLongLine(tooLong)
  }
  const ends = [...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length]
  let from = 0
  for (const [i, end] of ends.entries()) {
    const start = PROGRAM_BYTES + (i % 2) * 200_000 + HEADROOM
    slots.set(text.subarray(from, end), start)
    feed.feed(slots, start, end - from)
    drain()
    from = end
  }
  if (feed.finish()) drain()
  take()
  for (const batch of settled.end()) say(batch)
  return { said, summary: { ...summary, unknownTypes: [...summary.unknownTypes] } }
}

const T = 1_782_345_115_843_612_834n
const digits = (length: number): fc.Arbitrary<string> => fc.stringMatching(new RegExp(`^[0-9]{1,${String(length)}}$`))
const decimal = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(digits(6), digits(4)).map(([a, b]) => `${a}.${b}`) },
  { weight: 8, arbitrary: digits(7) },
  { weight: 1, arbitrary: fc.tuple(digits(9), digits(9)).map(([a, b]) => `${a}.${b}`) },
  { weight: 1, arbitrary: fc.constantFrom('0', '0.0', '1e-4', '-1.5', '1.0E2', '9007199254740991', '900719925474.0992', '.5', '5.', '', '1.2.3', '+7') },
)
const id = fc.oneof(digits(19), digits(21), fc.constantFrom('0', '', '18446744073709551615', '18446744073709551616', '0x1f', 'é', 'a\\n'))
const time = fc.oneof(
  { weight: 9, arbitrary: fc.bigInt(-10_000_000_000_000n, 10_000_000_000_000n).map((shift) => String(T + shift)) },
  { weight: 1, arbitrary: fc.constantFrom('0', '17', '1', '999999999999999999', '18446744073709551615', '-1', '1e5', '"0"') },
)
/** Deeper than any stack that is kept for it. */
const DEEP = `${'[{"a":'.repeat(600)}1${'}]'.repeat(600)}`
const side = fc.constantFrom('0', '1', '0', '1', '2')
const bookRow = fc.tuple(side, decimal, decimal, fc.constantFrom('1', '1', '1', '12')).map(([s, p, q, n]) => `[${s},"${p}","${q}",${n}]`)
const tradeId = fc.oneof(fc.uuid().map((text) => `"${text}"`), fc.constantFrom('null', '""', '"a\\u0041"', '"é"', '7', `"${'x'.repeat(90)}"`), digits(12).map((text) => `"${text}"`))
const tradeRow = fc.tuple(side, decimal, decimal, tradeId, time).map(([s, p, q, t, at]) => `[${s},"${p}","${q}",${t},${at}]`)
const envelope = (kind: string, data: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(fc.constantFrom('1210', '1210', '1210', '1210', '1210', '1211'), id, id, time, time, data)
    .map(([instrumentId, previous, own, adapter, exchange, rest]) => `[${kind},${instrumentId},"${previous}","${own}",${adapter},${exchange},${rest}]`)
const rows = (row: fc.Arbitrary<string>, most: number): fc.Arbitrary<string> => fc.array(row, { maxLength: most }).map((all) => `[${all.join(',')}]`)
const line = fc.oneof(
  envelope('0', fc.tuple(rows(bookRow, 4), fc.constantFrom('', ',true', ',false', ',null', ',false,1')).map((parts) => parts.join(''))),
  { weight: 4, arbitrary: envelope('1', rows(bookRow, 5)) },
  { weight: 3, arbitrary: envelope('2', rows(tradeRow, 4)) },
  { weight: 2, arbitrary: envelope('6', rows(bookRow, 3)) },
  envelope('7', decimal.map((text) => `"${text}",null,"0.5"`)),
  envelope('8', decimal.map((text) => `"${text}"`)),
  envelope('9', fc.tuple(decimal, time).map(([rate, next]) => `["${rate}",${next}]`)),
  envelope('17', rows(fc.tuple(side, decimal, decimal, time).map(([s, p, q, at]) => `[${s},"${p}","${q}",${at}]`), 3)),
  time.map((at) => `[5,1210,${at},"READY","text"]`),
  fc.constantFrom('', ' ', '\n', '\n\r\n \t\n\n', '[99,1]', '{}', '[[[[', DEEP, `[99,${DEEP}]`, `[1,1210,"1","2",${String(T)},0,[],${DEEP}]`, DEEP.slice(1)),
)
const text = fc.tuple(fc.array(fc.tuple(line, fc.constantFrom('\n', '\n', '\r\n')).map((parts) => parts.join('')), { maxLength: 25 }), fc.boolean())
  .map(([all, ended]) => (ended ? all.join('') : all.join('').trimEnd()))

const bytesOf = (value: string): Uint8Array => new TextEncoder().encode(value)

test('the twins agree on made-up lines, however they arrive', () => {
  fc.assert(fc.property(text, fc.array(fc.nat(4000), { maxLength: 6 }), (value, cuts) => {
    const whole = decode(bytesOf(value), [], 'javascript')
    expect(decode(bytesOf(value), cuts, 'wasm')).toEqual(whole)
    expect(decode(bytesOf(value), cuts, 'javascript')).toEqual(whole)
  }), { numRuns: 1500 })
})

test('the twins agree on lines with changed bytes', () => {
  const change = fc.tuple(fc.nat(), fc.oneof(fc.nat(255), fc.constantFrom(...bytesOf('0123456789",[].-eE\n\\ '))))
  fc.assert(fc.property(text, fc.array(change, { minLength: 1, maxLength: 4 }), fc.array(fc.nat(4000), { maxLength: 2 }), (value, changes, cuts) => {
    const bytes = bytesOf(value)
    for (const [at, byte] of changes) bytes[at % Math.max(1, bytes.length)] = byte
    expect(decode(bytes, cuts, 'wasm')).toEqual(decode(bytes, [], 'javascript'))
  }), { numRuns: 3000 })
})

test('every cut of a text gives the same', () => {
  const value = bytesOf([
    `[1,1210,"6","7",${String(T)},${String(T)},[[0,"1.0698","100",1],[1,"1.07","0",1]]]`,
    `[2,1210,"6","7",${String(T)},0,[[0,"1.0719","19200","00000000-006d-1000-0000-0033b50c7876",${String(T)}]]]`,
    `[0,1210,"0","7",${String(T)},0,[${'[0,"1.0698","100",1],'.repeat(40)}[1,"2","100",1]],false]`,
    `[8,1210,"0","9",${String(T)},0,"1.5"]`,
  ].join('\r\n'))
  const LIKE = { from: 300, to: value.length - 80 }
  const whole = decode(value, [], 'javascript')
  // By day each cut of a line of each kind, and a third of those within the long one, whose rows are alike.
  for (let cut = 0; cut <= value.length; cut += isNight || cut < LIKE.from || cut > LIKE.to ? 1 : 3) {
    expect(decode(value, [cut], 'wasm')).toEqual(whole)
    expect(decode(value, [cut, cut + 1, cut + 300], 'javascript')).toEqual(whole)
  }
})

test('lines beyond the limit are refused wherever they are cut', () => {
  const short = `[8,1210,"0","9",${String(T)},0,"1.5"]`
  const long = `[1,1210,"6","7",${String(T)},0,[${'[0,"1","100",1],'.repeat(40)}[1,"2","100",1]]]`
  const value = bytesOf([short, long, short].join('\n'))
  for (const limit of [300, 500, long.length - 1]) {
    const whole = decode(value, [], 'javascript', limit) as { summary: { damages: { code: string; place: unknown }[] } }
    expect(whole.summary.damages.map(({ code, place }) => [code, place])).toEqual([
      ['LINE_TOO_LONG', { file: 'made', line: 2, byteOffset: short.length + 1, field: 'line', expected: `at most ${String(limit)} bytes long`, found: 'more' }],
    ])
    for (let cut = 0; cut <= value.length; cut += isNight ? 1 : 3) {
      expect(decode(value, [cut], 'wasm', limit)).toEqual(whole)
      expect(decode(value, [cut, cut + 270], 'javascript', limit)).toEqual(whole)
    }
  }
  expect(decode(value, [], 'wasm', long.length)).toMatchObject({ summary: { damagedLineCount: 0 } })
})
