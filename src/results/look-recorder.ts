import type { PostedFill } from '../exchange/accounts/account.js'
import type { ExecutionCause } from '../exchange/market/resting-order.js'
import type { WorldObserver } from '../exchange/world-config.js'
import type { Decimal } from '../model/decimal.js'
import type { Id } from '../model/id.js'
import { epochNsFromTime } from '../model/time.js'
import type { OrderAtExchange } from '../orders/order-at-exchange.js'
import type { LiveLook } from '../panels/live-look.js'
import { STRETCH_EVENTS, type StretchColumns, type StretchEvent } from '../panels/stretch-columns.js'
import type { Fill } from '../venue/account-messages.js'
import type { PlaceEntry } from '../venue/messages.js'
import type { ClientMessage, ClientRequest } from '../venue/order-messages.js'
import type { InstrumentEntry, MarketDataListener, Subscription, Topics } from '../venue/venue.js'
import { LookLines, type LookedJournal } from './look-lines.js'
import { LookMarket, type LookedTop } from './look-market.js'
import { isFinal, keyOf, OrderTrack, type ExecutionFacts, type LookedOrder } from './stretch-orders.js'
import { InstrumentTrack, type TrackScales, type TrackedMarket, type TrackedView } from './stretch-track.js'

/** Levels of a side. */
const LEVELS = 20
/** Behind so many a stretch is full: the next look begins another one. */
const [EVENTS_MAX, ROWS_MAX, TEXT_MAX] = [5_000, 50_000, 8_000_000]
/** Notes that wait for a look at most, before one is due though nobody asks. */
const NOTES_MAX = 10_000
/** Orders on their way at most: those that are never answered are forgotten behind it. */
const SENT_MAX = 10_000
const MS_PER_DAY = 86_400_000
const NS_PER_MS = 1_000_000

/** An instrument of a world that is watched. */
export interface LookedInstrument {
  readonly entry: InstrumentEntry
  readonly view: TrackedView & LookedTop
  readonly market: TrackedMarket
  /** Its lines, before any client has them. */
  readonly subscribe: (topics: Topics, listener: MarketDataListener) => Subscription
}

/** A position that is not flat. */
interface HeldPosition {
  readonly accountId: string
  readonly instrumentId: number
  readonly quantity: Decimal
}

/** A world that is watched: looking changes nothing of it. */
export interface LookedWorld {
  /** Days since 1970-01-01 of the midnight from which its times count. */
  readonly epochDay: number
  readonly journal: LookedJournal
  /** Market time, nanoseconds. */
  nowNs(): number
  /** Instruments that its strategies have asked for so far, ascending. */
  askedIds(): readonly number[]
  /** Null where it has none of this id. */
  instrument(instrumentId: number): LookedInstrument | null
  openOrders(): readonly (LookedOrder & { readonly instrumentId: number })[]
  positions(): readonly HeldPosition[]
  /** Of one instrument of an account, behind an execution: a decimal text; empty where there is none. */
  positionOf(accountId: string, instrumentId: number): string
  codeOf(underlyingId: number): string
  /** Null where it has several currencies, or none. */
  profit(): number | null
}

/** Something that a look writes down under an event of its own. */
type Note =
  | {
    readonly kind: 'execution', readonly timeNs: number, readonly fill: Fill, readonly order: LookedOrder
    readonly scales: TrackScales, readonly facts: ExecutionFacts
  }
  | {
    readonly kind: 'receipt', readonly timeNs: number, readonly fills: readonly Fill[]
    readonly accountId: string, readonly clientId: string
  }

/** An order that the exchange has not answered. */
interface SentOrder {
  readonly accountId: string
  readonly clientId: string
  readonly entry: PlaceEntry
}

/** An order that is over, as it was then. */
interface EndedOrder {
  readonly instrumentId: number
  readonly order: LookedOrder
  readonly scales: TrackScales
}

/** An instrument of the stretch at hand. */
interface Watched {
  readonly instrument: LookedInstrument
  readonly notes: LookMarket
  track: InstrumentTrack
}

/**
 * Looks at a world from time to time, as {@link StretchRecorder} does at each of its events: books, orders, states and
 * the last lines are those of the looks; own fills are all there, with the time of each. Between two looks it notes
 * little, and only while it is there. Orders that came and went between two looks without a fill are not seen.
 */
