import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { GENERIC_PROFILE, type VenueProfile } from '../../src/exchange/profile/venue-profile.js'
import { adapterPrograms, closingPrograms, spotPrograms, type AdapterProgram, type AdapterStep } from '../support/adapter-programs.ts'
import { ExchangeBench } from '../support/exchange-bench.ts'
import { NaiveAdapter } from '../support/naive-adapter.ts'
import { NaiveMoney } from '../support/naive-money.ts'
import type { NaiveOrder } from '../support/naive-order.ts'
import { INSTANT_NS, type NaiveRules } from '../support/naive-rules.ts'
import { NAIVE_BORROW_RATES } from '../support/naive-spot.ts'
import { lineBatch, madeInstrument } from '../support/market-lines.ts'
import { marginProfile } from '../support/played-money.ts'
import type { ClientMessage } from '../../src/venue/order-messages.js'
import { timeLimitMs } from '../support/time-limit.ts'

/** Underlyings of spot: coins and cash. */
const ids = [1, 2] as const
const underlyings = ids.map((id) => ({ id, code: id === 1 ? 'COIN' : 'CASH', name: null, type: null, fxRate: null, fxTime: null }))
const runs = { numRuns: 300 }

function profileOf({ triggerBy, margin, cash: _cash, coins: _coins, ...orders }: NaiveRules): VenueProfile {
  const base = margin === null ? GENERIC_PROFILE : marginProfile(margin)
  return { ...base, name: 'made', borrowRates: NAIVE_BORROW_RATES, orders: { ...GENERIC_PROFILE.orders, ...orders, defaultTrigger: triggerBy } }
}

const MARKET_BUY = {
  instrumentId: 1, type: 'MARKET', side: 'BID', timeInForce: 'IMMEDIATE_OR_CANCEL', price: null, totalQuantity: 1, postOnly: false, openClose: 'OPEN',
} as const

/** What both sides must agree on after every instant. */
interface Standing {
  readonly refusals: readonly string[]
  readonly open: readonly string[]
  readonly over: readonly string[]
  /** Net, isolated long, isolated short. */
  readonly positions: readonly number[]
  /** What is set aside for each of them. */
  readonly margins: readonly string[]
  /** Of derivatives by the cash, of spot coins and cash, and what is owed of both. */
  readonly cash: readonly string[]
  readonly debt: readonly string[]
}

function text(value: number | null | undefined): string {
  return value === undefined || value === null || Number.isNaN(value) ? '-' : String(value)
}

function naiveText(order: NaiveOrder): string {
  const { id, price, executed, total, place, ahead, shown, entry, triggered } = order
  const queue = place === 'resting' ? ` ahead ${entry.displayQuantity === 0 ? '-' : text(ahead)}${entry.displayQuantity === undefined ? '' : ` shows ${shown}`}` : ''
  return `${id} ${executed}/${total} at ${text(price)}${entry.type === 'STOP_LIMIT' ? ` ${triggered ? 'triggered' : `waits ${text(order.trigger)}`}` : ''}${queue}`
}

function playNaive({ rules, steps }: AdapterProgram): Standing[] {
  const naive = new NaiveAdapter(rules)
  return steps.map((step) => {
    playStep(naive, step)
    naive.endInstant()
    const open = naive.orders.filter((order) => order.state === 'CONFIRMED')
    const over = naive.orders.filter((order) => order.state !== 'CONFIRMED')
    return {
      refusals: [...naive.refusals], open: open.map(naiveText), over: over.map(({ id, state, executed, total }) => `${id} ${state} ${executed}/${total}`).sort(),
      positions: [naive.money.net, naive.money.long, naive.money.short].map(({ quantity }) => quantity),
      margins: naive.money.legs.map(({ margin }) => NaiveMoney.text(margin)), 
      ...(naive.spot === null
        ? { cash: [NaiveMoney.text(naive.money.cash)], debt: [NaiveMoney.text(naive.money.debt)] }
        : { cash: ids.map((id) => NaiveMoney.text(naive.spot!.held[id])), debt: [...ids.flatMap((id) => [naive.spot!.loans[id].principal, naive.spot!.loans[id].interest]), naive.spot.debt].map(NaiveMoney.text) }),
    }
  })
}

function playStep(naive: NaiveAdapter, step: AdapterStep): void {
  if ('lines' in step) return naive.instant(step.lines)
  switch (step.kind) {
    case 'place': return naive.place(step.entry)
    case 'amend': return naive.amend(step.entry)
    case 'replace': return naive.replace(step.entry)
    case 'cancel': return naive.cancel(step.ownOrderId)
    case 'cancelAll': return naive.cancelAll()
  }
}

