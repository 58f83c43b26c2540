import { beforeAll, describe, expect, test } from 'vitest'
import { isValueInverse } from '../../src/exchange/contract.js'
import { Decimal } from '../../src/model/decimal.js'
import type { Fill } from '../../src/venue/messages.js'
import { dayWindows, type DayWindow } from '../support/day-windows.ts'
import { playFaults, type FaultRun } from '../support/fault-run.ts'
import { dayFiles, hasSharedData } from '../support/shared-data.ts'

const SEEDS = 2000
const dataset = new URL('../../datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst', import.meta.url).pathname

/** Every request has one answer; every order that was accepted is in the client's view as the exchange has it. */
function expectAccounted({ bench, heard }: FaultRun): void {
  const count = (kind: string, id: string, list: readonly { readonly kind: string, readonly id: string }[]): number => list.filter((one) => one.kind === kind && one.id === id).length
  for (const { kind, id } of heard.sent) expect([kind, id, count(kind, id, heard.answers)]).toEqual([kind, id, count(kind, id, heard.sent)])
  const handler = bench.worlds[0]!.handler
  const open = new Map(handler.openReports('A', 0).map((report) => [report.ownOrderId, report]))
  for (const { kind, id, error } of heard.answers) {
    if (kind !== 'place' && kind !== 'replace') continue
    const view = heard.updates.get(id)
    if (error !== undefined) expect([id, view]).toEqual([id, undefined])
    else if (open.has(id)) expect({ ...view, exchangeTimeNs: 0 }).toEqual(open.get(id))
    else expect(['FILLED', 'CANCELED']).toContain(view?.state)
    const executed = firsts(heard.fills).filter((fill) => fill.ownOrderId === id).reduce((sum, { quantity }) => sum + quantity, 0)
    expect([id, executed]).toEqual([id, view?.executedQuantity ?? 0])
    if (view?.state === 'FILLED') expect(executed).toBe(view.totalQuantity)
  }
  for (const { kind, id, from } of heard.sent) {
    const answer = heard.answers.find((one) => one.kind === kind && one.id === id)
    if (kind === 'replace' && answer?.error?.source === 'EXCHANGE' && answer.error.type !== 'ORDER_NOT_FOUND') expect(heard.updates.get(from ?? '')?.state).toBe('CANCELED')
  }
}

function firsts(fills: FaultRun['heard']['fills']): Fill[] {
  return [...fills.values()].flatMap((all) => all.filter(({ update }) => !update))
}

/** Every fill was heard once, and once more where its fees came late; the last word of each is the truth. */
function expectFillsHeard({ heard, posted, profile }: FaultRun): void {
  expect([...heard.fills.keys()].sort()).toEqual(posted.map(({ fill }) => fill.ownFillId).sort())
  for (const { fill } of posted) {
    const all = heard.fills.get(fill.ownFillId)!
    expect(all.map(({ update }) => update)).toEqual(profile.messages?.lateFees === undefined ? [false] : [false, true])
    expect({ ...all[all.length - 1], update: false }).toEqual(fill)
  }
}

/** Cash is what the fills made of it, to the last digit, and what the client was told. */
function expectExact({ bench, heard, posted }: FaultRun): void {
  const account = bench.worlds[0]!.accounts.get('A')!
  const cash = new Map<number, Decimal>([...account.config.balances].map(([id, amount]) => [id, new Decimal(amount)]))
  const add = (id: number, amount: Decimal): void => void cash.set(id, (cash.get(id) ?? new Decimal(0)).plus(amount))
  const positions = [...account.positions.values()]
  for (const { fill, posted: { fee, feeUnderlyingId, value } } of posted) {
    const { contract, entry } = positions[0]!
    const sign = fill.side === 'BID' ? 1 : -1
    add(feeUnderlyingId, fee.negated())
    if (contract.kind === 'spot') add(contract.baseUnderlyingId!, new Decimal(fill.quantity).div(new Decimal(10).pow(entry.quantityScale)).times(sign))
    add(contract.settlementUnderlyingId, value.times(contract.kind !== 'spot' && isValueInverse(contract) ? sign : -sign))
  }
  for (const { contract, sums } of positions) if (contract.kind !== 'spot') add(contract.settlementUnderlyingId, isValueInverse(contract) ? sums.openValue.negated() : sums.openValue)
  const plain = (amounts: ReadonlyMap<number, Decimal>): string[] => [...amounts].map(([id, amount]) => `${id} ${amount.toFixed()}`).sort()
  expect(plain(account.cash)).toEqual(plain(cash))
  if (posted.length === 0) return
  expect(heard.wallets.map(({ underlyingId, cashBalance }) => `${underlyingId} ${cashBalance}`).sort()).toEqual(plain(cash))
  const net = posted.reduce((sum, { fill }) => sum + (fill.side === 'BID' ? fill.quantity : -fill.quantity), 0)
  expect((heard.position?.longPosition ?? 0) - (heard.position?.shortPosition ?? 0)).toBe(net)
}

function expectRested({ heard }: FaultRun): void {
  for (const load of heard.loads) expect(load >= 0 && load <= 1).toBe(true)
  expect(heard.loads.slice(-4).every((load) => load === 0)).toBe(true)
  if (heard.statuses.length > 0) expect(heard.statuses[heard.statuses.length - 1]).toBe('OK')
}

/** What must have happened somewhere among all seeds, or they test nothing. */
function happened({ heard, posted }: FaultRun): string[] {
  const errors = heard.answers.flatMap(({ kind, error }) => (error === undefined ? [] : [error.type === 'UNEXPECTED_RESPONSE' ? `half-done ${kind}` : error.type]))
  return [...new Set([...errors, ...heard.statuses, ...(posted.length > 0 ? ['fill'] : []), ...([...heard.fills.values()].some((all) => all.length > 1) ? ['correction'] : [])])]
}

const WANTED = ['DISCONNECTED', 'EXCHANGE_BUSY', 'MANUAL_SHUTDOWN', 'BANNED', 'HTTP_REQUEST_TIMEOUT', 'RATE_LIMIT_EXCEEDED', 'RATE_LIMIT_BLOCKED_AFTER_EXCEEDED', 'half-done replace', 'fill', 'correction', 'ORDER_NOT_FOUND']

describe('2,000 seeds of faults: nothing lost, every order accounted for, the ledger exact, the fingerprint stable', () => {
  const windows: DayWindow[] = []
  const seen = new Set<string>()
  beforeAll(async () => {
    const cut = { count: 5, eventCount: 80, apart: 400 }
    for (const file of [dataset, ...(hasSharedData ? dayFiles : [])]) windows.push(...(await dayWindows(file, cut)))
  }, 60_000)

  test.each(Array.from({ length: 10 }, (_, part) => part))('part %i', (part) => {
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
  }, 60_000)

  test('everything that may happen has happened among them', () => {
    expect(WANTED.filter((what) => !seen.has(what))).toEqual([])
  })
})
