import type { EventBatch } from '../../src/model/event-batch.js'
import { NEVER, queueOf, sendsOf, type ConformanceDay, type FillLife, type OrderLife, type RecordedRun } from './conformance.ts'
import type { QueueModel } from '../../src/exchange/matching/queue-model.js'

/** What of hftbacktest a variant keeps; the engine keeps none of the three. */
export interface NaiveTraits {
  /** Exchange times as given, or bounded by adapter time and the reorder window (exchange rules 1.1). */
  readonly times: 'given' | 'bounded'
  /** Judged after each row, or after the whole line (exchange rules 1.4). */
  readonly judging: 'rows' | 'lines'
  /** Best prices kept as in README 3.2, or derived from the levels. */
  readonly bests: 'kept' | 'derived'
}

interface NaiveRow {
  readonly timeNs: number
  readonly kind: 'clear' | 'depth' | 'trade'
  readonly isBid: boolean
  readonly tick: number
  readonly quantity: number
  /** Whether the line has no further row. */
  readonly endsLine: boolean
}

interface NaiveOrder {
  readonly life: { -readonly [K in keyof OrderLife]: OrderLife[K] } & { fills: FillLife[] }
  readonly run: number
  front: number
  traded: number
}

const WINDOW_NS = 10_000_000_000

/** Rows in exchange order. */
function rowsOf(day: ConformanceDay, tickSize: number, times: NaiveTraits['times']): NaiveRow[] {
  const rows: NaiveRow[] = []
  let greatest = -Infinity
  let local = -Infinity
  const timeOf = (given: number, adapter: number): number => {
    if (times === 'given') return Number.isNaN(given) ? local : given
    const time = given <= adapter ? given : adapter
    if (time < greatest) return Math.max(time, greatest - WINDOW_NS)
    greatest = time
    return time
  }
  for (const batch of day.batches) {
    for (let i = 0; i < batch.count; i++) {
      const kind = batch.kind[i]!
      if (times === 'bounded' && kind > 2 && kind !== 17) timeOf(batch.exchangeTimeNs[i]!, batch.adapterTimeNs[i]!)
      if (kind <= 2) local = Math.max(local, batch.adapterTimeNs[i]!)
      if (kind <= 2 || kind === 17) pushLine(rows, batch, i, { day, tickSize, timeOf })
    }
  }
  return rows.map((row, index) => ({ row, index })).sort((a, b) => a.row.timeNs - b.row.timeNs || a.index - b.index).map(({ row }) => row)
}

interface LineContext {
  readonly day: ConformanceDay
  readonly tickSize: number
  readonly timeOf: (given: number, adapter: number) => number
}

function pushLine(rows: NaiveRow[], batch: EventBatch, i: number, context: LineContext): void {
  const kind = batch.kind[i]!
  const { day, tickSize, timeOf } = context
  const first = batch.rowStart[i]!
  const end = batch.rowStart[i + 1]!
  const adapter = batch.adapterTimeNs[i]!
  const isRows = kind === 2 || kind === 17
  const lineTime = isRows ? 0 : timeOf(batch.exchangeTimeNs[i]!, adapter)
  if (kind === 0) rows.push({ timeNs: lineTime, kind: 'clear', isBid: true, tick: 0, quantity: 0, endsLine: first === end })
  for (let row = first; row < end; row++) {
    const own = isRows ? batch.rowTimeNs[batch.tradeRowStart[i]! + row - first]! : NaN
    const timeNs = isRows ? timeOf(Number.isNaN(own) ? batch.exchangeTimeNs[i]! : own, adapter) : lineTime
    if (kind === 17) continue
    const tick = Math.round(batch.price[row]! / 10 ** day.priceScale / tickSize)
    rows.push({ timeNs, kind: isRows ? 'trade' : 'depth', isBid: batch.side[row] === 0, tick, quantity: batch.quantity[row]! / 10 ** day.quantityScale, endsLine: isRows || row === end - 1 })
  }
}

/** README section 3: levels and kept bests of both sides, or derived ones. */
class NaiveTouch {
  readonly bids: Map<number, number> = new Map()
  readonly asks: Map<number, number> = new Map()
  bestBid = -Infinity
  bestAsk = Infinity
  readonly #kept: boolean

