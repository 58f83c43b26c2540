import { isoFromEpochNs } from '../model/time.js'
import type { Serving } from '../serve/serving-server.js'
import type { Output } from './terminal/output.js'
import { ProgressLine } from './terminal/progress-line.js'
import { counted } from './terminal/text-table.js'

/** On a terminal the line is written over so often, elsewhere a line is written so often. */
const TERMINAL_MS = 500
const PLAIN_MS = 60_000
/** A client that lock-step has waited for so long is named. */
const WAIT_MS = 1_000

/** The state of a server on standard error: one line on a terminal, a line a minute elsewhere. */
export class ServeStatus {
  readonly #line: ProgressLine
  #timer: NodeJS.Timeout | null = null

  constructor(private readonly output: Output, private readonly isLogging: boolean) {
    this.#line = new ProgressLine(output)
  }

  /** A line of the server's log; warnings are always shown. */
  note(text: string): void {
    if (!this.isLogging && !text.startsWith('Warning')) return
    this.#line.clear()
    this.output.note(text)
  }

  begin(serving: Serving): void {
    this.#show(serving)
    const ms = this.output.notesToTerminal ? TERMINAL_MS : PLAIN_MS
    this.#timer = setInterval(() => { this.#show(serving) }, ms)
    this.#timer.unref()
  }

  end(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
    this.#line.clear()
  }

  #show(serving: Serving): void {
    const text = statusText(serving)
    if (this.output.notesToTerminal) this.#line.say(text)
    else this.output.note(text)
  }
}

/** Clock, speed, connections, open orders; requests that came late in lock-step, planned actions that failed. */
function statusText({ pacer, replay, feed, orderEntry, plan }: Serving): string {
  const { speed, isPaused, hasStarted } = pacer
  const pace = isPaused
    ? 'paused'
    : !hasStarted ? 'waits for a subscription' : typeof speed === 'number' ? `x ${String(speed)}` : speed
  const waits = pacer.lockStep.waits(WAIT_MS)
  const parts = [
    isoFromEpochNs(replay.clock.now()).slice(0, 19), pace, counted(feed.connections.size, 'feed connection'),
    counted(orderEntry.connections.size, 'order entry connection'),
    counted([...replay.world.orders.openOrders()].length, 'open order'),
    ...(speed === 'lockstep' ? [counted(pacer.lockStep.lateCount, 'late request')] : []),
    ...(waits.length > 0 ? [`waits for ${waits.join(', ')}`] : []),
    ...(plan.failedCount > 0 ? [`${counted(plan.failedCount, 'planned action')} failed`] : []),
  ]
  return parts.join(', ')
}
