import { Agenda } from '../../src/exchange/agenda.js'
import { RULE_SWITCHES } from '../../src/exchange/matching/assumptions.js'
import type { ExchangeTop, MarketRules } from '../../src/exchange/market/touch-book.js'
import { ExchangeMarket } from '../../src/exchange/market/exchange-market.js'
import type { PlannedAction } from '../../src/exchange/accounts/corporate-actions.js'
import type { PlannedFault } from '../../src/exchange/adapter/fault-plan.js'
import { constantLatency } from '../../src/exchange/adapter/order-latency.js'
import type { OrderAtExchange } from '../../src/orders/order-at-exchange.js'
import { riskAverseQueue } from '../../src/exchange/matching/queue-model.js'
import type { VenueProfile } from '../../src/exchange/profile/venue-profile.js'
import { World } from '../../src/exchange/world.js'
import type { AccountConfig } from '../../src/exchange/accounts/account-config.js'
import type { WorldAssumptions, WorldObserver } from '../../src/exchange/world-config.js'
import type { WorldMessage } from '../../src/exchange/world-message.js'
import type { WorldMoney } from '../../src/exchange/accounts/world-money.js'
import type { EventBatch } from '../../src/model/event-batch.js'
import type { SameStamp } from '../../src/model/exchange-order.js'
import type { Instrument } from '../../src/model/instrument.js'
import { ExchangeOrderQueue } from '../../src/replay/exchange-order-queue.js'
import { ExchangeTimes } from '../../src/replay/exchange-times.js'
import type { PlaceEntry } from '../../src/venue/messages.js'
import type { InstrumentEntry, OrderEntry, UnderlyingDirectory } from '../../src/venue/venue.js'
import type { ClientMessage } from '../../src/venue/order-messages.js'

interface BenchInstrument {
  readonly instrument: Instrument
  readonly batches: readonly EventBatch[]
  readonly priceScale?: number
  readonly quantityScale?: number
}

export interface BenchOptions {
  readonly instruments: readonly BenchInstrument[]
  readonly assumptions?: Partial<WorldAssumptions>
  readonly exchangeTop?: ExchangeTop
  /** Default: trade rows first (rule 1.1). */
  readonly sameStamp?: SameStamp
  readonly market?: MarketRules
  /** Account of each client; default one client `c` on account `A`. */
  readonly clients?: Readonly<Record<string, string>>
  readonly accounts?: readonly AccountConfig[]
  /** Of the default accounts. */
  readonly profile?: VenueProfile
  readonly worldCount?: number
  readonly underlyings?: UnderlyingDirectory
  readonly money?: WorldMoney
  /** How late the feed of an instrument is where clients stand; the bench has no local side that would know. */
  readonly receivedLatencyNs?: (instrumentId: number) => number
  readonly faults?: readonly PlannedFault[]
  readonly corporateActions?: readonly PlannedAction[]
  readonly delivered?: (world: number, clientId: string, timeNs: number, message: ClientMessage) => void
  readonly observer?: (world: number) => Partial<WorldObserver>
  /** Called after every exchange-side item, request and response. */
  readonly played?: (what: string, timeNs: number) => void
}

/** What a client sends at a time. */
export interface BenchCommand {
  readonly timeNs: number
  readonly world?: number
  readonly clientId?: string
  send(entry: OrderEntry, nowNs: number): void
}

export const DEFAULT_ASSUMPTIONS: WorldAssumptions = {
  queue: riskAverseQueue, fills: 'partial', gaps: 'assumeWorst', requestLatency: constantLatency(0), responseLatency: constantLatency(0), seed: 1, switches: RULE_SWITCHES,
}

/** Hears nothing. */
export const NOBODY = {
  onPlaceResponse: () => undefined, onAmendResponse: () => undefined, onReplaceResponse: () => undefined, onCancelResponse: () => undefined, onCancelAllResponse: () => undefined,
  onOrderUpdate: () => undefined, onFill: () => undefined, onPositionUpdate: () => undefined, onWalletUpdate: () => undefined, onAccountStatus: () => undefined,
}

/** A simulated exchange by itself: batches in exchange order, worlds, and what clients send; no local side. */
export class ExchangeBench {
  readonly markets: Map<number, ExchangeMarket> = new Map()
  readonly queues: Map<number, ExchangeOrderQueue> = new Map()
  readonly agenda: Agenda<WorldMessage> = new Agenda()
  readonly worlds: World[] = []
  nowNs = -Infinity
  readonly #entries: Map<string, OrderEntry> = new Map()
  readonly #played: (what: string, timeNs: number) => void

