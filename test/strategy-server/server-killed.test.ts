import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openInstanceStore } from '../../src/strategy-server/instance-store-writer.js'
import { newFolder } from '../support/new-folder.ts'
import { openedStrategies } from '../support/opened-strategies.ts'
import { isNight } from '../support/repetitions.ts'

const BASE = '/api/v1/strategy'
const child = join(import.meta.dirname, '../support/strategy-server-child.mjs')

/** Moments of a request: around each statement that may change rows, and when the answer has been made. */
const MOMENTS = (['before', 'after', 'answer'] as const).flatMap((when) => [1, 2, 3].map((number) => [when, number] as const)).concat([['answer', 4]])

/** A request, its instances before it (all of them created, `run`: running), and their states before and after it as the next server finds them. */
const REQUESTS: readonly { readonly name: string, readonly run: boolean, readonly path: (ids: readonly string[]) => string, readonly body: (ids: readonly string[]) => object, readonly before: string, readonly after: readonly string[] }[] = [
  { name: 'create', run: false, path: () => '/instance', body: () => ({ instanceName: 'new', strategyName: 'Maker' }), before: 'CREATED CREATED CREATED', after: ['CREATED CREATED CREATED CREATED'] },
  { name: 'start', run: false, path: ([id]) => `/instance/${id!}/start`, body: () => ({}), before: 'CREATED CREATED CREATED', after: ['INTERRUPTED CREATED CREATED'] },
  { name: 'start of several', run: false, path: () => '/instance/start', body: (instanceIds) => ({ instanceIds }), before: 'CREATED CREATED CREATED', after: ['INTERRUPTED INTERRUPTED INTERRUPTED'] },
  { name: 'stop', run: true, path: ([id]) => `/instance/${id!}/stop`, body: () => ({}), before: 'INTERRUPTED INTERRUPTED INTERRUPTED', after: ['INTERRUPTED INTERRUPTED INTERRUPTED'] },
  { name: 'stop of all', run: true, path: () => '/stop-all', body: () => ({}), before: 'INTERRUPTED INTERRUPTED INTERRUPTED', after: ['INTERRUPTED INTERRUPTED INTERRUPTED'] },
  { name: 'delete', run: false, path: ([id]) => `/instance/${id!}/delete`, body: () => ({}), before: 'CREATED CREATED CREATED', after: ['CREATED CREATED'] },
  { name: 'delete of several', run: false, path: () => '/instance/delete', body: (instanceIds) => ({ instanceIds }), before: 'CREATED CREATED CREATED', after: [''] },
  { name: 'reconfigure', run: false, path: ([id]) => `/instance/${id!}/reconfigure`, body: () => ({ parameters: { size: '2' } }), before: 'CREATED CREATED CREATED', after: ['CREATED{"size":"2"} CREATED CREATED'] },
]

/** By day one moment of every second request. */
const CASES = REQUESTS.filter((_, at) => isNight || at % 2 === 0).flatMap((request, at) => MOMENTS.filter((_, number) => isNight || number === (at * 3 + 1) % MOMENTS.length).map(([when, number]) => [request.name, when, number, request] as const))

async function killedAt(when: string, number: number, request: (typeof REQUESTS)[number]): Promise<{ readonly store: string, readonly status: number | null }> {
  const folder = newFolder()
  const server = spawn(process.execPath, [child, folder, when, String(number)], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  const gone = once(server, 'close')
  const [line] = await once(server.stdout!, 'data') as [Buffer]
  const url = line.toString('utf8').trim()
  const post = (path: string, body: object): Promise<Response> => fetch(url + BASE + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  const ids: string[] = []
  for (const instanceName of ['a', 'b', 'c']) ids.push((await (await post('/instance', { instanceName, strategyName: 'Maker' })).json() as { instanceId: string }).instanceId)
  if (request.run) {
    await (await post('/instance/start', { instanceIds: ids })).text()
    for (let isRunning = false; !isRunning;) isRunning = /(?:RUNNING.*){3}/.test(await (await fetch(`${url}${BASE}/instance/status`)).text())
  }
  server.send('arm')
  await once(server, 'message')
  const status = await post(request.path(ids), request.body(ids)).then(({ status: code }) => code, () => null)
  server.kill('SIGKILL')
  await gone
  return { store: join(folder, 'store'), status }
}

describe('a server that is killed while it answers', () => {
  test.each(CASES)('%s, %s statement %d: the state is that before or that after', async (_name, when, number, request) => {
    const { store, status } = await killedAt(when, number, request)
    const kept = await openInstanceStore(store)
    kept.close()
    const next = await openedStrategies({ store })
    const { body } = await next.ask('GET', `${BASE}/instance`)
    const states = (await next.ask('GET', `${BASE}/instance/status`)).body as { state: string }[]
    const shown = states.map(({ state }, at) => {
      const parameters = JSON.stringify((body as { parameters: object }[])[at]!.parameters)
      return state + (parameters === '{}' ? '' : parameters)
    }).join(' ')
    await next.server.close()
    expect(status === null ? [request.before, ...request.after] : request.after).toContain(shown)
    if (status !== null) expect(status).toBeLessThan(300)
  })
})
