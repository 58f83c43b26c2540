import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DrawnId } from '../../src/model/id.js'
import { RandomNumbers } from '../../src/model/random.js'
import { JournalSegment } from '../../src/protocol/journal-segment.js'
import { RECORD_LAYOUTS, SEGMENT_LINES } from '../../src/protocol/record-layout.js'
import { SegmentText } from '../../src/protocol/segment-text.js'
import type { Journal } from '../../src/results/journal.js'
import { RunJournal } from '../../src/results/run-journal.js'
import type { MessageFields, Unit } from '../../src/venue/field-units.js'
import { MESSAGE_FIELDS, REQUEST_FIELDS } from '../../src/venue/message-fields.js'
import type { ClientMessage, ClientRequest } from '../../src/venue/order-messages.js'
import type { InstrumentDirectory } from '../../src/venue/venue.js'
import { naiveJournalLine } from '../support/naive-journal-line.ts'
import { NAIVE_KINDS, naiveRecord } from '../support/naive-journal-record.ts'
import { sure } from '../support/repetitions.ts'
import { throughJson } from '../support/through-json.ts'
import { savedState } from '../../src/model/saved-state.js'

const EPOCH_DAY = 19943
const scales = new Map([[1, { priceScale: 1, quantityScale: 3 }], [2, { priceScale: 4, quantityScale: 0 }]])
const directory = { get: (id: number) => scales.get(id) } as unknown as InstrumentDirectory

const random = new RandomNumbers(1, 'journal ids', 0)
/** The ids that a run draws, by their texts: objects of this run. */
const drawnIds = (): ReadonlyMap<string, DrawnId> => new Map(Array.from({ length: 3 }, (_, n) => new DrawnId(random, n)).map((one) => [String(one), one]))
/** Texts of ids: of those that come from outside, and of those that are drawn. */
const ids = [...drawnIds().keys()].flatMap((text, n) => [`0123456${n}-89ab-4cde-8f01-23456789abcd`, text])

/** A message as a run hands it on: with the drawn ids themselves in place of their texts. */
function withDrawn<Value>(drawn: ReadonlyMap<string, DrawnId>, value: Value): Value {
  if (typeof value === 'string') return (drawn.get(value) ?? value) as Value
  if (Array.isArray(value)) return value.map((one: unknown) => withDrawn(drawn, one)) as Value
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withDrawn<unknown>(drawn, one)])) as Value : value
}

/** Ids of orders that are known before, and of one that is not. */
const KNOWN = ids.slice(0, 4)
const id = fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...ids) }, { weight: 1, arbitrary: fc.constantFrom('', 'own-1', ids[0]!.toUpperCase(), '00000000-0000-0000-0000-000000000000') })
const integer = fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.constantFrom(0, -0, 1e15))
const digits = (least: number, most: number): fc.Arbitrary<string> => fc.string({ unit: fc.constantFrom('0', '1', '2', '3', '4', '5', '6', '7', '8', '9'), minLength: least, maxLength: most })
const decimal = fc.oneof(
  { weight: 50, arbitrary: fc.tuple(fc.constantFrom('', '-'), fc.oneof(fc.nat(9).map(String), fc.nat({ max: 999_999_999_999_999 }).map(String)), fc.oneof({ weight: 4, arbitrary: digits(0, 4) }, { weight: 4, arbitrary: digits(10, 18) }, { weight: 1, arbitrary: digits(19, 27) })).map(([sign, whole, fraction]) => {
    const places = fraction.replace(/0+$/, '')
    return places === '' && whole === '0' ? '0' : `${sign}${whole}${places === '' ? '' : `.${places}`}`
  }) },
  { weight: 1, arbitrary: fc.constantFrom('', '-0', '1.', '.5', '1.50', '007', '1e5', 'NaN', '99999999999999999999', '0.0000000000000000000000000001') },
)

