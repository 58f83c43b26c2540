import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { idTextAt, textAt } from '../../src/model/event-batch-columns.js'
import { EVENT_FLAGS, type EventBatch } from '../../src/model/event-batch.js'
import { createJsonDecoder, createJsonEncoder, createJsonRequests } from '../../src/protocol/feed-json-codec.js'
import { DEFAULT_TOPICS, FeedViolation, type FeedDecoded, type FeedLoginResponse, type FeedRequest, type FeedState } from '../../src/protocol/feed-messages.js'
import { refusalOf } from '../support/collected.ts'
import { FEED_DAY, FEED_INSTRUMENTS, FEED_LINES } from '../support/made-feed.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

interface Seen { readonly lines: { batch: EventBatch, index: number }[], readonly states: FeedState[], readonly logins: FeedLoginResponse[] }

function decoding(scales = { priceScale: 4, quantityScale: 0 }): { decode(text: string): void, seen: Seen, passed(): number } {
  const decoder = createJsonDecoder({
    instrumentOf: (id) => FEED_INSTRUMENTS.filter((one) => one.id === id).map((instrument) => ({ instrument, ...scales }))[0],
    epochDay: FEED_DAY,
  })
  const seen: Seen = { lines: [], states: [], logins: [] }
  const to: FeedDecoded = {
    onLine: (batch, index) => { seen.lines.push({ batch, index }) },
    onState: (state) => { seen.states.push(state) },
    onLoginResponse: (response) => { seen.logins.push(response) },
  }
  return { decode: (text) => decoder.decode(bytes(text), to), seen, passed: () => decoder.passedCount }
}

/** Every line decoded, and encoded again. */
function roundTrip(lines: readonly string[]): string[] {
  const { decode, seen } = decoding()
  for (const line of lines) decode(line)
  const encoder = createJsonEncoder()
  return seen.lines.map(({ batch, index }) => {
    encoder.sink.count = 0
    encoder.line(batch, index)
    return new TextDecoder().decode(encoder.sink.bytes.subarray(0, encoder.sink.count))
  })
}

