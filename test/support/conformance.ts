import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { Id } from '../../src/model/id.js'
import { assumptionsFromOptions, type AssumptionOptions, type Assumptions } from '../../src/configuration/assumptions.js'
import { BatchMemory, ownedBatch } from '../../src/simulation/owned-batch.js'
import { Agenda } from '../../src/exchange/agenda.js'
import type { FeeSchedule } from '../../src/exchange/accounts/fees.js'
import { ExchangeMarket } from '../../src/exchange/market/exchange-market.js'
import type { QueueModel } from '../../src/exchange/matching/queue-model.js'
import { World } from '../../src/exchange/world.js'
import { scaledFromText } from '../../src/model/decimal.js'
import type { EventBatch } from '../../src/model/event-batch.js'
import { copyBatch } from '../../src/model/event-batch-columns.js'
import type { Instrument } from '../../src/model/instrument.js'
import { ExchangeOrderQueue } from '../../src/replay/exchange-order-queue.js'
import { ExchangeTimes } from '../../src/replay/exchange-times.js'
import { openSource } from '../../src/tickfile/archive/source-reader.js'
import { readTickFile } from '../../src/tickfile/tick-file-reader.js'
import type { TimeInForce } from '../../src/model/order.js'
import type { ClientMessage } from '../../src/venue/order-messages.js'
import type { WorldMessage } from '../../src/exchange/world-message.js'

/** One order's life, as recorded or as played: times are nanoseconds since the day's midnight, or {@link NEVER}. */
export interface OrderLife {
  readonly id: number
  readonly side: 'BUY' | 'SELL'
  readonly priceTick: number
  readonly quantity: number
  readonly submitNs: number
  readonly acceptNs: number
  readonly acceptLocalNs: number
  readonly cancelRequestNs: number
  readonly endNs: number
  readonly endLocalNs: number
  readonly status: string
  readonly leaves: number
  readonly fills: readonly FillLife[]
}

/** An execution: exchange time, local time, price in ticks, quantity, 1 for maker. */
export type FillLife = readonly [exchangeNs: number, localNs: number, priceTick: number, quantity: number, maker: number]

interface RunParameters {
  readonly time_in_force: string
  readonly entry_latency: number
  readonly response_latency: number
  readonly queue_model: string
  readonly exchange_model: string
  readonly fee_model: string
  readonly maker_fee: number
  readonly taker_fee: number
  readonly tick_size: number
  readonly lot_size: number
  readonly asset: string
  readonly contract_size: number
}

/** A recorded run. */
export interface RecordedRun {
  readonly path: string
  readonly file: string
  readonly params: RunParameters
  readonly result: Readonly<Record<'position' | 'balance' | 'fee' | 'num_trades' | 'trading_volume' | 'trading_value', number>>
  /** Rows as recorded; times are epoch nanoseconds as texts. */
  readonly orders: readonly (readonly unknown[])[]
}

/** A tick file whole, with its rows in exchange order. */
export interface ConformanceDay {
  readonly instrument: Instrument
  readonly epochDay: number
  readonly batches: readonly EventBatch[]
  readonly priceScale: number
  readonly quantityScale: number
}

/** A run as this engine played it. */
export interface PlayedRun {
  readonly recorded: readonly OrderLife[]
  readonly played: readonly OrderLife[]
  readonly world: World
  /** Every fill in the order of its arrival. */
  readonly received: readonly HeardFill[]
}

/** A fill as the client heard of it. */
interface HeardFill {
  readonly side: 'BUY' | 'SELL'
  readonly tick: number
  readonly quantity: number
  readonly isMaker: boolean
}

/** What has no time. */
export const NEVER = Number.MIN_SAFE_INTEGER

const DAY_NS = 86_400_000_000_000n

/** Reads a recorded run; its times stay exact. */
export function readRun(path: string): RecordedRun {
  const text = gunzipSync(readFileSync(path)).toString('utf8').replace(/(?<![\d.])\d{19}(?![\d.])/g, '"$&"')
  return { ...(JSON.parse(text) as Omit<RecordedRun, 'path'>), path }
}

