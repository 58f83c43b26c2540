import { describe, expect, test } from 'vitest'
import { createFeedClient } from '../../src/feed/feed-client.js'
import { readFeedInfo } from '../../src/feed/feed-info-client.js'
import { readDirectory } from '../../src/feed/instrument-directory-client.js'
import { runLive } from '../../src/live/run-live.js'
import { lookUpAdapter } from '../../src/order-entry/adapter-lookup-client.js'
import { Strategy } from '../../src/strategy/strategy.js'

class Idle extends Strategy {}

const good = { strategy: Idle, feed: 'ws://127.0.0.1:9/api/v6', backend: 'http://127.0.0.1:9', apiKey: 'k', accountId: 'A' }

/** What was thrown, with the code and the option that it names. */
const thrown = async (work: Promise<unknown>): Promise<unknown> => work.then(() => 'nothing', (error: unknown) => error)

test.each<[string, object, string, string]>([
  ['a feed that is no URL', { feed: '127.0.0.1:14004' }, 'feed', '"127.0.0.1:14004"'],
  ['a feed without a host', { feed: 'ws://' }, 'feed', '"ws://"'],
  ['a feed of another scheme', { feed: 'http://127.0.0.1:9/api/v6' }, 'feed', 'http://127.0.0.1:9/api/v6'],
  ['the second of two feeds', { feed: [{ url: 'ws://127.0.0.1:9/api/v6', market: 'a' }, { url: 'nowhere', market: 'b' }] }, 'feed', '"nowhere"'],
  ['an empty feed', { feed: '' }, 'feed', '""'],
  ['a backend without its scheme', { backend: 'localhost' }, 'backend', '"localhost"'],
  ['a backend whose port is none', { backend: 'http://127.0.0.1:99999' }, 'backend', '"http://127.0.0.1:99999"'],
  ['a backend with a password', { backend: 'ftp://user:secret@127.0.0.1/?apiKey=secret' }, 'backend', 'ftp://127.0.0.1/'],
  ['a feed with a user and password', { feed: 'ws://u:secret@127.0.0.1:19999/api/v6' }, 'feed', 'ws://127.0.0.1:19999/api/v6'],
  ['a backend with a user alone', { backend: 'http://secret@127.0.0.1:9' }, 'backend', 'http://127.0.0.1:9/'],
  ['a directory with a password alone', { directory: 'https://:secret@127.0.0.1/x?y=1' }, 'directory', 'https://127.0.0.1/x'],
  ['a directory that is a path', { directory: '/api' }, 'directory', '"/api"'],
  ['a password without a scheme', { backend: 'user:secret@localhost:80/x' }, 'backend', '"***"'],
  ['a password with an @ and a slash', { backend: 'http://user:sec/@secret@127.0.0.1:99999/x' }, 'backend', '"http://***"'],
  ['a password with a question mark', { backend: 'user:?secret@127.0.0.1' }, 'backend', '"***"'],
  ['a token in the query', { feed: 'localhost/api?token=secret&x=secret' }, 'feed', '"localhost/api?***"'],
  ['a token behind a hash', { feed: 'localhost#secret' }, 'feed', '"localhost#***"'],
  ['a token without a query', { feed: 'localhost/token=secret/x' }, 'feed', '"***"'],
  ['a password before an encoded @', { feed: 'ws://user:secret%40host:9/' }, 'feed', '"ws://***"'],
  ['a password before an encoded @ with digits', { backend: 'http://user:secret%2540host' }, 'backend', '"http://***"'],
  ['a password without a host', { feed: 'ws://user:secret' }, 'feed', '"ws://***"'],
  ['a password around an @', { backend: 'http://user:secret@secret%40host:9/' }, 'backend', '"http://***"'],
  ['a wide @', { directory: 'http://user:secret\uff20host:9/x' }, 'directory', '"http://***"'],
  ['a wide @ and no port', { directory: 'http://user:secret\uff20host:x' }, 'directory', '"http://***"'],
  ['a password in a list of feeds', { feed: [{ url: 'ws://user:secret', market: 'a' }] }, 'feed', '"ws://***"'],
  ['a scheme in capitals', { backend: 'HTTP://user:secret@127.0.0.1:9' }, 'backend', 'http://127.0.0.1:9/'],
  ['digits as a password', { backend: 'user:12345@secret' }, 'backend', '"***"'],
  ['a key in the place of a feed', { feed: '1b9d6bcd-secret-4b2d-9b5d-ab8dfbbd4bed' }, 'feed', '"***"'],
  ['a slash in a password', { backend: 'http://user:12/secret@127.0.0.1:9/x#f' }, 'backend', 'http://***'],
  ['a slash in a user', { feed: 'ws://user/secret%40h#x' }, 'feed', 'ws://***'],
  ['a fragment', { feed: 'ws://127.0.0.1:9/#secret' }, 'feed', 'ws://127.0.0.1:9/'],
  ['a fragment of a backend', { backend: 'http://127.0.0.1:9/x?y#secret' }, 'backend', 'http://127.0.0.1:9/x'],
  ['a feed that is a URL', { feed: new URL('ws://127.0.0.1:9/api/v6') }, 'feed', 'object'],
  ['a feed of another field', { feed: { uri: 'ws://127.0.0.1:9/?secret' } }, 'feed', 'object'],
  ['no feed', { feed: null }, 'feed', 'null'],
  ['no feed in a list', { feed: [null] }, 'feed', 'null'],
  ['nothing in a list', { feed: [undefined] }, 'feed', 'undefined'],
  ['a number', { backend: 8080 }, 'backend', 'number'],
])('runLive names the option: %s', async (_name, options, field, found) => {
  const error = await thrown(runLive({ ...good, ...options }))
  expect(error).toMatchObject({ code: 'OPTION_INVALID', place: { field, found } })
  expect(String(error)).toMatch(new RegExp(`^BacktapeError: Cannot run live: ${field} must be a URL (without user, password and fragment, )?such as `))
  expect(JSON.stringify(error) + String(error)).not.toContain('secret')
})

