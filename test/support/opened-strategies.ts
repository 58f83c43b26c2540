import { join } from 'node:path'
import type { OpenBroker } from '../../src/broker/broker.js'
import type { Fault } from '../../src/model/fault.js'
import { openStrategyServerWith, type StrategyServer } from '../../src/strategy-server/open-strategy-server.js'
import type { InstalledStrategy } from '../../src/strategy-server/strategy-look.js'
import { StrategyFolder } from '../../src/strategy-server/strategy-folder-reader.js'
import type { StrategyServerConfig } from '../../src/strategy-server/strategy-server-options.js'
import { FakeRuns } from './fake-instance-runs.ts'
import { newFolder } from './new-folder.ts'

/** A folder whose strategies a test states. */
class StatedStrategies extends StrategyFolder {
  faultsFound: readonly Fault[] = []
  /** Thrown by the next list. */
  fault: Error | null = null

  override list(): Promise<readonly InstalledStrategy[]> {
    if (this.fault !== null) return Promise.reject(this.fault)
    return Promise.resolve([
      { module: 'makers.ts', strategyName: 'Maker', parameters: [{ name: 'size', type: 'Quantity', optional: false }] },
      { module: 'a.ts', strategyName: 'Twin', parameters: [] }, { module: 'b.ts', strategyName: 'Twin', parameters: [] }, { module: 'broken.ts', error: 'it is broken' },
    ])
  }

  override faults(): Promise<readonly Fault[]> {
    return Promise.resolve(this.faultsFound)
  }
}

/** A strategy server with runs that a test plays. */
export interface OpenedStrategies {
  readonly server: StrategyServer
  readonly runs: FakeRuns
  readonly strategies: StatedStrategies
  readonly notes: string[]
  readonly store: string
  ask(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>
  /** Makes an instance; its id. */
  made(instanceName: string, headers?: Readonly<Record<string, string>>): Promise<string>
}

/** An answer. */
export interface Answer {
  readonly status: number
  /** Of JSON its value, else its text. */
  readonly body: unknown
  readonly headers: Headers
}

const DAY = join(import.meta.dirname, '../../datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
export const VENUE = { type: 'replay', files: [DAY], speed: 'max', account: { balances: { USDT: '1000' } } } as const

/** Opens one; `config` in the place of its own. */
export async function openedStrategies(config: Partial<StrategyServerConfig> = {}, steadyMs?: () => number, openBroker?: OpenBroker): Promise<OpenedStrategies> {
  const runs = new FakeRuns()
  const notes: string[] = []
  const store = config.store ?? join(newFolder(), 'store')
  let strategies: StatedStrategies | null = null
  const server = await openStrategyServerWith({
    start: runs.start, openBroker: openBroker ?? (() => Promise.reject(new Error('no broker'))), strategiesOf: (folder, bundles) => strategies = new StatedStrategies(folder, bundles), ...steadyMs === undefined ? {} : { steadyMs },
  }, { strategies: newFolder(), venues: { paper: VENUE, other: VENUE }, port: 0, store, onNote: (sentence) => { notes.push(sentence) }, ...config })
  const ask: OpenedStrategies['ask'] = async (method, path, body, headers = {}) => {
    const isText = typeof body === 'string'
    const response = await fetch(server.url + path, {
      method, headers: { ...body === undefined ? {} : { 'content-type': isText ? 'text/plain' : 'application/json' }, ...headers },
      ...body === undefined ? {} : { body: isText ? body : JSON.stringify(body) },
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? null : /json/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : text, headers: response.headers }
  }
  return {
    server, runs, notes, store, ask, strategies: strategies!,
    made: async (instanceName, headers) => {
      const { status, body } = await ask('POST', '/api/v1/strategy/instance', { instanceName, strategyName: 'Maker', parameters: { size: '1' } }, headers)
      if (status !== 201) throw new Error(JSON.stringify(body))
      return (body as { instanceId: string }).instanceId
    },
  }
}
