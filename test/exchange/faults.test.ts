import { beforeAll, describe, expect, test } from 'vitest'
import { orderReport } from '../../src/exchange/matching/order-engine.js'
import { isValueInverse } from '../../src/model/contract.js'
import { Amount } from '../../src/model/amount.js'
import { dayWindows, type DayWindow } from '../support/day-windows.ts'
import { expectSame } from '../support/expected-same.ts'
import { playFaults, type FaultRun, type Heard } from '../support/fault-run.ts'
import { repeated } from '../support/repetitions.ts'
import { dayFiles, hasSharedData } from '../support/shared-data.ts'
import type { Fill } from '../../src/venue/account-messages.js'

const SEEDS = 2000
const dataset = new URL('../../datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst', import.meta.url).pathname

/** Every request has one answer; every order that was accepted is in its client's view as the exchange has it: open, or over for one reason and once. */
function expectAccounted({ bench, received }: FaultRun): void {
  const count = (kind: string, id: string, list: readonly { readonly kind: string, readonly id: string }[]): number => list.filter((one) => one.kind === kind && one.id === id).length
  const [world] = bench.worlds
  const open = new Map([...world!.orders.openOrders()].map((order) => [String(order.ownOrderId), orderReport(world!.traded(order.instrumentId)!, order, 0)]))
  const accepted = new Set<string>()
  // What is, and what was wanted: an expectation each would be most of the work.
  const [found, wanted]: [unknown[], unknown[]] = [[], []]
  const compare = (is: unknown, want: unknown): void => {
    found.push(is)
    wanted.push(want)
  }
  for (const one of received.values()) {
    compare(one.revived, [])
    for (const { kind, id } of one.sent) compare([kind, id, count(kind, id, one.answers)], [kind, id, count(kind, id, one.sent)])
    for (const { kind, id, error } of one.answers) {
      if (kind !== 'place' && kind !== 'replace') continue
      const view = one.updates.get(id)
      if (error === undefined) accepted.add(id)
      if (error !== undefined) compare([id, view], [id, undefined])
      else if (open.has(id)) compare({ ...view, exchangeTimeNs: 0 }, open.get(id))
      else compare([id, view?.state, ['FILLED', 'CANCELED'].includes(view?.state ?? '')], [id, view?.state, true])
      const executed = firsts(one.fills).filter((fill) => fill.ownOrderId === id).reduce((sum, { quantity }) => sum + quantity, 0)
      compare([id, executed], [id, view?.executedQuantity ?? 0])
      if (view?.state === 'FILLED') compare([id, executed], [id, view.totalQuantity])
      const total = view?.totalQuantity ?? 0
      compare([id, executed, total, executed <= total], [id, executed, total, true])
    }
    for (const { kind, id, from } of one.sent) {
      const answer = one.answers.find((other) => other.kind === kind && other.id === id)
      if (kind === 'replace' && answer?.error?.source === 'EXCHANGE' && answer.error.type !== 'ORDER_NOT_FOUND') compare([from, one.updates.get(from ?? '')?.state], [from, 'CANCELED'])
    }
  }
  compare([...open.keys()].filter((id) => !accepted.has(id)), [])
  expect(found).toEqual(wanted)
}

function firsts(fills: Heard['fills']): Fill[] {
  return [...fills.values()].flatMap((all) => all.filter(({ update }) => !update))
}

/** Every fill was heard once by each client, and once more where its fees came late; the last word of each is the truth. */
function expectFillsHeard({ received, posted, profile }: FaultRun): void {
  for (const { fills } of received.values()) {
    expect([...fills.keys()].sort()).toEqual(posted.map(({ fill }) => String(fill.ownFillId)).sort())
    const all = posted.map(({ fill }) => fills.get(String(fill.ownFillId))!)
    expectSame(all.map((words) => words.map(({ update }) => update)), posted.map(() => (profile.messages?.lateFees === undefined ? [false] : [false, true])))
    expect(all.map((words) => ({ ...words.at(-1), update: false }))).toEqual(posted.map(({ fill }) => fill))
  }
}

/** Cash is what fills, fees, funding and debts made of it, to the last digit, and what the clients were told. */
function expectExact({ bench, received, posted, money }: FaultRun): void {
  const account = bench.worlds[0]!.accounts.get('A')!
  const cash = new Map<number, Amount>([...account.config.balances].map(([id, amount]) => [id, Amount.from(amount)]))
  const add = (id: number, amount: Amount): void => void cash.set(id, (cash.get(id) ?? Amount.ZERO).plus(amount))
  const positions = [...account.positions.values()]
  for (const { fill, posted: { fee, feeUnderlyingId, value } } of posted) {
    const { contract, entry } = positions[0]!
    const sign = fill.side === 'BID' ? 1 : -1
    add(feeUnderlyingId, fee.negated())
    if (contract.kind === 'spot') add(contract.baseUnderlyingId!, Amount.scaled(fill.quantity, entry.quantityScale).signed(sign))
    add(contract.settlementUnderlyingId, value.signed(contract.kind !== 'spot' && isValueInverse(contract) ? sign : -sign))
  }
  for (const { contract, legs } of positions) {
    if (contract.kind !== 'spot') for (const { sums } of legs.values()) add(contract.settlementUnderlyingId, isValueInverse(contract) ? sums.openValue.negated() : sums.openValue)
  }
  for (const { kind, underlyingId, amount } of money) if (kind === 'funding' || kind === 'debt') add(underlyingId, Amount.from(amount))
  const plain = (amounts: ReadonlyMap<number, Amount>): string[] => [...amounts].map(([id, amount]) => `${id} ${amount.toFixed()}`).sort()
  expect(plain(account.cash)).toEqual(plain(cash))
  if (posted.length === 0) return
  const net = posted.reduce((sum, { fill }) => sum + (fill.side === 'BID' ? fill.quantity : -fill.quantity), 0)
  for (const { wallets, position, isolated } of received.values()) {
    expect(wallets.map(({ underlyingId, cashBalance }) => `${underlyingId} ${String(cashBalance)}`).sort()).toEqual(plain(cash))
    expect((position?.longPosition ?? 0) - (position?.shortPosition ?? 0) + (isolated?.long.size ?? 0) - (isolated?.short.size ?? 0)).toBe(net)
  }
}