export class LookRecorder implements WorldObserver {
  readonly #instruments: Map<number, Watched> = new Map()
  readonly #lines: LookLines
  #orders: OrderTrack = new OrderTrack()
  #notes: Note[] = []
  readonly #sent: Map<string, SentOrder> = new Map()
  readonly #ended: Map<string, EndedOrder> = new Map()
  /** Orders of executions that wait for the look. */
  readonly #executed: Set<string> = new Set()
  /** Fills of stretches before that have not been received. */
  readonly #earlier: Set<string> = new Set()
  #events: { kind: number[], timeNs: number[], instrument: number[] } = { kind: [], timeNs: [], instrument: [] }
  #eventCount = 0
  #rowCount = 0
  #textLength = 0
  #fromNs = 0
  #lastNs = 0
  /** The time of the last look. */
  #lookedNs: number
  /** True where the stretch has not been handed over. */
  #isNew = true
  #positions: StretchColumns['positions'] = []

  /** Watches a world from this instant on. */
  constructor(private readonly world: LookedWorld) {
    this.#lines = new LookLines(world.journal)
    this.#lookedNs = world.nowNs()
    this.#lookForInstruments()
    this.#begin(this.#lookedNs)
  }

  /** True where a look is due, whoever asks for it: too much waits. */
  get isDue(): boolean {
    return this.#notes.length >= NOTES_MAX
  }

