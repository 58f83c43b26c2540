import { openKafka } from '../broker/kafka-client.js'
import { startInstance } from './instance-thread-client.js'
import { openStrategyServerWith, type ServerMeans, type StrategyServer } from './open-strategy-server.js'
import { StrategyFolder } from './strategy-folder-reader.js'
import type { StrategyServerConfig } from './strategy-server-options.js'

/**
 * Opens a strategy server (spec 3): it lists the strategies of a folder, makes, starts, stops and deletes instances of
 * them over HTTP, each on a thread of its own, and carries messages of channels between them and clients. It listens
 * when it resolves. Strategies are code of the user, and not confined.
 *
 * Throws OPTION_INVALID with every fault at once, ADDRESS_TAKEN, SECRETS_EXPOSED for a token that others can read,
 * SERVER_STORE_TAKEN and SERVER_STORE_INVALID, BROKER_FAILED for a broker that cannot be reached or lacks a topic,
 * PACKAGE_MISSING without the part `servers`, and `kafka` where a broker is named.
 *
 * @example
 * ```ts
 * import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
 * import { openStrategyServer } from 'backtape/serve'
 * mkdirSync('strategies', { recursive: true })
 * writeFileSync('strategies/idle.ts', "import { Strategy } from 'backtape'\nexport class Idle extends Strategy {}\n")
 * const server = await openStrategyServer({
 *   strategies: 'strategies', store: 'server', port: 0,
 *   venues: {
 *     paper: {
 *       type: 'replay', files: ['datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst'], speed: 'max',
 *       account: { balances: { USDT: '1000' } },
 *     },
 *   },
 * })
 * const installed = await (await fetch(`${server.url}/api/v1/strategy`)).json()
 * if (JSON.stringify(installed) !== '[{"module":"idle.ts","strategyName":"Idle","parameters":[]}]')
 *   throw new Error(JSON.stringify(installed))
 * await server.close()
 * rmSync('strategies', { recursive: true })
 * rmSync('server', { recursive: true })
 * ```
 */
export async function openStrategyServer(config: StrategyServerConfig): Promise<StrategyServer> {
  return openServerBeside(config, {})
}

/** The same beside a served replay, with keys of hosts by the names of their venues. */
export async function openServerBeside(
  config: StrategyServerConfig, beside: Pick<ServerMeans, 'keys' | 'serving'>,
): Promise<StrategyServer> {
  return openStrategyServerWith({
    ...beside, start: startInstance, openBroker: openKafka,
    strategiesOf: (folder, bundles) => new StrategyFolder(folder, bundles),
  }, config)
}