function playReal({ rules, steps }: AdapterProgram): Standing[] {
  const instrument = madeInstrument(rules.coins === null ? {} : { type: 'spot' })
  const refusals: string[] = []
  const over = new Map<string, string>()
  const delivered = (message: ClientMessage): void => {
    if ('results' in message) for (const { ownOrderId, error } of message.results as readonly { ownOrderId: string, error?: { type: string } }[]) if (error !== undefined) refusals.push(`${ownOrderId} ${error.type}`)
    if (message.kind !== 'orderUpdate') return
    for (const { ownOrderId, state, executedQuantity, totalQuantity } of message.orders) if (state !== 'CONFIRMED') over.set(String(ownOrderId), `${String(ownOrderId)} ${state} ${executedQuantity}/${totalQuantity}`)
  }
  const lines = steps.flatMap((step, at) => ('lines' in step ? step.lines.map((line) => ({ ...line, timeNs: (at + 1) * INSTANT_NS, ...(line.nextFundingNs === undefined ? {} : { nextFundingNs: line.nextFundingNs * INSTANT_NS }) })) : []))
  const bench = new ExchangeBench({
    instruments: [{ instrument, batches: [lineBatch(lines, { instrument })] }], exchangeTop: 'depth', underlyings: { entries: underlyings, get: (id) => underlyings.find((one) => one.id === id) },
    accounts: [{ accountId: 'A', exchangeCode: 'test', balances: new Map([[2, String(rules.cash)], ...(rules.coins === null ? [] : [[1, String(rules.coins)] as const])]), fees: { maker: '0', taker: '0.001' }, profile: profileOf(rules) }],
    delivered: (_world, _client, _time, message) => { delivered(message) },
  })
  const commands = steps.flatMap((step, at) => ('lines' in step ? [] : [{ timeNs: (at + 1) * INSTANT_NS, send: () => { send(bench, step) } }]))
  return steps.map((_step, at) => {
    const nowNs = (at + 1) * INSTANT_NS
    bench.run(commands.filter(({ timeNs }) => timeNs === nowNs), nowNs)
    const world = bench.worlds[0]!
    const account = world.accounts.get('A')!
    const open = bench.openOrders().map((order) => {
      const { ownOrderId, price, executedQuantity, totalQuantity, isDormant, quantityAhead, shownQuantity, displayQuantity, type, triggered, triggerPrice } = order
      const queue = isDormant === true ? '' : ` ahead ${displayQuantity === 0 ? '-' : text(quantityAhead)}${shownQuantity === undefined ? '' : ` shows ${shownQuantity}`}`
      return `${String(ownOrderId)} ${executedQuantity}/${totalQuantity} at ${text(price)}${type === 'STOP_LIMIT' ? ` ${triggered === true ? 'triggered' : `waits ${text(triggerPrice)}`}` : ''}${queue}`
    })
    return {
      refusals: [...refusals], open, over: [...over.values()].sort(), 
      positions: rules.coins !== null ? [0, 0, 0] : (['net', 'long', 'short'] as const).map((leg) => account.positions.get(1)?.legs.get(leg)?.sums.quantity.toNumber() ?? 0),
      margins: (['net', 'long', 'short'] as const).map((leg) => account.positions.get(1)?.legs.get(leg)?.margin.toFixed() ?? '0'),
      ...(rules.coins === null
        ? { cash: [account.cash.get(2)!.toFixed()], debt: [account.debts.get(2)?.toFixed() ?? '0'] }
        : { cash: ids.map((id) => account.cashOf(id).toFixed()), debt: [...ids.flatMap((id) => [account.loans.of(id).principal.toFixed(), account.loans.of(id).interest.toFixed()]), account.debts.get(2)?.toFixed() ?? '0'] }),
    }
  })
}

function send(bench: ExchangeBench, step: Exclude<AdapterStep, { readonly lines: unknown }>): void {
  const entry = bench.entryOf()
  switch (step.kind) {
    case 'place': return entry.place([step.entry])
    case 'amend': return entry.amend([step.entry])
    case 'replace': return entry.replace([step.entry])
    case 'cancel': return entry.cancel([{ ownOrderId: step.ownOrderId }])
    case 'cancelAll': return entry.cancelAll({ requestId: 'r', createTimeNs: 0 })
  }
}

