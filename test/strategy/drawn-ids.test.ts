import { describe, expect, test } from 'vitest'
import type { RuntimeState } from '../../src/strategy/runtime-state.js'
import type { Order } from '../../src/strategy/order.js'
import { Tactic } from '../../src/strategy/tactic.js'
import { RiskGuard } from '../../src/strategy/tactics/risk-guard.js'
import type { PlaceEntry } from '../../src/venue/messages.js'
import { FakeVenue } from '../support/fake-venue.js'
import { recording, RecordingStrategy, startFake } from '../support/recording-strategy.js'
import { Planned, plannedRun } from '../support/planned-run.ts'
import type { MarketLine } from '../support/market-lines.ts'
import { throughJson } from '../support/through-json.ts'

const MS = 1_000_000
const NOT_FOUND = { type: 'ORDER_NOT_FOUND', message: '', source: 'EXCHANGE' } as const
const MARKET: MarketLine[] = [0, 40].map((at) => ({ kind: 'snapshot', timeNs: at * 1000 * MS, rows: [[0, 100, 9], [1, 102, 9]] }))

type Sdk<S extends RecordingStrategy> = ReturnType<typeof startFake<S>>

/** A run whose ids are drawn; one that goes on from a state has those of another seed. */
function started<S extends RecordingStrategy>(strategy: new () => S, resume: RuntimeState | null = null): Sdk<S> {
  const venue = new FakeVenue({ idSeed: resume === null ? 1 : 2, positions: [{ instrumentId: 1, longPosition: 100, shortPosition: 0 }] })
  venue.market(1).top([1000, 500], [1005, 500])
  if (resume !== null) venue.clock.advanceTo(20 * MS)
  return startFake(strategy, { resume }, venue)
}

/** The same strategy in a run that goes on from a checkpoint, with the orders that were placed before. */
function resumed<S extends RecordingStrategy>({ runtime, venue }: Sdk<S>, strategy: new () => S): Sdk<S> & { readonly before: readonly PlaceEntry[] } {
  const { state, before } = throughJson({ state: runtime.state(), before: venue.entry.placed })
  return { ...started(strategy, state), before }
}

function place({ strategy: { instrument } }: Sdk<RecordingStrategy>, side: 'BID' | 'ASK', quantity = '0.5'): Order {
  return instrument.placeOrder({ side, quantity: instrument.quantity(quantity), price: instrument.price(side === 'BID' ? '99' : '102') })
}

const cancelled = ({ venue }: Sdk<RecordingStrategy>): string[] => venue.entry.requests.flatMap((request) => (request.kind === 'cancel' ? request.entries.map(({ ownOrderId }) => String(ownOrderId)) : []))

describe('an order as JSON', () => {
  test('has its three ids, once each, and its fields', async () => {
    const texts: string[] = []
    class Telling extends Planned {
      override onOrderFill(order: Order): void {
        texts.push(JSON.stringify(order))
        this.log(`${order.ownOrderId} ${order.clientOrderId} ${String(order.exchangeOrderId)}`)
      }
    }
    const lines: string[] = []
    await plannedRun({ files: [MARKET], plans: [['10s BID 102 3 IOC']], options: { strategy: Telling, journal: () => ({ write: (line) => void lines.push(line) }) } })
    const journal = lines.map((line) => JSON.parse(line) as { readonly kind: string, readonly text?: string, readonly fills?: readonly Record<string, unknown>[] })
    const [fill] = journal.find(({ kind }) => kind === 'fill')!.fills!
    const ids = [fill!['ownOrderId'], fill!['clientOrderId'], fill!['exchangeOrderId']]
    expect(journal.find(({ kind }) => kind === 'log')!.text).toBe(ids.join(' '))
    expect(texts).toHaveLength(1)
    for (const name of ['ownOrderId', 'clientOrderId', 'exchangeOrderId']) expect(texts[0]!.split(`"${name}":`)).toHaveLength(2)
    expect(JSON.parse(texts[0]!)).toMatchObject({ ownOrderId: ids[0], clientOrderId: ids[1], exchangeOrderId: ids[2], side: 'BID', state: 'CONFIRMED', totalQuantity: '3', price: '102' })
  })

  test('of an order that the exchange has not named has null there', () => {
    const run = started(RecordingStrategy)
    const order = place(run, 'BID')
    const [{ ownOrderId, clientOrderId } = {}] = run.venue.entry.placed
    expect(JSON.parse(JSON.stringify({ order }))).toMatchObject({ order: { ownOrderId: String(ownOrderId), clientOrderId: String(clientOrderId), exchangeOrderId: null, state: 'PENDING_NEW' } })
  })
})

