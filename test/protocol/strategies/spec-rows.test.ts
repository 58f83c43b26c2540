import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { callsPerMinute, entryOf } from '../../../src/protocol/rest/rest-tables.js'
import { resolvedIn, type MessageSchema } from '../../../src/protocol/rest/message-schema.js'
import { partFault } from '../../../src/protocol/rest/rest-requests.js'
import {
  INSTANCE_ACTIONS, INSTANCE_STATES, INSTANCE_TRANSITIONS, isAtWork, stateAfter, statesFor, type InstanceEvent, type InstanceState,
} from '../../../src/protocol/strategies/instance-states.js'
import { STRATEGIES } from '../../../src/protocol/strategies/strategy-tables.js'
import { CHANNEL_MESSAGE_BYTES_MAX, CHANNEL_NAME_MAX } from '../../../src/venue/channels.js'
import { hasSharedData } from '../../support/shared-data.ts'
import { specSections } from '../../support/spec-document.ts'

const DOCUMENT = '3-strategy-server-and-sdk.md'
const STATES = Object.keys(INSTANCE_STATES) as InstanceState[]
const EVENTS: readonly InstanceEvent[] = [...INSTANCE_ACTIONS, 'running', 'ended', 'failed', 'interrupted']
const { schemas, routes, errors, commonErrors, limits } = STRATEGIES

