import { beforeAll, describe, expect, test } from 'vitest'
import { BacktapeError } from '../../src/model/error.js'
import type { EventBatch } from '../../src/model/event-batch.js'
import { RandomNumbers } from '../../src/model/random.js'
import { createSbeEncoder } from '../../src/protocol/feed-sbe-codec.js'
import { linesOfBatch } from '../support/tick-lines.js'
import { plainFromBatch } from '../support/naive-tick-line.js'
import { decoderOf, madeBatches, Received, takenFrame } from '../support/sbe-frames.js'

const T = '1782345115505070405'
const LINES = {
  snapshot: `[0,7,"0","11",${T},${T},[[0,"1.5","2",1],[1,"1.75","3.25",1]],true]`,
  update: `[1,7,"11","12",${T},0,[[0,"1.5","0",1],[1,"1.75","9",1]]]`,
  hashed: `[1,7,"a-hash","é",${T},0,[[0,"1.5","0",1]]]`,
  trades: `[2,7,"0","13",${T},${T},[[0,"1.5","2","900",${T}],[1,"1.5","2","id-é",0],[1,"1.5","2",null,0]]]`,
  top: `[6,7,"0","14",${T},${T},[[0,"1.5","2",1],[1,"1.75","3",1]]]`,
  mark: `[7,7,"0","15",${T},${T},"1.5","0.5",null,"0.25","1","2","3","4"]`,
  index: `[8,7,"0","16",${T},${T},"1.5"]`,
  funding: `[9,7,"0","17",${T},${T},["0.0001",${T},"0.0002"]]`,
  liquidations: `[17,7,"0","18",${T},${T},[[0,"1.5","2",${T}]]]`,
  state: `[5,7,${T},"READY","why é"]`,
} as const
type Name = keyof typeof LINES
const NAMES = Object.keys(LINES) as Name[]

const frames = {} as Record<Name, Uint8Array>
const batches: EventBatch[] = []

beforeAll(async () => {
  const encoder = createSbeEncoder()
  batches.push(...await madeBatches(Object.values(LINES)))
  const names = [...NAMES]
  for (const batch of batches) for (let i = 0; i < batch.count; i++) {
    encoder.line(batch, i)
    frames[names.shift()!] = takenFrame(encoder)
  }
})

type Change = (view: DataView) => void
const u8 = (at: number, value: number): Change => (view) => view.setUint8(at, value)
const u16 = (at: number, value: number): Change => (view) => view.setUint16(at, value, true)
const u32 = (at: number, value: number): Change => (view) => view.setUint32(at, value, true)
const i64 = (at: number, value: bigint): Change => (view) => view.setBigInt64(at, value, true)

const both = (one: Change, other: Change): Change => (view) => {
  one(view)
  other(view)
}

function changed(name: Name, change: Change): Uint8Array {
  const bytes = frames[name].slice()
  change(new DataView(bytes.buffer))
  return bytes
}

function decoder(): ReturnType<typeof decoderOf> {
  return decoderOf(batches[0]!.instrument, batches[0]!.epochDay, 2)
}

