import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { ChannelHub, type PublishedMessage } from '../../src/strategy-server/channel-hub.js'
import { ChannelServer, type ChannelTimes } from '../../src/strategy-server/channel-server.js'
import { ServerAccess } from '../../src/strategy-server/server-access.js'
import { listenHttp } from '../../src/web/http-server.js'

const closing: (() => Promise<void> | void)[] = []
afterEach(async () => { for (const close of closing.splice(0).reverse()) await close() })

async function served(times: ChannelTimes = {}): Promise<{ readonly port: number, readonly hub: ChannelHub, readonly server: ChannelServer, readonly log: string[] }> {
  const log: string[] = []
  const hub = new ChannelHub()
  const server = new ChannelServer(hub, (headers) => new ServerAccess('127.0.0.1', null, () => 0).handshakeRefusal(headers), (sentence) => { log.push(sentence) }, times)
  const http = await listenHttp({
    request: (_, response) => { response.end() }, upgrade: (request, socket, head) => server.upgrade(request, socket, head),
  }, { host: '127.0.0.1', port: 0 })
  closing.push(() => http.close(), () => { server.close() })
  return { port: http.port, hub, server, log }
}

/** A client, and what it was sent. */
class Client {
  readonly taken: Record<string, unknown>[] = []
  #waiting: (() => void)[] = []

  constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => {
      this.taken.push(JSON.parse(data.toString('utf8')) as Record<string, unknown>)
      for (const wake of this.#waiting.splice(0)) wake()
    })
  }

  static async open(port: number, options: object = {}): Promise<Client> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/v1`, options)
    await once(socket, 'open')
    closing.push(() => { socket.terminate() })
    return new Client(socket)
  }

  say(message: unknown): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  async has(count: number): Promise<readonly Record<string, unknown>[]> {
    while (this.taken.length < count) await new Promise<void>((wake) => this.#waiting.push(wake))
    return this.taken
  }

  async logIn(origin: string, ...channels: readonly string[]): Promise<this> {
    this.say({ op: 'login', origin })
    for (const channel of channels) this.say({ op: 'subscribe', channel })
    await this.has(1 + channels.length)
    this.taken.length = 0
    return this
  }
}

const closeOf = async (socket: WebSocket): Promise<readonly [code: number, reason: string]> => {
  const [code, reason] = await once(socket, 'close') as [number, Buffer]
  return [code, reason.toString()]
}

describe('messages between clients', () => {
  test('reach all subscribers but their publisher, in order', async () => {
    const { port } = await served()
    const [a, b, c] = [await (await Client.open(port)).logIn('a', 'x'), await (await Client.open(port)).logIn('b', 'x', 'y'), await (await Client.open(port)).logIn('c', 'y')]
    for (let at = 0; at < 200; at++) a.say({ op: 'publish', channel: at % 2 === 0 ? 'x' : 'y', message: `m${at}` })
    a.say({ op: 'unsubscribe', channel: 'x' })
    expect(await a.has(1)).toEqual([{ op: 'unsubscribe', channel: 'x', result: 'succeed' }])
    expect((await b.has(200)).map(({ op, channel, origin, message }) => [op, channel, origin, message])).toEqual(Array.from({ length: 200 }, (_, at) => ['event', at % 2 === 0 ? 'x' : 'y', 'a', `m${at}`]))
    expect((await c.has(100)).map(({ message }) => message)).toEqual(Array.from({ length: 100 }, (_, at) => `m${2 * at + 1}`))
    b.say({ op: 'publish', channel: 'x', message: 'nobody is there' })
    c.say({ op: 'publish', channel: 'y', message: 'back' })
    expect((await b.has(201)).at(-1)).toEqual({ op: 'event', channel: 'y', origin: 'c', message: 'back' })
    expect(a.taken.length).toBe(1)
  })

  test('come from strategies and from elsewhere, and go to them', async () => {
    const { port, hub } = await served()
    const heard: PublishedMessage[] = []
    const strategy = { receive: (message: PublishedMessage) => { heard.push(message) } }
    expect(hub.take('maker', strategy)).toBe(true)
    hub.subscribe('x', strategy)
    const client = await (await Client.open(port)).logIn('desk', 'x')
    hub.publish('x', { origin: 'maker', message: 'filled' }, strategy)
    hub.publish('x', { origin: 'curl', message: 'widen' }, null)
    expect((await client.has(2)).map(({ origin, message }) => [origin, message])).toEqual([['maker', 'filled'], ['curl', 'widen']])
    client.say({ op: 'publish', channel: 'x', message: 'stop' })
    client.say({ op: 'subscribe', channel: 'z' })
    await client.has(3)
    expect(heard.map(({ sent: { origin, message } }) => [origin, message])).toEqual([['curl', 'widen'], ['desk', 'stop']])
  })

  test('an origin is one client\'s until it leaves', async () => {
    const { port, hub, server, log } = await served()
    const first = await (await Client.open(port)).logIn('desk', 'x')
    const second = await Client.open(port)
    second.say({ op: 'login', origin: 'desk' })
    expect(await second.has(1)).toEqual([{ op: 'login', origin: 'desk', error: 'another client has this origin' }])
    expect(hub.take('desk', { receive: () => undefined })).toBe(false)
    first.socket.close()
    await once(first.socket, 'close')
    while (server.connectionCount > 1) await new Promise((resolve) => setTimeout(resolve, 5))
    second.say({ op: 'login', origin: 'desk' })
    expect((await second.has(2))[1]).toEqual({ op: 'login', origin: 'desk', result: 'succeed' })
    expect(log).toEqual(['channels: "desk" has left: closed, code 1005'])
  })
})

describe('a client that', () => {
  test('has a thousand subscriptions gets no other', async () => {
    const { port } = await served()
    const client = await (await Client.open(port)).logIn('desk')
    for (let at = 0; at <= 1_000; at++) client.say({ op: 'subscribe', channel: `c${at}` })
    expect((await client.has(1_001)).at(-1)).toEqual({ op: 'subscribe', channel: 'c1000', error: 'a client has at most 1000 subscriptions' })
    client.say({ op: 'subscribe', channel: 'c7' })
    client.say({ op: 'unsubscribe', channel: 'c7' })
    client.say({ op: 'subscribe', channel: 'c1000' })
    expect((await client.has(1_004)).slice(-3).map(({ result }) => result)).toEqual(['succeed', 'succeed', 'succeed'])
  })

  test('reads nothing is closed, and harms nobody', async () => {
    const { port } = await served()
    const slow = await (await Client.open(port)).logIn('slow', 'x')
    const good = await (await Client.open(port)).logIn('good', 'x')
    slow.socket.pause()
    const publisher = await (await Client.open(port)).logIn('publisher')
    const message = 'm'.repeat(1_000_000)
    for (let at = 0; at < 40; at++) publisher.say({ op: 'publish', channel: 'x', message })
    expect((await good.has(40)).length).toBe(40)
    slow.socket.resume()
    expect((await closeOf(slow.socket))[0]).toBeOneOf([1006, 1008])
    good.say({ op: 'login', origin: 'again' })
    expect((await good.has(41)).at(-1)).toMatchObject({ error: 'already logged in' })
  })

  test('sends a frame that is too long, or a binary one', async () => {
    const { port } = await served()
    const client = await (await Client.open(port)).logIn('desk')
    client.socket.send(Buffer.from([1, 2]))
    expect(await client.has(1)).toEqual([{ op: 'error', error: 'a frame must be a text' }])
    client.say('x'.repeat(2_097_153))
    expect((await closeOf(client.socket))[0]).toBe(1009)
  })

  test('does not log in, or answers no ping, is closed', async () => {
    const { port } = await served({ loginMs: 30, pingMs: 20, pongMs: 60 })
    expect(await closeOf((await Client.open(port)).socket)).toEqual([1008, 'no login'])
    const silent = await Client.open(port, { autoPong: false })
    await silent.logIn('desk')
    expect(await closeOf(silent.socket)).toEqual([1008, 'no pong'])
    const alive = await (await Client.open(port)).logIn('desk')
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(alive.socket.readyState).toBe(WebSocket.OPEN)
  })

  test('is there at the end of the server is told so', async () => {
    const { port, server } = await served()
    const client = await (await Client.open(port)).logIn('desk')
    server.close()
    expect(await closeOf(client.socket)).toEqual([1001, 'the server ends'])
    await expect(Client.open(port)).rejects.toThrow('429')
  })
})

describe('a page of another site', () => {
  test.each([
    ['by its origin', { origin: 'http://evil.example' }], ['by a name of its own', { headers: { host: 'evil.example' } }],
  ])('cannot connect: %s', async (_, options) => {
    const { port } = await served()
    await expect(Client.open(port, options)).rejects.toThrow('403')
  })

  test('and other paths are nobody\'s', async () => {
    const { port } = await served()
    const socket = connect(port, '127.0.0.1')
    socket.write('GET /ws/v2 HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n')
    const [answer] = await once(socket, 'data') as [Buffer]
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 404 /)
    socket.destroy()
  })
})
