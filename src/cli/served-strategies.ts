import { dirname, resolve } from 'node:path'
import type { JsonObject } from '../model/json-object.js'
import type { ServeOptions } from '../serve/serve-options.js'
import type { ReplayVenue } from '../strategy-server/instance-run.js'
import type { StrategyServer } from '../strategy-server/open-strategy-server.js'
import { openStrategyServer } from '../strategy-server/strategy-server.js'
import { withAbsolutePaths } from '../strategy-server/strategy-server-config-reader.js'
import type { StrategyServerConfig } from '../strategy-server/strategy-server-options.js'
import { optionError, portOf, type Arguments } from './terminal/arguments.js'
import type { Output } from './terminal/output.js'

/** Options that are of a strategy server. */
const OF_STRATEGIES = ['strategyPort', 'tokenFile', 'store', 'resume', 'processId'] as const

/**
 * Opens the strategy server of a configuration or of `--strategies`; null: none is asked for. Without venues of its own
 * it has one, `replay`, of the data and accounts that are served. Throws OPTION_INVALID and the errors of the server.
 */
export async function openServedStrategies(
  section: JsonObject | null, served: ServeOptions, args: Arguments, output: Output,
): Promise<StrategyServer | null> {
  const folder = args.text('strategies')
  if (section === null && folder === undefined) {
    const foreign = OF_STRATEGIES.find((name) => args.has(name))
    if (foreign !== undefined) throw optionError(foreign, 'given with --strategies', 'without')
    return null
  }
  const [port, tokenFile, store] = [portOf(args, 'strategyPort'), args.text('tokenFile'), args.text('store')]
  const processId = args.text('processId')
  // Its paths are relative to its file, those of the command line to the folder of the command.
  const place = dirname(args.text('config') ?? '.')
  const stated = section === null ? null
    : withAbsolutePaths(section as unknown as StrategyServerConfig, (path) => resolve(place, path))
  const hasVenues = stated !== null && Object.keys(stated.venues).length > 0
  const server = await openStrategyServer({
    strategies: folder ?? stated?.strategies ?? '', ...stated,
    ...folder === undefined ? {} : { strategies: folder },
    venues: hasVenues ? stated.venues : { replay: venueOf(served) },
    ...port === undefined ? {} : { port }, ...tokenFile === undefined ? {} : { tokenFile },
    ...processId === undefined ? {} : { processId },
    ...store === undefined ? {} : { store }, ...args.flag('resume') ? { resume: true } : {},
    onNote: (sentence) => { output.note(sentence) },
  })
  if (!hasVenues)
    output.note('Instances play the days by themselves, as fast as they can: --speed is of the feed and the adapter')
  output.note(`Strategy server: ${server.url}; channels: ${server.url.replace('http', 'ws')}/ws/v1`)
  return server
}

/** The days that are served, as a venue of instances. */
function venueOf({ data, from, to, prefer, account, accounts, assumptions, seed }: ServeOptions): ReplayVenue {
  return {
    type: 'replay', files: data, speed: 'max', ...from === undefined ? {} : { from }, ...to === undefined ? {} : { to },
    ...prefer === undefined ? {} : { prefer }, ...account === undefined ? {} : { account },
    ...accounts === undefined ? {} : { accounts }, ...assumptions === undefined ? {} : { assumptions },
    ...seed === undefined ? {} : { seed },
  }
}
