import { dirname, isAbsolute, resolve } from 'node:path'
import { faultsInFile, readExactJson } from '../configuration/exact-json-reader.js'
import { RUN_MEANINGS } from '../configuration/run-check.js'
import { withPaths } from '../configuration/run-file-reader.js'
import { compiledCheck, type Check } from '../configuration/schema-reader.js'
import { fault, foundText, type Fault } from '../model/fault.js'
import { isJsonObject, type JsonObject } from '../model/json-object.js'
import { CONTROL_ACTIONS } from './control-actions.js'
import { ControlBody, NO_NAMES } from './control-body.js'
import { fieldFaults } from './control-fields.js'
import type { ServeOptions } from './serve-options.js'
import { shownFault } from './shown-fault.js'

const SERVE_FILE = { what: 'serve configuration', code: 'SERVE_FILE_INVALID' } as const

/** The configuration of a file: of a server, and of a strategy server beside it. */
export interface ServeFile {
  readonly options: ServeOptions
  /** As it stands in the file, its paths too; null: there is none. */
  readonly strategyServer: JsonObject | null
}

let check: Promise<Check<Partial<ServeOptions>>> | undefined

/**
 * Reads the configuration of a server (`schemas/serve.schema.json`); paths in it are relative to it. Throws
 * SERVE_FILE_INVALID with every fault at once that shows without its data, FILE_NOT_FOUND and FILE_UNREADABLE.
 */
export async function readServeConfig(path: string): Promise<ServeFile> {
  const content = await readExactJson({ ...SERVE_FILE, place: path, name: path, withoutSecret: shownFault })
  const faults = await serveFaults(content)
  if (faults.length > 0 || !isJsonObject(content)) throw faultsInFile({ ...SERVE_FILE, name: path }, faults)
  const folder = dirname(path)
  const placed = withPaths(content, (one) => resolve(folder, one))
  const { $schema: _, replay, domainSocket, strategyServer, ...rest } = placed
  const { from, to, ...pace } = isJsonObject(replay) ? replay : {}
  const options: JsonObject = {
    ...rest, replay: typeof replay === 'boolean' ? replay : pace,
    ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }),
    ...(typeof domainSocket === 'string' ? { domainSocket: socketPath(domainSocket, folder) } : {}),
  }
  return {
    options: options as unknown as ServeOptions, strategyServer: isJsonObject(strategyServer) ? strategyServer : null,
  }
}

/** The faults of a server's own options, by the schema of the file; its `from` and `to` are a program's own options. */
export async function ownFaults(options: JsonObject): Promise<readonly Fault[]> {
  const { replay } = options
  const { from, to, ...pace } = isJsonObject(replay) ? replay : {}
  const own = { data: ['a day'], ...options, ...(isJsonObject(replay) ? { replay: pace } : {}) }
  const moved = Object.entries({ from, to }).filter(([, value]) => value !== undefined)
  return [
    // The times of a plan are looked at with the data.
    ...(await serveFaults(own)).filter(({ path, found }) => (
      !/^controlPlan\[\d+\]\.at$/.test(path) || !found.startsWith('"'))),
    ...moved.map(([name]) => ({ path: `replay.${name}`, expected: `${name} beside replay`, found: 'it inside' })),
    ...options['strategyServer'] === undefined ? []
      : [{ path: 'strategyServer', expected: 'nothing: openStrategyServer opens one', found: 'an object' }],
  ]
}

/** The faults of a configuration, as far as they show without its data. */
export async function serveFaults(content: unknown): Promise<readonly Fault[]> {
  check ??= compiledCheck('serve', RUN_MEANINGS)
  const faults = (await (await check)(content)).faults.map(shownFault)
  if (!isJsonObject(content)) return faults
  const known = new Set(faults.map(({ path }) => path))
  return [...faults, ...faultsBetween(content).filter(({ path }) => !known.has(path))]
}

/** Faults that no schema states. */
function faultsBetween(content: JsonObject): Fault[] {
  const { replay, controlPort, controlPlan, keys, shop, strategyServer } = content
  const { speed, loop, step } = isJsonObject(replay) ? replay : {}
  const isLockStep = speed === 'lockstep'
  const { accounts } = isJsonObject(shop) ? shop : {}
  // A key is a secret: its place says enough.
  const repeated = { expected: 'a key that is not there before', found: 'one that is' }
  return [
    ...(isLockStep && loop === true ? [fault('replay.loop', 'false where speed is lockstep', loop)] : []),
    ...(step === 'post' && !isLockStep ? [fault('replay.step', 'ping where speed is not lockstep', step)] : []),
    ...(step === 'post' && controlPort === undefined
      ? [fault('controlPort', 'a port, as replay.step is post', controlPort)]
      : []),
    ...liveFaults(strategyServer),
    ...itemsOf(controlPlan).flatMap(planFaults).map(shownFault),
    ...itemsOf(keys).flatMap(({ key }, at, all) => (
      key !== undefined && all.findIndex((one) => one['key'] === key) < at
        ? [{ path: `keys[${String(at)}].key`, ...repeated }]
        : []
    )),
    ...itemsOf(accounts).flatMap(({ realtimeKey }, at) => (
      realtimeKey !== undefined && itemsOf(keys).some(({ key }) => key === realtimeKey)
        ? [{ path: `shop.accounts[${String(at)}].realtimeKey`, ...repeated }]
        : []
    )),
  ]
}

/** Nothing trades live unless that is said. */
function liveFaults(strategyServer: unknown): Fault[] {
  const { venues, live } = isJsonObject(strategyServer) ? strategyServer : {}
  const named = isJsonObject(venues) ? Object.entries(venues) : []
  const found = named.find(([, venue]) => isJsonObject(venue) && venue['type'] === 'live')
  if (found === undefined || live === true) return []
  return [fault('strategyServer.live', `true, as the venue ${found[0]} is live`, live)]
}

function planFaults({ at: _, action, ...fields }: JsonObject, number: number): Fault[] {
  if (typeof action !== 'string') return []
  const path = `controlPlan[${String(number)}]`
  const known = Object.hasOwn(CONTROL_ACTIONS, action) ? CONTROL_ACTIONS[action] : undefined
  if (known === undefined) return [fault(`${path}.action`, `one of ${Object.keys(CONTROL_ACTIONS).join(', ')}`, action)]
  const names = Object.keys(known.fields)
  const body = new ControlBody(fields, NO_NAMES)
  const wrong = fieldFaults(known.fields, fields, body, false).map((one) => ({ ...one, path: `${path}.${one.path}` }))
  const unknown = Object.keys(fields).filter((name) => !names.includes(name)).map((name) => ({
    path: `${path}.${name}`, expected: `one of ${['at', 'action', ...names].join(', ')}`,
    found: `the unknown field ${foundText(name)}`,
  }))
  return [...wrong, ...unknown]
}

function itemsOf(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.map((one: unknown) => (isJsonObject(one) ? one : {})) : []
}

/** A short path stays short: the system has a limit for sockets. */
function socketPath(path: string, folder: string): string {
  return isAbsolute(path) || folder === '.' ? path : resolve(folder, path)
}
