import { request as ask, type IncomingMessage } from 'node:http'
import { existsSync, readdirSync, readlinkSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { type Segments, segmentsOf } from '../../../src/shop/server/segments.js'
import { fileSegments } from '../../../src/shop/server/segments-reader.js'
import { sendSegments } from '../../../src/shop/server/segments-writer.js'
import { listenHttp, type ListeningHttp } from '../../../src/web/http-server.js'
import { newFolder } from '../../support/new-folder.ts'
import { RawHttp } from '../../support/raw-http.ts'

const folder = newFolder()
const CONTENT = Buffer.from([...Array(200).keys()])
const LARGE_BYTES = 64 * 1024 * 1024
const open: ListeningHttp[] = []
afterEach(async () => { for (const one of open.splice(0)) await one.close() })

let made = 0
async function fileOf(content: Uint8Array | number): Promise<{ readonly path: string, readonly thing: Segments }> {
  const path = join(folder, `file-${made++}`)
  writeFileSync(path, typeof content === 'number' ? '' : content)
  if (typeof content === 'number') truncateSync(path, content)
  return { path, thing: await fileSegments(path) }
}

/** The outcome of each sale, in order: true, false, or the code of its error and whether the answer had begun. */
type Sold = readonly unknown[]

/** A server of one thing. A sale that could not begin is answered 404. */
async function selling(thing: Segments, stallMs?: number): Promise<{ readonly port: number, readonly sold: Sold, until(count: number): Promise<void> }> {
  const sold: unknown[] = []
  const http = await listenHttp({
    request(request, response) {
      sendSegments(request, response, thing, { headers: { 'content-type': 'application/zstd' }, ...stallMs === undefined ? {} : { stallMs } }).then((isWhole) => { sold.push(isWhole) }, (error: unknown) => {
        sold.push([(error as { code: string }).code, response.headersSent])
        if (!response.headersSent) response.writeHead(404, { 'content-length': 0 }).end()
      })
    },
  }, { host: '127.0.0.1', port: 0, closeMs: 100 })
  open.push(http)
  return {
    port: http.port, sold,
    until: async (count) => { while (sold.length < count) await new Promise((resolve) => setTimeout(resolve, 5)) },
  }
}

interface Got {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
  /** False: the connection ended before the bytes that were promised. */
  readonly isWhole: boolean
}

async function get(port: number, headers: Record<string, string> = {}, method = 'GET'): Promise<Got> {
  return new Promise((resolve, reject) => {
    ask({ port, host: '127.0.0.1', headers, method, agent: false }, (response) => {
      const pieces: Buffer[] = []
      response.on('data', (piece: Buffer) => pieces.push(piece))
      response.on('error', () => undefined)
      response.on('close', () => { resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(pieces), isWhole: response.complete }) })
    }).on('error', reject).end()
  })
}

/** The handles on a file that this process has open; null where the system does not say. */
function handlesOn(path: string): number | null {
  if (!existsSync('/proc/self/fd')) return null
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(path)
    } catch {
      return false
    }
  }).length
}

/** A client that asks and takes nothing. */
async function stalled(port: number): Promise<ReturnType<typeof connect>> {
  const socket = connect({ port, host: '127.0.0.1' })
  await new Promise<void>((done) => socket.once('connect', () => { done() }))
  socket.on('error', () => undefined)
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n')
  // Until the buffers of the system are full.
  await new Promise((resolve) => setTimeout(resolve, 200))
  return socket
}

async function taken(socket: ReturnType<typeof connect>): Promise<number> {
  let count = 0
  socket.on('data', (piece: Buffer) => { count += piece.length })
  socket.resume()
  await new Promise<void>((done) => socket.once('close', () => { done() }))
  return count
}

