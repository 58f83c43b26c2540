import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js'
import { jsonSchema } from '../../src/protocol/rest/json-schema.js'
import { INSTANCE_TRANSITIONS } from '../../src/protocol/strategies/instance-states.js'
import { STRATEGIES } from '../../src/protocol/strategies/strategy-tables.js'
import { openInstanceStore } from '../../src/strategy-server/instance-store-writer.js'
import { openedStrategies, VENUE, type Answer, type OpenedStrategies } from '../support/opened-strategies.ts'
import { newFolder } from '../support/new-folder.ts'
import { signalsClient as client } from '../support/signals-client.ts'
import { hasSharedData } from '../support/shared-data.ts'
import { specSections } from '../support/spec-document.ts'

const BASE = '/api/v1/strategy'
const PROGRESS = { timeNs: 1_000n, eventCount: 5, gapCount: 3, suspectBookCount: 1, orderCount: 2, fillCount: 1, lastFillNs: 900n, openOrderCount: 1, positions: [{ accountId: 'account', instrumentId: 7, size: '-1.5' }], profit: { currency: 'USDT', amount: '-0.25' }, callbackCount: 9, longestCallbackMs: 0.5, heapBytes: 10, bufferBytes: 20 } as const
const opened: OpenedStrategies[] = []
afterEach(async () => { for (const { server } of opened.splice(0)) await server.close() })

async function open(...config: Parameters<typeof openedStrategies>): Promise<OpenedStrategies> {
  const one = await openedStrategies(...config)
  opened.push(one)
  return one
}

const ajv = new Ajv2020({ strict: false, validateFormats: false, schemas: Object.entries(STRATEGIES.schemas).map(([name, schema]) => ({ $id: name, ...closed(jsonSchema(schema)) })) as AnySchemaObject[] })

/** The schema with no other fields than those that it names: what we send is written down. */
function closed(schema: object): object {
  return JSON.parse(JSON.stringify(schema), (_key, value: unknown) => {
    const { type, properties } = value as { type?: unknown, properties?: object } | null ?? {}
    return type === 'object' && properties !== undefined && Object.keys(properties).length > 0 ? { ...value as object, additionalProperties: false } : value
  }) as object
}

/** An answer has the status, and the object, that the tables have for its route. */
function fits(route: string, answer: Answer): Answer {
  const { answers, errors } = STRATEGIES.routes[route]!
  const own = answers.find(({ status }) => status === answer.status)
  const refusals = [...STRATEGIES.commonErrors, ...errors].map((name) => STRATEGIES.errors[name]!.status)
  if (own === undefined) expect(refusals).toContain(answer.status)
  const name = own === undefined ? 'Failure' : own.schema
  if (name === undefined) expect(typeof answer.body).toBe(own?.media === undefined ? 'object' : 'string')
  else if (!ajv.validate({ $ref: name }, answer.body)) throw new Error(`${route} ${answer.status}: ${ajv.errorsText()} ${JSON.stringify(answer.body)}`)
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  return answer
}

const codeOf = ({ body }: Answer): unknown => (body as { error: { code: string } }).error.code
const stateOf = ({ body }: Answer): unknown => (body as { state: string }).state

