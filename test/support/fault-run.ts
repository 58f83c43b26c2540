import { createHash } from 'node:crypto'
import type { PostedFill } from '../../src/exchange/account.js'
import type { Fault, FaultEffect } from '../../src/exchange/fault-plan.js'
import { GENERIC_PROFILE } from '../../src/exchange/generic-profile.js'
import { constantLatency, sampledLatency } from '../../src/exchange/order-latency.js'
import type { RateLimit, VenueProfile } from '../../src/exchange/venue-profile.js'
import type { ClientMessage } from '../../src/exchange/world-config.js'
import { scaledFromText } from '../../src/model/decimal.js'
import type { OrderError, OrderReport } from '../../src/model/order.js'
import { RandomNumbers } from '../../src/model/random.js'
import type { Fill, Position, Wallet } from '../../src/venue/messages.js'
import type { OrderEntry } from '../../src/venue/venue.js'
import type { DayWindow } from './day-windows.ts'
import { ExchangeBench, placeEntry, type BenchCommand } from './exchange-bench.ts'
import { lineBatch } from './market-lines.ts'

/** What one client sent and heard. */
export interface Heard {
  readonly sent: { readonly kind: string, readonly id: string, readonly from?: string }[]
  readonly answers: { readonly kind: string, readonly id: string, readonly error: OrderError | undefined, readonly timeNs: number }[]
  readonly updates: Map<string, OrderReport>
  readonly fills: Map<string, Fill[]>
  readonly statuses: string[]
  readonly loads: number[]
  position: Position | null
  wallets: readonly Wallet[]
}

/** A run under faults, played to the end of everything that was on its way. */
export interface FaultRun {
  readonly bench: ExchangeBench
  readonly profile: VenueProfile
  readonly heard: Heard
  readonly posted: readonly { readonly fill: Fill, readonly posted: PostedFill }[]
  /** A digest of all that the client heard, in order. */
  readonly fingerprint: string
}

const LIMITS: readonly (readonly RateLimit[])[] = [
  [], [{ id: 'orders', windowMs: 200, tokens: { place: 3, amend: 2, replace: 2, cancel: 3 }, blockMs: 300, spare: 1 }], [{ id: 'all', windowMs: 1000, tokens: { shared: 12 } }, { id: 'place', windowMs: 100, tokens: { place: 2 } }],
]

/** Draws of one seed, one after the other. */
class Draws {
  readonly #random: RandomNumbers
  #count = 0
  constructor(seed: number) {
    this.#random = new RandomNumbers(seed, 'fault run', 0)
  }

  below(limit: number): number {
    return this.#random.below(limit, this.#count++)
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!
  }
}

/** Plays a random program over a window of a day under a random plan of faults. */
export function playFaults(window: DayWindow, seed: number): FaultRun {
  const draws = new Draws(seed)
  const endNs = window.lines[window.lines.length - 1]!.timeNs + 1
  const { instrument } = window
  const messages = { fillOrder: draws.of(['fillFirst', 'updateFirst', 'seeded'] as const), ...(draws.below(2) === 0 ? {} : { lateFees: draws.of(['1ms', '300ms', '20s']), lateTradeId: draws.below(2) === 0 }) }
  const profile: VenueProfile = { ...GENERIC_PROFILE, rateLimits: draws.of(LIMITS), messages }
  const heard: Heard = { sent: [], answers: [], updates: new Map(), fills: new Map(), statuses: [], loads: [], position: null, wallets: [] }
  const posted: { readonly fill: Fill, readonly posted: PostedFill }[] = []
  const hash = createHash('sha256')
  const bench = new ExchangeBench({
    instruments: [{ instrument, batches: [lineBatch(window.lines, window)], priceScale: window.priceScale, quantityScale: window.quantityScale }],
    accounts: [{ accountId: 'A', exchangeCode: instrument.exchangeCode, balances: new Map([[1, '1000'], [2, '100000']]), fees: { maker: '-0.0001', taker: '0.0005', by: 'quantity' }, profile }],
    assumptions: { seed, requestLatency: draws.below(2) === 0 ? constantLatency(2_000_000) : sampledLatency('drawn', (random, number) => random.below(9_000_000, number)), responseLatency: constantLatency(draws.below(3) * 1_500_000) },
    faults: faultsOf(draws, endNs),
    delivered: (_world, _client, timeNs, message) => {
      hash.update(`${timeNs} ${JSON.stringify(message)}\n`)
      hear(heard, message, timeNs)
    },
    observer: () => ({ filled: (_order, fill, money) => { posted.push({ fill, posted: money }) } }),
  })
  bench.run(program(window, draws, heard, endNs))
  return { bench, profile, heard, posted, fingerprint: hash.digest('hex') }
}

/** Faults that are all over some time after the window, so that everything comes to rest. */
function faultsOf(draws: Draws, endNs: number): Fault[] {
  const effects: readonly FaultEffect[] = [
    { kind: 'status', status: 'DISCONNECTED', message: 'lost' }, { kind: 'status', status: draws.of(['EXCHANGE_BUSY', 'MANUAL_SHUTDOWN', 'BANNED']), message: '' },
    { kind: 'requests', requests: ['place', 'cancel'], type: 'HTTP_REQUEST_TIMEOUT', source: 'INTERNAL' }, { kind: 'replaces', type: 'UNEXPECTED_RESPONSE' }, { kind: 'fills', delayNs: 1 + draws.below(endNs) },
  ]
  const faults: Fault[] = []
  for (const effect of effects) for (let times = draws.below(3); times > 0; times--) faults.push({ accountId: null, effect, startNs: draws.below(endNs), everyNs: null, forNs: 1 + draws.below(Math.max(1, endNs >> 2)) })
  return faults
}

