import type { Id } from '../model/id.js'
import type { EntryError } from '../model/order.js'
import type { ClientMessage } from '../venue/order-messages.js'
import type { OrderEntry } from '../venue/venue.js'
import type { AccountInbox } from './live-inboxes.js'
import type { LiveRun } from './live-run.js'

/** After a stop, answers are waited for so long. */
const FAREWELL_MS = 5_000
/** Most entries of one request. */
const MOST_ENTRIES = 100
/** Answers that the client itself gives: the adapter has not said no, and it can be asked again when it is back. */
const UNHEARD: ReadonlySet<string> = new Set(['DISCONNECTED', 'CONNECTION_LOST'])

/**
 * Cancels all orders of every account, or those that the run has sent, and waits for the end of them, 5 seconds at
 * most: all by `cancelAll` where the adapter has it, else one by one. Returns sentences about what may be left.
 */
export async function cancelOrders(run: LiveRun, isOwn: boolean): Promise<readonly string[]> {
  run.isLeaving = true
  const farewells = run.accounts.flatMap((inbox) => (inbox.client === null ? [] : [new Farewell(run, inbox, isOwn)]))
  let end = (): void => {}
  const late = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, FAREWELL_MS)
    end = (): void => { clearTimeout(timer) }
  })
  await Promise.race([Promise.all(farewells.map(({ done }) => done)), late])
  end()
  return farewells.flatMap((one) => one.sentences())
}

/** The last requests on one account. */
class Farewell {
  readonly done: Promise<void>
  #resolve: () => void = () => {}
  /** True: each order is cancelled by itself. */
  #isOneByOne: boolean
  #isAnswered: boolean
  readonly #asked: Set<Id> = new Set()
  /** The reason why a request was refused, by its order; '' is cancelAll. */
  readonly #refused: Map<Id, string> = new Map()

  constructor(private readonly run: LiveRun, private readonly inbox: AccountInbox, private readonly isOwn: boolean) {
    this.done = new Promise((resolve) => { this.#resolve = resolve })
    this.#isOneByOne = isOwn || inbox.client?.capabilities.cancelAll !== true
    this.#isAnswered = this.#isOneByOne
    inbox.onFarewell = (message): void => { this.#take(message) }
    this.#cancelAll()
    this.#goOn()
  }

  #cancelAll(): void {
    if (!this.#isOneByOne && !this.#isAnswered)
      entryOf(this.inbox)?.cancelAll({ requestId: crypto.randomUUID(), createTimeNs: this.run.clock.nowNs() })
  }

  /** Ids of the orders that are to be cancelled and are open. */
  get #ids(): readonly Id[] {
    return this.isOwn ? this.inbox.openOrders.ownIds : this.inbox.openOrders.ids
  }

  sentences(): readonly string[] {
    const { accountId, openOrders } = this.inbox
    const left = this.#ids.length + openOrders.unansweredCount
    const reasons = new Set(this.#refused.values())
    const isLate = !this.#isAnswered || openOrders.unansweredCount > 0 ||
      this.#ids.some((id) => !this.#refused.has(id))
    if (left === 0 && this.#isAnswered) return []
    if (isLate) reasons.add('no answer within 5 s')
    const orders = left === 0 ? 'orders' : left === 1 ? '1 order' : `${left} orders`
    return [`Account ${accountId}: ${orders} may still be open: ${[...reasons].join('; ')}`]
  }

  #take(message: ClientMessage): void {
    if (message.kind === 'accountStatus') {
      // The adapter is back: what it has not taken it is asked once more.
      this.#asked.clear()
      this.#cancelAll()
    } else if (message.kind === 'cancelAllResponse') this.#takeAll(message.response.error)
    else if (message.kind === 'cancelResponse')
      for (const { ownOrderId, error } of message.results) {
        if (error === undefined) continue
        if (this.#isUnheard(error)) this.#asked.delete(ownOrderId)
        else this.#refused.set(ownOrderId, `cancel failed with ${error.type}: ${error.message}`)
      }
    this.#goOn()
  }

  #takeAll(error: EntryError | undefined): void {
    if (error !== undefined && this.#isUnheard(error)) return
    this.#isAnswered = true
    if (error === undefined) return
    this.#refused.set('', `cancelAll failed with ${error.type}: ${error.message}`)
    this.#isOneByOne = true
  }

  /** True where the adapter is away and will be asked again. */
  #isUnheard({ type, source }: EntryError): boolean {
    return this.inbox.isAway && source === 'INTERNAL' && UNHEARD.has(type)
  }

  /** Cancels what is open, an order that was confirmed only now too; done where nothing more can come. */
  #goOn(): void {
    const { openOrders } = this.inbox
    if (this.#isOneByOne && !this.inbox.isAway) {
      const entries = this.#ids.filter((id) => !this.#asked.has(id)).map((ownOrderId) => ({ ownOrderId }))
      for (const { ownOrderId } of entries) this.#asked.add(ownOrderId)
      for (let at = 0; at < entries.length; at += MOST_ENTRIES)
        entryOf(this.inbox)?.cancel(entries.slice(at, at + MOST_ENTRIES))
    }
    const isOpen = this.#ids.some((id) => !this.#refused.has(id))
    if (this.#isAnswered && openOrders.unansweredCount === 0 && !isOpen) this.#resolve()
  }
}

/** The way to the adapter on which requests are written down, where there is one. */
function entryOf({ entry, client }: AccountInbox): OrderEntry | null {
  return entry ?? client
}
