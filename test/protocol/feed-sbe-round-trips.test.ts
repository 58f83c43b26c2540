import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BATCH_CAPACITY, createBatch, idTextAt, textAt } from '../../src/model/event-batch-columns.js'
import { ID_FORMS, type EventBatch } from '../../src/model/event-batch.js'
import type { Instrument } from '../../src/model/instrument.js'
import { epochNsFromTime } from '../../src/model/time.js'
import { createSbeEncoder } from '../../src/protocol/feed-sbe-codec.js'
import { openSource } from '../../src/tickfile/archive/source-reader.js'
import { readTickFile } from '../../src/tickfile/tick-file-reader.js'
import { datasetsFolder } from '../support/datasets-folder.js'
import { plainFromBatch } from '../support/naive-tick-line.js'
import { dayFiles } from '../support/shared-data.js'
import { decoderOf, madeBatches, Received, takenFrame } from '../support/sbe-frames.js'

const TIME = 1782345115505070405n

/** Every event of some batches through encoder and decoder, against the batches themselves. */
function expectSame(batches: readonly EventBatch[]): void {
  const encoder = createSbeEncoder()
  const received = new Received()
  const decoder = batches[0] === undefined ? null : decoderOf(batches[0].instrument, batches[0].epochDay)
  const lines: unknown[] = []
  const states: unknown[] = []
  for (const batch of batches) {
    for (let i = 0; i < batch.count; i++) {
      expect(encoder.line(batch, i)).toBe(true)
      decoder!.decode(takenFrame(encoder), received)
      if (batch.kind[i] === 5) {
        const first = batch.textStart[i]!
        const time = epochNsFromTime(batch.adapterTimeNs[i]!, batch.epochDay)
        states.push({ instrumentId: batch.instrument.id, time, state: textAt(batch.text, first), text: textAt(batch.text, first + 1) ?? '' })
      } else lines.push(plainFromBatch(batch, i))
    }
  }
  expect(received.lines.map(({ batch, index }) => plainFromBatch(batch, index))).toEqual(lines)
  expect(received.states).toEqual(states)
}

const digits = (max: bigint): fc.Arbitrary<string> => fc.bigInt(0n, max).map(String)
const id = fc.oneof(
  { weight: 4, arbitrary: digits(2n ** 64n - 1n) }, { weight: 1, arbitrary: digits(10n ** 22n) },
  fc.constantFrom('0', '00', '', '18446744073709551614', '18446744073709551615', '18446744073709551616', '9223372036854775807', '-1', '1e3'),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
)
const decimal = fc.tuple(fc.integer({ min: 0, max: 1_000_000 }), fc.integer({ min: 0, max: 9 })).map(([integer, scale]) => `${integer}e-${scale}`)
const price = fc.tuple(fc.constantFrom('', '-'), decimal).map(([sign, text]) => sign + text)
const side = fc.integer({ min: 0, max: 1 })
const time = fc.oneof(fc.constant('0'), fc.bigInt(-(10n ** 15n), 10n ** 15n).map((step) => String(TIME + step)))
const row = fc.tuple(side, price, decimal)
const bookRow = row.map(([s, p, q]) => `[${s},"${p}","${q}",1]`)
const tradeRow = fc.tuple(row, fc.option(id), time).map(([[s, p, q], tradeId, at]) => `[${s},"${p}","${q}",${JSON.stringify(tradeId)},${at}]`)
const liquidationRow = fc.tuple(row, time).map(([[s, p, q], at]) => `[${s},"${p}","${q}",${at}]`)
const double = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(Object.is(value, -0) ? '-0' : String(value)))
const list = (rows: fc.Arbitrary<string>): fc.Arbitrary<string> => fc.array(rows, { maxLength: 40 }).map((all) => `[${all.join(',')}]`)

const DATA: Readonly<Record<number, fc.Arbitrary<string>>> = {
  0: fc.tuple(list(bookRow), fc.constantFrom('', ',true', ',false')).map(([rows, tail]) => rows + tail),
  1: list(bookRow),
  2: list(tradeRow),
  6: fc.tuple(fc.subarray([0, 1]), price, decimal).map(([sides, p, q]) => `[${sides.map((one) => `[${one},"${p}","${q}",1]`).join(',')}]`),
  7: fc.tuple(price, fc.array(fc.oneof(double, fc.constant('null')), { maxLength: 7 })).map(([p, tail]) => [`"${p}"`, ...tail].join(',')),
  8: price.map((p) => `"${p}"`),
  9: fc.tuple(price, time, fc.option(fc.oneof(price.map((p) => `"${p}"`), fc.constant('null')))).map(([rate, next, predicted]) => `["${rate}",${next}${predicted === null ? '' : `,${predicted}`}]`),
  17: list(liquidationRow),
}
const event = fc.constantFrom(0, 1, 2, 6, 7, 8, 9, 17).chain((kind) => fc.tuple(id, id, time, DATA[kind]!).map(([previous, own, exchange, data]) => (
  `[${kind},7,${JSON.stringify(previous)},${JSON.stringify(own)},${String(TIME)},${exchange},${data}]`
)))
const stateLine = fc.tuple(fc.constantFrom('READY', 'ERROR'), fc.option(fc.string({ unit: 'grapheme' }))).map(([state, text]) => `[5,7,${String(TIME)},"${state}",${JSON.stringify(text)}]`)
const line = fc.oneof({ weight: 6, arbitrary: event }, stateLine)