  constructor(options: BenchOptions) {
    this.#played = options.played ?? ((): void => undefined)
    const entries: InstrumentEntry[] = options.instruments.map(({ instrument, priceScale = 0, quantityScale = 0 }) => ({ instrument, priceScale, quantityScale }))
    for (const { instrument, batches } of options.instruments) {
      const queue = new ExchangeOrderQueue()
      const times = new ExchangeTimes(undefined, options.sameStamp)
      batches.forEach((batch, number) => {
        queue.batches.push(batch)
        times.queue(batch, number, queue, new Float64Array(batch.count))
      })
      this.queues.set(instrument.id, queue)
      this.markets.set(instrument.id, new ExchangeMarket(instrument.id, queue, options.exchangeTop ?? 'fused', options.market))
    }
    const clients = options.clients ?? { c: 'A' }
    const accounts = options.accounts ?? [...new Set(Object.values(clients))].map((accountId) => ({
      accountId, exchangeCode: 'test', balances: new Map([[2, '100000']]), fees: { maker: '0', taker: '0.001' }, ...(options.profile === undefined ? {} : { profile: options.profile }),
    }))
    for (let number = 0; number < (options.worldCount ?? 1); number++) {
      const observer: WorldObserver = {
        requested: () => undefined, delivered: (clientId, timeNs, message) => options.delivered?.(number, clientId, timeNs, message), ...options.observer?.(number),
      }
      const config = {
        number, assumptions: { ...DEFAULT_ASSUMPTIONS, ...options.assumptions }, accounts,
        instruments: { entries, get: (id: number) => entries.find((entry) => entry.instrument.id === id) }, underlyings: options.underlyings ?? { entries: [], get: () => undefined }, faults: options.faults ?? [], corporateActions: options.corporateActions ?? [],
        ...(options.money === undefined ? {} : { money: options.money }), ...(options.receivedLatencyNs === undefined ? {} : { receivedLatencyNs: options.receivedLatencyNs }),
      }
      const world = new World(config, this.markets, this.agenda, observer)
      this.worlds.push(world)
      for (const [clientId, accountId] of Object.entries(clients)) {
        this.#entries.set(`${number} ${clientId}`, world.connect(clientId, accountId, NOBODY, () => this.nowNs))
      }
    }
  }

  entryOf(clientId = 'c', world = 0): OrderEntry {
    const entry = this.#entries.get(`${world} ${clientId}`)
    if (entry === undefined) throw new Error(`no client ${clientId}`)
    return entry
  }

  /** Open orders of a world, their places in queues as they are now. */
  openOrders(world = 0): OrderAtExchange[] {
    this.settleQueues()
    return [...this.worlds[world]!.orders.openOrders()]
  }

  settleQueues(): void {
    for (const market of this.markets.values()) market.settleQueues()
  }

  /** Plays everything: feed, then requests, then responses, then commands of one instant. */
  run(commands: readonly BenchCommand[], untilNs = Infinity): void {
    const waiting = [...commands].sort((a, b) => a.timeNs - b.timeNs)
    for (;;) {
      const [id, queue] = this.#nextFeed()
      const feedNs = queue === null ? Infinity : queue.timeNs[queue.head]!
      const entry = this.agenda.peek()
      const agendaNs = this.agenda.nextTimeNs
      const commandNs = waiting[0]?.timeNs ?? Infinity
      const next = Math.min(feedNs, agendaNs, commandNs)
      if (next > untilNs || next === Infinity) return
      this.nowNs = next
      if (feedNs === next) this.#playItem(id, queue!, next)
      else if (agendaNs === next) {
        this.agenda.take()
        this.worlds[entry!.worldNumber]!.play(next, entry!.message)
        this.#played(entry!.message.way, next)
      } else {
        const command = waiting.shift()!
        this.#played(`command ${commands.indexOf(command)}`, next)
        command.send(this.entryOf(command.clientId, command.world), next)
      }
    }
  }

  #playItem(id: number, queue: ExchangeOrderQueue, timeNs: number): void {
    const { head } = queue
    const tail = queue.tail
    queue.tail = head + 1
    this.markets.get(id)!.advance(timeNs, () => false)
    queue.tail = tail
    this.#played(`item ${id} ${queue.batchNumber[head]!} ${queue.event[head]!} ${queue.row[head]!}`, timeNs)
  }

  #nextFeed(): [number, ExchangeOrderQueue | null] {
    let best: [number, ExchangeOrderQueue | null] = [0, null]
    for (const [id, queue] of [...this.queues].sort(([a], [b]) => a - b)) {
      if (queue.head >= queue.tail) continue
      const other = best[1]
      if (other === null || queue.timeNs[queue.head]! < other.timeNs[other.head]!) best = [id, queue]
    }
    return best
  }
}

/** A place entry with what most tests want. */
export function placeEntry(ownOrderId: string, more: Partial<PlaceEntry>): PlaceEntry {
  return {
    ownOrderId, clientOrderId: ownOrderId, instrumentId: 1, type: 'LIMIT', side: 'BID', timeInForce: 'GOOD_TILL_CANCEL', price: 100, totalQuantity: 1, postOnly: false, ...more,
  }
}

