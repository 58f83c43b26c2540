import { describe, expect, test } from 'vitest'
import { createJsonRequests } from '../../src/protocol/feed-json-codec.js'
import { FeedSession, type FeedCommand } from '../../src/protocol/feed-session.js'

interface Rules { readonly available?: readonly number[], readonly permitted?: number[], readonly isBinary?: boolean }

function session({ available = [1, 2, 3], permitted = [1, 2], isBinary = false }: Rules = {}): FeedSession {
  return new FeedSession({
    decoder: createJsonRequests().decoder, isBinary, isAvailable: (id) => available.includes(id), isPermitted: (id) => permitted.includes(id), pongMs: 30_000,
  })
}

const LOGIN = '[13,"o","a","v","p"]'

/** The actions of a session on texts, up to its close. */
function words(texts: readonly string[], rules?: Rules): string[] {
  const one = session(rules)
  return texts.map((text) => {
    const isBinary = text.startsWith('binary ')
    const reaction = one.receive(new TextEncoder().encode(isBinary ? text.slice(7) : text), isBinary)
    if (reaction.kind === 'close') return `${reaction.code} ${reaction.notice}`
    return reaction.kind === 'command' ? played(one, reaction) : reaction.kind
  })
}

function played(one: FeedSession, command: FeedCommand): string {
  const outcome = one.play(command)
  if (outcome === null) return 'nothing'
  return outcome.kind === 'error' ? `${outcome.instrumentId} ${outcome.text}` : `subscribed ${outcome.subscribe.instrumentId}`
}

describe('messages', () => {
  test.each<[string, string[], string[]]>([
    ['a login is answered', [LOGIN], ['loginResponse']],
    ['login strings may be empty', ['[13,"","","",""]'], ['loginResponse']],
    ['subscribe before login', ['[11,1]'], ['1008 not logged in']],
    ['unsubscribe before login', ['[12,1]'], ['1008 not logged in']],
    ['junk before login', ['hello'], ['1008 not logged in']],
    ['a binary frame before login', [`binary ${LOGIN}`], ['1008 not logged in']],
    ['a malformed login', ['[13,"o","a","v"]'], ['1008 protocol violation: login must be [13, organization, application_name, application_version, process_id], four texts']],
    ['a second login', [LOGIN, LOGIN], ['loginResponse', '1008 already logged in']],
    ['a second login that is malformed', [LOGIN, '[13]'], ['loginResponse', '1008 protocol violation: login must be [13, organization, application_name, application_version, process_id], four texts']],
    ['subscribe', [LOGIN, '[11,1]', '[11,2,{"tradesTopic":true}]'], ['loginResponse', 'subscribed 1', 'subscribed 2']],
    ['subscribing again replaces', [LOGIN, '[11,1]', '[11,1,{"depthTopic":false}]'], ['loginResponse', 'subscribed 1', 'subscribed 1']],
    ['an instrument of another market', [LOGIN, '[11,9]'], ['loginResponse', '9 instrument not available on this endpoint']],
    ['an instrument that the key has not', [LOGIN, '[11,3]'], ['loginResponse', '3 instrument not permitted for this api key']],
    ['errors of instruments drop nothing', [LOGIN, '[11,9]', '[11,3]', '[11,1]'], ['loginResponse', '9 instrument not available on this endpoint', '3 instrument not permitted for this api key', 'subscribed 1']],
    ['unsubscribe', [LOGIN, '[11,1]', '[12,1]'], ['loginResponse', 'subscribed 1', '1 instrument unsubscribed']],
    ['unsubscribing what is not subscribed', [LOGIN, '[12,9]'], ['loginResponse', '9 instrument unsubscribed']],
    ['junk after login', [LOGIN, 'hello'], ['loginResponse', '1008 protocol violation: a message must be a JSON array, found no JSON']],
    ['an unknown type', [LOGIN, '[99]'], ['loginResponse', '1008 protocol violation: the message type must be 11, 12 or 13, found 99']],
    ['a binary frame', [LOGIN, 'binary [11,1]'], ['loginResponse', '1008 protocol violation: a message must be a text frame']],
    ['after a close nothing happens', ['[11,1]', LOGIN, '[11,1]', 'junk'], ['1008 not logged in', 'none', 'none', 'none']],
  ])('%s', (_name, texts, wanted) => {
    expect(words(texts)).toEqual(wanted)
  })

  test('a text frame where frames are binary', () => {
    expect(words([`binary ${LOGIN}`, '[11,1]'], { isBinary: true })).toEqual(['loginResponse', '1008 protocol violation: a message must be a binary frame'])
  })

  test('a command that was handed out before the close is not played after it', () => {
    const one = session()
    one.receive(new TextEncoder().encode(LOGIN), false)
    const command = one.receive(new TextEncoder().encode('[11,1]'), false) as FeedCommand
    one.close('service shutdown')
    expect(one.play(command)).toBeNull()
    expect(one.subscriptions.size).toBe(0)
  })
})

describe('permissions', () => {
  test('what is lost is ended with an error each, the rest stays', () => {
    const permitted = [1, 2]
    const one = session({ permitted })
    one.receive(new TextEncoder().encode(LOGIN), false)
    for (const id of permitted) one.play(one.receive(new TextEncoder().encode(`[11,${id}]`), false) as FeedCommand)
    expect(one.recheck()).toEqual([])
    permitted.shift()
    expect(one.recheck()).toEqual([{ kind: 'error', instrumentId: 1, text: 'instrument permission expired or revoked' }])
    expect([...one.subscriptions.keys()]).toEqual([2])
    expect(one.recheck()).toEqual([])
  })
})

describe('closes', () => {
  test.each([
    ['service shutdown', 1001], ['api key expired or revoked', 1008], ['pong check failed', 1008], ['protocol violation: slow consumer', 1008],
  ])('%s has code %i', (notice, code) => {
    expect(session().close(notice)).toEqual({ kind: 'close', notice, code })
  })
})

describe('pings', () => {
  /** Steps `ping AT` and `pong NUMBER`, and what each ping does. */
  test.each<[string, string[], (number | string)[]]>([
    ['every ping is answered', ['ping 0', 'pong 1', 'ping 5000', 'pong 2', 'ping 90000'], [1, 2, 3]],
    ['no pong within 30 s of the first', ['ping 0', 'ping 5000', 'ping 29999', 'ping 30000'], [1, 2, 3, 'pong check failed']],
    ['a late pong of the first leaves the second', ['ping 0', 'ping 5000', 'pong 1', 'ping 30000', 'ping 34999', 'ping 35000'], [1, 2, 3, 4, 'pong check failed']],
    ['a pong answers the pings before it', ['ping 0', 'ping 5000', 'pong 2', 'ping 36000', 'ping 65999', 'ping 66000'], [1, 2, 3, 4, 'pong check failed']],
    ['pongs that answer nothing', ['ping 0', 'pong 7', 'pong 0', 'ping 30000'], [1, 'pong check failed']],
  ])('%s', (_name, steps, wanted) => {
    const one = session()
    const found = steps.flatMap((step) => {
      const [what, number] = step.split(' ')
      if (what === 'pong') {
        one.pong(Number(number))
        return []
      }
      const ping = one.ping(Number(number))
      return [typeof ping === 'number' ? ping : ping.notice]
    })
    expect(found).toEqual(wanted)
  })
})
