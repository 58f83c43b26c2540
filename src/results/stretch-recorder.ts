import { openQuantity } from '../exchange/accounts/account-position.js'
import type { PostedFill } from '../exchange/accounts/account.js'
import type { ExecutionCause } from '../exchange/market/resting-order.js'
import type { OrderAtExchange } from '../orders/order-at-exchange.js'
import type { WorldObserver } from '../exchange/world-config.js'
import type { World } from '../exchange/world.js'
import { BacktapeError } from '../model/error.js'
import type { EventBatch } from '../model/event-batch.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import type { OrderReport } from '../model/order.js'
import { epochNsFromTime, isoFromTime, timeFromEpochNs } from '../model/time.js'
import type { LineSink } from '../report/journal-sink.js'
import { lineFacts } from '../panels/journal-words.js'
import { STRETCH_EVENTS, type StretchColumns, type StretchEvent } from '../panels/stretch-columns.js'
import type { Replay } from '../simulation/replay.js'
import type { Fill } from '../venue/account-messages.js'
import type { ClientMessage, ClientRequest } from '../venue/order-messages.js'
import type { Subscription } from '../venue/venue.js'
import { OrderTrack } from './stretch-orders.js'
import { InstrumentTrack } from './stretch-track.js'

/** Most events of a stretch: what a browser steps through at ease. */
export const STRETCH_EVENTS_MAX = 200_000
/** Most bytes of the columns of a stretch. */
export const STRETCH_BYTES_MAX = 134_217_728

/** The begin and the end of a stretch, nanoseconds since the run's first midnight. */
export interface StretchSpan {
  readonly fromNs: number
  /** Nothing at or after it is recorded. */
  readonly toNs: number
}

/** The limits of a stretch, and what is kept. */
export interface StretchLimits {
  /** Levels of a side. */
  readonly levelCount: number
  readonly eventsMax: number
  readonly bytesMax: number
}

/** The world that is watched. */
export interface WatchedWorld {
  readonly replay: Replay
  readonly world: World
  /** Instruments that its strategies have asked for so far, ascending. */
  readonly askedIds: () => readonly number[]
}

/** Numbers of a row of columns, as bytes. */
const ROW_BYTES = 40
const EVENT_BYTES = 24

/**
 * Writes down what the clients of one world see in a stretch of their run: the best levels of their books, public
 * trades, own orders with their place in the queue, fills, lines of the journal. It reads and never acts: a run that
 * is watched is the same run. Queues are those at the exchange at the same instant, which the client does not know.
 */
export class StretchRecorder implements WorldObserver, LineSink {
  readonly #kinds: number[] = []
  readonly #timesNs: number[] = []
  readonly #instruments: number[] = []
  readonly #lines: { readonly event: number[]; readonly text: string[] } = { event: [], text: [] }
  readonly #tracks: Map<number, InstrumentTrack> = new Map()
  readonly #orders: OrderTrack = new OrderTrack()
  #subscriptions: Subscription[] = []
  #positions: StretchColumns['positions'] = []
  #watched: WatchedWorld | null = null
  #begunDay: number | null = null
  #isOver = false
  #unseenCount = 0
  #textBytes = 0
  #fault: BacktapeError | null = null

  constructor(readonly span: StretchSpan, private readonly limits: StretchLimits) {}

  /** True where more would be above a limit: the run need not go on. */
  get isFull(): boolean {
    return this.#fault !== null
  }

  /** True once the stretch has begun. */
  get hasBegun(): boolean {
    return this.#begunDay !== null
  }