describe('what is encoded comes back', () => {
  test('lines of every kind', async () => {
    await fc.assert(fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 30 }), async (lines) => { expectSame(await madeBatches(lines)) }), { numRuns: 150 })
  })

  test('with the flags, over batches that are full and batches that become wider', async () => {
    const lines = Array.from({ length: 3000 }, (_, i) => `[1,7,"${i === 1000 ? 7 : i - 1}","${i}",${String(TIME + BigInt(i))},0,[[0,"${i % 500 === 0 ? `1.${'1'.repeat(i / 500 + 1)}` : '2'}","${i}",1]]]`)
    lines.push(`[0,7,"0","5000",${String(TIME)},0,[${Array.from({ length: 5000 }, (_, i) => `[0,"${i}","1",1]`).join(',')}],true]`)
    const batches = await madeBatches(lines)
    const encoder = createSbeEncoder()
    const received = new Received()
    const decoder = decoderOf(batches[0]!.instrument, batches[0]!.epochDay)
    for (const batch of batches) for (let i = 0; i < batch.count; i++) {
      encoder.line(batch, i)
      decoder.decode(takenFrame(encoder), received)
      const { batch: own, index } = received.lines.at(-1)!
      expect([own.flags[index], own.count, own.firstEventIndex + index]).toEqual([batch.flags[i], index + 1, received.lines.length - 1])
    }
    expectSame(batches)
    expect(new Set(received.lines.map(({ batch }) => batch)).size).toBeGreaterThan(7)
    expect(received.lines.filter(({ batch, index }) => (batch.flags[index]! & 4) !== 0)).toHaveLength(1)
  })

  const days = [...readdirSync(datasetsFolder).filter((name) => name.endsWith('.zst')).map((name) => join(datasetsFolder, name)), ...dayFiles.slice(0, 1)]
  test.each(days)('every column of %s', async (path) => {
    const reading = await readTickFile(await openSource(path))
    const encoder = createSbeEncoder()
    const received = new Received()
    let decoder: ReturnType<typeof decoderOf> | null = null
    let count = 0
    for await (const batch of reading.batches()) {
      decoder ??= decoderOf(reading.instrument, batch.epochDay)
      for (let i = 0; i < batch.count; i++, count++) {
        if (!encoder.line(batch, i)) throw new Error(`event ${i} does not fit`)
        decoder.decode(takenFrame(encoder), received)
        if (batch.kind[i] === 5) continue
        const { batch: own, index } = received.lines.at(-1)!
        const [found, expected] = [[own.flags[index], plainFromBatch(own, index)], [batch.flags[i], plainFromBatch(batch, i)]]
        // Cheaper than an expectation for each event.
        if (JSON.stringify(found) !== JSON.stringify(expected)) expect(found).toEqual(expected)
      }
    }
    expect(received.count).toBe(count)
  })

  test('a state and a login response', () => {
    const encoder = createSbeEncoder()
    const received = new Received()
    const decoder = decoderOf({ id: 7 } as Instrument, 0)
    const state = { instrumentId: 2 ** 53 - 1, time: 2n ** 64n - 1n, state: 'ERROR', text: 'instrument unsubscribed é' } as const
    const none = { tradesTopic: null, topOfBookTopic: null, indexPriceTopic: null, markPriceTopic: null, fundingRateTopic: null, liquidationsTopic: null }
    const response = { processId: 'p', protocolVersion: '6', serverTime: 5n, capabilities: { depthTopic: { eventIdType: 'sequence' }, ...none } }
    encoder.state(state)
    encoder.state({ ...state, text: '' })
    encoder.loginResponse(response)
    const bytes = takenFrame(encoder)
    const first = 8 + 17 + 2 + 5 + 4 + 26
    decoder.decode(bytes.subarray(0, first), received)
    decoder.decode(bytes.subarray(first, first + 36), received)
    decoder.decode(bytes.subarray(first + 36), received)
    expect(received.states).toEqual([state, { ...state, text: '' }])
    expect(received.responses).toEqual([response])
  })
})