const WORDS: Readonly<Record<string, readonly string[]>> = {
  type: ['LIMIT', 'MARKET', 'STOP_LIMIT', 'MARKET_PEGGED', 'PRIMARY_PEGGED', 'ACCOUNT', 'ICEBERG'], side: ['BID', 'ASK'], timeInForce: ['GOOD_TILL_CANCEL', 'IMMEDIATE_OR_CANCEL', 'FILL_OR_KILL', 'DAY'],
  state: ['CONFIRMED', 'FILLED', 'CANCELED', 'REJECTED', 'PENDING_AMEND', 'LOST'], openClose: ['AUTO', 'OPEN', 'CLOSE'], source: ['INTERNAL', 'EXCHANGE'], walletType: ['ACCOUNT', 'é"\ud800'],
}

function valueOf(name: string, unit: Unit): fc.Arbitrary<unknown> {
  if (typeof unit !== 'string') return objectsOf(name, unit)
  switch (unit) {
    case 'price': return fc.oneof({ weight: 6, arbitrary: integer }, { weight: 1, arbitrary: fc.constant(null) })
    case 'quantity': return integer
    case 'priceScale': return fc.constantFrom(0, 2, 7, 18)
    case 'timeNs': return fc.oneof(fc.nat(), fc.integer({ min: -90_000_000_000_000, max: 9_000_000_000_000_000 }))
    case 'instrumentId': return fc.oneof({ weight: 9, arbitrary: fc.constantFrom(1, 2) }, { weight: 1, arbitrary: fc.constant(3) })
    case 'ofInstrument': return fc.constantFrom(1, 2)
    case 'orderId': return id
    case 'number': return fc.oneof({ weight: 9, arbitrary: fc.integer() }, { weight: 1, arbitrary: fc.constantFrom(0.5, 2 ** 40) })
    case 'flag': return fc.boolean()
    case 'json': return fc.constantFrom({ any: [1, { price: 1 }] }, {})
    case 'decimal': return decimal
    case 'word': return fc.constantFrom(...(WORDS[name] ?? ['a', 'B']))
    default: return name === 'message' || name === 'comment' || name === 'id' ? fc.string({ unit: 'binary', maxLength: 4 }) : id
  }
}

const LISTS = new Set(['entries', 'results', 'orders', 'fills', 'positions', 'isolatedPositions', 'wallets', 'maintenanceMargin', 'totalBalances', 'rateLimitLoads', 'loads'])
/** Fields that few messages have; the others nearly all of them, or no record would ever be written. */
const RARE = new Set(['context', 'owner', 'error', 'isolatedPositions', 'displayQuantity', 'triggerPrice', 'pegOffsetValue', 'walletType', 'autoBorrow', 'autoRepay', 'useSpare', 'openClose'])

/** Fields that messages may lack, beside the rare ones. */
const OPTIONAL = new Set([
  'exchangeOrderId', 'exchangeTimeNs', 'result', 'reduceOnly', 'closeOnly', 'triggered', 'liquidationPrice', 'unrealizedPnl', 'averageEntryPrice', 'priceScale', 'usdFees', 'usdTurnover', 'fxRate', 'maintenanceMargin',
  'totalBalances', 'borrowed', 'cashBalance', 'availableBorrow', 'type', 'retryTimeNs', 'price', 'totalQuantity',
])

/** The instrument of a wallet: those of isolated margin alone have it. */
const isOfWallet = (name: string, fields: MessageFields): boolean => name === 'instrumentId' && 'underlyingId' in fields

function messageOf(fields: MessageFields): fc.Arbitrary<object> {
  const entries = Object.entries(fields).map(([name, unit]) => {
    const value = valueOf(name, unit)
    return [name, OPTIONAL.has(name) || unit === 'ofInstrument' ? fc.option(value, { nil: undefined, freq: 8 }) : value] as const
  })
  return fc.tuple(fc.record(Object.fromEntries(entries)), fc.record(Object.fromEntries(entries.map(([name]) => [name, fc.nat(9)])))).map(([values, chances]) => (
    Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== undefined && (!(RARE.has(name) || isOfWallet(name, fields)) || (chances as Record<string, number>)[name] === 0)))))
}