describe('events', () => {
  test('are the lines of the file, to the byte', () => {
    const lines = Object.values(FEED_LINES)
    expect(roundTrip(lines)).toEqual(lines)
  })

  test('batches that were given out stay valid as scales grow and batches fill up', () => {
    const prices = ['1.07', '1.0715', '1.071500001', '2', '1.5']
    const lines = Array.from({ length: 3000 }, (_, i) => `[8,1210,"0","${i}",${1782345115505070406n + BigInt(i)},0,"${prices[i % 5]!}"]`)
    const book = lines.map((_, i) => `[6,1211,"0","id-${i}",${1782345115505070406n + BigInt(i)},0,[[0,"${prices[i % 5]!}","1.${'1'.repeat(1 + (i % 7))}",1]]]`)
    const both = lines.flatMap((line, i) => [line, book[i]!])
    expect(roundTrip(both)).toEqual(both)
  })

  test('a line longer than any batch has one of its own', () => {
    const rows = Array.from({ length: 70_000 }, (_, i) => `[${i % 2},"${i + 1}","${i + 1}",1]`).join(',')
    const lines = [FEED_LINES.top, `[0,1210,"0","5",1782345115505070405,0,[${rows}]]`, FEED_LINES.update]
    const back = roundTrip(lines)
    expect(back.map((line) => line.length > 1000)).toEqual([false, true, false])
    expect((JSON.parse(back[1]!) as unknown[][])[6]).toHaveLength(70_000)
  })

  test('gaps of the depth chain are marked, across batches and texts of ids, and nothing else is', () => {
    const { decode, seen } = decoding()
    const line = (kind: number, previous: string, id: string): string => `[${kind},1210,"${previous}","${id}",1782345115505070405,0,[[0,"1.0715","7.25",1]]]`
    const lines = [line(1, '0', 'a'), line(1, 'a', 'b'), line(1, 'x', 'c'), line(0, '0', 'd'), line(1, 'd', '5'), line(1, '0', '6'), line(1, '5', '7'), line(6, '99', '98')]
    for (const one of lines) decode(one)
    expect(seen.lines.map(({ batch, index }) => (batch.flags[index]! & EVENT_FLAGS.CHAIN_GAP) !== 0)).toEqual([false, false, true, false, false, false, true, false])
  })

  test('times, ids and digits are exact', () => {
    const { decode, seen } = decoding()
    decode('[0,1210,"0","18446744073709551615",1782345115505070405,1782345115504140603,[[0,"1.0715","730000",1]],true]')
    const { batch, index } = seen.lines[0]!
    expect(idTextAt(batch.eventId, index)).toBe('18446744073709551615')
    expect(BigInt(FEED_DAY) * 86_400_000_000_000n + BigInt(batch.adapterTimeNs[index]!)).toBe(1782345115505070405n)
    expect(batch.flags[index]! & EVENT_FLAGS.FORCE_RESET).toBe(EVENT_FLAGS.FORCE_RESET)
  })

  test('white space, unknown types and unknown instruments pass', () => {
    const { decode, seen, passed } = decoding()
    for (const text of ['[99,1210,"anything",{"a":[1]}]', '[3]', '[1,4711,"0","1",1,1,[]]', ' [ 8 , 1210 , "0" , "1" , 1782345115505070406 , 0 , "1" , "more" ]', '[ 5, 1210, 1782345115505070406, "PAUSED", "why"]'])
      decode(text)
    expect(seen.lines).toHaveLength(1)
    expect(passed()).toBe(4)
  })

  test.each([
    ['', 'LINE_MALFORMED', /message must be an array that begins with a message type/],
    ['{"a":1}', 'LINE_MALFORMED', /message must be an array/],
    ['["1",1210]', 'LINE_MALFORMED', /message must be an array/],
    ['[1.5,1210]', 'LINE_MALFORMED', /message must be an array/],
    ['[8,1210,"0","1",1782345115505070406,0,1.5]', 'LINE_MALFORMED', /data must be a decimal, found 1.5/],
    ['[8,1210,"0","1",1782345115505070406,0,"1"', 'LINE_MALFORMED', /message 1 of the feed/],
    ['[8,1210,"0","1",1782345115505070406,0,"1"] x', 'LINE_MALFORMED', /line must be ended/],
    ['[8,1210,"0","1",1782345115505070406,0,"1"]\n\n', 'LINE_MALFORMED', /message must be one line/],
    ['[1,1210,"0","1",1782345115505070406,0,[[2,"1","1",1]]]', 'LINE_MALFORMED', /side must be 0 or 1/],
    ['[1,1210,"0","1",1782345115505070406,0,[[0,"1","-1",1]]]', 'LINE_MALFORMED', /qty must be a decimal not below 0/],
    ['[1,1210,"0","1",1,0,[[0,"1","1",1]]]', 'VALUE_INEXACT', /adapterTs must be epoch nanoseconds within 104 days/],
    ['[1,1210,"0","1",1782345115505070406,0,[[0,"9007199254740993x","1",1]]]', 'LINE_MALFORMED', /price must be a decimal/],
    ['[5,1210,1782345115505070406,"READY"', 'LINE_MALFORMED', /must be a JSON array/],
    ['[5,1210,1.5,"READY",""]', 'LINE_MALFORMED', /ts must be epoch nanoseconds/],
    ['[5,"x",1782345115505070406,"READY",""]', 'LINE_MALFORMED', /instrumentId must be an integer/],
    ['[5,1210,1782345115505070406,null,""]', 'LINE_MALFORMED', /state must be a text/],
    ['[14,"p","6",1782345115505070406,[]]', 'LINE_MALFORMED', /capabilities must be an object at index 4/],
    ['[14,"p","6"]', 'LINE_MALFORMED', /capabilities must be an object at index 4/],
  ])('%s is refused', async (text, code, words) => {
    const { decode, seen } = decoding()
    const refusal = await refusalOf(() => decode(text))
    expect(refusal.code).toBe(code)
    expect(refusal.message).toMatch(words)
    expect(seen.lines).toEqual([])
  })
})

describe('states and logins', () => {
  test('come back as they were, times beyond 2^53 too', () => {
    fc.assert(fc.property(fc.constantFrom('READY' as const, 'ERROR' as const), fc.string(), fc.bigInt({ min: 0n, max: 2n ** 63n }), fc.nat(), (state, text, time, instrumentId) => {
      const { decode, seen } = decoding()
      const encoder = createJsonEncoder()
      encoder.state({ instrumentId, time, state, text })
      decode(new TextDecoder().decode(encoder.sink.bytes.subarray(0, encoder.sink.count)))
      expect(seen.states).toEqual([{ instrumentId, time, state, text }])
    }))
  })

  test('a state line of a file is a state event; a text of null is empty', () => {
    const { decode, seen } = decoding()
    decode('[5,1210,1782345115505070404,"READY","ready after failover"]')
    decode('[5,1210,1782345115505070404,"ERROR",null,"more"]')
    expect(seen.states.map(({ state, text }) => [state, text])).toEqual([['READY', 'ready after failover'], ['ERROR', '']])
    expect(seen.states[0]!.time).toBe(1782345115505070404n)
  })

  test('a login response has its capabilities at index 4', () => {
    const capability = { eventIdType: 'opaque' }
    const capabilities = { depthTopic: capability, tradesTopic: capability, topOfBookTopic: capability, indexPriceTopic: null, markPriceTopic: null, fundingRateTopic: null, liquidationsTopic: null }
    const encoder = createJsonEncoder()
    const response: FeedLoginResponse = { processId: 'feed "1"', protocolVersion: '6', serverTime: 1782345115505070405n, capabilities }
    encoder.loginResponse(response)
    const text = new TextDecoder().decode(encoder.sink.bytes.subarray(0, encoder.sink.count))
    expect((JSON.parse(text) as unknown[])[4]).toEqual(capabilities)
    const { decode, seen } = decoding()
    decode(text)
    decode('[14, 4711, 6, 1782345115505070405, {"depthTopic": {}, "newTopic": {}}, "more"]')
    expect(seen.logins[0]).toEqual(response)
    expect(seen.logins[1]).toMatchObject({ processId: '4711', protocolVersion: '6', capabilities: { depthTopic: { eventIdType: '' }, tradesTopic: null } })
  })
})

