import type { Side } from '../model/side.js'
import { NS_PER_MS, NS_PER_SECOND } from '../model/time.js'
import type { Calendar } from './calendar.js'
import { FAIR_VALUE_STEP_NS, type FairValue } from './fair-value.js'
import type { InstrumentProfile } from './instrument-profile.js'
import type { MarketMessage } from './market-message.js'
import { OrderFlow } from './order-flow.js'
import { OrderLevelBook } from './order-level-book.js'
import type { Recorder } from './recorder.js'
import type { TruthLog } from './truth.js'
import { SyntheticExchange, type SyntheticEra } from './synthetic-exchange.js'

/** The order flow runs so long before the first recording, that the book has found its shape. */
const WARM_UP_NS = 20 * NS_PER_SECOND

interface Task {
  readonly intervalNs: number
  nextNs: number
  readonly run: (timeNs: number) => void
}

/** The parts of a market. */
export interface MarketParts {
  readonly profile: InstrumentProfile
  readonly seed: number
  readonly era: SyntheticEra
  readonly epochDay: number
  readonly calendar: Calendar
  readonly fairValue: FairValue
  readonly recorders: readonly Recorder[]
  readonly truths: readonly TruthLog[]
}

/** One instrument's market: order flow, book and venue in time order, step by step. */
export class Market {
  readonly #venue: SyntheticExchange
  readonly #book: OrderLevelBook
  readonly #flow: OrderFlow
  readonly #tasks: Task[]
  #timeNs = 0
  #orderNs = 0
  #session = -1
  #fairTick = 0
  #lastMessage: MarketMessage | null = null
  /** The truths whose recording runs. */
  #truths: TruthLog[] = []

  constructor(private readonly parts: MarketParts) {
    const { profile, seed, era, epochDay } = parts
    this.#book = new OrderLevelBook({
      onAdded: (id, side, tick, lots) => this.#added(id, side, tick, lots),
      onCanceled: (id, side, tick, lots) => this.#canceled(id, side, tick, lots),
      onExecuted: (id, aggressorId, side, tick, lots) => this.#executed(id, aggressorId, side, tick, lots),
    })
    this.#venue = new SyntheticExchange(profile, seed, era, epochDay, this.#book, (message) => {
      this.#lastMessage = message
      for (const recorder of parts.recorders) recorder.receive(message)
    })
    this.#flow = new OrderFlow(this.#book, profile, seed, (id, side, lots, liquidation) =>
      this.#arrived(id, side, lots, liquidation),
    )
    this.#tasks = this.#tasksOf(profile)
  }

  /** Lets the next thing happen; false once the last session is over. */
  step(): boolean {
    const session = this.parts.calendar.sessions[this.#session]
    const task = this.#earliestTask()
    const nextNs = Math.min(task?.nextNs ?? Infinity, this.#orderNs)
    if (session === undefined || nextNs >= session.toNs) return this.#openSession()
    this.#timeNs = nextNs
    this.#beginTruths()
    if (task !== undefined && task.nextNs <= this.#orderNs) {
      task.nextNs += task.intervalNs
      task.run(nextNs)
    } else {
      this.#arrival()
    }
    return true
  }

  #tasksOf(profile: InstrumentProfile): Task[] {
    const { fairValue } = this.parts
    const task = (intervalMs: number, run: (timeNs: number) => void): Task[] =>
      intervalMs === 0 ? [] : [{ intervalNs: intervalMs * NS_PER_MS, nextNs: 0, run }]
    return [
      ...task(FAIR_VALUE_STEP_NS / NS_PER_MS, (timeNs) => {
        fairValue.step()
        this.#fairTick = fairValue.ticks(timeNs)
      }),
      ...task(profile.depthIntervalMs, () => this.#flushDepth()),
      ...task(profile.indexMs, (timeNs) => this.#venue.publishIndex(timeNs, fairValue)),
      ...task(profile.markMs, (timeNs) => this.#venue.publishMark(timeNs, fairValue)),
      ...task(profile.fundingMs, (timeNs) => this.#venue.publishFunding(timeNs)),
    ]
  }

  #earliestTask(): Task | undefined {
    let earliest = this.#tasks[0]
    for (const task of this.#tasks) if (earliest === undefined || task.nextNs < earliest.nextNs) earliest = task
    return earliest
  }

  #openSession(): boolean {
    const { sessions } = this.parts.calendar
    if (this.#session >= 0) this.#flushDepth()
    this.#session += 1
    const session = sessions[this.#session]
    if (session === undefined) return false
    const first = this.#session === 0
    const fromNs = session.fromNs - (first ? WARM_UP_NS : 0)
    for (const task of this.#tasks) task.nextNs = Math.ceil(fromNs / task.intervalNs) * task.intervalNs
    this.#timeNs = fromNs
    if (first) {
      this.#fairTick = this.parts.fairValue.ticks(fromNs)
      this.#flow.fill(this.#fairTick)
    }
    this.#orderNs = fromNs + this.#flow.waitNs()
    return true
  }

  #beginTruths(): void {
    if (this.parts.truths.length === 0) return
    this.#truths = this.parts.truths.filter((truth) => truth.covers(this.#timeNs))
    for (const truth of this.#truths) truth.begin(() => [...this.#book.orders('BID'), ...this.#book.orders('ASK')])
  }

  #arrival(): void {
    this.#flow.arrive(this.#fairTick)
    this.#venue.flushTrades(this.#timeNs)
    this.#venue.flushTop(this.#timeNs)
    if (this.parts.profile.depthIntervalMs === 0) this.#flushDepth()
    this.#orderNs = this.#timeNs + this.#flow.waitNs()
  }

  #flushDepth(): void {
    const id = this.#venue.flushDepth(this.#timeNs)
    if (id === null || this.#lastMessage === null) return
    for (const truth of this.#truths) truth.published(this.#timeNs, id)
    const wanting = this.parts.recorders.filter((recorder) => recorder.wantsSnapshot(this.#timeNs))
    if (wanting.length === 0) return
    const body = this.#venue.snapshotBody()
    for (const recorder of wanting) recorder.receiveSnapshot(this.#lastMessage, body)
  }

  #arrived(id: number, side: Side, lots: number, liquidation: boolean): void {
    if (liquidation) this.#venue.liquidationBegins()
    for (const truth of this.#truths) truth.arrived(this.#timeNs, id, side, lots, liquidation)
  }

  #added(id: number, side: Side, tick: number, lots: number): void {
    this.#venue.levelChanged(side, tick)
    for (const truth of this.#truths) truth.added(this.#timeNs, id, side, tick, lots)
  }

  #canceled(id: number, side: Side, tick: number, lots: number): void {
    this.#venue.levelChanged(side, tick)
    for (const truth of this.#truths) truth.canceled(this.#timeNs, id, lots)
  }

  #executed(id: number, aggressorId: number, side: Side, tick: number, lots: number): void {
    this.#venue.levelChanged(side, tick)
    const tradeId = this.#venue.traded(side, tick, lots, this.#timeNs)
    for (const truth of this.#truths) truth.executed(this.#timeNs, id, aggressorId, tick, lots, tradeId)
  }
}
