import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ChannelSession, eventText } from '../../src/protocol/channels/channel-session.js'
import { sharedFolder } from '../support/shared-data.ts'

const document = join(sharedFolder, 'spec/3-strategy-server-and-sdk.md')

/** A session, and what its host was asked and sent. */
class Talk {
  readonly sent: unknown[] = []
  readonly asked: (readonly string[])[] = []
  refusal: string | null = null
  readonly session = new ChannelSession({
    logIn: (origin) => this.#ask('login', origin), subscribe: (channel) => this.#ask('subscribe', channel),
    unsubscribe: (channel) => { this.#ask('unsubscribe', channel) },
    publish: (channel, message) => this.#ask('publish', channel, message),
    send: (text) => { this.sent.push(JSON.parse(text)) },
  })

  say(message: unknown): unknown[] {
    this.session.receive(typeof message === 'string' ? message : JSON.stringify(message))
    return this.sent.splice(0)
  }

  logIn(): this {
    this.say({ op: 'login', origin: 'desk' })
    return this
  }

  #ask(...words: readonly string[]): string | null {
    this.asked.push(words)
    return this.refusal
  }
}

const long = 'x'.repeat(250)
const NAME = 'must be a text of 1 to 249 characters'

/** Rows of spec 3 that a case shows, its name, the check. */
const CASES: readonly (readonly [rows: readonly string[], name: string, check: () => void])[] = [
  [['op login', 'state WebSocket client connected login'], 'a login', () => {
    const talk = new Talk()
    expect(talk.say({ op: 'login', origin: 'desk' })).toEqual([{ op: 'login', origin: 'desk', result: 'succeed' }])
    expect([talk.asked, talk.session.hasLoggedIn]).toEqual([[['login', 'desk']], true])
  }],
  [['state WebSocket client logged in login', 'error already logged in'], 'a second login', () => {
    const talk = new Talk().logIn()
    expect(talk.say({ op: 'login', origin: 'other' })).toEqual([{ op: 'login', origin: 'other', error: 'already logged in' }])
    expect(talk.asked).toEqual([['login', 'desk']])
  }],
  [['state WebSocket client not logged in any other op', 'error not logged in'], 'anything before the login', () => {
    const talk = new Talk()
    for (const op of ['subscribe', 'unsubscribe', 'publish']) expect(talk.say({ op, channel: 'c', message: 'm' })).toEqual([{ op, channel: 'c', error: 'not logged in' }])
    expect(talk.asked).toEqual([])
  }],
  [['op subscribe', 'state Channel subscription none subscribe'], 'a subscription of a channel that nobody knows', () => {
    const talk = new Talk().logIn()
    expect(talk.say({ op: 'subscribe', channel: 'c' })).toEqual([{ op: 'subscribe', channel: 'c', result: 'succeed' }])
    expect(talk.say({ op: 'subscribe', channel: 'c' })).toEqual([{ op: 'subscribe', channel: 'c', result: 'succeed' }])
    expect(talk.asked.slice(1)).toEqual([['subscribe', 'c'], ['subscribe', 'c']])
  }],
  [['op unsubscribe', 'state Channel subscription subscribed unsubscribe'], 'its end', () => {
    const talk = new Talk().logIn()
    expect(talk.say({ op: 'unsubscribe', channel: 'c' })).toEqual([{ op: 'unsubscribe', channel: 'c', result: 'succeed' }])
    expect(talk.asked.slice(1)).toEqual([['unsubscribe', 'c']])
  }],
  [['op publish'], 'a publish is not answered, its failure is', () => {
    const talk = new Talk().logIn()
    expect(talk.say({ op: 'publish', channel: 'c', message: '' })).toEqual([])
    expect(talk.asked.slice(1)).toEqual([['publish', 'c', '']])
    talk.refusal = 'no'
    expect(talk.say({ op: 'publish', channel: 'c', message: 'm' })).toEqual([{ op: 'publish', channel: 'c', error: 'no' }])
  }],
  [['event event'], 'an event', () => {
    expect(JSON.parse(eventText('c', 'desk', '"ü\n'))).toEqual({ op: 'event', channel: 'c', origin: 'desk', message: '"ü\n' })
  }],
  [['event error', 'error invalid json'], 'what is no object of JSON', () => {
    const talk = new Talk().logIn()
    for (const text of ['', '{', 'null', '7', '[]', '"x"', '{"op":"login"} x', '{"op":"publish","op":"login"}', '[[[[', '{"a":1e999}x']) expect([text, talk.say(text)]).toEqual([text, [{ op: 'error', error: 'invalid json' }]])
  }],
]

describe('channels of a strategy server', () => {
  test.each(CASES)('%s: %s', (_rows, _name, check) => { check() })

  test.skipIf(!existsSync(document))('every row of the document has a case', () => {
    const text = readFileSync(document, 'utf8')
    const rowsOf = (heading: string): string[][] => {
      const from = text.indexOf(heading)
      const table = text.slice(from).split('\n').slice(1)
      const begin = table.findIndex((line) => line.startsWith('|'))
      const lines = table.slice(begin)
      const end = lines.findIndex((line) => !line.startsWith('|'))
      return lines.slice(2, end).map((line) => line.split('|').slice(1, -1).map((cell) => cell.trim().replaceAll('`', '')))
    }
    const wanted = [
      ...rowsOf('## States and transitions').map(([object, state, trigger]) => `state ${object} ${state} ${trigger!.replace(/^(login) op$/, '$1')}`),
      ...rowsOf('### WebSocket `ws://').map(([op]) => `op ${op}`),
      ...rowsOf('### WebSocket server to client').map(([op]) => `event ${op}`),
      ...rowsOf('## Errors').filter(([surface]) => surface === 'WebSocket').map(([, error]) => `error ${error}`),
    ]
    expect(wanted.length).toBeGreaterThan(13)
    expect(CASES.flatMap(([rows]) => rows).sort()).toEqual([...new Set(wanted)].sort())
  })
})

