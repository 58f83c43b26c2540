import type { FeedConnection, FeedServer } from '../feed/feed-source.js'
import { timeFromEpochNs } from '../model/time.js'
import type { OrderEntryConnection, OrderEntryServer } from '../order-entry/order-entry-source.js'
import type { Timer } from '../venue/venue.js'
import type { RestartableReplay } from './restartable-replay.js'
import { FEED_NOTICES } from '../protocol/feed-messages.js'
import { isStepped, STEP_OPTION, type Step } from '../protocol/lock-step-messages.js'

/** The parts of lock-step. */
interface LockStepParts {
  readonly replay: RestartableReplay
  readonly feed: FeedServer
  readonly orderEntry: OrderEntryServer
  /** False: other clients than ours ask for each step themselves. */
  readonly isPinging: boolean
  /** Makes whoever waits at a barrier look again. */
  readonly wake: () => void
  /** Monotonic time, milliseconds. */
  readonly nowMs: () => number
  /** A client is waited for so long, milliseconds; Infinity (default): as long as it is there. */
  readonly patienceMs?: number
}

const NO_ANSWER = 'no answer in lock-step'

type Connection = FeedConnection | OrderEntryConnection

/** A client that answers steps. */
interface StepClient {
  readonly timer: Timer
  /** Number of the last step that it has dealt with; -1 before it is ready. */
  done: number
  /** The step that it has been sent last. */
  sent: number
  isDue: boolean
  /** Commands on its feed connections that it has sent, by market. */
  commands: Readonly<Record<string, number>>
}

/** Waits, playing what clients ask as it comes, until a condition holds. */
export type Barrier = (isSettled: () => boolean) => Promise<void>

/**
 * Lets simulated time move on only when every connected client has dealt with everything it was sent (wire decisions,
 * "Lock-step"). A client of ours names its next timer and answers each step on its order entry connection; of other
 * clients the pong of a ping behind the last message is the answer, on their feed first, then on order entry.
 */
export class LockStep {
  readonly #clients: Map<OrderEntryConnection, StepClient> = new Map()
  #number = 0
  /** Messages that each connection had been sent when the last step was settled. */
  #settled: ReadonlyMap<Connection, number> = new Map()
  #dueCount = 0
  /** A client is ready and has not been sent a step: it begins with its first one, whatever it follows. */
  #hasNewcomer = false
  /** Connections whose pong is waited for. */
  readonly #pinged: Set<Connection> = new Set()
  /** Connections that are waited for, and since when, milliseconds. */
  #waited: ReadonlyMap<Connection, number> = new Map()
  /** Requests that came while the replay moved: what they did cannot be reproduced. */
  lateCount = 0

  constructor(private readonly parts: LockStepParts) {}