  /** Listens no more. */
  end(): void {
    for (const { notes } of this.#instruments.values()) notes.end()
    this.#lines.end()
  }

  /** The world as it is now, and what was noted since the look before. */
  take(): LiveLook {
    const nowNs = this.world.nowNs()
    this.#lookForInstruments()
    // Rows that were handed over keep their scales.
    if (this.#grow() && !this.#isNew) this.#begin(this.#lookedNs)
    for (const note of this.#notes.splice(0)) this.#write(note)
    this.#executed.clear()
    const event = this.#eventCount
    const prices = [...this.#instruments.values()].map(({ notes, track }) => notes.take(event, track))
    this.#lookAtEnded(event)
    this.#look(event)
    const text = this.#lines.take()
    const lines = { event: text.map(() => event), text }
    this.#add('book', nowNs, this.#instruments.size === 1 ? 0 : -1)
    this.#lookedNs = nowNs
    const positions = this.world.positions()
    const point = {
      timeMs: this.world.epochDay * MS_PER_DAY + nowNs / NS_PER_MS, prices, profit: this.world.profit(),
      positions: [...this.#instruments.keys()].map((id) => (
        positions.reduce((sum, one) => (one.instrumentId === id ? sum + one.quantity.toNumber() : sum), 0))),
    }
    const look = this.#handOver(lines, point)
    this.#positions = this.#placed(positions)
    if (this.#eventCount > EVENTS_MAX || this.#rowCount > ROWS_MAX || this.#textLength > TEXT_MAX) this.#begin(nowNs)
    return look
  }

  requested(clientId: string, _timeNs: number, request: ClientRequest, accountId: string): void {
    if (request.kind !== 'place') return
    for (const entry of request.entries)
      this.#sent.set(keyOf(accountId, entry.ownOrderId), { accountId, clientId, entry })
    for (const key of this.#sent.keys()) {
      if (this.#sent.size <= SENT_MAX) return
      this.#sent.delete(key)
    }
  }

  delivered(clientId: string, timeNs: number, message: ClientMessage, accountId: string): void {
    if (message.kind === 'placeResponse') {
      for (const { ownOrderId, error } of message.results) if (error !== undefined) this.#refused(accountId, ownOrderId)
    }
    if (message.kind === 'fill')
      this.#notes.push({ kind: 'receipt', timeNs, fills: message.fills, accountId, clientId })
  }

  /** `cause`: null where the exchange does not say one. */
  filled(
    order: OrderAtExchange, fill: Fill, { fee, feeUnderlyingId }: PostedFill, cause: ExecutionCause | null,
  ): void {
    const { world } = this
    const instrument = this.#instruments.get(order.instrumentId)?.instrument ?? world.instrument(order.instrumentId)
    if (instrument === null) return
    this.#executed.add(keyOf(order.accountId, order.ownOrderId))
    // What is before it in the queue is taken off only behind it; what takes has no place in one.
    const ahead = cause === 'trade' || cause === 'shown' ? order.quantityAhead : NaN
    this.#notes.push({
      kind: 'execution', timeNs: fill.exchangeTimeNs, fill, order: copyOf(order), scales: scalesOf(instrument),
      facts: {
        cause: cause ?? '', fee: `${fee.toFixed()} ${world.codeOf(feeUnderlyingId)}`, ahead,
        position: world.positionOf(order.accountId, order.instrumentId),
      },
    })
  }

  changed(order: OrderAtExchange): void {
    const key = keyOf(order.accountId, order.ownOrderId)
    this.#sent.delete(key)
    const isSeen = this.#orders.has(order.accountId, order.ownOrderId) || this.#executed.has(key)
    if (!isFinal(order.state) || !isSeen) return
    const instrument = this.#instruments.get(order.instrumentId)?.instrument
    if (instrument === undefined) return
    this.#ended.set(key, {
      instrumentId: order.instrumentId, order: copyOf(order), scales: scalesOf(instrument),
    })
  }

  /** An order that the strategy has sent was refused before the exchange had it. */
  #refused(accountId: string, ownOrderId: Id): void {
    const key = keyOf(accountId, ownOrderId)
    const sent = this.#sent.get(key)
    if (sent === undefined || !this.#sent.delete(key) || !this.#orders.has(accountId, ownOrderId)) return
    const { entry } = sent
    const instrument = this.#instruments.get(entry.instrumentId)?.instrument
    if (instrument === undefined) return
    const { priceScale, quantityScale } = instrument.entry
    this.#ended.set(key, {
      instrumentId: entry.instrumentId, scales: { price: priceScale, quantity: quantityScale },
      order: { ...entry, ...sent, state: 'REJECTED', executedQuantity: 0, quantityAhead: NaN, entryQuantityAhead: NaN },
    })
  }

  /** A stretch begins, with what stands now. */
  #begin(timeNs: number): void {
    for (const key of this.#orders.unreceived) this.#earlier.add(key)
    this.#orders = new OrderTrack()
    for (const watched of this.#instruments.values()) {
      const { scales } = watched.track
      watched.track = this.#newTrack(watched.track.place, watched.instrument)
      watched.track.growTo(scales.price, scales.quantity)
    }
    this.#events = { kind: [], timeNs: [], instrument: [] }
    this.#eventCount = this.#rowCount = this.#textLength = 0
    this.#fromNs = this.#lastNs = timeNs
    this.#isNew = true
    if (timeNs === this.world.nowNs()) this.#positions = this.#placed(this.world.positions())
    this.#look(0)
    this.#add('begin', timeNs, -1)
  }

  #newTrack(place: number, { entry, view, market }: LookedInstrument): InstrumentTrack {
    const track = new InstrumentTrack(place, entry, view, market, LEVELS)
    this.#orders.join(track)
    return track
  }

  #lookForInstruments(): void {
    for (const id of this.world.askedIds()) {
      const instrument = this.#instruments.has(id) ? null : this.world.instrument(id)
      if (instrument === null) continue
      const track = this.#newTrack(this.#instruments.size, instrument)
      const notes = new LookMarket(instrument.view, instrument, () => this.world.nowNs())
      this.#instruments.set(id, { instrument, track, notes })
    }
  }

  /** Brings the tracks to the scales of what was noted; true where one of them has other scales than before. */
  #grow(): boolean {
    let isGrown = false
    for (const [id, { instrument: { entry, market, view }, notes, track }] of this.#instruments) {
      const before = track.scales
      const { depth } = view.received()
      const { price, quantity } = notes.scales
      track.growTo(Math.max(entry.priceScale, market.priceScale, depth.priceScale, price), Math.max(
        entry.quantityScale, market.quantityScale, depth.quantityScale, quantity,
      ))
      for (const note of this.#notes)
        for (const fill of note.kind === 'execution' ? [note.fill] : note.fills)
          if (fill.instrumentId === id) track.growTo(fill.priceScale ?? 0, 0)
      const { scales } = track
      isGrown ||= scales.price !== before.price || scales.quantity !== before.quantity
    }
    return isGrown
  }

  #write(note: Note): void {
    const event = this.#eventCount
    if (note.kind === 'execution') {
      const { fill, order, scales, facts } = note
      const track = this.#instruments.get(fill.instrumentId)?.track
      if (track === undefined) return
      const ahead = track.quantityFrom(facts.ahead, scales.quantity)
      this.#orders.filled(event, order, fill, track, { ...facts, ahead })
      this.#orders.look(event, order, track, scales)
      return this.#add('execution', note.timeNs, track.place)
    }
    const { fills, accountId, clientId } = note
    let place = -1
    for (const fill of fills) {
      const track = this.#instruments.get(fill.instrumentId)?.track
      if (track === undefined) continue
      ;({ place } = track)
      const isKnown = this.#orders.received(event, accountId, fill.ownFillId)
      // Late data of a fill that was received before, or a fill of a stretch before.
      if (isKnown || fill.update || this.#earlier.delete(keyOf(accountId, fill.ownFillId))) continue
      this.#orders.filled(event, { accountId, clientId }, fill, track, null)
    }
    this.#add('receipt', note.timeNs, place)
  }

  /** Writes down books and orders as they stand. */
  #look(event: number): void {
    for (const { track } of this.#instruments.values()) track.look(event)
    for (const { accountId, clientId, entry } of this.#sent.values()) {
      const track = this.#instruments.get(entry.instrumentId)?.track
      if (track !== undefined && !this.#orders.has(accountId, entry.ownOrderId))
        this.#orders.sent(event, { accountId, clientId }, entry, track)
    }
    for (const order of this.world.openOrders()) {
      const track = this.#instruments.get(order.instrumentId)?.track
      if (track !== undefined) this.#orders.look(event, order, track)
    }
  }

  /** Writes down the orders that are over since the look before. */
  #lookAtEnded(event: number): void {
    for (const { instrumentId, order, scales } of this.#ended.values()) {
      const track = this.#instruments.get(instrumentId)?.track
      if (track !== undefined && this.#orders.has(order.accountId, order.ownOrderId))
        this.#orders.look(event, order, track, scales)
    }
    this.#ended.clear()
  }

  #handOver(lines: StretchColumns['lines'], point: LiveLook['point']): LiveLook {
    const { orders, orderRows, fills, receipts } = this.#orders.drain()
    const tracks = [...this.#instruments.values()].map(({ track }) => track)
    const rowCount = tracks.reduce((sum, track) => sum + track.rowCount, orderRows.event.length + fills.event.length)
    this.#rowCount += rowCount + lines.event.length
    this.#textLength += lines.text.reduce((sum, line) => sum + line.length, 0)
    const part = {
      events: this.#events, instruments: tracks.map((track) => track.drain(this.#fromNs)), orders, orderRows, fills,
      lines, unseenCount: 0,
    }
    this.#events = { kind: [], timeNs: [], instrument: [] }
    if (!this.#isNew) return { columns: null, part: { ...part, receipts }, point }
    this.#isNew = false
    const columns: StretchColumns = {
      ...part, format: 'backtape-stretch/1', name: '', facts: [], levelCount: LEVELS, positions: this.#positions,
      fromEpochNs: String(epochNsFromTime(this.#fromNs, this.world.epochDay)),
    }
    return { columns, part: null, point }
  }

  #placed(positions: readonly HeldPosition[]): StretchColumns['positions'] {
    return positions.flatMap(({ accountId, instrumentId, quantity }) => {
      const place = this.#instruments.get(instrumentId)?.track.place
      return place === undefined ? [] : [{ account: accountId, instrument: place, quantity: quantity.toFixed() }]
    })
  }

  #add(kind: StretchEvent, timeNs: number, instrument: number): void {
    // Exchange time may lie a little behind what was received before.
    this.#lastNs = Math.max(timeNs, this.#lastNs)
    this.#events.kind.push(STRETCH_EVENTS.indexOf(kind))
    this.#events.timeNs.push(this.#lastNs - this.#fromNs)
    this.#events.instrument.push(instrument)
    this.#eventCount++
  }
}

function scalesOf({ market }: LookedInstrument): TrackScales {
  return { price: market.priceScale, quantity: market.quantityScale }
}

/** An order as it stands: its row may be another order's later. */
function copyOf({
  accountId, clientId, ownOrderId, side, type, timeInForce, state, isDormant, price, totalQuantity, executedQuantity,
  quantityAhead, entryQuantityAhead,
}: LookedOrder): LookedOrder {
  return {
    accountId, clientId, ownOrderId, side, type, timeInForce, state, isDormant, price, totalQuantity, executedQuantity,
    quantityAhead, entryQuantityAhead,
  }
}