describe('our choices', () => {
  test.each([
    [{ op: 'login' }, { op: 'login', error: `origin ${NAME}` }],
    [{ op: 'login', origin: '' }, { op: 'login', origin: '', error: `origin ${NAME}` }],
    [{ op: 'login', origin: 7 }, { op: 'login', error: `origin ${NAME}` }],
    [{ op: 'login', origin: long }, { op: 'login', origin: long, error: `origin ${NAME}` }],
  ])('a login %j is refused, and may come again', (message, answer) => {
    const talk = new Talk()
    expect(talk.say(message)).toEqual([answer])
    expect(talk.say({ op: 'login', origin: 'desk' })).toEqual([{ op: 'login', origin: 'desk', result: 'succeed' }])
  })

  test('an origin that the host refuses is no login', () => {
    const talk = new Talk()
    talk.refusal = 'another client has this origin'
    expect(talk.say({ op: 'login', origin: 'desk' })).toEqual([{ op: 'login', origin: 'desk', error: 'another client has this origin' }])
    expect([talk.session.hasLoggedIn, talk.say({ op: 'subscribe', channel: 'c' })]).toEqual([false, [{ op: 'subscribe', channel: 'c', error: 'not logged in' }]])
  })

  test.each([
    [{ op: 'subscribe' }, { op: 'subscribe', error: `channel ${NAME}` }],
    [{ op: 'subscribe', channel: '' }, { op: 'subscribe', channel: '', error: `channel ${NAME}` }],
    [{ op: 'unsubscribe', channel: long }, { op: 'unsubscribe', channel: long, error: `channel ${NAME}` }],
    [{ op: 'publish', channel: null, message: 'm' }, { op: 'publish', error: `channel ${NAME}` }],
    [{ op: 'publish', channel: 'c' }, { op: 'publish', channel: 'c', error: 'message must be a text of at most 1048576 bytes' }],
    [{ op: 'publish', channel: 'c', message: { a: 1 } }, { op: 'publish', channel: 'c', error: 'message must be a text of at most 1048576 bytes' }],
    [{ op: 'publish', channel: 'c', message: 'é'.repeat(524_289) }, { op: 'publish', channel: 'c', error: 'message must be a text of at most 1048576 bytes' }],
    [{ op: 'list', channel: 'c' }, { op: 'error', channel: 'c', error: 'op must be one of login, subscribe, unsubscribe, publish' }],
    [{ op: 'toString' }, { op: 'error', error: 'op must be one of login, subscribe, unsubscribe, publish' }],
    [{ channel: 'c' }, { op: 'error', channel: 'c', error: 'op must be one of login, subscribe, unsubscribe, publish' }],
  ])('%j is refused, and the session goes on', (message, answer) => {
    const talk = new Talk().logIn()
    expect(talk.say(message)).toEqual([answer])
    expect(talk.asked).toEqual([['login', 'desk']])
    expect(talk.say({ op: 'publish', channel: 'c', message: 'é'.repeat(524_288) })).toEqual([])
  })

  test.each([
    [{ op: 'list', channel: 'c' }, { op: 'error', channel: 'c', error: 'not logged in' }], [{ op: '' }, { op: 'error', error: 'not logged in' }],
    [{ channel: 'c' }, { op: 'error', channel: 'c', error: 'op must be one of login, subscribe, unsubscribe, publish' }],
  ])('%j before a login', (message, answer) => {
    expect(new Talk().say(message)).toEqual([answer])
  })

  test('a binary frame is refused', () => {
    const talk = new Talk().logIn()
    talk.session.receiveBinary()
    expect(talk.sent).toEqual([{ op: 'error', error: 'a frame must be a text' }])
  })

  test('whatever comes, each answer has a documented form', () => {
    const value = fc.oneof(fc.constantFrom('login', 'subscribe', 'unsubscribe', 'publish', 'event', 'c', ''), fc.string(), fc.integer(), fc.constant(null), fc.array(fc.string()))
    const frame = fc.oneof(fc.string(), fc.json(), fc.record({ op: value, origin: value, channel: value, message: value }, { requiredKeys: [] }).map((one) => JSON.stringify(one)))
    fc.assert(fc.property(fc.array(frame, { maxLength: 30 }), (frames) => {
      const talk = new Talk()
      for (const one of frames) {
        const answers = talk.say(one) as Record<string, unknown>[]
        expect(answers.length).toBeLessThan(2)
        for (const answer of answers) {
          expect(['login', 'subscribe', 'unsubscribe', 'publish', 'error']).toContain(answer['op'])
          expect(answer['result'] === 'succeed' || typeof answer['error'] === 'string').toBe(true)
          expect(Object.keys(answer).every((key) => ['op', 'origin', 'channel', 'result', 'error'].includes(key))).toBe(true)
        }
      }
    }), { numRuns: 300 })
  })
})