function objectsOf(name: string, fields: MessageFields): fc.Arbitrary<unknown> {
  if (!LISTS.has(name) || (name === 'maintenanceMargin' && 'usdAmount' in fields && !('walletType' in fields))) return messageOf(fields)
  return fc.oneof({ weight: 12, arbitrary: messageOf(fields).map((one) => [one]) }, { weight: 1, arbitrary: fc.array(messageOf(fields), { maxLength: 3 }) })
}

type Message = ClientRequest | ClientMessage
const kinds = { ...REQUEST_FIELDS, ...MESSAGE_FIELDS }
/** Messages of each kind, made once: to make them for each case is a third of the work. */
const ofKind = new Map(Object.entries<MessageFields>(kinds).map(([kind, fields]) => [kind, messageOf(fields).map((content) => ({ kind, ...content }) as Message)]))
const anyMessage = fc.constantFrom(...ofKind.keys()).chain((kind) => ofKind.get(kind)!)

/** A journal of a run in which the known orders were placed, its lines, and a message as that run has it. */
function started(): { readonly records: RunJournal, readonly lines: string[], readonly instrumentOf: Map<string, Map<string, number>>, readonly ofRun: <Value>(value: Value) => Value } {
  const drawn = drawnIds()
  const ofRun = <Value>(value: Value): Value => withDrawn(drawn, value)
  const lines: string[] = []
  const records = new RunJournal({ write: (line) => void lines.push(line) }, directory, EPOCH_DAY)
  const instrumentOf = new Map([['main', new Map<string, number>()]])
  for (const [at, ownOrderId] of KNOWN.entries()) {
    const instrumentId = 1 + (at % 2)
    records.requested('maker', at, ofRun<ClientRequest>({ kind: 'place', entries: [{ ownOrderId, clientOrderId: ids[5]!, instrumentId, type: 'LIMIT', side: 'BID', timeInForce: 'GOOD_TILL_CANCEL', price: 5, totalQuantity: 7, postOnly: true }] }), 'main')
    instrumentOf.get('main')!.set(ownOrderId, instrumentId)
  }
  return { records, lines, instrumentOf, ofRun }
}

/** Segments of what was written. */
function segmentOf({ journal }: RunJournal): JournalSegment {
  return JournalSegment.from(journal.openSegment()!)
}

/** A seed whose messages are of all kinds of records: others miss a rare one now and then. */
const ALL_KINDS = 1

test('orders that were refused are forgotten, as those that have ended; one whose id was used before is not', () => {
  const records = new RunJournal(null, directory, EPOCH_DAY)
  const refuse = (ownOrderId: string, type: string): void => {
    const entry = { ownOrderId, clientOrderId: ids[5]!, instrumentId: 1, type: 'LIMIT', side: 'BID', timeInForce: 'GOOD_TILL_CANCEL', price: 5, totalQuantity: 7, postOnly: true } as const
    records.requested('maker', 0, { kind: 'place', entries: [entry] }, 'main')
    records.delivered('maker', 0, { kind: 'placeResponse', adapterTimeNs: 0, results: [{ ownOrderId, clientOrderId: ids[5]!, error: { type, message: '', source: 'EXCHANGE' } }] }, 'main')
  }
  refuse('kept', 'ORDER_ID_DUPLICATE')
  for (let number = 0; number < 3 * 4096; number++) refuse(`order ${number}`, 'INVALID_PRICE')
  const known = JSON.stringify(savedState(records.state()))
  expect(known).toContain('"kept"')
  expect(known).not.toContain('"order 8191"')
  expect(known.length).toBeLessThan(2 * 4096 * 30)
})