describe('line is false, and nothing is written', () => {
  const index = createBatch({ instrument: { id: 7 } as Instrument, epochDay: 20_000, capacity: { ...BATCH_CAPACITY, rowCount: 4 } })
  index.count = 1
  index.kind[0] = 8
  index.valueStart[1] = 1
  const update = { ...index, kind: Uint8Array.of(1), rowStart: Uint32Array.of(0, 1), tradeRowStart: Uint32Array.of(0, 1), valueStart: Uint32Array.of(0, 0) }
  const trades = { ...update, kind: Uint8Array.of(2) }
  const mark = { ...index, kind: Uint8Array.of(7), valueStart: Uint32Array.of(0, 2) }
  const funding = { ...mark, kind: Uint8Array.of(9) }
  const texted = { ...index.eventId, form: Uint8Array.of(ID_FORMS.TEXT), texts: ['x'.repeat(65_535)] }
  const longId = { ...index.tradeId, start: Uint32Array.of(0, 65_535), bytes: new Uint8Array(65_535) }
  const state = { ...index, kind: Uint8Array.of(5) }
  test.each<[string, EventBatch]>([
    ['a value beyond 2^53', { ...index, values: Float64Array.of(2 ** 53) }],
    ['a value that is no integer', { ...index, values: Float64Array.of(0.5) }],
    ['a scale beyond 30', { ...index, valueScale: Uint8Array.of(31) }],
    ['a price that is null', { ...index, valueScale: Uint8Array.of(255) }],
    ['a price that is a double', { ...index, valueScale: Uint8Array.of(254) }],
    ['no value', { ...index, valueStart: Uint32Array.of(0, 0) }],
    ['two values', { ...index, valueStart: Uint32Array.of(0, 2) }],
    ['no adapter time', { ...index, adapterTimeNs: Float64Array.of(NaN) }],
    ['a time before 1970', { ...index, epochDay: -1, adapterTimeNs: Float64Array.of(5) }],
    ['a time beyond a uint64', { ...index, epochDay: 213_504, adapterTimeNs: Float64Array.of(86_400e9) }],
    ['an exchange time of 0 itself', { ...index, epochDay: 0, exchangeTimeNs: Float64Array.of(0) }],
    ['an instrument id below 0', { ...index, instrument: { id: -1 } as Instrument }],
    ['an instrument id beyond 2^53', { ...index, instrument: { id: 2 ** 53 } as Instrument }],
    ['an id of 65,535 bytes', { ...index, eventId: texted }],
    ['an unknown kind', { ...index, kind: Uint8Array.of(3) }],
    ['a row price beyond 2^53', { ...update, price: Float64Array.of(2 ** 53) }],
    ['a row quantity that is NaN', { ...update, quantity: Float64Array.of(NaN) }],
    ['a side that is none', { ...update, side: Uint8Array.of(2) }],
    ['more rows than a group takes', { ...update, rowStart: Uint32Array.of(0, 1_048_577) }],
    ['a trade price beyond 2^53', { ...trades, price: Float64Array.of(-(2 ** 53)) }],
    ['a trade id of 65,535 bytes', { ...trades, tradeId: longId }],
    ['a trade time that is no integer', { ...trades, rowTimeNs: Float64Array.of(0.5) }],
    ['a liquidation of no side', { ...trades, kind: Uint8Array.of(17), side: Uint8Array.of(9) }],
    ['a greek that is infinite', { ...mark, values: Float64Array.of(1, Infinity), valueScale: Uint8Array.of(0, 254) }],
    ['a greek that is NaN', { ...mark, values: Float64Array.of(1, NaN), valueScale: Uint8Array.of(0, 254) }],
    ['a greek that is a decimal', { ...mark, values: Float64Array.of(1, 5), valueScale: Uint8Array.of(0, 1) }],
    ['eight greeks', { ...mark, valueStart: Uint32Array.of(0, 9), valueScale: Uint8Array.of(0, 255, 255, 255, 255, 255, 255, 255, 255) }],
    ['funding without its time', { ...funding, valueStart: Uint32Array.of(0, 1) }],
    ['a predicted rate beyond 2^53', { ...funding, valueStart: Uint32Array.of(0, 3), values: Float64Array.of(1, 2, 2 ** 60), valueScale: Uint8Array.of(0, 0, 0) }],
    ['a state without texts', state],
    ['a state that is null', { ...state, textStart: Uint32Array.of(0, 2), text: { ...state.text, isNull: Uint8Array.of(1, 1) } }],
  ])('for %s', (_, batch) => {
    const encoder = createSbeEncoder()
    expect(encoder.line(batch, 0)).toBe(false)
    expect(encoder.sink.count).toBe(0)
  })

  test('and the encoder goes on', () => {
    const encoder = createSbeEncoder()
    const received = new Received()
    encoder.line({ ...index, values: Float64Array.of(2 ** 53) }, 0)
    expect(encoder.line({ ...index, values: Float64Array.of(2 ** 53 - 1) }, 0)).toBe(true)
    decoderOf(index.instrument, 20_000).decode(takenFrame(encoder), received)
    expect(received.lines[0]!.batch.values[0]).toBe(2 ** 53 - 1)
    expect(idTextAt(received.lines[0]!.batch.eventId, 0)).toBe('')
  })

  test('a sink whose bytes were taken is filled anew', () => {
    const encoder = createSbeEncoder()
    encoder.line(index, 0)
    const before = encoder.sink.bytes.slice(0, encoder.sink.count)
    encoder.sink.bytes = new Uint8Array(8)
    encoder.sink.count = 0
    encoder.line(index, 0)
    expect(encoder.sink.bytes.slice(0, encoder.sink.count)).toEqual(before)
  })
})
