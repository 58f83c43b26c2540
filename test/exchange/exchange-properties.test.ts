import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ExchangeMarket } from '../../src/exchange/market/exchange-market.js'
import type { OrderAtExchange } from '../../src/orders/order-at-exchange.js'
import { constantLatency } from '../../src/exchange/adapter/order-latency.js'
import { log2Queue, logQueue, power2Queue, power3Queue, powerQueue, riskAverseQueue } from '../../src/exchange/matching/queue-model.js'
import type { ExecutionCause } from '../../src/exchange/market/resting-order.js'
import { HFTBACKTEST_PRESET } from '../../src/exchange/matching/assumptions.js'
import type { WorldAssumptions } from '../../src/exchange/world-config.js'
import { ExchangeBench, placeEntry, type BenchCommand, type BenchOptions } from '../support/exchange-bench.ts'
import { marketLines, script } from '../support/exchange-arbitraries.ts'
import { lineBatch, madeInstrument, type MarketLine } from '../support/market-lines.ts'
import type { ClientMessage } from '../../src/venue/order-messages.js'
import { throughJson } from '../support/through-json.ts'
import { naiveExchangeOrder } from '../support/naive-exchange-order.ts'

const instrument = madeInstrument()
const latency = fc.record({ requestLatency: fc.integer({ min: 0, max: 5 }).map(constantLatency), responseLatency: fc.integer({ min: 0, max: 5 }).map(constantLatency) })
const gaps = fc.constantFrom('assumeWorst', 'cancelAndWait', 'freeze', 'halt')
const queue = fc.constantFrom(riskAverseQueue, powerQueue(), power2Queue(), power3Queue(), logQueue, log2Queue)
const runs = { numRuns: 400 }

interface Execution {
  readonly id: string
  readonly price: number
  readonly quantity: number
  readonly timeNs: number
  readonly cause: ExecutionCause
  readonly item: number
}

interface Played {
  readonly bench: ExchangeBench
  readonly messages: readonly ClientMessage[][]
  readonly executions: readonly Execution[]
}

function play(lines: readonly MarketLine[], commands: readonly BenchCommand[], more: Partial<BenchOptions> = {}, watch?: (bench: ExchangeBench) => void): Played {
  const messages: ClientMessage[][] = Array.from({ length: more.worldCount ?? 1 }, () => [])
  const executions: Execution[] = []
  let item = 0
  const bench: ExchangeBench = new ExchangeBench({
    instruments: [{ instrument, batches: [lineBatch(lines, { instrument })] }],
    delivered: (world, _clientId, _timeNs, message) => messages[world]!.push(message),
    observer: (world) => (world > 0 ? {} : { executed: (order, price, quantity, timeNs, cause) => executions.push({ id: String(order.ownOrderId), price, quantity, timeNs, cause, item }) }),
    played: (what) => {
      if (what.startsWith('item')) item++
      watch?.(bench)
    },
    ...more,
  })
  bench.run(commands)
  return { bench, messages, executions }
}

function updatesOf(messages: readonly ClientMessage[]): Map<string, { state: string, executed: number, total: number }[]> {
  const lives = new Map<string, { state: string, executed: number, total: number }[]>()
  for (const message of messages) {
    if (message.kind !== 'orderUpdate') continue
    for (const { ownOrderId, state, executedQuantity, totalQuantity } of message.orders) {
      const id = String(ownOrderId)
      lives.set(id, [...(lives.get(id) ?? []), { state, executed: executedQuantity, total: totalQuantity }])
    }
  }
  return lives
}

/** An open order as it stands. */
const factsOf = ({ ownOrderId, state, price, totalQuantity, executedQuantity, quantityAhead, entryQuantityAhead, tradedSince, touchedByGap, reportedNs, rare }: OrderAtExchange): unknown[] => [
  ownOrderId, state, price, totalQuantity, executedQuantity, quantityAhead, entryQuantityAhead, tradedSince, touchedByGap, reportedNs, { ...rare },
]

