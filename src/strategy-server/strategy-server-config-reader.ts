import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { topicAccesses } from '../broker/topic-access.js'
import { readOwnFile } from '../files/secret-file-writer.js'
import { withPaths } from '../configuration/run-file-reader.js'
import { FaultsError, fault, type Fault } from '../model/fault.js'
import { isJsonObject } from '../model/json-object.js'
import { serveFaults } from '../serve/serve-config-reader.js'
import { isLoopback } from '../web/http-hosts.js'
import type { HostVenue, StrategyVenue } from './instance-run.js'
import type { StrategyServerConfig } from './strategy-server-options.js'

const SECTION = 'strategyServer'
const TOKEN = /^[A-Za-z0-9._~-]{16,200}$/

/** The faults of a configuration, by the schema of the file that it may stand in. */
async function faultsOf({ onNote: _, resume, ...section }: StrategyServerConfig): Promise<readonly Fault[]> {
  const found = await serveFaults({ data: ['a day'], [SECTION]: section })
  const { host = '127.0.0.1', tokenFile, venues } = section
  const isOwn = typeof host !== 'string' || isLoopback(host)
  return [
    ...found.map((one) => ({ ...one, path: one.path.replace(/^strategyServer\.?/, '') })),
    ...(venues as unknown) === undefined ? [fault('venues', 'an object of venues by their names', venues)] : [],
    ...isOwn || tokenFile !== undefined ? []
      : [fault('tokenFile', `a file with a token, as ${host} is no address of this machine alone`, tokenFile)],
    ...brokerFaults(section, found.length > 0),
    ...resume === undefined || typeof resume === 'boolean' ? [] : [fault('resume', 'true or false', resume)],
  ]
}

/** Faults of the topics of a broker that no schema states. */
function brokerFaults(
  { broker_servers: servers, broker_topics: topics }: StrategyServerConfig, isWrong: boolean,
): readonly Fault[] {
  if (servers === undefined)
    return topics === undefined ? [] : [fault('broker_servers', 'addresses of a broker, as it has topics', servers)]
  if (topics === undefined) return [fault('broker_topics', 'topics, as there is a broker', topics)]
  return isWrong ? [] : topicAccesses(topics).faults
}

/** A configuration that was checked, its paths absolute. Throws OPTION_INVALID with every fault at once. */
export async function checkedConfig(config: StrategyServerConfig): Promise<StrategyServerConfig> {
  // Programs without types pass anything.
  const given: unknown = config
  const faults = isJsonObject(given) ? await faultsOf(config) : [fault('', 'an object', given)]
  if (faults.length > 0) throw optionFaults(faults)
  const isFolder = await stat(config.strategies).then((found) => found.isDirectory(), () => false)
  if (!isFolder) throw optionFaults([fault('strategies', 'a folder that is there', config.strategies)])
  return withAbsolutePaths(config, (path) => resolve(path))
}

/** A configuration with its paths replaced, those of its venues too. */
export function withAbsolutePaths(
  config: StrategyServerConfig, absolute: (path: string) => string,
): StrategyServerConfig {
  const { strategies, tokenFile, store, venues } = config
  const placed = Object.entries(venues as StrategyServerConfig['venues'] | undefined ?? {}).map(([name, venue]) => {
    const { data, ...rest } = withPaths({ ...venue, data: venue.files }, absolute)
    const { keyFile } = venue as Partial<HostVenue>
    const placed = { ...rest, ...data === undefined ? {} : { files: data } } as StrategyVenue
    return [name, keyFile === undefined ? placed : { ...placed, keyFile: absolute(keyFile) } as StrategyVenue] as const
  })
  return {
    ...config, strategies: absolute(strategies), venues: Object.fromEntries(placed),
    ...tokenFile === undefined ? {} : { tokenFile: absolute(tokenFile) },
    ...store === undefined ? {} : { store: absolute(store) },
  }
}

/** The token of a server; null: it has none. Throws SECRETS_EXPOSED, FILE_UNREADABLE and OPTION_INVALID. */
export async function readToken({ tokenFile }: Pick<StrategyServerConfig, 'tokenFile'>): Promise<string | null> {
  if (tokenFile === undefined) return null
  const token = (await readOwnFile(tokenFile))?.trim()
  if (token !== undefined && TOKEN.test(token)) return token
  const found = token === undefined ? 'no file' : 'another text'
  const expected = 'a file with a token of 16 to 200 letters, digits and -._~'
  throw optionFaults([{ path: 'tokenFile', expected, found }])
}

function optionFaults(faults: readonly Fault[]): FaultsError {
  return new FaultsError('OPTION_INVALID', 'Cannot open the strategy server', faults, 'the options')
}
