import { createHash } from 'node:crypto'
import type { Id } from '../../src/model/id.js'
import type { PostedFill } from '../../src/exchange/accounts/account.js'
import { contractFromInstrument, contractValue } from '../../src/model/contract.js'
import type { PlannedFault, FaultEffect } from '../../src/exchange/adapter/fault-plan.js'
import { GENERIC_PROFILE, type RateLimit, type VenueProfile } from '../../src/exchange/profile/venue-profile.js'
import type { MoneyEvent } from '../../src/exchange/accounts/money-event.js'
import { constantLatency, sampledLatency } from '../../src/exchange/adapter/order-latency.js'
import { Decimal, decimalFromScaled } from '../../src/model/decimal.js'
import type { EntryError, OrderReport } from '../../src/model/order.js'
import type { DayWindow } from './day-windows.ts'
import { ExchangeBench } from './exchange-bench.ts'
import { FaultDraws } from './fault-draws.ts'
import { faultProgram } from './fault-program.ts'
import { lineBatch, type MarketLine } from './market-lines.ts'
import { marginProfile } from './played-money.ts'
import type { ClientMessage } from '../../src/venue/order-messages.js'
import { Amount, type StatedAmount } from '../../src/model/amount.js'
import type { Fill, IsolatedPosition, Position, Wallet } from '../../src/venue/account-messages.js'

/** What one client sent and heard. */
export interface Heard {
  readonly sent: { readonly kind: string, readonly id: string, readonly from?: string }[]
  readonly answers: { readonly kind: string, readonly id: string, readonly error: EntryError | undefined, readonly timeNs: number }[]
  readonly updates: Map<string, OrderReport>
  readonly fills: Map<string, Fill[]>
  readonly statuses: string[]
  readonly loads: number[]
  /** Updates of orders whose end had been told before. */
  readonly revived: string[]
  position: Position | null
  isolated: IsolatedPosition | null
  wallets: readonly Wallet<StatedAmount, number>[]
}

/** A run under faults, played to the end of everything that was on its way. */
export interface FaultRun {
  readonly bench: ExchangeBench
  readonly profile: VenueProfile
  /** By client. */
  readonly received: ReadonlyMap<string, Heard>
  readonly money: readonly MoneyEvent[]
  readonly posted: readonly { readonly fill: Fill, readonly posted: PostedFill }[]
  /** A digest of all that the clients heard, in order. */
  readonly fingerprint: string
}

const LIMITS: readonly (readonly RateLimit[])[] = [
  [], [{ id: 'orders', windowMs: 200, tokens: { place: 3, amend: 2, replace: 2, cancel: 3 }, blockMs: 300, spare: 1 }], [{ id: 'all', windowMs: 1000, tokens: { shared: 12 } }, { id: 'place', windowMs: 100, tokens: { place: 2 } }],
]

function silence(): Heard {
  return { sent: [], answers: [], updates: new Map(), fills: new Map(), statuses: [], loads: [], revived: [], position: null, isolated: null, wallets: [] }
}

/** Marks that stray from the touch, so that some account is liquidated, and a funding rate: no recorded second has so much of them. */
function withPrices({ lines, priceScale }: DayWindow, draws: FaultDraws, endNs: number): MarketLine[] {
  const middle = lines[0]!.rows![0]![1]
  const quotes = Array.from({ length: draws.below(6) }, (): MarketLine => ({ kind: draws.of(['mark', 'mark', 'index'] as const), timeNs: 1 + draws.below(endNs - 1), value: Math.max(1, Math.round(middle * (70 + draws.below(61)) / 100)), valueScale: priceScale }))
  const fundings = Array.from({ length: draws.below(3) }, (): MarketLine => ({ kind: 'funding', timeNs: 1 + draws.below(endNs - 1), value: draws.below(200) - 100, valueScale: 4, nextFundingNs: 1 + draws.below(2 * endNs) }))
  // Sorted by time, equal times as they stand: lines of the day first.
  return [...lines, ...quotes, ...fundings].sort((a, b) => a.timeNs - b.timeNs)
}

/** Value of an order of middling size: balances and margin brackets are made of it, so that some are short of each. */
function orderValue({ instrument, lines, priceScale, quantityScale }: DayWindow): Decimal {
  const lots = new Decimal(instrument.lotSize ?? decimalFromScaled(1, quantityScale)).times(15)
  return contractValue(contractFromInstrument(instrument), Amount.from(lots), Amount.scaled(lines[0]!.rows![0]![1], priceScale)).toDecimal()
}

/** Two brackets, 10 % and 5 % up to three such orders, 20 % and 10 % up to eight. */
function margined(modes: readonly ('cross' | 'isolated')[], value: Decimal): VenueProfile {
  const [first, last] = [value.times(3), value.times(8)]
  return marginProfile(modes, { margin: { modes, liquidationFeeRate: '0.01', brackets: [
    { upTo: first.toFixed(), initialRate: '0.1', maintenanceRate: '0.05', deduction: '0' }, { upTo: last.toFixed(), initialRate: '0.2', maintenanceRate: '0.1', deduction: first.times('0.05').toFixed() },
  ] } })
}