  constructor(kept: boolean) {
    this.#kept = kept
  }

  clear(): void {
    this.bids.clear()
    this.asks.clear()
    this.bestBid = -Infinity
    this.bestAsk = Infinity
  }

  set(isBid: boolean, tick: number, quantity: number): void {
    const levels = isBid ? this.bids : this.asks
    if (quantity > 0) levels.set(tick, quantity)
    else levels.delete(tick)
    if (!this.#kept) this.#derive(isBid)
    else if (isBid) this.#keepBid(tick, quantity)
    else this.#keepAsk(tick, quantity)
  }

  #derive(isBid: boolean): void {
    if (isBid) this.bestBid = Math.max(-Infinity, ...this.bids.keys())
    else this.bestAsk = Math.min(Infinity, ...this.asks.keys())
  }

  #keepBid(tick: number, quantity: number): void {
    if (quantity > 0) {
      if (tick <= this.bestBid) return
      this.bestBid = tick
      if (tick >= this.bestAsk) this.bestAsk = Math.min(Infinity, ...[...this.asks.keys()].filter((ask) => ask > tick))
    } else if (tick === this.bestBid) this.bestBid = Math.max(-Infinity, ...[...this.bids.keys()].filter((bid) => bid < tick))
  }

  #keepAsk(tick: number, quantity: number): void {
    if (quantity > 0) {
      if (tick >= this.bestAsk) return
      this.bestAsk = tick
      if (tick <= this.bestBid) this.bestBid = Math.max(-Infinity, ...[...this.bids.keys()].filter((bid) => bid < tick))
    } else if (tick === this.bestAsk) this.bestAsk = Math.min(Infinity, ...[...this.asks.keys()].filter((ask) => ask > tick))
  }
}

/** A plain simulator after the README of the recorded runs (`npf`), with traits that can be taken away one by one. Slow on purpose. */
export class NaiveHftbacktest {
  readonly #touch: NaiveTouch
  readonly #resting: Set<NaiveOrder> = new Set()
  readonly #runs: readonly RecordedRun[]
  readonly #queues: readonly QueueModel[]
  readonly #traits: NaiveTraits
  #line: { readonly bid: number, readonly ask: number, readonly rows: NaiveRow[], readonly before: number[] } | null = null

  constructor(runs: readonly RecordedRun[], traits: NaiveTraits) {
    this.#runs = runs
    this.#traits = traits
    this.#touch = new NaiveTouch(traits.bests === 'kept')
    this.#queues = runs.map((run) => queueOf(run.params.queue_model))
  }

