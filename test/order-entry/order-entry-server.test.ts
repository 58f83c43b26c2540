import { existsSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { execFileSync } from 'node:child_process'
import { afterEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { createOrderEntryServer } from '../../src/order-entry/order-entry-server.js'
import { FrameReader, frameOf } from '../../src/protocol/domain-socket-frames.js'
import { placeEntry } from '../support/exchange-bench.ts'
import { loggedIn, madeBench, serveWorld, sourceOf, uuid, type ServedOptions, type ServedWorld } from '../support/served-world.ts'
import { newFolder } from '../support/new-folder.ts'

const closing: (() => unknown)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function serve(options: ServedOptions = {}): Promise<ServedWorld> {
  const served = await serveWorld(options)
  closing.push(() => served.close())
  return served
}

/** A foreign client of a domain socket: texts as they come, and the close. */
function raw(path: string): { readonly socket: Socket, readonly texts: string[], readonly closed: Promise<void>, until(words: string): Promise<string> } {
  const socket = connect(path)
  const texts: string[] = []
  const frames = new FrameReader(1 << 26)
  const waiting: (() => void)[] = []
  socket.on('error', () => undefined)
  socket.on('data', (chunk: Uint8Array) => {
    frames.push(chunk)
    for (let frame = frames.next(); frame !== null; frame = frames.next()) if ('text' in frame) texts.push(frame.text)
    for (const wake of waiting.splice(0)) wake()
  })
  closing.push(() => { socket.destroy() })
  return {
    socket, texts, closed: new Promise((done) => socket.on('close', () => { done() })),
    async until(words) {
      for (;;) {
        const found = texts.find((text) => text.includes(words))
        if (found !== undefined) return found
        await new Promise<void>((done) => { waiting.push(done) })
      }
    },
  }
}

const login = JSON.stringify({ msgType: 'login', accountId: 'A', requestId: 'r', processId: 'raw', version: '1' })

test.each([
  ['binary', Uint8Array.of(0, 0, 0, 1, 65), /top bit/],
  ['empty', Uint8Array.of(0x80, 0, 0, 0), /at least one byte/],
  ['not UTF-8', Uint8Array.of(0x80, 0, 0, 1, 0xff), /UTF-8/],
] as const)('a %s message on a domain socket: invalidRequest, then a close', async (_name, bytes, words) => {
  const { domainSocket } = await serve()
  const { socket, until, closed } = raw(domainSocket)
  await until('welcome')
  socket.write(bytes)
  expect(await until('invalidRequest')).toMatch(words)
  await closed
})

test('a length beyond 1 MiB closes a domain socket at once, a longer frame a WebSocket with 1009', async () => {
  const { domainSocket, port } = await serve()
  const { socket, until, closed, texts } = raw(domainSocket)
  await until('welcome')
  socket.write(Uint8Array.of(0x80, 0x10, 0, 1))
  await closed
  expect(texts).toHaveLength(1)
  const web = new WebSocket(`ws://127.0.0.1:${port}/api/v2`)
  web.on('open', () => { web.send('x'.repeat(1_048_577)) })
  expect(await new Promise((done) => web.on('close', done))).toBe(1009)
})

test('a message in single bytes is read as one', async () => {
  const { domainSocket } = await serve()
  const { socket, until } = raw(domainSocket)
  for (const byte of frameOf(login)) socket.write(Uint8Array.of(byte))
  expect(await until('loginResponse')).toContain('"status":"OK"')
})

test('binary frames of a WebSocket are answered, and the session goes on', async () => {
  const { port } = await serve()
  const web = new WebSocket(`ws://127.0.0.1:${port}/api/v2`)
  const texts: string[] = []
  web.on('open', () => {
    web.send(Buffer.from([1, 2]))
    web.send(login)
  })
  await new Promise<void>((done) => web.on('message', (data: Buffer) => {
    texts.push(data.toString())
    if (texts.length === 3) done()
  }))
  web.terminate()
  expect(texts.map((text) => (JSON.parse(text) as { msgType: string }).msgType)).toEqual(['welcome', 'invalidRequest', 'loginResponse'])
})

test('the twenty-first connection of an account: 429, on a domain socket a close', async () => {
  const served = await serve()
  const webs = await Promise.all(Array.from({ length: 20 }, async () => {
    const web = new WebSocket(`ws://127.0.0.1:${served.port}/api/v2`)
    await new Promise((done) => web.on('message', done))
    return web
  }))
  const refused = new WebSocket(`ws://127.0.0.1:${served.port}/api/v2`)
  refused.on('error', () => undefined)
  const status = await new Promise((done) => refused.on('unexpected-response', (_request, response) => { done(response.statusCode) }))
  refused.terminate()
  expect(status).toBe(429)
  const { closed, texts } = raw(served.domainSocket)
  await closed
  expect(texts).toEqual([])
  for (const web of webs) web.terminate()
})

test('several clients of one process: their names are made unique, their owner is the process', async () => {
  const served = await serve()
  const clients = await Promise.all([1, 2, 3].map(() => loggedIn(served, { extraOptions: {} })))
  expect(served.logs.filter((text) => text.includes('logged in')).map((text) => text.split(' ')[2])).toEqual(['"p"', '"p#2"', '"p#3"'])
  clients[1]!.client.place([placeEntry(uuid(1), { price: 1000, totalQuantity: 100 })])
  for (const { next } of clients) expect((await next('orderUpdate')).orders).toMatchObject([{ ownOrderId: uuid(1), owner: { processId: 'p' } }])
  await Promise.all(clients.map(({ client }) => client.logout()))
})

const at = async (domainSocket: string): Promise<void> => {
  const server = createOrderEntryServer({ source: sourceOf(madeBench()), processId: 'a', version: '1', domainSocket })
  closing.push(() => server.close())
  await server.open()
}

test('a socket file that nobody listens at is removed', async () => {
  const path = join(newFolder('oe-stale-'), 's.sock')
  const program = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`
  expect(() => execFileSync(process.execPath, ['-e', program], { stdio: 'ignore' })).toThrow()
  expect(existsSync(path)).toBe(true)
  await at(path)
  const { until } = raw(path)
  await until('welcome')
})

test('a socket file that answers, a plain file, a folder that is none and a path too long are errors', async () => {
  const folder = newFolder('oe-taken-')
  const taken = join(folder, 't.sock')
  const other = createServer()
  closing.push(() => other.close())
  await new Promise<void>((done) => other.listen(taken, () => { done() }))
  await expect(at(taken)).rejects.toMatchObject({ code: 'ADDRESS_TAKEN', message: expect.stringContaining('another server listens there') as string })
  writeFileSync(join(folder, 'plain'), 'x')
  await expect(at(join(folder, 'plain'))).rejects.toMatchObject({ code: 'ADDRESS_TAKEN', message: expect.stringContaining('no socket') as string })
  await expect(at(join(folder, 'none/a.sock'))).rejects.toMatchObject({ code: 'OPTION_INVALID' })
  await expect(at(join(folder, `${'x'.repeat(120)}.sock`))).rejects.toMatchObject({ code: 'OPTION_INVALID', message: expect.stringContaining('at most 107 bytes') as string })
})

test('a client that does not read is closed at 8 MiB, and harms nobody else', async () => {
  const served = await serve()
  const slow = raw(served.domainSocket)
  slow.socket.write(frameOf(login))
  await slow.until('loginResponse')
  const { client, next } = await loggedIn(served, { transport: 'websocket' })
  const [connection] = served.server.connections
  connection!.isStalled = true
  const context = { text: 'x'.repeat(60_000) }
  for (let round = 0; round < 160; round++) connection!.send(context)
  await slow.closed
  expect(served.logs).toContainEqual(expect.stringContaining('slow consumer'))
  client.place([placeEntry(uuid(1), { price: 1000, totalQuantity: 100 })])
  expect((await next('placeResponse')).results[0]?.error).toBeUndefined()
  await client.logout()
})

test('counts of both ends agree, a ping is answered, our own messages are not counted', async () => {
  const served = await serve({ server: { extensionTypes: ['stepped'], onExtension: (connection, message) => { connection.send({ msgType: 'step', got: message['at'] }) } } })
  const { client, note, next } = await loggedIn(served, { transport: 'websocket' })
  client.place([placeEntry(uuid(1), { price: 1000, totalQuantity: 100 })])
  await next('orderUpdate')
  client.send({ msgType: 'stepped', at: 5 })
  expect(await note('extension')).toBe('extension {"msgType":"step","got":5}')
  const [connection] = served.server.connections
  expect(connection).toMatchObject({ transport: 'websocket', processId: 'p', accountId: 'A', extraOptions: { backtape: true }, sentCount: client.receivedCount })
  expect(await connection!.ping()).toBe(true)
  await client.logout()
})

test('a connection that does not log in is closed, one that has logged in stays, behind its logout too', async () => {
  const served = await serve({ server: { loginMs: 300 } })
  const [silent, good] = [raw(served.domainSocket), raw(served.domainSocket)]
  await Promise.all([silent.until('welcome'), good.until('welcome')])
  good.socket.write(frameOf(JSON.stringify({ msgType: 'login', accountId: 'A', requestId: 'r', processId: 'p', version: '1' })))
  await good.until('loginResponse')
  good.socket.write(frameOf(JSON.stringify({ msgType: 'logout', accountId: 'A', requestId: 'r' })))
  await silent.closed
  expect(good.socket.destroyed).toBe(false)
  expect(served.logs).toContain('order entry: closed a connection that did not log in')
})

test.each([['before their login', false], ['logged in', true]])('WebSockets that are gone without a word, %s, free their places when their pong fails', async (_name, logsIn) => {
  const served = await serve({ server: { ping: { everySeconds: 0.02, pongSeconds: 0.05 } } })
  const opened = async (): Promise<WebSocket> => {
    const web = new WebSocket(`ws://127.0.0.1:${served.port}/api/v2`, { autoPong: false })
    closing.push(() => { web.terminate() })
    const read = (): Promise<unknown> => new Promise((done) => web.once('message', done))
    await read()
    if (!logsIn) return web
    const answered = read()
    web.send(login)
    await answered
    return web
  }
  for (const web of await Promise.all(Array.from({ length: 20 }, opened))) web.pause()
  while (served.server.connections.size > 0) await new Promise((done) => setTimeout(done, 5))
  expect(served.logs.filter((text) => text.startsWith('Warning'))).toEqual(Array.from({ length: 20 }, () => (
    expect.stringMatching(logsIn
      ? /^Warning: order entry: process "raw" of account "A" was cut off: pong check failed$/
      : /^Warning: order entry: a connection that has not logged in was cut off: pong check failed$/) as string)))
  // Places of the server and logins of the account.
  const { client } = await loggedIn(served, { transport: 'websocket' })
  await client.logout()
})

test('a WebSocket that answers its pings stays, and a domain socket has none', async () => {
  const served = await serve({ server: { ping: { everySeconds: 0.01, pongSeconds: 0.05 } } })
  const domain = raw(served.domainSocket)
  await domain.until('welcome')
  const web = new WebSocket(`ws://127.0.0.1:${served.port}/api/v2`)
  closing.push(() => { web.terminate() })
  let pings = 0
  await new Promise<void>((done) => web.on('ping', () => { if (++pings === 20) done() }))
  expect([web.readyState, domain.socket.destroyed, served.server.connections.size]).toEqual([1, false, 2])
})

test('a WebSocket that does not read is closed with a reason, and so is the screen told', async () => {
  const served = await serve()
  const web = new WebSocket(`ws://127.0.0.1:${served.port}/api/v2`)
  closing.push(() => { web.terminate() })
  await new Promise((done) => web.once('message', done))
  const answered = new Promise((done) => web.once('message', done))
  web.send(login)
  await answered
  web.pause()
  const [connection] = served.server.connections
  const context = { text: 'x'.repeat(60_000) }
  for (let round = 0; round < 160; round++) connection!.send(context)
  expect(served.server.connections.size).toBe(0)
  expect(served.logs).toContain('Warning: order entry: process "raw" of account "A" was cut off: slow consumer')
  const closed = new Promise((done) => web.on('close', (code, reason: Buffer) => { done([code, reason.toString()]) }))
  web.resume()
  expect(await closed).toEqual([1008, 'slow consumer'])
})