/** Plenty, or what a few orders need. */
function balancesOf({ instrument }: DayWindow, draws: FaultDraws, value: Decimal): ReadonlyMap<number, string> {
  const { kind, settlementUnderlyingId, baseUnderlyingId } = contractFromInstrument(instrument)
  const cash = value.times(draws.of(['1000', '1', '0.3']))
  return new Map([[settlementUnderlyingId, cash.toFixed()], ...(kind === 'spot' && baseUnderlyingId !== null ? [[baseUnderlyingId, '1000'] as const] : [])])
}

/** Plays the random programs of two clients over a window of a day under a random plan of faults. */
export function playFaults(window: DayWindow, seed: number): FaultRun {
  const draws = new FaultDraws(seed)
  const endNs = window.lines[window.lines.length - 1]!.timeNs + 1
  const { instrument } = window
  const messages = { fillOrder: draws.of(['fillFirst', 'updateFirst', 'seeded'] as const), ...(draws.below(2) === 0 ? {} : { lateFees: draws.of(['1ms', '300ms', '20s']), lateTradeId: draws.below(2) === 0 }) }
  const value = orderValue(window)
  const base = draws.of([GENERIC_PROFILE, GENERIC_PROFILE, margined(['cross'], value), margined(['isolated'], value), margined(['cross', 'isolated'], value)])
  const orders = { ...base.orders, defaultTrigger: draws.of(['lastTrade', 'lastTrade', 'mark', 'index'] as const), triggersAtArrival: draws.below(2) === 0, closeOnlyCancelsOthers: draws.below(2) === 0 }
  const profile: VenueProfile = { ...base, orders, rateLimits: draws.of(LIMITS), messages }
  const received = new Map(['c', 'd'].map((clientId) => [clientId, silence()]))
  const posted: { readonly fill: Fill, readonly posted: PostedFill }[] = []
  const money: MoneyEvent[] = []
  const hash = createHash('sha256')
  const bench = new ExchangeBench({
    instruments: [{ instrument, batches: [lineBatch(withPrices(window, draws, endNs), window)], priceScale: window.priceScale, quantityScale: window.quantityScale }],
    clients: { c: 'A', d: 'A' },
    accounts: [{ accountId: 'A', exchangeCode: instrument.exchangeCode, balances: balancesOf(window, draws, value), fees: { maker: '-0.0001', taker: '0.0005', by: 'quantity' }, profile }],
    assumptions: { seed, requestLatency: draws.below(2) === 0 ? constantLatency(2_000_000) : sampledLatency('drawn', (random, number) => random.below(9_000_000, number)), responseLatency: constantLatency(draws.below(3) * 1_500_000) },
    faults: faultsOf(draws, endNs),
    delivered: (_world, clientId, timeNs, message) => {
      hash.update(`${clientId} ${timeNs} ${JSON.stringify(message)}\n`)
      hear(received.get(clientId)!, message, timeNs)
    },
    observer: () => ({ filled: (_order, fill, sums) => { posted.push({ fill, posted: sums }) }, money: (event) => void money.push(event) }),
  })
  bench.run(faultProgram(window, draws, received, endNs))
  return { bench, profile, received, money, posted, fingerprint: hash.digest('hex') }
}

/** Faults that are all over some time after the window, so that everything comes to rest. */
function faultsOf(draws: FaultDraws, endNs: number): PlannedFault[] {
  const effects: readonly FaultEffect[] = [
    { kind: 'status', status: 'DISCONNECTED', message: 'lost' }, { kind: 'status', status: draws.of(['EXCHANGE_BUSY', 'MANUAL_SHUTDOWN', 'BANNED']), message: '' },
    { kind: 'requests', requests: ['place', 'cancel'], type: 'HTTP_REQUEST_TIMEOUT', source: 'INTERNAL' }, { kind: 'replaces', type: 'UNEXPECTED_RESPONSE' }, { kind: 'fills', delayNs: 1 + draws.below(endNs) },
  ]
  const faults: PlannedFault[] = []
  for (const effect of effects) for (let times = draws.below(3); times > 0; times--) faults.push({ accountId: null, effect, startNs: draws.below(endNs), everyNs: null, forNs: 1 + draws.below(Math.max(1, endNs >> 2)) })
  return faults
}

function hear(received: Heard, message: ClientMessage, timeNs: number): void {
  const answered = (kind: string, id: Id, error: EntryError | undefined): void => void received.answers.push({ kind, id: String(id), error, timeNs })
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
      for (const report of message.orders) {
        const id = String(report.ownOrderId)
        if (['FILLED', 'CANCELED'].includes(received.updates.get(id)?.state ?? '')) received.revived.push(id)
        received.updates.set(id, report)
      }
      break
    case 'fill':
      for (const fill of message.fills) {
        const id = String(fill.ownFillId)
        received.fills.set(id, [...(received.fills.get(id) ?? []), fill])
      }
      break
    case 'positionUpdate':
      received.position = message.positions[0] ?? null
      received.isolated = message.isolatedPositions?.[0] ?? received.isolated
      break
    case 'walletUpdate':
      received.wallets = message.wallets
      break
    case 'accountStatus':
      received.statuses.push(message.state.status)
      for (const report of message.state.orders) received.updates.set(String(report.ownOrderId), report)
      received.position = message.state.positions[0] ?? null
      received.isolated = message.state.isolatedPositions?.[0] ?? received.isolated
      received.wallets = message.state.wallets
      break
    case 'rateLimitLoad':
      for (const { p, a, r, c } of message.loads) received.loads.push(p, a, r, c)
      break
    default:
  }
}