test('a late change of an order that is forgotten has the scales of its instrument', () => {
  const lines: string[] = []
  const records = new RunJournal({ write: (line) => void lines.push(line) }, directory, EPOCH_DAY)
  const change = { price: 12345, totalQuantity: 678 }
  const place = { clientOrderId: ids[5]!, instrumentId: 1, type: 'LIMIT', side: 'BID', timeInForce: 'GOOD_TILL_CANCEL', postOnly: true, ...change } as const
  for (let number = 0; number < 2 * 4096; number++) {
    const ownOrderId = `order ${number}`
    records.requested('maker', 0, { kind: 'place', entries: [{ ownOrderId, ...place }] }, 'main')
    records.delivered('maker', 0, { kind: 'placeResponse', adapterTimeNs: 0, results: [{ ownOrderId, clientOrderId: ids[5]!, error: { type: 'ANY', message: '', source: 'EXCHANGE' } }] }, 'main')
  }
  const ofOrder = { instrumentId: 1, currentClientOrderId: ids[5]!, newClientOrderId: ids[6]!, ...change }
  records.requested('maker', 0, { kind: 'amend', entries: [{ ownOrderId: 'order 0', ...ofOrder }] }, 'main')
  records.requested('maker', 0, { kind: 'replace', entries: [{ currentOwnOrderId: 'order 1', newOwnOrderId: 'fresh', ...ofOrder }] }, 'main')
  records.requested('maker', 0, { kind: 'amend', entries: [{ ownOrderId: 'fresh', currentClientOrderId: ids[5]!, newClientOrderId: ids[6]!, ...change }] }, 'main')
  const stated = (line: string | undefined): unknown => {
    const { price, totalQuantity, instrumentId } = (JSON.parse(line!) as { entries: Record<string, unknown>[] }).entries[0]!
    return { price, totalQuantity, instrumentId }
  }
  const { price, totalQuantity } = stated(lines[0]) as Record<string, unknown>
  expect(lines.slice(-3).map(stated)).toEqual(Array(3).fill({ price, totalQuantity, instrumentId: undefined }))
  expect(price).not.toBe('12345')
})

describe('messages of every kind', () => {
  test('a line of records is the naive line of its message, and read again it is the same', () => {
    const held = new Set<number>()
    const isNaive = fc.property(fc.array(fc.tuple(anyMessage, fc.nat()), { minLength: 1, maxLength: 6 }), (messages) => {
      const { records, lines, instrumentOf, ofRun } = started()
      const expected = [...lines]
      for (const [message, timeNs] of messages) {
        const content: object = message
        expected.push(naiveJournalLine(directory, instrumentOf, EPOCH_DAY, { seq: expected.length, side: 'local', timeNs, kind: message.kind, client: 'maker', account: 'main' }, content))
        records.journal.message('maker', 'main', timeNs, ofRun(message), kinds)
      }
      expect(lines).toEqual(expected)
      const segment = segmentOf(records)
      expect([...new SegmentText(segment).lines()]).toEqual(expected)
      for (const kind of segment.kinds.subarray(0, segment.lineCount)) held.add(kind)
    })
    fc.assert(isNaive, { numRuns: 1000 })
    fc.assert(isNaive, { numRuns: sure(2000), seed: ALL_KINDS })
    expect([...held].sort((a, b) => a - b)).toEqual(RECORD_LAYOUTS.map(({ code }) => code))
  })

  test('a record has the bytes of the naive writer', () => {
    const seen = new Set<number>()
    const isNaive = fc.property(anyMessage, fc.nat(), (message, timeNs) => {
      const { records, instrumentOf, ofRun } = started()
      records.journal.message('maker', 'main', timeNs, ofRun(message), kinds)
      const segment = segmentOf(records)
      const code = segment.kinds[segment.lineCount - 1]!
      if (code === 0) return
      seen.add(code)
      const table = segment.table(RECORD_LAYOUTS[code]!)
      const bytes = table.bytes.subarray((table.count - 1) * table.layout.byteLength, table.count * table.layout.byteLength)
      const texts = (of: (number: number) => string | undefined): string[] => Array.from({ length: 40 }, (_, n) => of(n + 1) ?? `none ${n}`)
      const numbers = { ids: texts((n) => segment.idText(n)), names: texts((n) => segment.nameText(n)) }
      const [first] = (Object.values(message).find(Array.isArray) ?? []) as { ownOrderId?: string, currentOwnOrderId?: string, instrumentId?: number }[]
      const instrumentId = first?.instrumentId ?? instrumentOf.get('main')!.get(first?.ownOrderId ?? first?.currentOwnOrderId ?? '') ?? 0
      expect(NAIVE_KINDS.find((one) => one.code === code)?.kind).toBe(message.kind)
      expect([...bytes]).toEqual(naiveRecord(code, { timeNs, client: 'maker', account: 'main', instrumentId }, message, numbers))
    })
    fc.assert(isNaive, { numRuns: 2000 })
    fc.assert(isNaive, { numRuns: sure(3000), seed: ALL_KINDS })
    expect([...seen].sort((a, b) => a - b)).toEqual(NAIVE_KINDS.map(({ code }) => code))
  })
})

