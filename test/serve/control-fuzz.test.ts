import { request, type OutgoingHttpHeaders } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RandomNumbers } from '../../src/model/random.js'
import { CONTROL_ACTIONS } from '../../src/serve/control-actions.js'
import { ServedDays } from '../support/served-days.ts'

let served: ServedDays
beforeAll(async () => { served = await ServedDays.open() })
afterAll(() => served.close())

/** Statuses and errors of docs/reference/serve-actions.md; 500 is a fault of ours. */
const DOCUMENTED: Readonly<Record<number, string | undefined>> = {
  400: 'INVALID', 401: 'UNAUTHORIZED', 403: 'FORBIDDEN', 404: 'UNKNOWN', 405: 'METHOD', 409: 'NOT_NOW', 413: 'TOO_LARGE',
}
/** Actions that end the server, wait for a step, or move the replay far. */
const LEFT_OUT = new Set(['shutdown', 'step', 'go-to', 'resume'])
const NAMES = [...Object.keys(CONTROL_ACTIONS).filter((name) => !LEFT_OUT.has(name)), 'explode', '__proto__', 'constructor', '%00', '%zz', '..', 'pause/x']
const FIELDS = [...new Set(Object.values(CONTROL_ACTIONS).flatMap(({ fields }) => Object.keys(fields))), '__proto__', 'toString', 'x']
const VALUES: readonly unknown[] = [
  null, true, false, 0, -1, 1, 1.5, 1e308, '', 'XRPUSDT', '9100001', 'paper', 'k', 'synthetic_swap', '12:00', '1s', '-1s', '1e9s', 'all', 'x'.repeat(300), [], {}, [[]],
  { lastPrice: '1' }, { underlying: 'USDT', highPrice: '1', lowPrice: '-1' }, { lastPrice: '0', buyVolume: '1', sellVolume: '1', liquidateFractionalShares: 'no' },
]

interface Answer { readonly status: number, readonly text: string }

function asked(method: string, path: string, headers: OutgoingHttpHeaders, body: string): Promise<Answer> {
  const { url, token } = served.serving.addresses.control!
  const { port } = new URL(url)
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path: `/${path}`, headers: { authorization: `Bearer ${token}`, 'content-length': Buffer.byteLength(body), ...headers } }, (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => { text += chunk.toString('utf8') })
      response.on('end', () => { resolve({ status: response.statusCode!, text }) })
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

test.each([1, 2, 3])('whatever is sent, the answer is a documented one, and the server goes on: seed %i', { timeout: 60_000 }, async (seed) => {
  const random = new RandomNumbers(seed, 'control', 0)
  let draws = 0
  const below = (count: number): number => Math.floor(random.uniform(draws++) * count)
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T
  const body = (): string => {
    const fields = Object.fromEntries(Array.from({ length: below(4) }, () => [pick(FIELDS), pick(VALUES)]))
    const text = JSON.stringify(fields)
    switch (below(8)) {
      case 0: return text.slice(0, below(text.length + 1))
      case 1: return pick(['[]', 'null', '"x"', '\u0000', '{"a":1}{', '{"key":1,"key":2}', '['.repeat(30_000), `{"x":"${'y'.repeat(66_000)}"}`])
      default: return text
    }
  }
  const headers = (): OutgoingHttpHeaders => (below(6) === 0
    ? pick([{ host: 'evil.example' }, { origin: 'http://127.0.0.1' }, { authorization: 'Bearer' }, { authorization: `Bearer ${'0'.repeat(48)}` }, { authorization: 'Basic x' }])
    : {})
  for (let round = 0; round < 20; round++) {
    const answers = await Promise.all(Array.from({ length: 20 }, async () => {
      const [method, name, text] = [pick(['POST', 'POST', 'POST', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']), pick(NAMES), body()]
      // A server that has refused a long body may close before all of it was sent.
      const answer = await asked(method, name, headers(), text).catch((error: unknown) => ({ status: 0, text: String(error) }))
      return { what: `${method} ${name} ${text.slice(0, 200)}`, long: text.length > 65_536, ...answer }
    }))
    for (const { what, long, status, text } of answers) {
      if (long && status === 0) continue
      const said = JSON.parse(text) as { ok: boolean, error?: string, message?: string }
      if (status === 200) expect(said.ok, what).toBe(true)
      else expect([said.ok, said.error, typeof said.message], `${what} ${String(status)} ${text}`).toEqual([false, DOCUMENTED[status] ?? 'no documented status', 'string'])
      expect(text).not.toContain(served.serving.addresses.control!.token)
    }
  }
  expect((await served.post('', {}, {}, 'GET')).status).toBe(200)
  expect(served.log.filter((text) => text.includes('FAILED'))).toEqual([])
})