function faultOf(frame: Uint8Array): BacktapeError {
  try {
    decoder().decode(frame, new Received())
  } catch (error) {
    if (error instanceof BacktapeError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

describe('a frame is refused', () => {
  test.each<[string, Name, Change, string, number, string, string]>([
    ['another schema', 'update', u16(4, 2), 'schemaId', 4, '1', '2'],
    ['an older version', 'update', u16(6, 5), 'version', 6, '6 or newer', '5'],
    ['a short block', 'update', u16(0, 39), 'blockLength', 0, 'at least 40', '39'],
    ['a block beyond the frame', 'update', u16(0, 1000), 'the block', 8, '1000 bytes long', '88 bytes'],
    ['a short block of a state', 'state', u16(0, 16), 'blockLength', 0, 'at least 17', '16'],
    ['rows of too few bytes', 'update', u16(48, 18), 'rows.blockLength', 48, 'at least 19', '18'],
    ['rows of no bytes', 'update', u16(48, 0), 'rows.blockLength', 48, 'at least 19', '0'],
    ['more rows than a group takes', 'update', u32(50, 0xffff_ffff), 'rows.numInGroup', 50, 'at most 1048576', '4294967295'],
    ['more rows than there are', 'update', u32(50, 3), 'rows of 3 entries', 54, '57 bytes long', '42 bytes'],
    ['fewer rows than there are', 'update', u32(50, 1), 'previousEventIdText', 75, '44801 bytes long', '21 bytes'],
    ['more trades than there are', 'trades', u32(50, 4), 'rows of 4 entries', 54, '152 bytes long', '123 bytes'],
    ['a side', 'update', u8(54, 2), 'rows[0].side', 54, '0 or 1', '2'],
    ['a side of a trade', 'trades', u8(54, 255), 'rows[0].side', 54, '0 or 1', '255'],
    ['two rows of one side at the top', 'top', u8(54, 1), 'rows', 54, 'at most one row of each side', '2 rows'],
    ['a price of null', 'update', i64(55, -(2n ** 63n)), 'rows[0].price', 55, 'at most 2^53 - 1 without its point, at most 30 decimals', '-9223372036854775808e-2'],
    ['a price beyond 2^53', 'update', i64(55, 2n ** 53n + 1n), 'rows[0].price', 55, 'at most 2^53 - 1 without its point, at most 30 decimals', '9007199254740993e-2'],
    ['a price that is too large at its scale', 'update', u8(63, 20), 'rows[0].price', 55, 'at most 2^53 - 1 with 2 decimals', '150e20'],
    ['a price that is too fine', 'update', u8(63, 256 - 33), 'rows[0].price', 55, 'at most 2^53 - 1 without its point, at most 30 decimals', '150e-33'],
    ['a quantity below 0', 'update', i64(64 + 19, -1n), 'rows[1].quantity', 83, 'not below 0', '-1'],
    ['a quantity below 0 with finer digits', 'update', both(i64(83, -1n), u8(91, 256 - 5)), 'rows[1].quantity', 83, 'not below 0', '-1'],
    ['an adapter time too far away', 'update', i64(32, 0n), 'adapterTime', 32, 'epoch nanoseconds within 104 days of the day of the feed', '0'],
    ['an exchange time too far away', 'update', i64(40, -1n), 'exchangeTime', 40, 'epoch nanoseconds within 104 days of the day of the feed', '18446744073709551615'],
    ['forceReset', 'snapshot', u8(48, 2), 'forceReset', 48, '0 or 1', '2'],
    ['the form of a trade id', 'trades', u8(81, 3), 'tradeIdForm', 81, '0, 1 or 2', '3'],
    ['a trade id that is no UTF-8', 'trades', u8(133, 0xff), 'tradeIdText', 130, 'UTF-8', 'other bytes'],
    ['an id that is no UTF-8', 'hashed', u8(83, 0xff), 'eventIdText', 83, 'UTF-8', 'other bytes'],
    ['a text longer than its type', 'hashed', u16(73, 65_535), 'previousEventIdText.length', 73, 'at most 65534', '65535'],
    ['a text longer than the frame', 'hashed', u16(73, 50), 'previousEventIdText', 75, '50 bytes long', '10 bytes'],
    ['eight greeks', 'mark', u8(57, 8), 'tailCount', 57, 'at most 7', '8'],
    ['two entries of greeks', 'mark', u32(60, 2), 'greeks of 2 entries', 64, '112 bytes long', '60 bytes'],
    ['a greek that is infinite', 'mark', (view) => view.setFloat64(64, Infinity, true), 'greeks', 64, 'finite or NaN', 'Infinity'],
    ['a flag of the predicted rate', 'funding', u8(65, 255), 'predictedRateGiven', 65, '0 or 1', '255'],
    ['a rate that is too large', 'funding', u8(56, 127), 'rate', 48, 'at most 2^53 - 1 without its point, at most 30 decimals', '1e127'],
    ['a state that is neither', 'state', u8(27, 88), 'state', 27, 'READY or ERROR', '"XEADY"'],
    ['a flag of a state', 'state', u8(24, 2), 'textGiven', 24, '0 or 1', '2'],
    ['a text of a state that is too long', 'state', u32(32, 2 ** 24 + 1), 'text.length', 32, 'at most 16777216', '16777217'],
    ['an instrument id of a state beyond 2^53', 'state', i64(8, -1n), 'instrumentId', 8, 'at most 2^53 - 1', '18446744073709551615'],
  ])('for %s', (_, name, change, field, byteOffset, expected, found) => {
    const error = faultOf(changed(name, change))
    expect(error.place).toEqual({ field, byteOffset, expected, found })
    expect(error.code).toBe(/2\^53 - 1 w|104 days/.test(expected) ? 'VALUE_INEXACT' : 'FRAME_MALFORMED')
    expect(error.message).toBe(`Cannot decode message 1 of the feed: ${field} must be ${expected}, found ${found}, at byte ${byteOffset}`)
  })

  test.each([0, 1, 7])('of %i bytes', (length) => {
    expect(faultOf(frames.update.subarray(0, length)).place).toMatchObject({ field: 'messageHeader', expected: '8 bytes long', found: `${length} bytes` })
  })

  test('for bytes behind its end', () => {
    expect(faultOf(Uint8Array.of(...frames.update, 0)).place).toEqual({ field: 'message', byteOffset: 96, expected: 'ended', found: '1 more bytes' })
  })

  test.each(['{', '[]', '"text"'])('for capabilities %s', (json) => {
    const encoder = createSbeEncoder()
    encoder.loginResponse({ processId: '', protocolVersion: '', serverTime: 0n, capabilities: {} as never })
    const frame = Uint8Array.of(...takenFrame(encoder).subarray(0, 20), json.length, 0, 0, 0, ...new TextEncoder().encode(json))
    expect(faultOf(frame).place).toMatchObject({ field: 'capabilities', byteOffset: 24, expected: 'a JSON object' })
  })
})

describe('every frame', () => {
  test.each(NAMES)('of %s is refused at every cut', (name) => {
    for (let length = 0; length < frames[name].length; length++) {
      const error = faultOf(frames[name].subarray(0, length))
      expect(error.code).toBe('FRAME_MALFORMED')
      expect(error.place.byteOffset).toBeLessThanOrEqual(length)
    }
  })

  test('with changed bytes gives a typed error or another exact value, and the next one is read', () => {
    const random = new RandomNumbers(20, 'sbe', 0)
    let drawn = 0
    const below = (limit: number): number => random.below(limit, drawn++)
    let refused = 0
    for (let round = 0; round < 30_000; round++) {
      const bytes = frames[NAMES[below(NAMES.length)]!].slice()
      for (let i = below(3); i >= 0; i--) bytes[below(bytes.length)] = below(256)
      const own = decoder()
      const received = new Received()
      try {
        own.decode(bytes, received)
        for (const { batch, index } of received.lines) {
          plainFromBatch(batch, index)
          const rows = [batch.rowStart[index], batch.rowStart[index + 1]] as const
          if (![...batch.price.subarray(...rows), ...batch.quantity.subarray(...rows)].every(Number.isSafeInteger)) expect(round).toBe('exact')
        }
      } catch (error) {
        if (!(error instanceof BacktapeError) || !['FRAME_MALFORMED', 'VALUE_INEXACT'].includes(error.code)) throw error
        refused++
        own.decode(frames.update, received)
        const { batch, index } = received.lines[0]!
        if (index !== 0 || linesOfBatch(batch)[0] !== LINES.update) expect(linesOfBatch(batch)).toEqual([LINES.update])
      }
    }
    expect(refused).toBeGreaterThan(5000)
  })

  test('that is damaged widens nothing and leaves the batch as it was', () => {
    const own = decoder()
    const received = new Received()
    own.decode(frames.update, received)
    // Finer digits in row 0, and a side in row 1 that is none.
    expect(() => own.decode(changed('update', both(u8(63, 256 - 9), u8(73, 7))), received)).toThrow('rows[1].side')
    // Finer digits that make another row too large.
    expect(() => own.decode(changed('update', both(u8(63, 256 - 20), i64(74, 2n ** 50n))), received)).toThrow('2^53')
    own.decode(frames.update, received)
    const [first, second] = received.lines
    expect(second!.batch).toBe(first!.batch)
    expect([first!.batch.priceScale, first!.batch.count, second!.index]).toEqual([2, 2, 1])
    expect(linesOfBatch(first!.batch)[1]).toBe(LINES.update)
  })
})

describe('what SBE lets pass', () => {
  const linesOf = (...sent: readonly Uint8Array[]): string[] => {
    const received = new Received()
    const own = decoder()
    for (const frame of sent) own.decode(frame, received)
    return received.lines.map(({ batch, index }) => linesOfBatch(batch)[index]!)
  }

  test('unknown templates are counted', () => {
    const own = decoder()
    const received = new Received()
    for (const template of [3, 4, 10, 11, 12, 13, 15, 16, 18, 999, 65_535]) own.decode(changed('update', u16(2, template)), received)
    expect([own.passedCount, received.count]).toEqual([11, 0])
  })

  test('so are events of other instruments', () => {
    const own = decoder()
    const received = new Received()
    own.decode(changed('update', u8(8, 8)), received)
    own.decode(changed('update', i64(8, -1n)), received)
    expect([own.passedCount, received.count]).toEqual([2, 0])
  })

  test('longer blocks, longer rows and more at the end of newer versions', () => {
    const { update, trades } = frames
    const newer = (frame: Uint8Array, block: number, row: number, rowsAt: number, rows: readonly number[]): Uint8Array => {
      const parts = [...frame.subarray(0, rowsAt), 1, 2, 3, ...frame.subarray(rowsAt, rowsAt + 6)]
      let at = rowsAt + 6
      for (const length of rows) {
        parts.push(...frame.subarray(at, at + row), 9, 9, ...frame.subarray(at + row, at + length))
        at += length
      }
      const bytes = Uint8Array.from([...parts, ...frame.subarray(at), 4, 0, 1, 2, 3, 4])
      const view = new DataView(bytes.buffer)
      view.setUint16(0, block + 3, true)
      view.setUint16(6, 9, true)
      view.setUint16(rowsAt + 3, row + 2, true)
      return bytes
    }
    expect(linesOf(newer(update, 40, 19, 48, [19, 19]), newer(trades, 40, 36, 48, [38, 43, 38]))).toEqual([LINES.update, LINES.trades])
  })

  test.each<[string, bigint, number, string]>([
    ['a mantissa of many digits', 1_500_000_000_000_000_000n, -18, '1.5'], ['beyond 2^53, with zeros', 9_007_199_254_740_993_000n, -20, '0.09007199254740993'], ['the most of 64 bits', 2n ** 63n - 1n, -16, '922.3372036854775807'], ['the least but null', 1n - 2n ** 63n, -30, '-0.000000000009223372036854775807'],
    ['a positive exponent', 15n, 3, '15000'], ['zero with any exponent', 0n, 127, '0'], ['zero, finest', 0n, -128, '0'], ['below zero', -25n, -1, '-2.5'],
    ['finer digits', 123_456_789n, -8, '1.23456789'],
  ])('a decimal with %s', (_, mantissa, exponent, text) => {
    const frame = changed('index', both(i64(48, mantissa), u8(56, exponent & 255)))
    expect(linesOf(frame)[0]).toContain(`,"${text}"]`)
  })

  test('a number that stands in a text', () => {
    const bytes = Uint8Array.from([...frames.index.subarray(0, 57), 2, 0, 52, 50, 0, 0])
    new DataView(bytes.buffer).setBigInt64(16, -1n, true)
    const received = new Received()
    decoder().decode(bytes, received)
    const { batch, index } = received.lines[0]!
    expect([batch.previousEventId.form[index], batch.previousEventId.low[index]]).toEqual([1, 42])
  })
})