const update = (n: number, instrumentId = 1): ClientMessage => ({
  kind: 'orderUpdate', adapterTimeNs: n, orders: [{ ownOrderId: KNOWN[n % 4]!, exchangeOrderId: ids[4]!, clientOrderId: ids[5]!, instrumentId, type: 'LIMIT', side: 'ASK', state: 'CONFIRMED', timeInForce: 'GOOD_TILL_CANCEL', price: n, totalQuantity: 5, executedQuantity: 0, postOnly: false }],
})

describe('segments', () => {
  test('close at 4,096 lines, and where the scale of an instrument grows', () => {
    const lines: string[] = []
    const own = { priceScale: 1, quantityScale: 0 }
    const segments: JournalSegment[] = []
    const both = (sink: 'text' | 'records'): Journal => {
      const growing = { get: () => ({ ...own }) } as unknown as InstrumentDirectory
      const { journal } = new RunJournal(sink === 'text' ? { write: (line) => void lines.push(line) } : { open: () => undefined, writeSegment: (bytes) => void segments.push(JournalSegment.from(bytes)) }, growing, EPOCH_DAY)
      own.priceScale = 1
      for (let n = 0; n < SEGMENT_LINES + 200; n++) {
        if (n === 100) own.priceScale = 2
        journal.message('maker', 'main', n, update(n), kinds)
      }
      return journal
    }
    const [text, records] = [both('text'), both('records')]
    expect(text.segmentDigests).toEqual(records.segmentDigests)
    expect(text.digest()).toBe(records.digest())
    expect(segments.map(({ firstLine, lineCount }) => [firstLine, lineCount])).toEqual([[0, 100], [100, SEGMENT_LINES]])
    expect(text.segmentDigests).toHaveLength(2)
    expect(lines[99]).toContain('"price":"9.9"')
    expect(lines[100]).toContain('"price":"1"')
    const all = [...segments, JournalSegment.from(records.openSegment() ?? new Uint8Array())].flatMap((segment) => [...new SegmentText(segment).lines()])
    expect(all).toEqual(lines)
  })

  test('a journal that goes on from its state has the digests of one that was never left', () => {
    fc.assert(fc.property(fc.array(anyMessage, { minLength: 1, maxLength: 8 }), fc.nat(8), (messages, cut) => {
      const [{ records: whole, ofRun }, { records: first, ofRun: ofFirst }] = [started(), started()]
      for (const message of messages) whole.journal.message('maker', 'main', 5, ofRun(message), kinds)
      for (const message of messages.slice(0, cut)) first.journal.message('maker', 'main', 5, ofFirst(message), kinds)
      const rest = new RunJournal(null, directory, EPOCH_DAY)
      const { journal, orders, later } = throughJson({ journal: first.journal.state(), orders: first.state(), later: messages.slice(cut).map(ofFirst) })
      rest.journal.restore(journal)
      rest.restore(orders)
      for (const message of later) rest.journal.message('maker', 'main', 5, message, kinds)
      expect(rest.journal.digest()).toBe(whole.journal.digest())
      expect(rest.journal.lineCount).toBe(whole.journal.lineCount)
    }), { numRuns: 600 })
  })

  test('more ids than have numbers are written as text', () => {
    const { records, lines } = started()
    const uuid = (n: number): string => `aaaaaaaa-0000-4000-8000-${n.toString(16).padStart(12, '0')}`
    for (let n = 0; n < 3000; n++) records.journal.message('maker', 'main', n, { kind: 'cancel', entries: [{ ownOrderId: uuid(2 * n), exchangeOrderId: uuid(2 * n + 1) }] }, kinds)
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ entries: [{ ownOrderId: uuid(5998), exchangeOrderId: uuid(5999) }] })
  })
})