/** A funding comes due where nothing marks the position and its book shows no side: the last mid since it was opened values it. */
const fundedByLastMid: AdapterProgram = {
  rules: { triggerBy: 'lastTrade', triggersAtArrival: false, amendKeepsQueue: 'smallerQuantity', closeOnlyCancelsOthers: false, margin: null, cash: 100_000, coins: null },
  steps: [
    { lines: [{ kind: 'snapshot', timeNs: 0, rows: [[0, 95, 1], [1, 100, 1]] }] },
    { kind: 'place', entry: { ...MARKET_BUY, ownOrderId: 'o0', clientOrderId: 'o0' } },
    { lines: [{ kind: 'funding', timeNs: 0, value: 1, valueScale: 4, nextFundingNs: 6 }, { kind: 'snapshot', timeNs: 0, rows: [] }] },
    { lines: [{ kind: 'trades', timeNs: 0, rows: [[0, 96, 1]] }] },
    { kind: 'place', entry: { ...MARKET_BUY, ownOrderId: 'o3', clientOrderId: 'o3' } },
    { lines: [] },
    { lines: [{ kind: 'mark', timeNs: 0, value: 96 }] },
  ],
}

/** A bid behind others that close all of a short position: it opens, and needs margin though the short side blocks more. */
const opensBehindOthers: AdapterProgram = {
  rules: { triggerBy: 'lastTrade', triggersAtArrival: false, amendKeepsQueue: 'smallerQuantity', closeOnlyCancelsOthers: false, margin: ['cross'], cash: 100, coins: null },
  steps: [
    { lines: [{ kind: 'snapshot', timeNs: 0, rows: [[0, 97, 9], [1, 103, 9]] }, { kind: 'mark', timeNs: 0, value: 97 }] },
    { kind: 'place', entry: { ...MARKET_BUY, side: 'ASK', totalQuantity: 7, openClose: 'AUTO', ownOrderId: 'o1', clientOrderId: 'o1' } },
    { lines: [{ kind: 'mark', timeNs: 0, value: 102 }] },
    ...[7, 1].map((totalQuantity, at) => ({ kind: 'place' as const, entry: { ...MARKET_BUY, type: 'LIMIT' as const, timeInForce: 'GOOD_TILL_CANCEL' as const, price: 96, totalQuantity, openClose: 'AUTO' as const, ownOrderId: `b${at}`, clientOrderId: `b${at}` } })),
  ],
}

describe('random programs of requests against the naive adapter', () => {
  test('same accepted set, same states, same balances, after every instant', () => {
    fc.assert(fc.property(adapterPrograms, (program) => {
      expect(playReal(program)).toEqual(playNaive(program))
    }), { ...runs, examples: [[opensBehindOthers]] })
  }, timeLimitMs(90_000))

  test('what opens behind orders that close needs its margin (exchange rules 8.3)', () => {
    expect(playNaive(opensBehindOthers).at(-1)!.refusals).toEqual(['b1 INSUFFICIENT_MARGIN'])
    expect(playReal(opensBehindOthers).at(-1)!.refusals).toEqual(['b1 INSUFFICIENT_MARGIN'])
  })

  test('the same where many orders close all of a position', () => {
    fc.assert(fc.property(closingPrograms, (program) => {
      expect(playReal(program)).toEqual(playNaive(program))
    }), { ...runs, examples: [[fundedByLastMid]] })
  }, timeLimitMs(90_000))

  test('a funding without mark and mid is paid by the last mid since the position was opened (exchange rules 8.1, 8.2)', () => {
    // 100,000 less a fee of 0.1 and of 97.5 * 0.0001.
    expect(playNaive(fundedByLastMid).at(-1)!.cash).toEqual(['99999.89025'])
    expect(playReal(fundedByLastMid).at(-1)!.cash).toEqual(['99999.89025'])
  })

  test('such orders grow in these programs: at rest, as pegs, as icebergs, before their trigger and after it', () => {
    const grown = fc.sample(closingPrograms, { numRuns: 1000, seed: 1 }).flatMap(({ rules, steps }) => {
      const naive = new NaiveAdapter(rules)
      for (const step of steps) {
        playStep(naive, step)
        naive.endInstant()
      }
      return naive.orders.filter(({ growths }) => growths > 0)
    })
    const counts = {
      rest: grown.filter(({ entry, executed }) => entry.type === 'LIMIT' && executed > 0).length, twice: grown.filter(({ growths }) => growths > 1).length,
      pegs: grown.filter(({ entry }) => entry.type.endsWith('PEGGED')).length, icebergs: grown.filter(({ entry }) => (entry.displayQuantity ?? 0) > 0).length,
      hidden: grown.filter(({ entry }) => entry.displayQuantity === 0).length, waiting: grown.filter(({ place }) => place === 'waiting').length,
      triggered: grown.filter(({ triggered }) => triggered).length, isolated: grown.filter(({ entry }) => entry.openClose === 'CLOSE').length,
    }
    expect(Object.entries(counts).filter(([, count]) => count < 5), JSON.stringify(counts)).toEqual([])
  })

  test('the same for a spot account that borrows and repays', () => {
    fc.assert(fc.property(spotPrograms, (program) => {
      expect(playReal(program)).toEqual(playNaive(program))
    }), runs)
  }, timeLimitMs(90_000))
})
