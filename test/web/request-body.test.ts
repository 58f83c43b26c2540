import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { listenHttp, type ListeningHttp } from '../../src/web/http-server.js'
import { passBody, readBody } from '../../src/web/request-body.js'
import { RawHttp } from '../support/raw-http.ts'

const LIMIT = 10
let http: ListeningHttp
/** Each body as it was read. */
let read: string[]
beforeEach(async () => {
  read = []
  http = await listenHttp({
    request: (request, response) => {
      void (async () => {
        if (request.url === '/late') await new Promise((done) => setTimeout(done, 50))
        const body = await readBody(request, LIMIT)
        await passBody(request)
        read.push(typeof body === 'string' ? body : `"${body.toString('latin1')}"`)
        response.writeHead(200, { 'content-length': 0 }).end()
      })()
    },
  }, { host: '127.0.0.1', port: 0, closeMs: 50, headersMs: 200, requestMs: 200 })
})
afterEach(() => http.close())

const chunked = (...chunks: readonly string[]): string => [...chunks, ''].map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')

describe('a body of at most 10 bytes', () => {
  test.each<[string, string, string, string]>([
    ['none', 'A: b', '', '""'],
    ['an empty one', 'Content-Length: 0', '', '""'],
    ['an empty one in chunks', 'Transfer-Encoding: chunked', chunked(), '""'],
    ['of the limit', 'Content-Length: 10', '0123456789', '"0123456789"'],
    ['of one more', 'Content-Length: 11', '0123456789a', 'tooLong'],
    ['of much more', 'Content-Length: 100000', 'a'.repeat(100_000), 'tooLong'],
    ['of the limit in chunks', 'Transfer-Encoding: chunked', chunked('01234', '5', '6789'), '"0123456789"'],
    ['of one more in chunks', 'Transfer-Encoding: chunked', chunked('01234', '56789', 'a'), 'tooLong'],
    ['chunks in upper case', 'TRANSFER-ENCODING: CHUNKED', chunked('0123456789'), '"0123456789"'],
    ['chunks with words of their own', 'Transfer-Encoding: chunked', '3;a=b\r\nabc\r\n0\r\nTrailer: x\r\n\r\n', '"abc"'],
    ['with bytes that are no text', 'Content-Length: 3', '\u0000\u00ff\u0080', '"\u0000\u00ff\u0080"'],
  ])('%s', async (_name, header, body, wanted) => {
    const raw = await RawHttp.to(http.port)
    for (const path of ['/', '/late']) raw.send([`POST ${path} HTTP/1.1`, 'Host: a', header], body)
    await raw.until(() => raw.statuses.length === 2)
    expect([read, raw.statuses, raw.endedMs]).toEqual([[wanted, wanted], [200, 200], null])
    raw.end()
  })

  test.each<[string, string, string]>([
    ['a length that is never reached', 'Content-Length: 9', 'abc'],
    ['chunks without an end', 'Transfer-Encoding: chunked', '3\r\nabc\r\n'],
    ['a chunk without a size', 'Transfer-Encoding: chunked', 'xyz\r\nabc\r\n'],
    ['a chunk that is longer than it says', 'Transfer-Encoding: chunked', '3\r\nabcdef\r\n0\r\n\r\n'],
    ['a chunk of more bytes than there are', 'Transfer-Encoding: chunked', 'fffffffffffffffff\r\nabc'],
  ])('%s is cut off, and its connection ends', async (_name, header, body) => {
    const raw = await RawHttp.to(http.port)
    raw.send(['POST / HTTP/1.1', 'Host: a', header], body)
    const statuses = await raw.ended()
    expect([read, statuses.every((status) => status === 400 || status === 408)]).toEqual([['cutOff'], true])
  })

  test('a client that goes away', async () => {
    const raw = await RawHttp.to(http.port)
    raw.send(['POST / HTTP/1.1', 'Host: a', 'Content-Length: 9'], 'abc')
    await new Promise((done) => setTimeout(done, 30))
    raw.end()
    while (read.length === 0) await new Promise((done) => setTimeout(done, 5))
    expect(read).toEqual(['cutOff'])
  })
})
