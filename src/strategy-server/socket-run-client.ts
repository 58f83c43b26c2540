import type { LeftOrders } from '../live/left-orders.js'
import { BacktapeError } from '../model/error.js'
import { laterMs } from '../model/wall-client.js'
import type { SentMessage } from '../venue/channels.js'
import { keepOpenIds, NAMED_MOST, sentIds } from './instance-files-writer.js'
import {
  failedEnd, type InstanceEnd, type InstanceOrder, type InstanceRun, type InstanceSink, type SocketVenue,
  type StartInstance, type StrategyVenue,
} from './instance-run.js'

/** So long a run that ends with the server may take to cancel its orders, milliseconds. */
const LEAVING_MS = 8_000

/** The means of a run over sockets. */
export interface SocketMeans {
  readonly start: StartInstance
  /** Its venue: a replay of its own is opened for it, keys are read; `ended`: that is over, null of hosts. */
  venue(): Promise<{ readonly venue: SocketVenue, readonly ended: Promise<void> | null }>
  /** Cancels the orders that it has left. */
  left(): Promise<LeftOrders>
}

/**
 * A run over the sockets of its venue: it begins when that is known. Orders of a thread that had to be ended are
 * cancelled from here.
 */
export class SocketRun implements InstanceRun {
  #run: InstanceRun | null = null
  #isStopping = false
  /** True where it is watched: a look may be asked for before it has begun. */
  #isLookAsked = false
  #isKilled = false
  #isOver = false
  #onOver: () => void = () => {}
  readonly #over: Promise<void> = new Promise((resolve) => { this.#onOver = resolve })

  constructor(
    private readonly order: InstanceOrder<StrategyVenue>, private readonly sink: InstanceSink,
    private readonly means: SocketMeans,
  ) {
    void this.#begin()
  }

  receive(channel: string, message: SentMessage): void {
    this.#run?.receive(channel, message)
  }

  stop(cancelOrders: boolean): void {
    this.#isStopping = true
    this.#run?.stop(cancelOrders)
  }

  look(): void {
    this.#isLookAsked = true
    this.#run?.look?.()
  }

  unlook(): void {
    this.#isLookAsked = false
    this.#run?.unlook?.()
  }

  over(): void {
    if (!this.#isOver && !this.#isKilled) this.#run?.over()
  }

  async kill(): Promise<void> {
    this.#isKilled = true
    if (this.#run === null || this.#isOver) return
    this.#run.stop(true)
    let isLate = (): void => {}
    const late = new Promise<void>((resolve) => { isLate = resolve })
    laterMs(LEAVING_MS, isLate)
    await Promise.race([this.#over, late])
    await this.#run.kill()
    // A strategy that does not let go of its thread: the server ends, and there is no time for more than a try.
    if (this.#isOver) return
    const left = await this.means.left().catch(() => null)
    if (left !== null) keepOpenIds(this.order.folder, left.openIds)
  }

  async #begin(): Promise<void> {
    try {
      const { venue, ended } = await this.means.venue()
      if (this.#isKilled) return
      if (this.#isStopping) {
        this.#end({ ...failedEnd('the run was stopped', null), end: 'stopped' })
        return
      }
      this.#run = this.means.start({ ...this.order, venue }, {
        ...this.sink, ended: (end) => { void this.#ended(end) },
      })
      if (this.#isLookAsked) this.#run.look?.()
      void ended?.then(() => { this.over() })
    } catch (error) {
      const code = error instanceof BacktapeError ? error.code : null
      this.#end(failedEnd(error instanceof Error ? error.message : String(error), code))
    }
  }

  /** A run that has failed, by whatever, leaves no order if that can be helped. */
  async #ended(end: InstanceEnd): Promise<void> {
    if (end.end !== 'failed') {
      this.#end(end)
      return
    }
    try {
      const left = await this.means.left()
      for (const text of left.warnings) this.sink.logged(0n, 'warning', text)
      keepOpenIds(this.order.folder, left.openIds)
      this.#end({ ...end, openOrders: left.openIds })
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      this.sink.logged(0n, 'warning', `Its orders may still be open: ${why}`)
      this.#end({
        ...end, reason: `${end.reason}; its orders may still be open, as its adapter cannot be asked`,
        openOrders: sentIds(this.order.folder).slice(-NAMED_MOST),
      })
    }
  }

  #end(end: InstanceEnd): void {
    this.#isOver = true
    if (!this.#isKilled) this.sink.ended(end)
    this.#onOver()
  }
}