function program({ instrument, priceScale, quantityScale, lines }: DayWindow, draws: Draws, heard: Heard, endNs: number): BenchCommand[] {
  const tick = scaledFromText(instrument.tickSize ?? '1', priceScale) ?? 1
  const lot = instrument.lotSize === null ? 1 : (scaledFromText(instrument.lotSize, quantityScale) ?? 1)
  const [bid, ask] = [0, 1].map((code) => lines[0]!.rows!.find(([side]) => side === code)![1]) as [number, number]
  const onTick = (price: number): number => Math.max(tick, Math.round(price / tick) * tick)
  const ids: string[] = []
  const anyId = (): string => (ids.length === 0 || draws.below(12) === 0 ? 'nobody' : draws.of(ids))
  const place = (entry: OrderEntry): void => {
    const entries = Array.from({ length: 1 + (draws.below(4) === 0 ? 2 : 0) }, () => {
      const id = `o${ids.length}`
      const side = draws.of(['BID', 'ASK'] as const)
      const isMarket = draws.below(8) === 0
      ids.push(id)
      heard.sent.push({ kind: 'place', id })
      const away = (draws.below(9) - 4) * tick
      return placeEntry(id, {
        instrumentId: instrument.id, side, totalQuantity: lot * (1 + draws.below(30)), useSpare: draws.below(6) === 0, postOnly: !isMarket && draws.below(5) === 0,
        type: isMarket ? 'MARKET' : 'LIMIT', price: isMarket ? null : onTick((side === 'BID' ? bid : ask) + away), timeInForce: isMarket ? 'IMMEDIATE_OR_CANCEL' : draws.of(['GOOD_TILL_CANCEL', 'GOOD_TILL_CANCEL', 'GOOD_TILL_CANCEL', 'IMMEDIATE_OR_CANCEL', 'FILL_OR_KILL']),
      })
    })
    entry.place(entries)
  }
  const change = (): { readonly price?: number, readonly totalQuantity?: number } => (draws.below(2) === 0 ? { price: onTick(bid + (draws.below(13) - 6) * tick) } : { totalQuantity: lot * (1 + draws.below(30)) })
  const act = (entry: OrderEntry, number: number): void => {
    const what = draws.below(10)
    const id = anyId()
    if (what < 5) return place(entry)
    if (what === 5) {
      heard.sent.push({ kind: 'amend', id: `${id} v${number}` })
      entry.amend([{ ownOrderId: id, currentClientOrderId: id, newClientOrderId: `${id} v${number}`, ...change() }])
    } else if (what === 6) {
      const newOwnOrderId = `o${ids.length}`
      ids.push(newOwnOrderId)
      heard.sent.push({ kind: 'replace', id: newOwnOrderId, from: id })
      entry.replace([{ currentOwnOrderId: id, newOwnOrderId, currentClientOrderId: id, newClientOrderId: newOwnOrderId, ...change() }])
    } else if (what < 9) {
      heard.sent.push({ kind: 'cancel', id })
      entry.cancel([{ ownOrderId: id }])
    } else {
      heard.sent.push({ kind: 'cancelAll', id: `r${number}` })
      entry.cancelAll({ requestId: `r${number}`, createTimeNs: 0 })
    }
  }
  return Array.from({ length: 30 }, (_, number) => ({ timeNs: draws.below(endNs), send: (entry) => { act(entry, number) } }))
}

function hear(heard: Heard, message: ClientMessage, timeNs: number): void {
  const answered = (kind: string, id: string, error: OrderError | undefined): void => void heard.answers.push({ kind, id, error, timeNs })
  switch (message.kind) {
    case 'placeResponse':
      for (const { ownOrderId, error } of message.results) answered('place', ownOrderId, error)
      break
    case 'amendResponse':
      for (const { clientOrderId, error } of message.results) answered('amend', clientOrderId, error)
      break
    case 'replaceResponse':
      for (const { ownOrderId, error } of message.results) answered('replace', ownOrderId, error)
      break
    case 'cancelResponse':
      for (const { ownOrderId, error } of message.results) answered('cancel', ownOrderId, error)
      break
    case 'cancelAllResponse':
      answered('cancelAll', message.response.requestId, message.response.error)
      break
    case 'orderUpdate':
      for (const report of message.orders) heard.updates.set(report.ownOrderId, report)
      break
    case 'fill':
      for (const fill of message.fills) heard.fills.set(fill.ownFillId, [...(heard.fills.get(fill.ownFillId) ?? []), fill])
      break
    case 'positionUpdate':
      heard.position = message.positions[0] ?? null
      break
    case 'walletUpdate':
      heard.wallets = message.wallets
      break
    case 'accountStatus':
      heard.statuses.push(message.state.status)
      for (const report of message.state.orders) heard.updates.set(report.ownOrderId, report)
      heard.position = message.state.positions[0] ?? null
      heard.wallets = message.state.wallets
      break
    case 'rateLimitLoad':
      for (const { p, a, r, c } of message.loads) heard.loads.push(p, a, r, c)
      break
    default:
  }
}

