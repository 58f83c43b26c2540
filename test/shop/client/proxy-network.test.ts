import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { networkOfEnvironment } from '../../../src/shop/client/proxy-network-client.js'
import { SHOP_NETWORK } from '../../../src/shop/client/redirect-client.js'

const asked: string[] = []
const servers: Server[] = []
let [proxy, target] = ['', '']

async function listening(server: Server): Promise<string> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
}

beforeAll(async () => {
  target = await listening(createServer((request, response) => { response.end(`target ${request.headers['x-own']?.toString() ?? ''}`) }))
  const tunnel = createServer((request, response) => {
    asked.push(request.url!)
    response.end('proxy')
  })
  tunnel.on('connect', (request, socket) => {
    asked.push(request.url!)
    if (request.url!.endsWith(':443')) return socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    const { port } = new URL(target)
    const to = connect(Number(port), '127.0.0.1', () => { socket.write('HTTP/1.1 200 OK\r\n\r\n') })
    return to.pipe(socket).pipe(to)
  })
  proxy = await listening(tunnel)
})
beforeEach(() => { asked.length = 0 })
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
})

const abort = new AbortController()
const INIT = { method: 'GET', headers: { 'x-own': 'a' }, redirect: 'manual', signal: abort.signal } as const

describe('a proxy of the environment', () => {
  test.each([[{}], [{ HTTP_PROXY: '' }], [{ NO_PROXY: '*' }]])('%j names none', (environment) => {
    expect(networkOfEnvironment(environment)).toBe(SHOP_NETWORK)
  })

  test.each(['HTTP_PROXY', 'http_proxy'])('%s is asked for http', async (name) => {
    const response = await networkOfEnvironment({ [name]: proxy }).fetch(new URL('http://shop.test/x?t=1'), INIT)
    expect([response.status, /^(target a|proxy)$/.test(await response.text()), asked.length]).toEqual([200, true, 1])
    expect(asked[0]).toMatch(/^(shop\.test:80|http:\/\/shop\.test\/x\?t=1)$/)
  })

  test.each(['HTTPS_PROXY', 'https_proxy'])('%s is asked for https, by a tunnel that sees no path', async (name) => {
    await expect(networkOfEnvironment({ [name]: proxy }).fetch(new URL('https://shop.test/x?t=secret'), INIT)).rejects.toThrow()
    expect(asked).toEqual(['shop.test:443'])
  })

  test('is not asked for this machine, nor for what NO_PROXY names', async () => {
    const network = networkOfEnvironment({ HTTP_PROXY: proxy, HTTPS_PROXY: proxy, NO_PROXY: 'shop.invalid,.other.invalid' })
    expect(await (await network.fetch(new URL(target), INIT)).text()).toBe('target a')
    for (const url of ['https://shop.invalid/', 'http://a.other.invalid/']) await expect(network.fetch(new URL(url), INIT)).rejects.toThrow()
    expect(asked).toEqual([])
  })
})
