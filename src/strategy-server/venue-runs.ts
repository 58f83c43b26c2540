import { readFeedKey } from '../live/feed-key-reader.js'
import { leftOrders, type LeftOrders } from '../live/left-orders.js'
import { BacktapeError } from '../model/error.js'
import { isInstrumentDays } from '../tickfile/data-input.js'
import { sentIds } from './instance-files-writer.js'
import {
  isAlone, orderOptions, type HostVenue, type InstanceOrder, type InstanceRun, type InstanceSink, type ReplayVenue,
  type SocketVenue, type StartInstance, type StrategyVenue,
} from './instance-run.js'
import { SocketRun } from './socket-run-client.js'
import type { LookCheck } from './strategy-look.js'
import { openVenueReplay, type VenueReplay } from './venue-replay.js'

const NO_ORDERS: LeftOrders = { openIds: [], warnings: [] }

/** The parts of the venues of a server. */
export interface VenueParts {
  readonly start: StartInstance
  /** Keys of hosts that nothing else states, by their venues. */
  readonly keys: ReadonlyMap<StrategyVenue, string>
  readonly onNote: (sentence: string) => void
}

/** The venues of a server: instances run alone, or over the sockets of a venue with a clock. */
export class VenueRuns {
  /** Replays with a clock that go on, or are being opened. */
  readonly #replays: Map<ReplayVenue, Promise<VenueReplay>> = new Map()
  #isClosed = false

  constructor(private readonly parts: VenueParts) {}

  /** Starts a run: it returns at once. */
  readonly start: StartInstance<StrategyVenue> = (order, sink) => {
    const { venue } = order
    return isAlone(venue) ? this.parts.start({ ...order, venue }, sink) : this.#overSockets(order, sink)
  }

  /** The data, or the hosts, that parameters are compared with. Throws the errors of a key. */
  async checkOf(
    { venue, ...order }: Pick<InstanceOrder<StrategyVenue>, 'venue' | 'parameters' | 'cache'>,
  ): Promise<LookCheck> {
    if (venue.type === 'replay') return orderOptions({ ...order, venue })
    return { sockets: await this.#hosts(venue), parameters: order.parameters }
  }

  /**
   * The orders that runs of before have sent and that are open at their venue: none where a replay has ended with
   * them. `isCancelling`: they are cancelled. Throws CONNECTION_FAILED, and the errors of a key.
   */
  async left(
    { venue, folder, instanceId }: Pick<InstanceOrder<StrategyVenue>, 'venue' | 'folder' | 'instanceId'>,
    isCancelling = false,
  ): Promise<LeftOrders> {
    const ownOrderIds = sentIds(folder)
    if (ownOrderIds.length === 0 || isAlone(venue)) return NO_ORDERS
    const replay = venue.type === 'replay' ? this.#replays.get(venue) : undefined
    if (venue.type === 'replay' && replay === undefined) return NO_ORDERS
    const { hosts } = venue.type === 'replay' ? (await replay as VenueReplay).venue : await this.#hosts(venue)
    return leftOrders({ ...hosts, clientId: instanceId, ownOrderIds, cancelAllAtStop: isCancelling ? 'own' : false })
  }

  /** Ends the replays; harmless twice. */
  async close(): Promise<void> {
    this.#isClosed = true
    const open = await Promise.allSettled(this.#replays.values())
    await Promise.all(open.flatMap((one) => (one.status === 'fulfilled' ? [one.value.close()] : [])))
  }

  #overSockets(order: InstanceOrder<StrategyVenue>, sink: InstanceSink): InstanceRun {
    return new SocketRun(order, sink, {
      start: this.parts.start, venue: () => this.#sockets(order.venue), left: () => this.left(order, true),
    })
  }

  async #sockets(venue: StrategyVenue): Promise<Pick<VenueReplay, 'venue'> & { readonly ended: Promise<void> | null }> {
    return venue.type === 'replay' ? this.#replay(venue) : { venue: await this.#hosts(venue), ended: null }
  }

  async #hosts(venue: HostVenue): Promise<SocketVenue> {
    const { feeds: feed, backend, accounts, files, directory, transport, giveUpAfter, entryStates } = venue
    const terms = files?.filter((one) => typeof one === 'string' || isInstrumentDays(one))
    const apiKey = this.parts.keys.get(venue) ?? await readFeedKey(venue)
    return {
      type: 'sockets',
      hosts: {
        apiKey, feed: feed.map((one) => (typeof one === 'string' ? { url: one } : one)), backend, accountId: accounts,
        ...terms === undefined ? {} : { terms }, ...venue.type === 'simulated' ? { clock: 'simulated' } : {},
        ...directory === undefined ? {} : { directory }, ...transport === undefined ? {} : { transport },
        ...giveUpAfter === undefined ? {} : { giveUpAfter }, ...entryStates === undefined ? {} : { entryStates },
      },
    }
  }

  /** The replay of a venue, which its first instance opens; behind its end the next one opens another. */
  #replay(venue: ReplayVenue): Promise<VenueReplay> {
    if (this.#isClosed) throw new BacktapeError('CONNECTION_FAILED', 'Cannot open the replay: the server is closed')
    const known = this.#replays.get(venue)
    if (known !== undefined) return known
    const opened = openVenueReplay(venue, this.parts.onNote, () => {
      if (this.#replays.get(venue) === opened) this.#replays.delete(venue)
    })
    this.#replays.set(venue, opened)
    opened.catch(() => { this.#replays.delete(venue) })
    return opened
  }
}