  /** True where a client has been sent something that it has not dealt with, or a timer of one is due. */
  hasNews(): boolean {
    if (this.#dueCount > 0 || this.#hasNewcomer) return true
    const { feed, orderEntry } = this.parts
    for (const one of feed.connections) if (this.#isNews(one)) return true
    for (const one of orderEntry.connections) if (this.#isNews(one)) return true
    return false
  }

  /** True where a client has logged in that is not ready yet: the replay may not move. */
  get isAwaited(): boolean {
    for (const connection of this.parts.orderEntry.connections)
      if (isOurs(connection) && (this.#clients.get(connection)?.done ?? -1) < 0) return true
    return false
  }

  /** True where a client of ours has said that it is ready: one that follows no instrument subscribes none. */
  get isReady(): boolean {
    for (const { done } of this.#clients.values()) if (done >= 0) return true
    return false
  }

  /** The clients that have been waited for so long, milliseconds, each as an operator reads it. */
  waits(leastMs: number): string[] {
    const nowMs = this.parts.nowMs()
    return [...this.#waited].filter(([, sinceMs]) => nowMs - sinceMs >= leastMs)
      .map(([one, sinceMs]) => `${nameOf(one)} (${String(Math.floor((nowMs - sinceMs) / 1_000))} s)`)
  }

  /** To be called while somebody is waited for: ends whoever has had the whole patience. */
  look(): void {
    const nowMs = this.parts.nowMs()
    this.#waited = new Map(this.#late().map((one) => [one, this.#waited.get(one) ?? nowMs]))
    const { patienceMs = Infinity } = this.parts
    for (const [one, sinceMs] of this.#waited) if (nowMs - sinceMs >= patienceMs) this.#end(one)
  }

  /** Nobody is waited for. */
  settled(): void {
    if (this.#waited.size > 0) this.#waited = new Map()
  }

  /** Takes a message of a client of ours. */
  receive(connection: OrderEntryConnection, message: Readonly<Record<string, unknown>>): void {
    if (!isStepped(message)) return
    const client = this.#of(connection)
    client.done = message.number
    this.#hasNewcomer ||= client.sent < 0
    client.commands = message.feedCommands
    if (message.nextTimer === null) client.timer.cancel()
    else client.timer.at(timeFromEpochNs(BigInt(message.nextTimer), this.parts.replay.clock.epochDay))
  }

  /** Sends steps until nobody has anything left to deal with. `end` says why there will be no more. */
  async settle(barrier: Barrier, end: string | null): Promise<void> {
    const isReady = (): boolean => !this.isAwaited && this.#isDealtWith()
    if (!isReady()) await barrier(isReady)
    let isLast = false
    do {
      const counts = this.#counts()
      this.#dueCount = 0
      isLast = end !== null
      this.parts.feed.flush()
      this.#sendStep(isLast ? end : null)
      await this.#pingOthers(barrier)
      await barrier(() => this.#isDealtWith())
      this.#settled = counts
    } while (!isLast && this.hasNews())
  }

  #sendStep(end: string | null): void {
    this.#number++
    this.#hasNewcomer = false
    const { replay, orderEntry } = this.parts
    const time = String(replay.clock.now())
    for (const connection of orderEntry.connections) {
      if (!isOurs(connection)) continue
      const client = this.#of(connection)
      client.sent = this.#number
      const step: Step = {
        msgType: 'step', number: this.#number, time, feed: this.#feedCounts(connection.processId),
        orderEntry: connection.sentCount, isTimerDue: client.isDue, ...(end === null ? {} : { end }),
      }
      client.isDue = false
      connection.send(step)
    }
  }

  #isNews(one: Connection): boolean {
    return one.sentCount !== (this.#settled.get(one) ?? 0)
  }

  #isDealtWith(): boolean {
    const { orderEntry } = this.parts
    for (const connection of this.#clients.keys())
      if (!orderEntry.connections.has(connection)) this.#forget(connection)
    for (const [connection, client] of this.#clients) if (this.#isLate(connection, client)) return false
    return true
  }

  #isLate(connection: OrderEntryConnection, client: StepClient): boolean {
    if (client.done < client.sent) return true
    for (const feed of this.#feedsOf(connection.processId))
      if (feed.commandCount < (client.commands[feed.market] ?? 0)) return true
    return false
  }

  /** The connections that are waited for: clients of ours by order entry, others by the one that was pinged. */
  #late(): Connection[] {
    const ours = [...this.parts.orderEntry.connections].filter((one) => {
      const client = this.#clients.get(one)
      return isOurs(one) && (client === undefined || client.done < 0 || this.#isLate(one, client))
    })
    return [...ours, ...this.#pinged]
  }

  /** Ends all connections of a client: of one program, the next would be waited for behind the first. */
  #end(late: Connection): void {
    const { feed, orderEntry } = this.parts
    const isIts = (one: Connection): boolean => one === late || one.processId === late.processId
    for (const one of [...feed.connections].filter(isIts)) one.close(FEED_NOTICES.IMPATIENT)
    for (const one of [...orderEntry.connections].filter(isIts)) one.cutOff(NO_ANSWER)
  }

  async #pingOthers(barrier: Barrier): Promise<void> {
    const { feed, orderEntry, isPinging, wake } = this.parts
    if (!isPinging) return
    const ours = new Set([...this.#clients.keys()].map(({ processId }) => processId))
    const isOther = ({ processId }: Connection): boolean => processId !== null && !ours.has(processId)
    await this.#awaitPongs([...feed.connections].filter(isOther), barrier, wake)
    await this.#awaitPongs([...orderEntry.connections].filter(isOther), barrier, wake)
  }

  /** Waits for the pongs of connections, playing what they ask meanwhile. */
  async #awaitPongs(connections: readonly Connection[], barrier: Barrier, wake: () => void): Promise<void> {
    if (connections.length === 0) return
    for (const connection of connections) {
      this.#pinged.add(connection)
      void connection.ping().then(() => {
        this.#pinged.delete(connection)
        wake()
      })
    }
    await barrier(() => this.#pinged.size === 0)
  }

  #feedsOf(processId: string | null): FeedConnection[] {
    return [...this.parts.feed.connections].filter((one) => one.processId === processId)
  }

  #feedCounts(processId: string | null): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#feedsOf(processId).map(({ market, sentCount }) => [market, sentCount]))
  }

  #counts(): Map<Connection, number> {
    const counts = new Map<Connection, number>()
    for (const one of this.parts.feed.connections) counts.set(one, one.sentCount)
    for (const one of this.parts.orderEntry.connections) counts.set(one, one.sentCount)
    return counts
  }

  #of(connection: OrderEntryConnection): StepClient {
    const known = this.#clients.get(connection)
    if (known !== undefined) return known
    const name = `step ${this.#clients.size} ${connection.accountId ?? ''}`
    const client: StepClient = {
      timer: this.parts.replay.clock.timers(name, () => {}).timer(name, {
        onDue: () => {
          client.isDue = true
          this.#dueCount++
        },
      }),
      done: -1, sent: -1, isDue: false, commands: {},
    }
    this.#clients.set(connection, client)
    return client
  }

  #forget(connection: OrderEntryConnection): void {
    this.#clients.get(connection)?.timer.cancel()
    this.#clients.delete(connection)
  }
}

function isOurs({ extraOptions }: OrderEntryConnection): boolean {
  return extraOptions[STEP_OPTION] === true
}

function nameOf(one: Connection): string {
  const name = one.processId === null ? 'a connection that has not logged in' : JSON.stringify(one.processId)
  return 'market' in one ? `${name} at the feed of ${one.market}` : `${name} of account ${one.accountId ?? ''}`
}