/** Rows of spec 3 and of our tables (routes, errors, changes of states) that a case shows, its name, the check. */
const CASES: readonly (readonly [rows: readonly string[], name: string, check: () => Promise<void>])[] = [
  [['GET /api/v1/strategy'], 'what is installed', async () => {
    const { ask } = await open()
    const { body } = fits('strategies', await ask('GET', BASE))
    expect((body as { module: string }[]).map(({ module }) => module)).toEqual(['makers.ts', 'a.ts', 'b.ts', 'broken.ts'])
  }],
  [['POST /api/v1/strategy/instance', 'GET /api/v1/strategy/instance', 'GET /api/v1/strategy/instance/status', 'field instanceName', 'field strategyName', 'field parameters', 'GET /api/v1/strategy/instance/{instanceId}'], 'an instance that is created', async () => {
    const { ask } = await open()
    const { status, body } = fits('create', await ask('POST', `${BASE}/instance`, { instanceName: 'maker', strategyName: 'Maker', parameters: { size: '1' } }))
    expect([status, body]).toMatchObject([201, { instanceName: 'maker', strategyName: 'Maker', module: 'makers.ts', parameters: { size: '1' }, venue: 'paper' }])
    const twin = fits('create', await ask('POST', `${BASE}/instance`, { instanceName: 'twin', strategyName: 'b.ts#Twin', venue: 'other' }))
    expect(twin.body).toMatchObject({ module: 'b.ts', venue: 'other', parameters: {} })
    expect(fits('instances', await ask('GET', `${BASE}/instance`)).body).toEqual([body, twin.body])
    expect(fits('statuses', await ask('GET', `${BASE}/instance/status`)).body).toMatchObject([{ instanceName: 'maker', state: 'CREATED', reason: null }, { instanceName: 'twin' }])
    const { instanceId } = body as { instanceId: string }
    expect(fits('instance', await ask('GET', `${BASE}/instance/${instanceId}`)).body).toMatchObject({ instance: body as object, status: { state: 'CREATED' } })
  }],
  [['POST /api/v1/strategy/instance/{instanceId}/start', 'POST /api/v1/strategy/instance/{instanceId}/stop', 'start: CREATED', 'start: STOPPED', 'running: STARTING', 'stop: RUNNING', 'ended: STOPPING'], 'a run from start to stop', async () => {
    const { ask, made, runs } = await open()
    const id = await made('maker')
    expect(stateOf(fits('start', await ask('POST', `${BASE}/instance/${id}/start`)))).toBe('STARTING')
    expect(runs.last.order).toMatchObject({ instanceId: id, instanceName: 'maker', strategyName: 'Maker', isResumed: false, parameters: { size: '1' }, limits: { heapMb: 1024 } })
    expect(existsSync(runs.last.order.folder)).toBe(true)
    runs.last.sink.running()
    runs.last.sink.progressed(PROGRESS)
    const { body } = fits('statuses', await ask('GET', `${BASE}/instance/status`))
    expect(body).toMatchObject([{ state: 'RUNNING', progress: { time: '1000', events: 5, lastFill: '900', openOrders: 1, positions: [{ account: 'account', size: '-1.5' }], profit: { amount: '-0.25' } } }])
    expect(stateOf(fits('stop', await ask('POST', `${BASE}/instance/${id}/stop`, { cancelOrders: false })))).toBe('STOPPING')
    expect(runs.last.asked).toEqual([['stop', false]])
    runs.last.sink.running()
    runs.last.end({ openOrders: ['a'] })
    const ended = fits('statuses', await ask('GET', `${BASE}/instance/status`)).body
    expect(ended).toMatchObject([{ state: 'STOPPED', reason: 'it was stopped', progress: { events: 5 }, end: { end: 'stopped', fingerprint: 'bt3:0', openOrders: ['a'] } }])
    runs.last.end({ end: 'failed', reason: 'after its end' })
    expect(stateOf(fits('start', await ask('POST', `${BASE}/instance/${id}/start`, {})))).toBe('STARTING')
    expect(fits('statuses', await ask('GET', `${BASE}/instance/status`)).body).not.toMatchObject([{ end: {} }])
  }],
  [['ended: STARTING', 'ended: RUNNING', 'failed: STARTING', 'failed: RUNNING', 'failed: STOPPING', 'stop: STARTING', 'start: FAILED'], 'runs that end by themselves', async () => {
    const { ask, made, runs } = await open()
    const id = await made('maker')
    const status = async (): Promise<unknown[]> => {
      const [one] = fits('statuses', await ask('GET', `${BASE}/instance/status`)).body as { state: string, reason: string, end: { code: string, stack: string } }[]
      return [one?.state, one?.reason, one?.end.code, one?.end.stack]
    }
    const failed = { end: 'failed', reason: 'it threw', code: 'STRATEGY_FAILED', stack: 'at makers.ts:1' } as const
    const STOPPED = ['STOPPED', 'its data have ended', null, null]
    const FAILED = ['FAILED', 'it threw', 'STRATEGY_FAILED', 'at makers.ts:1']
    for (const [steps, wanted] of [[[], STOPPED], [['running'], STOPPED], [[], FAILED], [['running'], FAILED], [['running', 'stop'], FAILED], [['stop'], FAILED]] as const) {
      await ask('POST', `${BASE}/instance/${id}/start`)
      for (const step of steps) {
        if (step === 'running') runs.last.sink.running()
        else fits('stop', await ask('POST', `${BASE}/instance/${id}/stop`))
      }
      runs.last.end(wanted === FAILED ? failed : { end: 'whole', reason: 'its data have ended' })
      expect(await status()).toEqual(wanted)
    }
    runs.fault = new Error('no thread')
    expect(stateOf(fits('start', await ask('POST', `${BASE}/instance/${id}/start`)))).toBe('FAILED')
    expect(await status()).toEqual(['FAILED', 'no thread', null, null])
  }],
  [['POST /api/v1/strategy/instance/{instanceId}/delete', 'delete: CREATED', 'delete: STOPPED', 'delete: FAILED', '404 UNKNOWN_INSTANCE'], 'an instance that is deleted', async () => {
    const { ask, made, runs } = await open()
    const id = await made('maker')
    await ask('POST', `${BASE}/instance/${id}/start`)
    const { folder } = runs.last.order
    runs.last.end()
    expect(fits('delete', await ask('POST', `${BASE}/instance/${id}/delete`)).status).toBe(204)
    expect(existsSync(folder)).toBe(false)
    for (const [method, path] of [['GET', ''], ['POST', '/start'], ['POST', '/stop'], ['POST', '/delete'], ['GET', '/journal'], ['GET', '/fills']] as const) {
      const answer = await ask(method, `${BASE}/instance/${id}${path}`)
      expect([answer.status, codeOf(answer)]).toEqual([404, 'UNKNOWN_INSTANCE'])
    }
    const again = await made('maker')
    await ask('POST', `${BASE}/instance/${again}/delete`)
    const failed = await made('maker')
    runs.fault = new Error('no thread')
    await ask('POST', `${BASE}/instance/${failed}/start`)
    expect((await ask('POST', `${BASE}/instance/${failed}/delete`)).status).toBe(204)
    expect((await ask('GET', `${BASE}/instance`)).body).toEqual([])
  }],
  [['POST /api/v1/strategy/instance/{instanceId}/reconfigure', 'reconfigure: CREATED', 'reconfigure: STOPPED', 'reconfigure: FAILED'], 'other parameters, at rest', async () => {
    const { ask, made, runs, strategies } = await open()
    const id = await made('maker')
    const other = { parameters: { size: '2' }, venue: 'other' }
    expect(fits('reconfigure', await ask('POST', `${BASE}/instance/${id}/reconfigure`, other)).body).toMatchObject(other)
    for (const end of ['whole', 'failed'] as const) {
      await ask('POST', `${BASE}/instance/${id}/start`)
      expect(runs.last.order.parameters).toEqual({ size: '2' })
      expect(codeOf(fits('reconfigure', await ask('POST', `${BASE}/instance/${id}/reconfigure`, other)))).toBe('WRONG_STATE')
      runs.last.end({ end })
      expect(fits('reconfigure', await ask('POST', `${BASE}/instance/${id}/reconfigure`, { parameters: { size: '2' } })).body).toMatchObject(other)
      expect((await ask('GET', `${BASE}/instance/status`)).body).toMatchObject([{ state: 'CREATED' }])
    }
    strategies.faultsFound = [{ path: 'parameters.size', expected: 'a quantity', found: 'nothing' }]
    expect(fits('reconfigure', await ask('POST', `${BASE}/instance/${id}/reconfigure`, { parameters: {} })).status).toBe(422)
    expect((await ask('GET', `${BASE}/instance`)).body).toMatchObject([{ parameters: { size: '2' } }])
  }],
  [['POST /api/v1/strategy/instance/start', 'POST /api/v1/strategy/instance/stop', 'POST /api/v1/strategy/instance/delete', 'POST /api/v1/strategy/stop-all', '409 WRONG_STATE'], 'several: all or none', async () => {
    const { ask, made, runs } = await open()
    const ids = [await made('a'), await made('b'), await made('c')]
    const states = async (): Promise<unknown> => ((await ask('GET', `${BASE}/instance/status`)).body as { state: string }[]).map(({ state }) => state).join()
    expect(fits('startSeveral', await ask('POST', `${BASE}/instance/start`, { instanceIds: [...ids.slice(0, 2), ids[0]] })).body).toMatchObject([{ instanceName: 'a', state: 'STARTING' }, { instanceName: 'b' }])
    expect(runs.all.length).toBe(2)
    const wrong = fits('startSeveral', await ask('POST', `${BASE}/instance/start`, { instanceIds: [ids[2], ids[1]] }))
    expect([codeOf(wrong), wrong.body, await states()]).toMatchObject(['WRONG_STATE', { error: { details: { instanceId: ids[1], state: 'STARTING', allowed: ['CREATED', 'STOPPED', 'FAILED', 'INTERRUPTED'] } } }, 'STARTING,STARTING,CREATED'])
    expect(fits('deleteSeveral', await ask('POST', `${BASE}/instance/delete`, { instanceIds: [ids[2], ids[1]] })).status).toBe(409)
    expect(fits('stopSeveral', await ask('POST', `${BASE}/instance/stop`, { instanceIds: [ids[0], ids[2]] })).status).toBe(409)
    expect(fits('stopSeveral', await ask('POST', `${BASE}/instance/stop`, { instanceIds: [ids[0]] })).body).toMatchObject([{ state: 'STOPPING' }])
    expect(fits('stopAll', await ask('POST', `${BASE}/stop-all`)).body).toMatchObject([{ instanceName: 'a', state: 'STOPPING' }, { instanceName: 'b', state: 'STOPPING' }])
    expect(runs.all.map(({ asked }) => asked)).toEqual([[['stop', true]], [['stop', true]]])
    for (const run of runs.all) run.end()
    expect(fits('stopAll', await ask('POST', `${BASE}/stop-all`)).body).toEqual([])
    expect(fits('deleteSeveral', await ask('POST', `${BASE}/instance/delete`, { instanceIds: ids })).status).toBe(204)
    expect(await states()).toBe('')
  }],
  [['409 ORDERS_OPEN'], 'orders that a run has left are not forgotten', async () => {
    const { ask, made, store } = await open({ venues: { clock: { ...VENUE, speed: 60 }, other: VENUE } })
    const [id, free] = [await made('a'), await made('b')]
    const folder = join(store, 'instances', id)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'orders.txt'), 'one\ntwo\ncut')
    const refusal = { status: 409, body: { error: { code: 'ORDERS_OPEN', details: { instanceId: id, openOrders: ['one', 'two'] } } } }
    expect(fits('delete', await ask('POST', `${BASE}/instance/${id}/delete`))).toMatchObject(refusal)
    expect(fits('deleteSeveral', await ask('POST', `${BASE}/instance/delete`, { instanceIds: [free, id] }))).toMatchObject(refusal)
    expect(fits('reconfigure', await ask('POST', `${BASE}/instance/${id}/reconfigure`, { parameters: {}, venue: 'other' }))).toMatchObject(refusal)
    expect(fits('reconfigure', await ask('POST', `${BASE}/instance/${id}/reconfigure`, { parameters: {}, venue: 'clock' })).status).toBe(200)
    expect(fits('stopAll', await ask('POST', `${BASE}/stop-all`)).body).toMatchObject([{ instanceId: id, state: 'CREATED', reason: 'its orders are being cancelled', openOrders: ['one', 'two'] }])
    for (let left = null; left !== '[]';) left = JSON.stringify(((await ask('GET', `${BASE}/instance/${id}`)).body as { status: { openOrders: string[] } }).status.openOrders)
    expect([existsSync(join(folder, 'orders.txt')), fits('stopAll', await ask('POST', `${BASE}/stop-all`)).body]).toEqual([false, []])
    writeFileSync(join(folder, 'orders.txt'), 'three\n')
    expect(fits('delete', await ask('POST', `${BASE}/instance/${id}/delete`, { leaveOrders: true })).status).toBe(204)
  }],
  [['POST /api/v1/channel/{channelName}/send', 'GET /ws/v1', 'GET /ws/live', '426 UPGRADE_REQUIRED'], 'messages of REST, of clients and of strategies', async () => {
    const { ask, made, runs, server } = await open()
    const id = await made('maker')
    await ask('POST', `${BASE}/instance/${id}/start`)
    const { sink, asked } = runs.last
    sink.opened('signals')
    const one = await client(server.url, 'desk')
    expect(fits('send', await ask('POST', '/api/v1/channel/signals/send?origin=rest', 'widen 2')).status).toBe(204)
    expect(fits('send', await ask('POST', '/api/v1/channel/signals/send?origin=rest', '')).status).toBe(204)
    expect(fits('send', await ask('POST', '/api/v1/channel/other%2Fname/send?origin=rest', 'lost')).status).toBe(204)
    one.socket.send(JSON.stringify({ op: 'publish', channel: 'signals', message: 'from the desk' }))
    one.socket.send(JSON.stringify({ op: 'login', origin: 'x' }))
    await one.until(5)
    sink.published('signals', 'pong', undefined)
    await one.until(6)
    expect(one.taken.slice(2)).toEqual([
      { op: 'event', channel: 'signals', origin: 'rest', message: 'widen 2' }, { op: 'event', channel: 'signals', origin: 'rest', message: '' },
      { op: 'login', origin: 'x', error: 'already logged in' }, { op: 'event', channel: 'signals', origin: 'maker', message: 'pong' },
    ])
    expect(asked).toEqual([['receive', 'signals', 'rest', 'widen 2'], ['receive', 'signals', 'rest', ''], ['receive', 'signals', 'desk', 'from the desk']])
    runs.last.end()
    await ask('POST', '/api/v1/channel/signals/send?origin=rest', 'nobody')
    expect(asked.length).toBe(3)
    one.socket.terminate()
    for (const plain of [fits('channels', await ask('GET', '/ws/v1')), fits('liveFrames', await ask('GET', '/ws/live'))])
      expect([plain.status, plain.headers.get('upgrade')]).toEqual([426, 'websocket'])
  }],
  [['GET /live', 'GET /live/script.js', 'GET /live/style.css'], 'the page of the live view', async () => {
    const { ask } = await open()
    for (const name of ['live', 'liveScript', 'liveStyle'] as const) fits(name, await ask('GET', STRATEGIES.routes[name]!.path))
  }],
  [['409 NAME_TAKEN', '409 TOO_MANY_INSTANCES'], 'names are each once, on the channels too', async () => {
    const { ask, made, server } = await open({ limits: { instances: 2 } })
    const create = async (instanceName: string): Promise<unknown> => codeOf(fits('create', await ask('POST', `${BASE}/instance`, { instanceName, strategyName: 'Maker', parameters: {} })))
    await made('maker')
    expect(await create('maker')).toBe('NAME_TAKEN')
    const desk = await client(server.url, 'desk')
    expect(await create('desk')).toBe('NAME_TAKEN')
    const impostor = await client(server.url, 'maker')
    expect(impostor.taken[0]).toMatchObject({ op: 'login', error: 'another client has this origin' })
    for (const { socket } of [desk, impostor]) socket.terminate()
    await made('second')
    expect(await create('third')).toBe('TOO_MANY_INSTANCES')
  }],
  [['422 INVALID_FIELDS', '400 INVALID_INPUT', '415 WRONG_MEDIA_TYPE', '413 TOO_LARGE', '405 WRONG_METHOD', '404 NOT_FOUND'], 'requests that do not fit', async () => {
    const { ask, made, strategies } = await open()
    const config = { instanceName: 'a', strategyName: 'Maker' }
    const json = { 'content-type': 'application/json' }
    const id = await made('maker')
    for (const [status, path, body, headers] of [
      [422, '/instance', {}], [422, '/instance', { ...config, instanceName: '' }], [422, '/instance', { ...config, instanceName: 'x'.repeat(250) }], [422, '/instance', { ...config, more: 1 }],
      [422, '/instance', { ...config, parameters: 7 }], [422, '/instance', { ...config, venue: 'moon' }], [422, '/instance', { ...config, strategyName: 'Twin' }], [422, '/instance', { ...config, strategyName: 'broken.ts#A' }],
      [422, '/instance', 'null', json], [400, '/instance', '{', json], [400, '/instance', '', json], [415, '/instance', 'x'], [415, '/instance', undefined],
      [413, '/instance', { ...config, parameters: { a: 'x'.repeat(200_000) } }],
      [422, `/instance/${id}/start`, { resume: 1 }], [415, `/instance/${id}/start`, 'x'], [422, `/instance/${id}/stop`, { more: 1 }], [422, '/instance/start', { instanceIds: [] }], [422, '/instance/start', { instanceIds: Array(101).fill('a') }],
      [422, `/instance/${id}/reconfigure`, {}],
    ] as const) {
      const answer = await ask('POST', BASE + path, body, headers)
      expect([answer.status, path, body]).toEqual([status, path, body])
      expect(codeOf(answer)).toEqual({ 400: 'INVALID_INPUT', 413: 'TOO_LARGE', 415: 'WRONG_MEDIA_TYPE', 422: 'INVALID_FIELDS' }[status])
    }
    for (const [status, path, body, headers] of [
      [422, '/api/v1/channel/a/send', 'x'], [422, '/api/v1/channel/a/send?origin=', 'x'], [422, '/api/v1/channel/a/send?origin=a&origin=b', 'x'], [422, '/api/v1/channel/a/send?origin=a&more=b', 'x'], [422, `/api/v1/channel/${'x'.repeat(250)}/send?origin=a`, 'x'],
      [415, '/api/v1/channel/a/send?origin=a', {}], [415, '/api/v1/channel/a/send?origin=a', 'x', { 'content-type': 'text/html' }], [415, '/api/v1/channel/a/send?origin=a', 'x', { 'content-type': 'text/plain', 'content-encoding': 'gzip' }],
      [413, '/api/v1/channel/a/send?origin=a', 'x'.repeat(1_048_577)], [204, '/api/v1/channel/a/send?origin=a', 'x'.repeat(1_048_576)], [400, '/api/v1/channel/%zz/send?origin=a', 'x'],
    ] as const) expect([(await ask('POST', path, body, headers)).status, path]).toEqual([status, path])
    expect((await ask('GET', `${BASE}/instance/${id}/journal?limit=0`)).status).toBe(422)
    expect((await ask('GET', `${BASE}/instance/${id}/journal?line=x`)).status).toBe(422)
    const method = await ask('DELETE', `${BASE}/instance/${id}`)
    expect([method.status, codeOf(method), method.headers.get('allow')]).toEqual([405, 'WRONG_METHOD', 'GET'])
    expect((await ask('DELETE', `${BASE}/instance/start`)).headers.get('allow')).toBe('POST')
    for (const path of ['/nothing', '/api/v1/nothing', '/api/v2/strategy', `${BASE}/`, `${BASE}/instance/a/b/c`]) expect([codeOf(await ask('GET', path)), path]).toEqual(['NOT_FOUND', path])
    strategies.faultsFound = [{ path: 'parameters.size', expected: 'a quantity', found: 'nothing' }, { path: 'parameters.more', expected: 'one of size', found: 'more' }]
    const all = fits('create', await ask('POST', `${BASE}/instance`, { ...config, parameters: {} }))
    expect(all.body).toMatchObject({ error: { code: 'INVALID_FIELDS', details: { faults: [{ path: 'parameters.size' }, { path: 'parameters.more' }] } } })
    expect((await ask('GET', `${BASE}/instance`)).body).toMatchObject([{ instanceName: 'maker' }])
  }],
  [['403 FOREIGN_PAGE', '401 NO_TOKEN'], 'pages of others, and requests without the token', async () => {
    const folder = newFolder()
    const tokenFile = join(folder, 'token')
    writeFileSync(tokenFile, 'a-token-of-16-letters\n', { mode: 0o600 })
    const { ask, server } = await open({ tokenFile })
    const bearer = { authorization: 'Bearer a-token-of-16-letters' }
    for (const [status, headers] of [
      [200, bearer], [401, {}], [401, { authorization: 'Bearer another-token-of-16' }], [401, { authorization: 'Basic a-token-of-16-letters' }], [403, { ...bearer, origin: 'http://evil.example' }], [403, { ...bearer, origin: 'null' }], [200, { ...bearer, origin: server.url }],
    ] as const) expect([(await ask('GET', `${BASE}/instance`, undefined, headers)).status, headers]).toEqual([status, headers])
    const securityOf = ({ body }: Answer): unknown => (body as { paths: { [path: string]: { get: { security: unknown } } } }).paths[BASE]!.get.security
    expect(securityOf(await ask('GET', '/openapi.json', undefined, bearer))).toEqual([{ token: [] }, { session: [] }])
    expect(securityOf(await (await open()).ask('GET', '/openapi.json'))).toEqual([])
    const refused = await ask('POST', '/nowhere', { much: 'x'.repeat(300_000) })
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    await expect(client(server.url, 'desk')).rejects.toThrow('401')
    await expect(client(server.url, 'desk', { headers: { ...bearer, origin: 'http://evil.example' } })).rejects.toThrow('403')
    const one = await client(server.url, 'desk', { headers: bearer })
    one.socket.terminate()
  }],
  [['429 TOO_MANY_CALLS'], 'more calls a minute than a bucket has', async () => {
    const { ask } = await open({}, () => 0)
    const calls = STRATEGIES.limits['changeCalls']!.value
    for (let call = 0; call < calls; call += 50)
      for (const { status } of await Promise.all(Array.from({ length: 50 }, () => ask('POST', `${BASE}/instance/a/delete`)))) expect(status).toBe(404)
    const answer = fits('delete', await ask('POST', `${BASE}/instance/a/delete`))
    expect([answer.status, codeOf(answer), answer.headers.get('retry-after')]).toEqual([429, 'TOO_MANY_CALLS', '1'])
    expect((await ask('GET', `${BASE}/instance`)).status).toBe(200)
  }],
  [['interrupted: STARTING', 'interrupted: RUNNING', 'interrupted: STOPPING', 'resume: INTERRUPTED', 'start: INTERRUPTED', 'delete: INTERRUPTED', 'reconfigure: INTERRUPTED'], 'a server that ends while instances run', async () => {
    const first = await open()
    const ids = [await first.made('a'), await first.made('b'), await first.made('c'), await first.made('d')]
    await first.ask('POST', `${BASE}/instance/start`, { instanceIds: ids.slice(0, 3) })
    for (const run of first.runs.all.slice(1)) run.sink.running()
    await first.ask('POST', `${BASE}/instance/${ids[2]!}/stop`)
    await first.server.close()
    await first.server.close()
    expect(first.runs.all.map(({ asked }) => asked.at(-1))).toEqual([['kill'], ['kill'], ['kill']])
    const second = await open({ store: first.store })
    const states = async ({ ask }: OpenedStrategies): Promise<unknown> => ((await ask('GET', `${BASE}/instance/status`)).body as { state: string, reason: string }[]).map(({ state, reason }) => `${state} ${reason}`)
    const INTERRUPTED = 'INTERRUPTED the server was closed while it ran'
    expect(await states(second)).toEqual([INTERRUPTED, INTERRUPTED, INTERRUPTED, 'CREATED null'])
    expect(codeOf(fits('start', await second.ask('POST', `${BASE}/instance/${ids[3]!}/start`, { resume: true })))).toBe('WRONG_STATE')
    expect(stateOf(fits('start', await second.ask('POST', `${BASE}/instance/${ids[0]!}/start`, { resume: true })))).toBe('STARTING')
    expect(second.runs.last.order).toMatchObject({ instanceId: ids[0], isResumed: true })
    writeFileSync(join(second.store, 'instances', ids[1]!, 'checkpoint.json'), '{}')
    expect(stateOf(fits('start', await second.ask('POST', `${BASE}/instance/${ids[1]!}/start`)))).toBe('STARTING')
    expect(existsSync(join(second.store, 'instances', ids[1]!, 'checkpoint.json'))).toBe(false)
    expect((await second.ask('POST', `${BASE}/instance/${ids[2]!}/reconfigure`, { parameters: { size: '3' } })).status).toBe(200)
    await second.ask('POST', `${BASE}/instance/${ids[2]!}/start`)
    await second.server.close()
    mkdirSync(join(first.store, 'instances', 'left-over'))
    const third = await open({ store: first.store, resume: true })
    expect(third.runs.all.map(({ order }) => [order.instanceName, order.isResumed, order.parameters])).toEqual([['a', true, { size: '1' }], ['b', true, { size: '1' }], ['c', true, { size: '3' }]])
    expect(existsSync(join(first.store, 'instances', 'left-over'))).toBe(false)
    await third.server.close()
    const fourth = await open({ store: first.store })
    expect((await fourth.ask('POST', `${BASE}/instance/delete`, { instanceIds: ids })).status).toBe(204)
  }],
  [['GET /api/v1/metrics', 'GET /metrics', 'GET /openapi.json', '431 null', '500 FAILED'], 'metrics, the description, and faults of the server', async () => {
    const { ask, made, runs, notes, strategies } = await open()
    const id = await made('maker')
    await ask('POST', `${BASE}/instance/${id}/start`)
    runs.last.sink.opened('signals')
    runs.last.sink.progressed(PROGRESS)
    expect(fits('metrics', await ask('GET', '/api/v1/metrics')).body).toMatchObject({ strategies: [{ state: 'STARTING' }], marketData: { events: 5, gaps: 3, suspectBooks: 1 }, runtime: { threads: 1, channels: 1, channelClients: 0 } })
    expect((await fetch(`${opened.at(-1)!.server.url}/metrics`)).status).toBe(200)
    const document = await ask('GET', '/openapi.json')
    expect(document.body).toMatchObject({ openapi: '3.1.0', info: { title: 'Strategy server' } })
    expect(Object.keys((document.body as { paths: object }).paths).sort()).toEqual([...new Set(Object.values(STRATEGIES.routes).map(({ path }) => path))].filter((path) => !path.startsWith('/log')).sort())
    expect((await ask('GET', `${BASE}/instance`, undefined, { 'x-long': 'x'.repeat(17_000) }).catch(() => ({ status: 431 }))).status).toBe(431)
    runs.last.end()
    strategies.fault = new Error('the disk is gone')
    const failed = fits('strategies', await ask('GET', BASE))
    expect([failed.status, codeOf(failed), JSON.stringify(failed.body).includes('disk')]).toEqual([500, 'FAILED', false])
    expect(notes).toContain('strategies: GET /api/v1/strategy failed: the disk is gone')
    expect(notes.some((sentence) => sentence.startsWith('maker: STOPPED'))).toBe(true)
  }],
  [['GET /api/v1/strategy/instance/{instanceId}/journal', 'GET /api/v1/strategy/instance/{instanceId}/log', 'GET /api/v1/strategy/instance/{instanceId}/orders', 'GET /api/v1/strategy/instance/{instanceId}/fills', 'GET /api/v1/strategy/instance/{instanceId}/positions'], 'pages before a journal has begun', async () => {
    const { ask, made } = await open()
    const id = await made('maker')
    for (const name of ['journal', 'log', 'orders', 'fills', 'positions']) expect(fits(name, await ask('GET', `${BASE}/instance/${id}/${name}?line=3&limit=5`)).body).toEqual({ lines: [] })
    await ask('POST', `${BASE}/instance/${id}/start`)
    expect(fits('journal', await ask('GET', `${BASE}/instance/${id}/journal?line=3`)).body).toEqual({ lines: [], nextLine: 3 })
  }],
]

