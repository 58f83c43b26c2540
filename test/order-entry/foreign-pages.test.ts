import { request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { serveWorld, type ServedWorld } from '../support/served-world.ts'

let served: ServedWorld
beforeAll(async () => { served = await serveWorld() })
afterAll(() => served.close())

/** The status of a handshake, 101 where it was taken, with the words of a refusal. */
function handshake(headers: Readonly<Record<string, string>>): Promise<readonly [status: number, body: string]> {
  return new Promise((resolve, reject) => {
    const key = { 'sec-websocket-version': '13', 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==', connection: 'Upgrade', upgrade: 'websocket' }
    const asked = request({ host: '127.0.0.1', port: served.port, path: '/api/v2', headers: { ...key, ...headers } })
    asked.on('upgrade', (response, socket) => {
      socket.destroy()
      resolve([response.statusCode!, ''])
    })
    asked.on('response', (response) => {
      let body = ''
      response.on('data', (chunk: Buffer) => { body += chunk.toString('utf8') })
      response.on('end', () => { resolve([response.statusCode!, body]) })
    })
    asked.on('error', reject).end()
  })
}

test.each<[string, Record<string, string>]>([
  ['a page of another host', { origin: 'https://evil.example' }],
  ['a page without an origin of its own', { origin: 'null' }],
  ['a page whose user name is this host', { origin: 'http://127.0.0.1@evil.example' }],
  ['a page of another port', { origin: 'http://127.0.0.1:1' }],
  ['a name that leads here', { host: 'evil.example' }],
  ['a name that leads here, with its own page', { host: 'evil.example', origin: 'http://evil.example' }],
  ['a name with a dot behind it', { host: 'localhost.' }],
])('%s opens no order entry', async (_name, headers) => {
  const [status, body] = await handshake(headers)
  expect([status, body]).toEqual([403, expect.stringMatching(/^(?:Host must be an address|a page of another origin)/)])
  expect(served.server.connections.size).toBe(0)
  expect(served.logs.at(-1)).toBe(`order entry: refused a connection: ${body}`)
})

test.each<[string, () => Record<string, string>]>([
  ['a program', () => ({})],
  ['a program that states the host as its origin', () => ({ origin: `http://127.0.0.1:${served.port}` })],
  ['a program by another address of this machine', () => ({ host: `[::1]:${served.port}` })],
  ['a program by a port that leads here', () => ({ host: 'LOCALHOST:1' })],
])('%s opens it', async (_name, headers) => {
  const host = `127.0.0.1:${served.port}`
  expect(await handshake({ host, ...headers() })).toEqual([101, ''])
})

test('an origin is looked at before places are counted', async () => {
  const open = Array.from({ length: 20 }, () => new WebSocket(`ws://127.0.0.1:${served.port}/api/v2`))
  await Promise.all(open.map((socket) => new Promise((done) => socket.on('message', done))))
  expect((await handshake({ origin: 'null' }))[0]).toBe(403)
  expect((await handshake({}))[0]).toBe(429)
  for (const socket of open) socket.terminate()
})

test('the lookup answers the address at which the request arrived', async () => {
  const answer = await (await fetch(`http://127.0.0.1:${served.port}/api/accounts/A/tradingservers`)).json() as { data: object[] }
  expect(answer.data).toMatchObject([{ host: '127.0.0.1', port: served.port, ip: '127.0.0.1' }])
})