test.each<[string, () => Promise<unknown>, string]>([
  ['information of a feed', () => readFeedInfo('14004'), 'url'],
  ['information of a feed with a fragment', () => readFeedInfo('ws://127.0.0.1:9/#x'), 'url'],
  ['information of a feed at a file', () => readFeedInfo('file:///tmp/x'), 'url'],
  ['the directory', () => readDirectory('127.0.0.1', 'm', 'k'), 'baseUrl'],
  ['the lookup', () => lookUpAdapter('127.0.0.1:8080', 'A'), 'backend'],
])('so does each client: %s', async (_name, ask, field) => {
  expect(await thrown(ask())).toMatchObject({ code: 'OPTION_INVALID', place: { field } })
})

const url = 'ws://127.0.0.1:9/api/v6'

describe.each<[string, unknown]>([
  ['a line feed', 'secret\nkey'], ['a line of its own at the end', 'secret\n'], ['two line ends', 'secret\r\nx: secret'], ['a carriage return', 'secret\r'], ['a NUL', 'secret\0'],
  ['a space', 'secret key'], ['a space before it', ' secret'], ['a tab', '\tsecret'], ['another letter', 'secret\u00e9'], ['half of a pair', 'secret\ud83d'], ['a byte order mark', '\ufeffsecret'],
  ['too many letters', 'secret'.repeat(700)], ['a list', ['secret']], ['an object', { toString: () => 'secret' }], ['a number', 5],
])('a key that no header holds is refused where it is taken, and not shown: %s', (_words, key) => {
  test.each<[string, string, () => Promise<unknown>]>([
    ['a live run', 'Cannot run live: apiKey', () => runLive({ ...good, apiKey: key as string })],
    ['the directory', 'Cannot read a directory: key', () => readDirectory('http://127.0.0.1:9', 'm', key as string)],
    ['a client of the feed', 'Cannot open a feed: apiKey', () => Promise.resolve().then(() => createFeedClient({ ...{ url, instrumentOf: () => undefined, epochDay: 0 }, apiKey: key } as unknown as Parameters<typeof createFeedClient>[0]))],
  ])('%s', async (_by, words, work) => {
    const error = await thrown(work())
    expect(error).toMatchObject({ code: 'OPTION_INVALID', message: `${words} must be 1 to 4096 visible letters of ASCII, found ***` })
    expect(JSON.stringify(error) + String(error) + String((error as Error).stack)).not.toContain('secret')
  })
})

test('a key of every letter that a header holds is sent', async () => {
  const key = String.fromCharCode(...Array.from({ length: 94 }, (_, at) => 33 + at))
  expect(await thrown(readDirectory('http://127.0.0.1:9', 'm', key))).toMatchObject({ code: 'FEED_UNREACHABLE' })
})