describe('over random feeds and scripts', () => {
  test('every order ends in one state or is open; executed never exceeds total; the ledger has every fill', () => {
    fc.assert(fc.property(marketLines(true), script, latency, gaps, queue, (lines, commands, delays, policy, model) => {
      const { bench, messages, executions } = play(lines, commands, { assumptions: { ...delays, gaps: policy, queue: model } })
      const open = new Set([...bench.worlds[0]!.orders.openOrders()].map((order) => order.ownOrderId))
      if (bench.worlds[0]!.halt !== null) return
      for (const [id, updates] of updatesOf(messages[0]!)) {
        const finals = updates.filter(({ state }) => state !== 'CONFIRMED')
        const filled = executions.filter((execution) => execution.id === id).reduce((sum, { quantity }) => sum + quantity, 0)
        const bad = updates.filter(({ executed, total, state }) => executed > total || (state === 'FILLED') !== (executed === total))
        expect([id, finals, bad, updates.at(-1)!.executed]).toEqual([id, open.has(id) ? [] : [updates.at(-1)], [], filled])
      }
      const fills = messages[0]!.flatMap((message) => (message.kind === 'fill' ? message.fills : []))
      const net = fills.reduce((sum, { side, quantity }) => sum + (side === 'BID' ? quantity : -quantity), 0)
      expect(bench.worlds[0]!.accounts.get('A')!.positions.get(1)?.sums.quantity.toNumber() ?? 0).toBe(net)
    }), runs)
  })

  test('no trade row and no displayed unit is attributed twice (rules 2.4, 3.2)', () => {
    fc.assert(fc.property(marketLines(false), script, queue, (lines, commands, model) => {
      const seen = new Map<string, number>()
      const supply = new Map<string, number>()
      const { executions } = play(lines, commands, { assumptions: { queue: model } }, (bench) => { countSupply(bench.markets.get(1)!, seen, supply) })
      const rows = naiveExchangeOrder(lines, 'trades').map(({ line, row, isTrade }) => (isTrade ? lines[line]!.rows![row]![2] : 0))
      const byItem = new Map<number, number>()
      for (const { cause, quantity, item } of executions) if (cause === 'trade') byItem.set(item, (byItem.get(item) ?? 0) + quantity)
      expect([...byItem].filter(([item, quantity]) => !(quantity <= rows[item]!))).toEqual([])
      const byPrice = new Map<number, number>()
      for (const { cause, quantity, price } of executions) if (cause === 'aggression') byPrice.set(price, (byPrice.get(price) ?? 0) + quantity)
      expect([...byPrice].filter(([price, quantity]) => quantity > (supply.get(`BID ${price}`) ?? 0) + (supply.get(`ASK ${price}`) ?? 0))).toEqual([])
      const taken = executions.filter(({ cause }) => cause === 'shown' || cause === 'aggression').reduce((sum, { quantity }) => sum + quantity, 0)
      expect(taken).toBeLessThanOrEqual([...supply.values()].reduce((sum, quantity) => sum + quantity, 0))
    }), runs)
  })

  test('places in queues do not depend on when somebody looks at them', () => {
    fc.assert(fc.property(marketLines(true), script, latency, gaps, queue, (lines, commands, delays, policy, model) => {
      const assumptions = { ...delays, gaps: policy, queue: model }
      const told = ({ bench, messages, executions }: Played): unknown[] => [messages, executions, bench.openOrders().map(factsOf), [...bench.markets.values()].map((market) => market.state())]
      const seldom = play(lines, commands, { assumptions, worldCount: 2 })
      expect(told(play(lines, commands, { assumptions, worldCount: 2 }, (bench) => { bench.settleQueues() }))).toEqual(told(seldom))
    }), runs)
  })

  test('quantity ahead never grows without an amend, a refill or a gap, and never exceeds the level (rule 3.3)', () => {
    fc.assert(fc.property(marketLines(false), script, queue, (lines, commands, model) => {
      const last = new Map<string, { ahead: number, price: number | null, total: number }>()
      const bad: unknown[] = []
      play(lines, commands, { assumptions: { queue: model } }, (bench) => {
        for (const order of bench.openOrders()) {
          const before = last.get(String(order.ownOrderId))
          const isSame = before !== undefined && before.price === order.price && before.total === order.totalQuantity
          const hasGrown = isSame && order.displayQuantity === undefined && !Number.isNaN(before.ahead) && !(order.quantityAhead <= before.ahead)
          if (hasGrown || order.quantityAhead < 0) bad.push([order.ownOrderId, before?.ahead, order.quantityAhead])
          last.set(String(order.ownOrderId), { ahead: order.quantityAhead, price: order.price, total: order.totalQuantity })
        }
      })
      expect(bad).toEqual([])
    }), runs)
  })

  test('riskAverse never fills an order before a probability model', () => {
    const one = fc.record({ side: fc.constantFrom('BID' as const, 'ASK' as const), price: fc.integer({ min: 97, max: 103 }), totalQuantity: fc.integer({ min: 1, max: 5 }), timeNs: fc.integer({ min: 1, max: 20 }) })
    const firstOf = ({ executions }: Played): number => executions[0]?.timeNs ?? Infinity
    fc.assert(fc.property(marketLines(false), one, queue, (lines, { timeNs, ...terms }, model) => {
      const commands: BenchCommand[] = [{ timeNs, send: (entry) => { entry.place([placeEntry('a', terms)]) } }]
      expect(firstOf(play(lines, commands, { assumptions: { queue: riskAverseQueue } }))).toBeGreaterThanOrEqual(firstOf(play(lines, commands, { assumptions: { queue: model } })))
    }), runs)
  })

  test('another world changes nothing in this one', () => {
    fc.assert(fc.property(marketLines(true), script, script, latency, gaps, (lines, commands, others, delays, policy) => {
      const assumptions = { ...delays, gaps: policy }
      const alone = play(lines, commands, { assumptions }).messages[0]!
      const together = play(lines, [...commands, ...others.map((command) => ({ ...command, world: 1 }))], { assumptions, worldCount: 2 }).messages[0]!
      expect(together).toEqual(alone)
    }), runs)
  })

  test('a state written out, read back and played on gives the same messages', () => {
    const fills = fc.constantFrom<Partial<WorldAssumptions>>({}, {}, { fills: 'whole' }, { fills: 'whole', switches: HFTBACKTEST_PRESET.switches })
    fc.assert(fc.property(marketLines(true), script, latency, gaps, queue, fills, fc.integer({ min: 0, max: 60 }), (lines, commands, delays, policy, model, how, cutNs) => {
      const options: Partial<BenchOptions> = { assumptions: { ...delays, gaps: policy, queue: model, ...how } }
      const whole = play(lines, commands, options).messages[0]!
      const before = play(lines, [], options)
      const early: ClientMessage[] = []
      const first = new ExchangeBench({ instruments: [{ instrument, batches: [lineBatch(lines, { instrument })] }], ...options, delivered: (_w, _c, _t, message) => early.push(message) })
      first.run(commands.filter((command) => command.timeNs <= cutNs), cutNs)
      const saved = throughJson({ world: first.worlds[0]!.state(), market: first.markets.get(1)!.state(), agenda: first.agenda.entries(), head: first.queues.get(1)!.head })
      const late: ClientMessage[] = []
      const second = new ExchangeBench({ instruments: [{ instrument, batches: [lineBatch(lines, { instrument })] }], ...options, delivered: (_w, _c, _t, message) => late.push(message) })
      second.worlds[0]!.restore(saved.world)
      second.markets.get(1)!.restore(saved.market)
      for (const entry of saved.agenda) second.agenda.put(entry)
      second.queues.get(1)!.head = saved.head
      expect(throughJson({ world: second.worlds[0]!.state(), market: second.markets.get(1)!.state() })).toEqual({ world: saved.world, market: saved.market })
      second.run(commands.filter((command) => command.timeNs > cutNs))
      expect([...early, ...late]).toEqual(whole)
      expect(before.messages[0]).toEqual([])
    }), runs)
  })
})

/** Adds what every price has come to display since it last did: the most that anybody may take there. */
function countSupply(market: ExchangeMarket, seen: Map<string, number>, supply: Map<string, number>): void {
  for (const side of ['BID', 'ASK'] as const) {
    for (let price = 90; price <= 110; price++) {
      if (market.shown.isHidden(side, price)) continue
      const displayed = market.shown.lastDisplayed(side, price)
      if (Number.isNaN(displayed)) continue
      const key = `${side} ${price}`
      supply.set(key, (supply.get(key) ?? 0) + Math.max(0, displayed - (seen.get(key) ?? 0)))
      seen.set(key, displayed)
    }
  }
}
