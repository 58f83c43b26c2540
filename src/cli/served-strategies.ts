import { dirname, resolve } from 'node:path'
import type { JsonObject } from '../model/json-object.js'
import type { ServeOptions } from '../serve/serve-options.js'
import type { Serving } from '../serve/serving-server.js'
import type { HostVenue, ReplayVenue } from '../strategy-server/instance-run.js'
import type { StrategyServer } from '../strategy-server/open-strategy-server.js'
import { openServerBeside } from '../strategy-server/strategy-server.js'
import { withAbsolutePaths } from '../strategy-server/strategy-server-config-reader.js'
import type { StrategyServerConfig } from '../strategy-server/strategy-server-options.js'
import { optionError, portOf, type Arguments } from './terminal/arguments.js'
import type { Output } from './terminal/output.js'

/** Options that are of a strategy server. */
const OF_STRATEGIES = ['strategyPort', 'tokenFile', 'store', 'resume', 'processId'] as const

/** A strategy server beside what is served. */
export interface ServedStrategies {
  readonly server: StrategyServer
  /** True: its instances join the clock that is served. */
  readonly hasJoined: boolean
}

/** The replay beside a strategy server. */
export interface ServedBeside {
  readonly options: ServeOptions
  /** Null: there is no replay beside it. */
  readonly serving: Serving | null
}

/**
 * Opens the strategy server of a configuration or of `--strategies`; null: none is asked for. Without venues of its own
 * it has one: the clock that is served where its speed is a factor that was asked for, else the same data and accounts
 * for each instance alone. Throws OPTION_INVALID and the errors of the server.
 */
export async function openServedStrategies(
  section: JsonObject | null, served: ServedBeside, args: Arguments, output: Output,
): Promise<ServedStrategies | null> {
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
  const clock = hasVenues ? null : clockOf(served)
  const server = await openServerBeside({
    strategies: folder ?? stated?.strategies ?? '', ...stated,
    ...folder === undefined ? {} : { strategies: folder },
    venues: hasVenues ? stated.venues : { replay: clock?.venue ?? venueOf(served.options) },
    ...port === undefined ? {} : { port }, ...tokenFile === undefined ? {} : { tokenFile },
    ...processId === undefined ? {} : { processId },
    ...store === undefined ? {} : { store }, ...args.flag('resume') ? { resume: true } : {},
    onNote: (sentence) => { output.note(sentence) },
  }, {
    ...clock === null ? {} : { keys: { replay: clock.key } },
    ...served.serving === null ? {} : { serving: served.serving },
  })
  if (!hasVenues)
    output.note(clock === null
      ? 'Instances play the days by themselves, as fast as they can; with --speed 1, or 60, they join the served clock'
      : 'Instances join the served clock')
  output.note(`Strategy server: ${server.url}; channels: ${server.url.replace('http', 'ws')}/ws/v1`)
  return { server, hasJoined: clock !== null }
}

/** The clock that is served, as a venue, with its key; null where instances play by themselves. */
function clockOf(
  { options: { replay, keys, host = '127.0.0.1' }, serving }: ServedBeside,
): { readonly venue: HostVenue, readonly key: string } | null {
  const speed = typeof replay === 'object' ? replay.speed : undefined
  const key = keys?.[0]?.key ?? serving?.addresses.keys[0]
  if (serving === null || typeof speed !== 'number' || key === undefined) return null
  const here = (url: string): string => {
    // A server at every address is at this one too.
    if (host !== '0.0.0.0' && host !== '::') return url
    const own = new URL(url)
    own.hostname = host === '::' ? '[::1]' : '127.0.0.1'
    return own.href.replace(/\/$/, '')
  }
  const { feeds, http, accounts } = serving.addresses
  return {
    key,
    venue: {
      type: 'simulated', feeds: feeds.map(({ json, market }) => ({ url: here(json), market })), backend: here(http),
      accounts,
    },
  }
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
