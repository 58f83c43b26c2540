import { openServing } from '../serve/open-serving.js'
import type { ServeOptions } from '../serve/serve-options.js'
import type { ReplayVenue, SocketVenue } from './instance-run.js'

/** Every instance has a connection, and one that ends may have another for its orders. */
export const CONNECTIONS_MAX = 1_000

/** A replay with one clock for all instances of its venue. */
export interface VenueReplay {
  readonly venue: SocketVenue
  /** Resolves once it is over and its instances have received that, as far as they read. */
  readonly ended: Promise<void>
  /** Ends it; harmless twice. */
  close(): Promise<void>
}

/**
 * Serves the days of a venue on this machine, on free ports: they move from the first subscription on. `onEnd` is
 * called once they are over, before their instances receive that. Throws the errors of the files.
 */
export async function openVenueReplay(
  { type: _, files, speed, entryStates, equity: __, ...run }: ReplayVenue, onNote: (sentence: string) => void,
  onEnd: () => void,
): Promise<VenueReplay> {
  const options: ServeOptions = {
    ...run, data: files, httpPort: 0, replay: { speed: speed ?? 'max' }, connectionsPerKey: CONNECTIONS_MAX,
  }
  const served = await openServing(options)
  const { feeds, http, keys: [apiKey], accounts } = served.addresses
  const ended = served.run().catch((error: unknown) => {
    onNote(`The replay has failed: ${error instanceof Error ? error.message : String(error)}`)
  }).then(() => {
    onEnd()
    return served.close()
  })
  return {
    ended,
    venue: {
      type: 'sockets',
      hosts: {
        apiKey, feed: feeds.map(({ json: url, market }) => ({ url, market })), backend: http, accountId: accounts,
        ...entryStates === undefined ? {} : { entryStates },
      },
    },
    close: () => served.close(),
  }
}