function expectRested({ received }: FaultRun): void {
  for (const { loads, statuses } of received.values()) {
    expect(loads.filter((load) => !(load >= 0 && load <= 1))).toEqual([])
    expect(loads.slice(-4).filter((load) => load !== 0)).toEqual([])
    expect(statuses.at(-1) ?? 'OK').toBe('OK')
  }
}

/** What must have happened somewhere among all seeds, or they test nothing. */
function happened({ received, posted, money }: FaultRun): string[] {
  const all = [...received.values()]
  const errors = all.flatMap(({ answers }) => answers.flatMap(({ kind, error }) => (error === undefined ? [] : [error.type === 'UNEXPECTED_RESPONSE' ? `half-done ${kind}` : error.type])))
  const filled = all.flatMap(({ updates }) => [...updates.values()]).filter(({ executedQuantity }) => executedQuantity > 0).flatMap((order) => [
    `${order.type} fills`, ...(order.triggered === true ? ['triggered fills'] : []), ...(order.displayQuantity === 0 ? ['hidden fills'] : order.displayQuantity === undefined ? [] : ['iceberg fills']),
    ...(order.reduceOnly === true ? ['reduceOnly fills'] : []), ...(order.closeOnly === true ? ['closeOnly fills'] : []), ...(order.openClose === undefined ? [] : [`${order.openClose} fills`]),
  ])
  const corrected = all.some(({ fills }) => [...fills.values()].some((words) => words.length > 1))
  return [...new Set([...errors, ...filled, ...all.flatMap(({ statuses }) => statuses), ...money.map(({ kind }) => kind), ...(posted.length > 0 ? ['fill'] : []), ...(corrected ? ['correction'] : [])])]
}

const WANTED = [
  'DISCONNECTED', 'EXCHANGE_BUSY', 'MANUAL_SHUTDOWN', 'BANNED', 'HTTP_REQUEST_TIMEOUT', 'RATE_LIMIT_EXCEEDED', 'RATE_LIMIT_BLOCKED_AFTER_EXCEEDED', 'half-done replace', 'fill', 'correction', 'ORDER_NOT_FOUND',
  'LIMIT fills', 'MARKET fills', 'STOP_LIMIT fills', 'triggered fills', 'MARKET_PEGGED fills', 'PRIMARY_PEGGED fills', 'hidden fills', 'iceberg fills', 'reduceOnly fills', 'closeOnly fills', 'OPEN fills', 'CLOSE fills',
  'funding', 'liquidation', 'debt', 'INSUFFICIENT_MARGIN', 'POSITION_TOO_LARGE', 'NO_POSITION_TO_REDUCE', 'SELF_TRADE', 'TRIGGER_ALREADY_REACHED', 'POST_ONLY_WOULD_CROSS',
]

describe('seeds of faults: nothing lost, every order accounted for, the ledger exact, the fingerprint stable', () => {
  const windows: DayWindow[] = []
  const seen = new Set<string>()
  beforeAll(async () => {
    const cut = { count: 5, eventCount: 80, apart: 400 }
    for (const file of [dataset, ...(hasSharedData ? dayFiles : [])]) windows.push(...(await dayWindows(file, cut)))
  }, 180_000)

  test.each(repeated(Array.from({ length: 10 }, (_, part) => part), (part) => part % 5 === 1))('part %i', (part) => {
    for (let seed = part * SEEDS / 10; seed < (part + 1) * SEEDS / 10; seed++) {
      const window = windows[seed % windows.length]!
      const run = playFaults(window, seed)
      try {
        expectAccounted(run)
        expectFillsHeard(run)
        expectExact(run)
        expectRested(run)
        if (seed % 10 === 0) expect(playFaults(window, seed).fingerprint).toBe(run.fingerprint)
      } catch (error) {
        throw new Error(`seed ${seed} on ${window.instrument.code}`, { cause: error })
      }
      for (const what of happened(run)) seen.add(what)
    }
  }, 180_000)

  test('everything that may happen has happened among them', () => {
    expect(WANTED.filter((what) => !seen.has(what))).toEqual([])
  })
})