/** Reads a tick file whole (`trim: 'none'`), every batch at the widest scales. */
export async function readDay(path: string): Promise<ConformanceDay> {
  const reading = await readTickFile(await openSource(path))
  const copies: EventBatch[] = []
  for await (const batch of reading.batches()) copies.push(copyBatch(batch))
  const scales = { price: Math.max(...copies.map((batch) => batch.priceScale)), quantity: Math.max(...copies.map((batch) => batch.quantityScale)) }
  const epochDay = copies[0]!.epochDay
  const batches = copies.map((batch) => ownedBatch(batch, epochDay, scales, new BatchMemory()))
  const { baseUnderlyingId, counterUnderlyingId, contractValue } = reading.instrument
  // The made-up day says too little to account by.
  const instrument = { ...reading.instrument, baseUnderlyingId: baseUnderlyingId ?? 1, counterUnderlyingId: counterUnderlyingId ?? 2, contractValue: contractValue ?? '1' }
  return { instrument, epochDay, batches, priceScale: scales.price, quantityScale: scales.quantity }
}

/** Plays recorded runs of one day, each as a world of its own over one market. */
export function playRuns(day: ConformanceDay, runs: readonly RecordedRun[]): PlayedRun[] {
  const { instrument, priceScale, quantityScale } = day
  const preset = assumptionsFromOptions({ preset: 'hftbacktest' })
  const order = new ExchangeOrderQueue()
  const times = new ExchangeTimes(undefined, preset.sameStamp)
  day.batches.forEach((batch, number) => {
    order.batches.push(batch)
    times.queue(batch, number, order, new Float64Array(batch.count))
  })
  const market = new ExchangeMarket(instrument.id, order, preset.exchangeTop, preset.market)
  const agenda = new Agenda<WorldMessage>()
  const entry = { instrument: withContract(instrument, runs[0]!.params), priceScale, quantityScale }
  const instruments = { entries: [entry], get: (id: number) => (id === instrument.id ? entry : undefined) }
  const played = runs.map((run, number) => {
    const recorder = new LifeRecorder(run, day)
    const assumptions = { ...assumptionsOf(run), seed: 1 }
    const account = { accountId: 'A', exchangeCode: instrument.exchangeCode, balances: new Map<number, string>(), fees: feesOf(run.params) }
    const config = { number, assumptions, accounts: [account], instruments, underlyings: { entries: [], get: () => undefined } }
    const world = new World(config, new Map([[instrument.id, market]]), agenda, {
      requested: () => undefined, delivered: (_clientId, timeNs, message) => { recorder.hear(timeNs, message) },
    })
    recorder.sendAll(world)
    return { recorder, world }
  })
  for (let next = agenda.take(); ; next = agenda.take()) {
    if (next === undefined) {
      market.advance(Infinity, () => false)
      if (agenda.size === 0) break
      continue
    }
    if (next.message.way === 'request') market.advance(next.timeNs, () => false)
    played[next.worldNumber]!.world.play(next.timeNs, next.message)
  }
  return played.map(({ recorder, world }) => ({ recorded: recorder.recorded, played: recorder.lives(), world, received: recorder.received }))
}

/** The recorded run says what a contract is worth; the made-up day does not. */
function withContract(instrument: Instrument, { asset, contract_size: size }: RunParameters): Instrument {
  const isInverse = asset === 'inverse'
  return { ...instrument, isInverse, type: instrument.type === 'spot' ? 'perpetual' : instrument.type, ...(isInverse ? { contractValue: String(size) } : { multiplier: String(size) }) }
}

const NOBODY = {
  onPlaceResponse: () => undefined, onAmendResponse: () => undefined, onReplaceResponse: () => undefined, onCancelResponse: () => undefined, onCancelAllResponse: () => undefined,
  onOrderUpdate: () => undefined, onFill: () => undefined, onPositionUpdate: () => undefined, onWalletUpdate: () => undefined, onAccountStatus: () => undefined,
}

type PlayedLife = { -readonly [K in keyof OrderLife]: OrderLife[K] } & { fills: FillLife[], isCancelled: boolean }