describe('a sale that cannot go on', () => {
  test('has not begun where the file is gone: the caller answers, on a connection that stays', async () => {
    const { path, thing } = await fileOf(CONTENT)
    const { port, sold, until } = await selling(thing)
    rmSync(path)
    const raw = await RawHttp.to(port)
    raw.send(['GET / HTTP/1.1', 'host: 127.0.0.1'])
    await until(1)
    raw.send(['GET / HTTP/1.1', 'host: 127.0.0.1', 'range: bytes=5-'])
    await until(2)
    await raw.until(() => raw.statuses.length === 2)
    raw.end()
    expect(raw.statuses).toEqual([404, 404])
    expect(sold).toEqual([['FILE_NOT_FOUND', false], ['FILE_NOT_FOUND', false]])
  })

  test.each<readonly [what: string, act: (path: string) => void, code: string]>([
    ['shrinks', (path) => { truncateSync(path, 1 << 20) }, 'FILE_UNREADABLE'],
    ['shrinks by its last byte', (path) => { truncateSync(path, LARGE_BYTES - 1) }, 'FILE_UNREADABLE'],
    ['becomes empty', (path) => { truncateSync(path, 0) }, 'FILE_UNREADABLE'],
    ['grows', (path) => { truncateSync(path, LARGE_BYTES + 1) }, 'FILE_UNREADABLE'],
    ['shrinks and vanishes', (path) => {
      truncateSync(path, LARGE_BYTES - 1)
      rmSync(path)
    }, 'FILE_UNREADABLE'],
  ])('is cut where the file %s while it is sold', async (_, act, code) => {
    const { path, thing } = await fileOf(LARGE_BYTES)
    const { port, sold, until } = await selling(thing)
    const socket = await stalled(port)
    act(path)
    const count = await taken(socket)
    await until(1)
    expect(sold).toEqual([[code, true]])
    expect(count).toBeLessThan(LARGE_BYTES)
    expect(handlesOn(path) ?? 0).toBe(0)
  })

  test.each<readonly [what: string, act: (path: string) => void]>([
    ['vanishes', (path) => { rmSync(path) }],
    ['gives its place to another', (path) => {
      writeFileSync(`${path}.new`, CONTENT)
      renameSync(`${path}.new`, path)
    }],
  ])('goes on to its end where the file %s while it is sold; the next finds no file or the other one', async (_, act) => {
    const { path, thing } = await fileOf(LARGE_BYTES)
    const { port, sold, until } = await selling(thing)
    const socket = await stalled(port)
    act(path)
    await get(port)
    expect(sold).toEqual([[expect.stringMatching(/^FILE_/), false]])
    const all = taken(socket)
    await until(2)
    expect(sold[1]).toBe(true)
    for (const one of open.splice(0)) await one.close()
    expect(await all).toBeGreaterThan(LARGE_BYTES)
    expect(handlesOn(path) ?? 0).toBe(0)
  })

  test('is cut where a later file of several is gone, and the client knows', async () => {
    const [first, second] = [await fileOf(2 << 20), await fileOf(CONTENT)]
    const { port, sold, until } = await selling(segmentsOf([...first.thing.parts, ...second.thing.parts]))
    rmSync(second.path)
    const got = await get(port)
    await until(1)
    expect([got.status, got.isWhole, got.body.length < (2 << 20) + 200, sold]).toEqual([200, false, true, [['FILE_NOT_FOUND', true]]])
    // What lies before it can still be had.
    expect(await get(port, { range: 'bytes=0-99' })).toMatchObject({ status: 206, isWhole: true })
  })

  test('has a share of the buffers: fifty at once take some 10 MiB together', async () => {
    const { port } = await selling((await fileOf(LARGE_BYTES)).thing)
    const before = process.memoryUsage().arrayBuffers
    const sockets = await Promise.all(Array.from({ length: 50 }, () => stalled(port)))
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 << 20)
    for (const socket of sockets) socket.destroy()
  })

  test('ends its reading where the client leaves', async () => {
    const { path, thing } = await fileOf(LARGE_BYTES)
    const { port, sold, until } = await selling(thing)
    const socket = await stalled(port)
    expect(handlesOn(path) ?? 1).toBe(1)
    socket.destroy()
    await until(1)
    expect([sold, handlesOn(path) ?? 0]).toEqual([[false], 0])
  })

  test('is cut where the client takes nothing for so long', async () => {
    const { path, thing } = await fileOf(LARGE_BYTES)
    const { port, sold, until } = await selling(thing, 150)
    const socket = await stalled(port)
    await until(1)
    expect([sold, handlesOn(path) ?? 0]).toEqual([[false], 0])
    socket.destroy()
  })

  test('reads no further than the client takes', async () => {
    const { thing } = await fileOf(LARGE_BYTES * 16)
    const { port, sold } = await selling(thing)
    const before = process.memoryUsage().arrayBuffers
    const sockets = await Promise.all(Array.from({ length: 8 }, () => stalled(port)))
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(24 * 1024 * 1024)
    expect(sold).toEqual([])
    for (const socket of sockets) socket.destroy()
  })
})