  /** From here on everything is recorded: the run has played what lies before the stretch. */
  begin(watched: WatchedWorld): void {
    this.#watched = watched
    this.#begunDay = watched.replay.clock.epochDay
    this.#add('begin', this.span.fromNs, -1)
    this.lookForInstruments()
    this.#positions = [...watched.world.accounts.values()].flatMap((account) => (
      [...account.positions].flatMap(([instrumentId, position]) => {
        const quantity = openQuantity(position)
        if (quantity.isZero()) return []
        const place = this.#placeOf(instrumentId)
        return [{ account: account.config.accountId, instrument: place, quantity: quantity.toFixed() }]
      })))
    this.#lookAtOrders(0)
  }

  /** Records the instruments that the strategies have asked for since. */
  lookForInstruments(): void {
    for (const instrumentId of this.#watched?.askedIds() ?? []) this.#trackOf(instrumentId)
  }

  /** The stretch ends: what comes later is not recorded. */
  end(timeNs: number): void {
    if (this.#watched === null) return
    this.#add('end', Math.min(timeNs, this.span.toNs), -1)
    this.#isOver = true
    this.#watched = null
    for (const subscription of this.#subscriptions) subscription.unsubscribe()
    this.#subscriptions = []
  }

  /** The stretch as columns. Throws LIMIT_EXCEEDED where it has more than the limits allow. */
  columns(name: string, facts: StretchColumns['facts']): StretchColumns {
    if (this.#fault !== null) throw this.#fault
    const { fromNs } = this.span
    return {
      format: 'backtape-stretch/1', name, facts,
      fromEpochNs: String(epochNsFromTime(fromNs, this.#begunDay ?? 0)),
      levelCount: this.limits.levelCount, unseenCount: this.#unseenCount,
      events: {
        kind: this.#kinds, timeNs: this.#timesNs.map((timeNs) => timeNs - fromNs), instrument: this.#instruments,
      },
      instruments: [...this.#tracks.values()].map((track) => track.columns()),
      orders: this.#orders.orders, orderRows: this.#orders.rows, fills: this.#orders.fills,
      positions: this.#positions, lines: this.#lines,
    }
  }

  requested(clientId: string, _timeNs: number, request: ClientRequest, accountId: string): void {
    if (!this.#isRecording() || request.kind !== 'place') return
    for (const entry of request.entries) {
      const track = this.#trackOf(entry.instrumentId)
      if (track !== null) this.#orders.sent(this.#nextEvent, { accountId, clientId }, entry, track)
    }
  }

  delivered(clientId: string, _timeNs: number, message: ClientMessage, accountId: string): void {
    if (!this.#isRecording()) return
    const event = this.#nextEvent
    if (message.kind === 'placeResponse') {
      for (const { ownOrderId, error } of message.results)
        if (error !== undefined) this.#orders.refused(event, accountId, ownOrderId)
    }
    if (message.kind !== 'fill') return
    for (const fill of message.fills) {
      const track = this.#trackOf(fill.instrumentId)
      if (track === null || this.#orders.received(event, accountId, fill.ownFillId)) continue
      this.#orders.filled(event, { accountId, clientId }, fill, track, null)
    }
  }

  filled(order: OrderAtExchange, fill: Fill, { fee, feeUnderlyingId }: PostedFill, cause: ExecutionCause): void {
    const track = this.#isRecording() ? this.#trackOf(order.instrumentId) : null
    if (track === null || this.#watched === null) return
    const { world } = this.#watched
    const position = world.accounts.get(order.accountId)?.positions.get(order.instrumentId)
    const event = this.#nextEvent
    this.#orders.filled(event, order, fill, track, {
      cause, fee: `${fee.toFixed()} ${world.codeOf(feeUnderlyingId)}`, ahead: this.#orders.aheadOf(order),
      position: position === undefined ? '' : openQuantity(position).toFixed(),
    })
    this.#orders.look(event, order, track)
    this.#lookAtOrders(event)
    this.#add('execution', fill.exchangeTimeNs, track.place)
  }

  changed(order: OrderAtExchange, { exchangeTimeNs }: OrderReport): void {
    const track = this.#isRecording() ? this.#trackOf(order.instrumentId) : null
    if (track === null || !this.#orders.look(this.#nextEvent, order, track)) return
    this.#lookAtOrders(this.#nextEvent)
    this.#add('order', exchangeTimeNs ?? this.#nowNs(), track.place)
  }

  /** Takes a line of the world's journal. */
  write(line: string): void {
    if (!this.#isRecording()) return
    this.lookForInstruments()
    const event = this.#nextEvent
    const { event: kind, isLocal, timeEpochNs, instrumentId, account, ownOrderId } = lineFacts(line)
    const place = instrumentId === null
      ? ownOrderId === null ? -1 : this.#orders.instrumentOf(account, ownOrderId)
      : this.#placeOf(instrumentId)
    for (const track of this.#tracks.values()) track.lookAtState(event)
    this.#lookAtOrders(event)
    this.#lines.event.push(event)
    this.#lines.text.push(line)
    this.#textBytes += line.length
    const timeNs = isLocal ? this.#nowNs() : timeFromEpochNs(timeEpochNs, this.#begunDay ?? 0)
    this.#add(kind, timeNs, place)
  }

  #isRecording(): boolean {
    return this.#watched !== null && this.#fault === null
  }

  get #nextEvent(): number {
    return this.#kinds.length
  }

  #nowNs(): number {
    return this.#watched?.replay.clock.nowNs() ?? this.span.fromNs
  }

  /** Hears a line of the market, before any client does. */
  #hear(track: InstrumentTrack, batch: EventBatch, index: number): void {
    if (!this.#isRecording()) return
    const event = this.#nextEvent
    const isTrade = batch.kind[index] === EVENT_KINDS.trades
    let isSeen = track.look(event)
    isSeen = this.#lookAtOrders(event) || isSeen
    if (isTrade) track.traded(event, batch, index)
    if (isSeen || isTrade)
      this.#add(isTrade ? 'trade' : 'book', this.#nowNs(), track.place)
    else this.#unseenCount++
  }

  #lookAtOrders(event: number): boolean {
    let isNew = false
    for (const order of this.#watched?.world.orders.openOrders() ?? []) {
      const track = this.#trackOf(order.instrumentId)
      if (track !== null) isNew = this.#orders.look(event, order, track) || isNew
    }
    return isNew
  }

  #placeOf(instrumentId: number): number {
    return this.#trackOf(instrumentId)?.place ?? -1
  }

  /** The track of an instrument, begun where it is new; null where the run has none of it. */
  #trackOf(instrumentId: number): InstrumentTrack | null {
    const known = this.#tracks.get(instrumentId)
    if (known !== undefined) return known
    if (this.#watched === null || this.#isOver) return null
    const { directory, views, markets, subscribers } = this.#watched.replay
    const [entry, view, market] = [directory.get(instrumentId), views.get(instrumentId), markets.get(instrumentId)]
    if (entry === undefined || view === undefined || market === undefined) return null
    const track = new InstrumentTrack(this.#tracks.size, entry, view, market, this.limits.levelCount)
    this.#tracks.set(instrumentId, track)
    this.#orders.join(track)
    const listener = {
      onEvent: (batch: EventBatch, index: number): void => { this.#hear(track, batch, index) }, onState: (): void => {},
    }
    const topics = { depth: true, trades: true, topOfBook: true }
    const subscription = subscribers.get(instrumentId)?.subscribe(topics, listener, -Infinity)
    if (subscription !== undefined) this.#subscriptions.push(subscription)
    // What stands now is part of the event that is at hand.
    track.look(Math.max(0, this.#kinds.length - 1))
    return track
  }

  #add(kind: StretchEvent, timeNs: number, instrument: number): void {
    this.#kinds.push(STRETCH_EVENTS.indexOf(kind))
    // Exchange time may lie a little behind what was received before.
    this.#timesNs.push(Math.max(timeNs, this.#timesNs.at(-1) ?? this.span.fromNs))
    this.#instruments.push(instrument)
    const { eventsMax, bytesMax } = this.limits
    if (this.#kinds.length > eventsMax) this.#refuse(`${eventsMax} events`)
    else if (this.#sizeBytes() > bytesMax) this.#refuse(`${bytesMax} bytes of columns`)
  }

  #sizeBytes(): number {
    let rowCount = this.#orders.rowCount
    for (const track of this.#tracks.values()) rowCount += track.rowCount
    return this.#textBytes + rowCount * ROW_BYTES + this.#kinds.length * EVENT_BYTES
  }

  #refuse(limit: string): void {
    if (this.#fault !== null) return
    const [from, at] = [this.span.fromNs, this.#timesNs.at(-1) ?? this.span.fromNs]
      .map((timeNs) => isoFromTime(timeNs, this.#begunDay ?? 0))
    this.#fault = new BacktapeError(
      'LIMIT_EXCEEDED',
      `Cannot view the stretch from ${from ?? ''}: there are more than ${limit} before ${at ?? ''}; end it there`,
      { expected: `at most ${limit}`, found: 'more' },
    )
  }
}

/** The same observer, and before it whoever watches its world's clients; null while nobody does. */
export function watchedObserver(observer: WorldObserver, watcher: () => WorldObserver | null): WorldObserver {
  return {
    ...observer,
    requested: (...request) => {
      watcher()?.requested(...request)
      observer.requested(...request)
    },
    delivered: (clientId, timeNs, message, accountId, origin) => {
      watcher()?.delivered(clientId, timeNs, message, accountId, origin)
      observer.delivered(clientId, timeNs, message, accountId, origin)
    },
    filled: (...fill) => {
      watcher()?.filled?.(...fill)
      observer.filled?.(...fill)
    },
    changed: (order, report, quantityScale) => {
      watcher()?.changed?.(order, report, quantityScale)
      observer.changed?.(order, report, quantityScale)
    },
  }
}