describe('requests', () => {
  const requests = { ...createJsonRequests().encoder, ...createJsonRequests().decoder }
  const login = { organization: 'o', applicationName: 'a', applicationVersion: 'v', processId: 'p' }

  test.each<[string, FeedRequest]>([
    ['[13,"o","a","v","p"]', { kind: 'login', login }],
    ['[12,1210]', { kind: 'unsubscribe', instrumentId: 1210 }],
    ['[11,1210]', { kind: 'subscribe', subscribe: { instrumentId: 1210, topics: {}, topOfBookCoalescing: false } }],
    ['[11,1210,{"depthTopic":false,"liquidationsTopic":true}]', { kind: 'subscribe', subscribe: { instrumentId: 1210, topics: { depth: false, liquidations: true }, topOfBookCoalescing: false } }],
    ['[11,1210,{"topOfBookCoalescing":true}]', { kind: 'subscribe', subscribe: { instrumentId: 1210, topics: {}, topOfBookCoalescing: true } }],
  ])('%s is written, and read with its defaults', (text, request) => {
    expect(requests.encode(request)).toBe(text)
    const back = requests.decode(bytes(text))
    const whole = request.kind === 'subscribe' ? { ...request, subscribe: { ...request.subscribe, topics: { ...DEFAULT_TOPICS, ...request.subscribe.topics } } } : request
    expect(back).toEqual(whole)
  })

  test.each([
    ['', null, /must be a JSON array, found no JSON/], ['hello', null, /found no JSON/], ['7', null, /found 7/], ['{"a":1}', null, /found an object/], ['null', null, /found null/],
    ['[]', null, /must be 11, 12 or 13, found nothing/], ['["13"]', null, /found "13"/], ['[14]', 14, /found 14/], ['[[]]', null, /found a list/], ['["' + 'x'.repeat(999) + '"]', null, /^.{0,99}$/],
    ['[13]', 13, /four texts/], ['[13,"o","a","v"]', 13, /four texts/], ['[13,"o","a","v",7]', 13, /four texts/], ['[13,"o","a","v","p","q"]', 13, /four texts/], ['[13,"o","a","v",null]', 13, /four texts/],
    ['[11]', null, /must be an integer from 0, found nothing/], ['[11,"1210"]', null, /found "1210"/], ['[11,1.5]', null, /found 1.5/], ['[11,-1]', null, /must be an integer from 0, found -1/], ['[11,1e300]', null, /found 1e\+300/],
    ['[11,1210,[]]', null, /must be an object, found a list/], ['[11,1210,7]', null, /must be an object, found 7/], ['[11,1210,{"depth":true}]', null, /unknown topic, "depth"/], ['[11,1210,{"toString":true}]', null, /unknown topic/],
    ['[11,1210,{"depthTopic":1}]', null, /depthTopic must be true or false, found 1/], ['[11,1210,{"topOfBookCoalescing":null}]', null, /must be true or false, found null/], ['[11,1210,{},1]', null, /subscribe must be/],
    ['[12]', 12, /unsubscribe must be/], ['[12,1210,1]', 12, /unsubscribe must be/], ['[12,null]', null, /instrumentId of unsubscribe must be an integer from 0, found null/],
  ])('%s is a violation', (text, messageType, words) => {
    try {
      requests.decode(bytes(text))
      expect.unreachable()
    } catch (error) {
      expect(error).toBeInstanceOf(FeedViolation)
      expect((error as FeedViolation).message).toMatch(words)
      expect((error as FeedViolation).messageType).toBe(messageType)
    }
  })

  test('whatever bytes come, the answer is a request or a violation', () => {
    const text = fc.oneof(fc.json(), fc.array(fc.oneof(fc.constantFrom(11, 12, 13, 1210, 'x', null), fc.dictionary(fc.constantFrom('depthTopic', 'x'), fc.anything()))).map((one) => JSON.stringify(one)))
    fc.assert(fc.property(fc.oneof(fc.uint8Array(), text.map((one) => bytes(one))), (frame) => {
      try {
        requests.decode(frame)
      } catch (error) {
        expect(error).toBeInstanceOf(FeedViolation)
      }
    }))
  })
})

test('texts of trades survive as they stand', () => {
  const { decode, seen } = decoding()
  decode('[2,1210,"0","7",1782345122476611101,0,[[0,"1.0719","19200","a\\"b\\u00e9",1782345122476000000],[1,"1","1",null,0]]]')
  const { batch } = seen.lines[0]!
  expect([textAt(batch.tradeId, 0), textAt(batch.tradeId, 1)]).toEqual(['a"bé', null])
})