describe('an answer', () => {
  test.each([
    ['bytes=200-', 'bytes */200'], ['bytes=-0', 'bytes */200'], ['bytes=999-1000', 'bytes */200'],
  ])('to %s is 416 without a byte', async (range, contentRange) => {
    const { thing } = await fileOf(CONTENT)
    const { port, sold, until } = await selling(thing)
    const { status, headers, body } = await get(port, { range })
    await until(1)
    expect([status, headers['content-range'], headers['content-length'], headers['content-type'], body.length, sold]).toEqual([416, contentRange, '0', undefined, 0, [true]])
  })

  test.each([
    [{}, 200, 0, 200], [{ range: 'bytes=5-3' }, 200, 0, 200], [{ range: 'bytes=0-1,4-5' }, 200, 0, 200], [{ 'range': 'bytes=5-9', 'if-range': '"other"' }, 200, 0, 200],
    [{ 'range': 'bytes=5-9', 'if-range': 'W/ETAG' }, 200, 0, 200], [{ 'range': 'bytes=5-9', 'if-range': 'ETAG' }, 206, 5, 10], [{ range: 'bytes=0-' }, 206, 0, 200],
    [{ range: 'bytes=5-9' }, 206, 5, 10], [{ range: 'bytes=-7' }, 206, 193, 200], [{ range: 'bytes=199-' }, 206, 199, 200], [{ range: 'bytes=190-1000' }, 206, 190, 200],
  ])('to %j is %i from %i to %i', async (asked: Record<string, string>, status, from, end) => {
    const { thing } = await fileOf(CONTENT)
    const { port, sold, until } = await selling(thing)
    const headers = Object.fromEntries(Object.entries(asked).map(([name, value]) => [name, value.replace('ETAG', thing.etag)]))
    const got = await get(port, headers)
    await until(1)
    expect([got.status, got.isWhole, got.body.equals(CONTENT.subarray(from, end)), sold]).toEqual([status, true, true, [true]])
    expect(got.headers).toMatchObject({ 'content-length': String(end - from), 'etag': thing.etag, 'accept-ranges': 'bytes', 'content-type': 'application/zstd' })
    expect(got.headers['content-range']).toBe(status === 206 ? `bytes ${from}-${end - 1}/200` : undefined)
  })

  test('to HEAD has the headers of the whole, and reads nothing', async () => {
    const { path, thing } = await fileOf(CONTENT)
    const { port, sold, until } = await selling(thing)
    rmSync(path)
    const { status, headers, body } = await get(port, { range: 'bytes=5-9' }, 'HEAD')
    await until(1)
    expect([status, headers['content-length'], headers['content-range'], headers.etag, body.length, sold]).toEqual([200, '200', undefined, thing.etag, 0, [true]])
  })

  test('has a date once it tells all changes; the date is one for If-Range', async () => {
    const { path } = await fileOf(CONTENT)
    const young = await selling(await fileSegments(path))
    expect((await get(young.port)).headers['last-modified']).toBeUndefined()
    const { port } = await selling({ ...await fileSegments(path), modifiedMs: Date.UTC(2024, 7, 8) })
    const date = (await get(port)).headers['last-modified']!
    expect(date).toBe('Thu, 08 Aug 2024 00:00:00 GMT')
    expect((await get(port, { 'range': 'bytes=1-', 'if-range': date })).status).toBe(206)
    expect((await get(port, { 'range': 'bytes=1-', 'if-range': 'Thu, 08 Aug 2024 00:00:01 GMT' })).status).toBe(200)
  })

  test.each([[200, [200, 200]], [206, [206, 206]]])('of %i leaves the connection for the next request', async (status, statuses) => {
    const { thing } = await fileOf(3 << 20)
    const { port } = await selling(thing)
    const raw = await RawHttp.to(port)
    const lines = ['GET / HTTP/1.1', 'host: 127.0.0.1', ...status === 206 ? ['range: bytes=1-2'] : []]
    raw.send(lines)
    raw.send([...lines, 'connection: close'])
    expect(await raw.ended()).toEqual(statuses)
  })

  test('of nothing is whole', async () => {
    const { thing } = await fileOf(new Uint8Array())
    const { port } = await selling(thing)
    expect(await get(port)).toMatchObject({ status: 200, isWhole: true, headers: { 'content-length': '0' } })
    expect(await get(port, { range: 'bytes=-5' })).toMatchObject({ status: 200, isWhole: true })
    expect(await get(port, { range: 'bytes=0-' })).toMatchObject({ status: 416, headers: { 'content-range': 'bytes */0' } })
  })
})