describe.skipIf(!hasSharedData)('the tables say what spec 3 says', () => {
  const sections = hasSharedData ? specSections(DOCUMENT) : new Map<string, never>()

  test('every row of "REST", and ours are marked', () => {
    const rows = sections.get('REST (`http://<strategy-server>:8000`)')!.tables[0]!
    const wanted = rows.map(([method, path, purpose]) => `${method!} ${path!.replaceAll('`', '')} ${purpose!}`)
    const found = Object.values(routes).filter(({ isOurs, path }) => isOurs !== true && path !== '/ws/v1').map(({ method, path, summary }) => `${method} ${path} ${summary}`)
    expect(wanted.length).toBe(8)
    expect(found.sort()).toEqual(wanted.sort())
  })

  test('the fields of "Strategy instance configuration"', () => {
    const rows = sections.get('Strategy instance configuration')!.tables[0]!
    const fields = (schemas['InstanceConfig'] as unknown as { properties: Record<string, { type: string, isOurs?: true, description: string }> }).properties
    const own = Object.entries(fields).filter(([, { isOurs }]) => isOurs !== true).map(([name, one]) => [name, resolvedIn(schemas, one as MessageSchema).type, one.description])
    expect(own).toEqual(rows)
  })
})

describe('the tables of a strategy server', () => {
  test('what they name is there, and everything is used', () => {
    const named = Object.values(routes).flatMap(({ query, body, answers }) => [query, body, ...answers.map(({ schema }) => schema)])
    for (const name of named) if (name !== undefined) expect(entryOf(schemas, name)).toBeDefined()
    const references = [...JSON.stringify(schemas).matchAll(/"\$ref":"(\w+)#"/g)].map(([, name]) => name)
    expect(Object.keys(schemas).filter((name) => ![...named, ...references, 'PathParameters', 'Failure'].includes(name))).toEqual([])
    const refusals = [...commonErrors, ...Object.values(routes).flatMap((route) => route.errors), 'notFound']
    expect([...new Set(refusals)].sort()).toEqual(Object.keys(errors).sort())
    expect(Object.values(routes).map(({ bucket }) => callsPerMinute(STRATEGIES, bucket)).every((calls) => calls > 0)).toBe(true)
  })

  test('paths and codes are each once', () => {
    const places = Object.values(routes).map(({ method, path }) => `${method} ${path}`)
    expect(new Set(places).size).toBe(places.length)
    const codes = Object.values(errors).flatMap(({ code }) => code ?? [])
    expect(new Set(codes).size).toBe(codes.length)
  })

  test('limits are those of channels, states those of their table', () => {
    expect([limits['messageBytes']?.value, limits['nameLength']?.value]).toEqual([CHANNEL_MESSAGE_BYTES_MAX, CHANNEL_NAME_MAX])
    expect([(schemas['Name'] as unknown as { maxLength: number }).maxLength, (schemas['InstanceState'] as unknown as { enum: string[] }).enum]).toEqual([CHANNEL_NAME_MAX, STATES])
  })

  test.each([
    ['create', 'body', {}, 'instanceName'], ['create', 'body', [], ''], ['create', 'body', { instanceName: '' }, 'instanceName'],
    ['create', 'body', { instanceName: 'x'.repeat(250), strategyName: 'A' }, 'instanceName'],
    ['create', 'body', { instanceName: 'a' }, 'strategyName'], ['create', 'body', { instanceName: 'a', strategyName: 7 }, 'strategyName'],
    ['create', 'body', { instanceName: 'a', strategyName: 'A', parameters: [] }, 'parameters'],
    ['create', 'body', { instanceName: 'a', strategyName: 'A', more: 1 }, 'more'],
    ['start', 'body', { resume: 'yes' }, 'resume'], ['stop', 'body', { cancelOrders: 0 }, 'cancelOrders'], ['stop', 'body', { resume: true }, 'resume'],
    ['startSeveral', 'body', {}, 'instanceIds'], ['startSeveral', 'body', { instanceIds: [] }, 'instanceIds'], ['startSeveral', 'body', { instanceIds: ['a', ''] }, 'instanceIds[1]'],
    ['reconfigure', 'body', {}, 'parameters'], ['reconfigure', 'body', { parameters: {}, instanceName: 'b' }, 'instanceName'],
    ['send', 'query', {}, 'origin'], ['send', 'query', { origin: '' }, 'origin'], ['send', 'query', { origin: 'a', to: 'b' }, 'to'],
    ['send', 'path', { channelName: 'x'.repeat(250) }, 'channelName'],
    ['journal', 'query', { line: -1 }, 'line'], ['journal', 'query', { limit: 0 }, 'limit'], ['journal', 'query', { limit: 1001 }, 'limit'],
  ] as const)('%s refuses a %s %j at %s', (route, part, value, path) => {
    expect(partFault(STRATEGIES, route, part, value)?.path).toBe(path)
  })

  test.each([
    ['create', 'body', { instanceName: 'a', strategyName: 'A' }], ['create', 'body', { instanceName: 'a', strategyName: 'A', parameters: { deep: { x: 1 } }, venue: 'v' }],
    ['start', 'body', {}], ['stop', 'body', { cancelOrders: false }], ['send', 'body', ''], ['send', 'query', { origin: 'desk' }], ['journal', 'query', { line: 0, limit: 1000 }],
  ] as const)('%s takes a %s %j', (route, part, value) => {
    expect(partFault(STRATEGIES, route, part, value)).toBeNull()
  })
})

describe('states of an instance', () => {
  test.each([
    ['CREATED', 'start', 'STARTING'], ['STARTING', 'running', 'RUNNING'], ['RUNNING', 'stop', 'STOPPING'], ['STOPPING', 'ended', 'STOPPED'],
    ['STARTING', 'failed', 'FAILED'], ['RUNNING', 'interrupted', 'INTERRUPTED'], ['INTERRUPTED', 'resume', 'STARTING'], ['FAILED', 'reconfigure', 'CREATED'],
    ['STOPPED', 'delete', null], ['RUNNING', 'start', undefined], ['RUNNING', 'delete', undefined], ['RUNNING', 'reconfigure', undefined], ['STOPPED', 'stop', undefined],
    ['STOPPED', 'resume', undefined], ['STOPPING', 'running', undefined], ['STOPPING', 'stop', undefined], ['STOPPED', 'ended', undefined], ['CREATED', 'interrupted', undefined],
  ] as const)('%s, %s: %s', (state, event, next) => { expect(stateAfter(state, event)).toBe(next) })

  test('an event of a state has one outcome, and an instance is at work or may be started', () => {
    for (const state of STATES) {
      for (const event of EVENTS) expect(INSTANCE_TRANSITIONS.filter(({ from, on }) => on === event && from.includes(state)).length).toBeLessThan(2)
      expect(isAtWork(state)).toBe(!statesFor('start').includes(state))
    }
  })

  test('whatever happens, a run that has ended is at rest, and one that was interrupted can be resumed', () => {
    fc.assert(fc.property(fc.array(fc.constantFrom(...EVENTS), { maxLength: 40 }), (events) => {
      let state: InstanceState = 'CREATED'
      for (const event of events) {
        const next = stateAfter(state, event)
        if (next === null) return
        state = next ?? state
        if (event === 'ended' || event === 'failed' || event === 'interrupted') expect(isAtWork(state)).toBe(false)
      }
      if (state === 'INTERRUPTED') expect(stateAfter(state, 'resume')).toBe('STARTING')
    }))
  })
})