class Finding extends Tactic {
  override save(): Readonly<Record<string, unknown>> { return {} }
  override restore(): void {}
  find(id: string): Order | undefined {
    return this.host.orderOf(id)
  }
}

class Holding extends recording(['onOrderUpdate', 'onOrderError']) {
  finding!: Finding
  override onStart(): void {
    this.finding = new Finding('Finding', [this.instrument])
  }
}

test('a tactic finds an order by the text of its id, before a checkpoint and after it', () => {
  const run = started(Holding)
  const [bid, ask] = [place(run, 'BID'), place(run, 'ASK')]
  const found = (one: Holding, id: string): string | undefined => one.finding.find(id)?.ownOrderId
  expect([run.strategy.finding.find(bid.ownOrderId), run.strategy.finding.find(ask.ownOrderId), found(run.strategy, 'another')]).toEqual([bid, ask, undefined])
  const again = resumed(run, Holding)
  const fresh = place(again, 'ASK')
  expect([bid, ask, fresh].map(({ ownOrderId }) => found(again.strategy, ownOrderId))).toEqual([bid, ask, fresh].map(({ ownOrderId }) => ownOrderId))
})

describe('tactics that go on from a checkpoint', () => {
  test('cancelAll asks again for what was refused, and for nothing that is over', () => {
    const run = started(Holding)
    for (const side of ['BID', 'BID', 'ASK'] as const) place(run, side)
    const [first, second, third] = run.venue.entry.placed
    for (const entry of [first!, second!, third!]) run.venue.entry.confirm(entry)
    run.strategy.instrument.cancelAll('BID')
    run.strategy.instrument.cancelAll('BID')
    expect(cancelled(run)).toEqual([first, second].map((entry) => String(entry!.ownOrderId)))
    run.venue.entry.listener.onCancelResponse([first!, second!].map(({ ownOrderId }) => ({ ownOrderId, error: NOT_FOUND })), 0)
    run.venue.clock.advanceTo(20 * MS)
    const again = resumed(run, Holding)
    expect(cancelled(again)).toEqual([])
    again.venue.entry.update(again.before[1]!, { state: 'CANCELED' })
    again.venue.clock.advanceTo(100 * MS)
    expect(cancelled(again)).toEqual([String(first!.ownOrderId)])
    again.strategy.instrument.cancelAll()
    expect(cancelled(again)).toEqual([first, third].map((entry) => String(entry!.ownOrderId)))
    for (const at of [0, 2]) again.venue.entry.update(again.before[at]!, { state: 'CANCELED' })
    again.venue.clock.advanceTo(1000 * MS)
    expect([cancelled(again).length, again.strategy.instrument.openOrders]).toEqual([2, []])
  })

  test('a risk guard that flattens cancels no order twice, asks again where that failed, then closes', () => {
    class Guarded extends recording(['onOrderUpdate', 'onOrderError']) {
      guard!: RiskGuard
      override onStart(): void {
        this.guard = new RiskGuard(this.instrument, { maxPosition: '2', action: 'flatten' })
      }
    }
    const run = started(Guarded)
    for (const side of ['ASK', 'BID'] as const) place(run, side)
    const [first, second] = run.venue.entry.placed
    for (const entry of [first!, second!]) run.venue.entry.confirm(entry)
    place(run, 'BID', '3')
    expect([run.strategy.guard.flattened, cancelled(run)]).toEqual(['RISK_POSITION', [String(first!.ownOrderId), String(second!.ownOrderId)]])
    run.venue.entry.listener.onCancelResponse([{ ownOrderId: first!.ownOrderId, error: NOT_FOUND }], 0)
    run.venue.clock.advanceTo(20 * MS)
    const again = resumed(run, Guarded)
    again.venue.clock.advanceTo(90 * MS)
    expect(cancelled(again)).toEqual([])
    again.venue.clock.advanceTo(101 * MS)
    expect(cancelled(again)).toEqual([String(first!.ownOrderId)])
    again.venue.entry.update(again.before[0]!, { state: 'CANCELED' })
    expect(again.venue.entry.placed).toEqual([])
    again.venue.entry.update(again.before[1]!, { state: 'CANCELED' })
    const [closing] = again.venue.entry.placed
    expect([closing?.side, closing?.totalQuantity, again.strategy.guard.flattened]).toEqual(['ASK', 100, 'RISK_POSITION'])
    again.venue.entry.confirm(closing!)
    again.venue.entry.execute(closing!, 100, { executed: 100, position: 0 })
    expect([again.strategy.instrument.openOrders, again.venue.entry.requests.length]).toEqual([[], 2])
  })
})