describe('a strategy server', () => {
  test.each(CASES)('%s: %s', async (_rows, _name, check) => { await check() })

  test('every route, error and change of state has a case, and every row of the document', () => {
    const shown = new Set(CASES.flatMap(([rows]) => rows))
    const own = [
      ...Object.values(STRATEGIES.routes).map(({ method, path }) => `${method} ${path}`),
      ...Object.values(STRATEGIES.errors).map(({ status, code }) => `${status} ${code ?? 'null'}`),
      ...INSTANCE_TRANSITIONS.flatMap(({ from, on }) => from.map((state) => `${on}: ${state}`)),
    ]
    const sections = hasSharedData ? specSections('3-strategy-server-and-sdk.md') : null
    const rows = sections?.get('REST (`http://<strategy-server>:8000`)')?.tables[0]?.map(([method, path]) => `${method!} ${path!.replaceAll('`', '')}`) ?? []
    const fields = sections?.get('Strategy instance configuration')?.tables[0]?.map(([name]) => `field ${name!}`) ?? []
    if (sections !== null) expect([rows.length, fields.length]).toEqual([8, 3])
    // login.test.ts shows the routes of the login.
    expect([...own, ...rows, ...fields].filter((row) => !shown.has(row) && !/ \/log(?:in|out)$/.test(row))).toEqual([])
    expect([...shown].filter((row) => ![...own, ...rows, ...fields].includes(row) && !row.startsWith('field '))).toEqual([])
  })
})

describe('configurations that are refused', () => {
  test.each([
    [{ host: '0.0.0.0' }, 'tokenFile'], [{ host: '192.0.2.1' }, 'tokenFile'], [{ port: 70_000 }, 'port'], [{ venues: {} }, 'venues'], [{ venues: { a: { type: 'live' } } }, 'venues.a'],
    [{ venues: { a: { type: 'replay', files: ['x'], speed: 0 } } }, 'venues.a.speed'], [{ limits: { instances: 101 } }, 'limits.instances'], [{ limits: { heapMb: 1.5 } }, 'limits.heapMb'], [{ more: 1 }, 'more'],
    [{ resume: 'yes' }, 'resume'], [{ tokenFile: 'no-such-file' }, 'tokenFile'], [{ strategies: '' }, 'strategies'], [{ broker_servers: ['a'] }, 'broker_servers'],
  ] as const)('%j, at %s', async (config, path) => {
    await expect(open(config as unknown as Parameters<typeof open>[0])).rejects.toMatchObject({ code: 'OPTION_INVALID', message: expect.stringContaining(path) as string })
  })

  test('a token that others can read, and a store that another server has', async () => {
    const tokenFile = join(newFolder(), 'token')
    writeFileSync(tokenFile, 'a-token-of-16-letters', { mode: 0o644 })
    if (process.platform !== 'win32') await expect(open({ tokenFile })).rejects.toMatchObject({ code: 'SECRETS_EXPOSED' })
    writeFileSync(tokenFile, 'short')
    chmodSync(tokenFile, 0o600)
    await expect(open({ tokenFile })).rejects.toMatchObject({ code: 'OPTION_INVALID' })
    const { store, server } = await open()
    await expect(open({ store })).rejects.toMatchObject({ code: 'SERVER_STORE_TAKEN' })
    await server.close()
    writeFileSync(join(store, 'instances.db'), 'x'.repeat(5_000))
    await expect(open({ store })).rejects.toMatchObject({ code: 'SERVER_STORE_INVALID' })
  })

  test('rows that are damaged', async () => {
    const folder = newFolder()
    const store = await openInstanceStore(folder)
    store.add({ terms: { instanceId: 'a', instanceName: 'a', strategyName: 'A', module: 'a.ts', parameters: {}, venue: 'v', createdMs: 1 }, standing: { state: 'CREATED', sinceMs: 1, reason: null, outcome: null } })
    store.change('a', { state: 'ELSEWHERE' as 'CREATED', sinceMs: 1, reason: null, outcome: null })
    store.close()
    await expect(open({ store: folder })).rejects.toMatchObject({ code: 'SERVER_STORE_INVALID', message: expect.stringContaining('state') as string })
  })
})