  /** Every order's life, by run. */
  play(day: ConformanceDay): OrderLife[][] {
    const { tick_size: tickSize } = this.#runs[0]!.params
    const lives = this.#runs.map((): NaiveOrder[] => [])
    const requests = this.#runs.flatMap((run, number) => sendsOf(run, day.epochDay).map((send) => ({ ...send, number, arrival: send.timeNs + run.params.entry_latency })))
    requests.sort((a, b) => a.arrival - b.arrival)
    const rows = rowsOf(day, tickSize, this.#traits.times)
    let next = 0
    const serve = (untilNs: number): void => {
      for (; next < requests.length && requests[next]!.arrival < untilNs; next++) {
        const { life, isCancel, number, arrival } = requests[next]!
        if (isCancel) this.#cancel(lives[number]!.find((order) => order.life.id === life.id)!, arrival)
        else lives[number]!.push(this.#place(life, number, arrival))
      }
    }
    for (const row of rows) {
      serve(row.timeNs)
      this.#playRow(row)
    }
    serve(Infinity)
    return lives.map((orders) => orders.map(({ life }) => life))
  }

  #place(asked: OrderLife, run: number, timeNs: number): NaiveOrder {
    const { params } = this.#runs[run]!
    const isBid = asked.side === 'BUY'
    const life = { ...asked, acceptNs: NEVER, acceptLocalNs: NEVER, endNs: NEVER, endLocalNs: NEVER, status: 'NEW', leaves: asked.quantity, fills: [] }
    const order: NaiveOrder = { life, run, front: 0, traded: 0 }
    const crosses = isBid ? life.priceTick >= this.#touch.bestAsk : life.priceTick <= this.#touch.bestBid
    if (crosses && params.time_in_force !== 'GTX') this.#fill(order, timeNs, isBid ? this.#touch.bestAsk : this.#touch.bestBid, 0)
    else if (crosses || params.time_in_force === 'IOC' || params.time_in_force === 'FOK') this.#end(order, timeNs, 'EXPIRED')
    else {
      order.front = (isBid ? this.#touch.bids : this.#touch.asks).get(life.priceTick) ?? 0
      life.acceptNs = timeNs
      life.acceptLocalNs = timeNs + params.response_latency
      this.#resting.add(order)
    }
    return order
  }

  #cancel(order: NaiveOrder, timeNs: number): void {
    if (this.#resting.delete(order)) this.#end(order, timeNs, 'CANCELED')
  }

  #end({ life, run }: NaiveOrder, timeNs: number, status: string): void {
    life.endNs = timeNs
    life.endLocalNs = timeNs + this.#runs[run]!.params.response_latency
    life.status = status
  }

  #fill(order: NaiveOrder, timeNs: number, tick: number, maker: number): void {
    const { life, run } = order
    this.#resting.delete(order)
    life.fills.push([timeNs, timeNs + this.#runs[run]!.params.response_latency, tick, life.leaves, maker])
    life.leaves = 0
    this.#end(order, timeNs, 'FILLED')
  }

  #playRow(row: NaiveRow): void {
    const touch = this.#touch
    if (row.kind === 'trade') return this.#playTrade(row)
    if (this.#line === null || row.kind === 'clear') this.#line = { bid: row.kind === 'clear' ? -Infinity : touch.bestBid, ask: row.kind === 'clear' ? Infinity : touch.bestAsk, rows: [], before: [] }
    const { bestBid, bestAsk } = touch
    if (row.kind === 'clear') touch.clear()
    else {
      const before = (row.isBid ? touch.bids : touch.asks).get(row.tick) ?? 0
      touch.set(row.isBid, row.tick, row.quantity)
      if (this.#traits.judging === 'rows') {
        this.#change(row, before, row.quantity)
        this.#judge(row.timeNs, bestBid, bestAsk, row.isBid ? 'bid' : 'ask')
      } else {
        this.#line.rows.push(row)
        this.#line.before.push(before)
      }
    }
    if (!row.endsLine) return
    const line = this.#line
    this.#line = null
    line.rows.forEach((one, index) => { this.#change(one, line.before[index]!, (one.isBid ? touch.bids : touch.asks).get(one.tick) ?? 0) })
    if (this.#traits.judging === 'lines') this.#judge(row.timeNs, line.bid, line.ask, 'both')
  }

  #change(row: NaiveRow, before: number, now: number): void {
    for (const order of this.#resting) {
      if ((order.life.side === 'BUY') !== row.isBid || order.life.priceTick !== row.tick) continue
      order.front = this.#queues[order.run]!.ahead(order.front, order.traded, before, now, 1)
      order.traded = 0
    }
  }

  #judge(timeNs: number, bidBefore: number, askBefore: number, side: 'bid' | 'ask' | 'both'): void {
    const { bestBid, bestAsk } = this.#touch
    for (const order of [...this.#resting]) {
      const { side: own, priceTick } = order.life
      if (side !== 'ask' && own === 'SELL' && bestBid > bidBefore && priceTick <= bestBid) this.#fill(order, timeNs, priceTick, 1)
      if (side !== 'bid' && own === 'BUY' && bestAsk < askBefore && priceTick >= bestAsk) this.#fill(order, timeNs, priceTick, 1)
    }
  }

  #playTrade(row: NaiveRow): void {
    for (const order of [...this.#resting]) {
      const isBuy = order.life.side === 'BUY'
      if (isBuy === row.isBid) continue
      const { priceTick } = order.life
      if (isBuy ? priceTick > row.tick : priceTick < row.tick) this.#fill(order, row.timeNs, priceTick, 1)
      else if (priceTick === row.tick) {
        order.front -= row.quantity
        order.traded += row.quantity
        if (-order.front / this.#runs[order.run]!.params.lot_size < 0.5) continue
        this.#fill(order, row.timeNs, priceTick, 1)
      }
    }
  }
}