/** Sends a recorded run's requests and writes down what becomes of them. */
class LifeRecorder {
  readonly received: HeardFill[] = []
  readonly recorded: readonly OrderLife[]
  readonly #run: RecordedRun
  readonly #day: ConformanceDay
  readonly #played: Map<string, PlayedLife> = new Map()
  readonly #tick: number

  constructor(run: RecordedRun, day: ConformanceDay) {
    this.#run = run
    this.#day = day
    this.#tick = scaledFromText(String(run.params.tick_size), day.priceScale)!
    this.recorded = run.orders.map((row) => lifeOf(row, day.epochDay))
  }

  sendAll(world: World): void {
    let nowNs = 0
    const entry = world.connect('c', 'A', NOBODY, () => nowNs)
    const { instrument, quantityScale } = this.#day
    const timeInForce = TIMES_IN_FORCE[this.#run.params.time_in_force]!
    for (const life of this.recorded) {
      const blank = { acceptNs: NEVER, acceptLocalNs: NEVER, endNs: NEVER, endLocalNs: NEVER, status: 'NEW', leaves: life.quantity, fills: [], isCancelled: false }
      this.#played.set(String(life.id), { ...life, ...blank })
    }
    for (const { timeNs, life, isCancel } of sendsOf(this.#run, this.#day.epochDay)) {
      const ownOrderId = String(life.id)
      nowNs = timeNs
      if (isCancel) entry.cancel([{ ownOrderId }])
      else {
        entry.place([{
          ownOrderId, clientOrderId: ownOrderId, instrumentId: instrument.id, type: 'LIMIT', side: life.side === 'BUY' ? 'BID' : 'ASK', timeInForce,
          price: life.priceTick * this.#tick, totalQuantity: scaledFromText(plainText(life.quantity), quantityScale)!, postOnly: this.#run.params.time_in_force === 'GTX',
        }])
      }
    }
  }

  hear(timeNs: number, message: ClientMessage): void {
    if (message.kind === 'placeResponse') this.#hearPlaced(timeNs, message)
    else if (message.kind === 'cancelResponse') {
      for (const result of message.results) if (result.error === undefined) this.#of(result.ownOrderId).isCancelled = true
    } else if (message.kind === 'fill') {
      for (const fill of message.fills) {
        const row: FillLife = [fill.exchangeTimeNs, timeNs, fill.price / this.#tick, fill.quantity / 10 ** this.#day.quantityScale, fill.addedLiquidity ? 1 : 0]
        this.#of(fill.ownOrderId).fills.push(row)
        this.received.push({ side: fill.side === 'BID' ? 'BUY' : 'SELL', tick: row[2], quantity: row[3], isMaker: fill.addedLiquidity })
      }
    } else if (message.kind === 'orderUpdate') {
      for (const order of message.orders) {
        const life = this.#of(order.ownOrderId)
        life.leaves = (order.totalQuantity - order.executedQuantity) / 10 ** this.#day.quantityScale
        if (order.state === 'CONFIRMED') continue
        life.endNs = order.exchangeTimeNs!
        life.endLocalNs = timeNs
        life.status = order.state === 'FILLED' ? 'FILLED' : life.isCancelled ? 'CANCELED' : 'EXPIRED'
      }
    }
  }

  lives(): OrderLife[] {
    return [...this.#played.values()].map(({ isCancelled: _isCancelled, ...life }) => (life.endNs === life.acceptNs ? { ...life, acceptNs: NEVER, acceptLocalNs: NEVER } : life))
  }

  #hearPlaced(timeNs: number, message: ClientMessage & { readonly kind: 'placeResponse' }): void {
    for (const { ownOrderId, error, exchangeTimeNs } of message.results) {
      const life = this.#of(ownOrderId)
      if (error !== undefined) life.status = error.type
      else {
        life.acceptNs = exchangeTimeNs!
        life.acceptLocalNs = timeNs
      }
    }
  }

  #of(ownOrderId: Id): PlayedLife {
    return this.#played.get(String(ownOrderId))!
  }
}

const TIMES_IN_FORCE: Readonly<Record<string, TimeInForce>> = { GTC: 'GOOD_TILL_CANCEL', GTX: 'GOOD_TILL_CANCEL', IOC: 'IMMEDIATE_OR_CANCEL', FOK: 'FILL_OR_KILL' }

function plainText(value: number): string {
  return String(value)
}

function lifeOf(row: readonly unknown[], epochDay: number): OrderLife {
  const base = BigInt(epochDay) * DAY_NS
  const time = (value: unknown): number => (value === 0 ? NEVER : Number(BigInt(value as string) - base))
  const [id, side, priceTick, quantity, submit, accept, acceptLocal, cancel, end, endLocal, status, leaves, fills] = row
  return {
    id: id as number, side: side as 'BUY' | 'SELL', priceTick: priceTick as number, quantity: quantity as number, submitNs: time(submit), acceptNs: time(accept), acceptLocalNs: time(acceptLocal),
    cancelRequestNs: time(cancel), endNs: time(end), endLocalNs: time(endLocal), status: status as string, leaves: leaves as number,
    fills: (fills as unknown[][]).map(([exchange, local, price, amount, maker]) => [time(exchange), time(local), price as number, amount as number, maker as number]),
  }
}

/** What a recorded run assumed, as a user of this engine would say it. */
export function optionsOf({ params }: RecordedRun): AssumptionOptions {
  return {
    preset: 'hftbacktest', queue: queueOptionOf(params.queue_model), ...(params.exchange_model === 'npf' ? {} : { fills: 'partial' as const }),
    requestLatency: `${params.entry_latency}ns`, responseLatency: `${params.response_latency}ns`,
  }
}

function assumptionsOf(run: RecordedRun): Assumptions {
  return assumptionsFromOptions(optionsOf(run))
}

/** The engine's queue model of a recorded name. */
export function queueOf(name: string): QueueModel {
  return assumptionsFromOptions({ queue: queueOptionOf(name) }).queue
}

function queueOptionOf(name: string): NonNullable<AssumptionOptions['queue']> {
  if (name === 'risk_adverse') return 'riskAverse'
  if (name === 'log_prob') return 'log'
  if (name === 'log_prob2') return 'log2'
  const [, form, exponent] = /^power_prob(_model\d)?_n(\d+)$/.exec(name) ?? []
  if (exponent === undefined) throw new Error(`no queue model ${name}`)
  return { model: form === '_model2' ? 'power2' : form === '_model3' ? 'power3' : 'power', exponent: Number(exponent) }
}

function feesOf({ fee_model: model, maker_fee: maker, taker_fee: taker }: RunParameters): FeeSchedule {
  const by = model === 'trading_qty' ? 'quantity' : model === 'flat_per_trade' ? 'fill' : 'value'
  return { maker: maker.toFixed(12), taker: taker.toFixed(12), by }
}

/** What a recorded run sent, in order: at one instant the BUY side first. */
export function sendsOf(run: RecordedRun, epochDay: number): { readonly timeNs: number, readonly life: OrderLife, readonly isCancel: boolean }[] {
  const sends = run.orders.map((row) => lifeOf(row, epochDay)).flatMap((life) => [
    { timeNs: life.submitNs, life, isCancel: false }, ...(life.cancelRequestNs === NEVER ? [] : [{ timeNs: life.cancelRequestNs, life, isCancel: true }]),
  ])
  return sends.sort((a, b) => a.timeNs - b.timeNs || (a.life.side === b.life.side ? a.life.id - b.life.id : a.life.side === 'BUY' ? -1 : 1))
}

/** What differs between two lives of one order, in words; null where nothing does. */
export function lifeDifference(recorded: OrderLife, played: OrderLife | undefined): string | null {
  if (played === undefined) return `order ${recorded.id} was never played`
  const name = `order ${recorded.id} (${recorded.side} ${recorded.quantity} at tick ${recorded.priceTick})`
  for (const field of ['status', 'acceptNs', 'acceptLocalNs', 'endNs', 'endLocalNs', 'leaves'] as const) {
    if (recorded[field] !== played[field]) return `${name}: ${field} is recorded as ${recorded[field]}, played as ${played[field]}`
  }
  const wanted = JSON.stringify(recorded.fills)
  const found = JSON.stringify(played.fills)
  return wanted === found ? null : `${name}: fills are recorded as ${wanted}, played as ${found}`
}
