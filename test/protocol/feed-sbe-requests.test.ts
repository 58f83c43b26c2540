import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DEFAULT_TOPICS, FeedViolation, type FeedRequest } from '../../src/protocol/feed-messages.js'
import { createSbeRequests } from '../../src/protocol/feed-sbe-codec.js'

const { encoder, decoder } = createSbeRequests()
const frameOf = (request: FeedRequest): Uint8Array => encoder.encode(request) as Uint8Array
const LOGIN = { organization: 'o', applicationName: 'a', applicationVersion: '1', processId: 'p' }
const login = frameOf({ kind: 'login', login: LOGIN })
const subscribe = frameOf({ kind: 'subscribe', subscribe: { instrumentId: 67824, topics: {}, topOfBookCoalescing: false } })
const unsubscribe = frameOf({ kind: 'unsubscribe', instrumentId: 67824 })

function violationOf(frame: Uint8Array): FeedViolation {
  try {
    decoder.decode(frame)
  } catch (error) {
    if (error instanceof FeedViolation) return error
    throw error
  }
  throw new Error('nothing was refused')
}

function changed(frame: Uint8Array, at: number, ...bytes: readonly number[]): Uint8Array {
  const copy = frame.slice()
  copy.set(bytes, at)
  return copy
}

describe('what a client sends is refused', () => {
  test.each<[string, Uint8Array, string, number | null]>([
    ['nothing', new Uint8Array(0), 'messageHeader must be 8 bytes long, found 0 bytes, at byte 0', null],
    ['JSON', new TextEncoder().encode('[11, 67824]'), 'schemaId must be 1, found 13856, at byte 4', 11313],
    ['an event', changed(unsubscribe, 2, 1), 'templateId must be 11, 12 or 13, found 1, at byte 2', 1],
    ['a login response', changed(unsubscribe, 2, 14), 'templateId must be 11, 12 or 13, found 14, at byte 2', 14],
    ['an old version', changed(login, 6, 5), 'version must be 6 or newer, found 5, at byte 6', 13],
    ['three texts', login.subarray(0, -3), 'processId must be 2 bytes long, found 0 bytes, at byte 17', 13],
    ['five texts', Uint8Array.of(...login, 0, 0), 'message must be ended, found 2 more bytes, at byte 20', 13],
    ['a text that is no UTF-8', changed(login, 10, 0xff), 'organization must be UTF-8, found other bytes, at byte 10', 13],
    ['a text that is too long', changed(login, 8, 0xff, 0xff), 'organization.length must be at most 65534, found 65535, at byte 8', 13],
    ['a short subscription', changed(subscribe, 0, 15), 'blockLength must be at least 16, found 15, at byte 0', 11],
    ['a topic of 2', changed(subscribe, 16, 2), 'depthTopic must be 0, 1 or 255, found 2, at byte 16', 11],
    ['coalescing of 9', changed(subscribe, 23, 9), 'topOfBookCoalescing must be 0, 1 or 255, found 9, at byte 23', 11],
    ['an id beyond 2^53', changed(subscribe, 14, 32), 'instrumentId must be at most 2^53 - 1, found 9007199254808816, at byte 8', 11],
    ['a longer unsubscription', Uint8Array.of(...unsubscribe, 1), 'message must be ended, found 1 more bytes, at byte 16', 12],
  ])('for %s', (_, frame, message, type) => {
    const violation = violationOf(frame)
    expect([violation.message, violation.messageType]).toEqual([message, type])
  })

  test('at every cut', () => {
    for (const frame of [login, subscribe, unsubscribe])
      for (let length = 0; length < frame.length; length++) expect(violationOf(frame.subarray(0, length))).toBeInstanceOf(FeedViolation)
  })

  test('or read, whatever its bytes are', () => {
    fc.assert(fc.property(fc.constantFrom(login, subscribe, unsubscribe), fc.array(fc.tuple(fc.nat(23), fc.nat(255)), { maxLength: 3 }), (frame, changes) => {
      const bytes = frame.slice()
      for (const [at, byte] of changes) if (at < bytes.length) bytes[at] = byte
      try {
        decoder.decode(bytes)
      } catch (error) {
        expect(error).toBeInstanceOf(FeedViolation)
      }
    }), { numRuns: 2000 })
  })
})

describe('what a client sends', () => {
  test('comes back', () => {
    const id = fc.nat({ max: Number.MAX_SAFE_INTEGER })
    const text = fc.string({ unit: 'grapheme', maxLength: 50 })
    const flag = fc.option(fc.boolean(), { nil: undefined })
    const logins = fc.record({ organization: text, applicationName: text, applicationVersion: text, processId: text })
    const topics = fc.record({ depth: flag, trades: flag, topOfBook: flag, indexPrice: flag, markPrice: flag, fundingRate: flag, liquidations: flag })
    fc.assert(fc.property(id, logins, topics, fc.boolean(), (instrumentId, own, chosen, topOfBookCoalescing) => {
      expect(decoder.decode(frameOf({ kind: 'login', login: own }))).toEqual({ kind: 'login', login: own })
      expect(decoder.decode(frameOf({ kind: 'unsubscribe', instrumentId }))).toEqual({ kind: 'unsubscribe', instrumentId })
      const given = Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined))
      const subscription = { instrumentId, topics: given, topOfBookCoalescing }
      expect(decoder.decode(frameOf({ kind: 'subscribe', subscribe: subscription }))).toEqual({
        kind: 'subscribe', subscribe: { instrumentId, topics: { ...DEFAULT_TOPICS, ...given }, topOfBookCoalescing },
      })
    }))
  })

  test('may be of a newer version', () => {
    const newer = Uint8Array.of(...changed(unsubscribe, 0, 9), 77, 1, 2, 3)
    expect(decoder.decode(changed(newer, 6, 7))).toEqual({ kind: 'unsubscribe', instrumentId: 67824 })
  })

  test('coalescing that is null is off', () => {
    expect(decoder.decode(changed(subscribe, 23, 255))).toEqual({ kind: 'subscribe', subscribe: { instrumentId: 67824, topics: DEFAULT_TOPICS, topOfBookCoalescing: false } })
  })

  test.each([-1, 0.5, NaN, 2 ** 53])('with the id %d is not encoded', (instrumentId) => {
    expect(() => encoder.encode({ kind: 'unsubscribe', instrumentId })).toThrow(`instrumentId must be an integer from 0, found ${instrumentId}`)
  })

  test('with a text of 65,535 bytes is not encoded', () => {
    expect(() => encoder.encode({ kind: 'login', login: { ...LOGIN, processId: 'é'.repeat(32_767) + 'a' } })).toThrow('processId must have at most 65534 bytes')
  })
})
