import { describe, expect, test } from 'vitest'
import { Account } from '../../src/exchange/accounts/account.js'
import type { VenueProfile } from '../../src/exchange/profile/venue-profile.js'
import type { BenchCommand } from '../support/exchange-bench.ts'
import { book, funding, marginProfile, mark, place, playMoney, refusals, shortly, type PlayedMoney } from '../support/played-money.ts'
import { throughJson } from '../support/through-json.ts'

const day = [book(1, 100, 101), mark(1, 100)]
const balances = new Map([[2, '1000']])
const open = (timeNs: number, side: 'BID' | 'ASK', quantity: number): BenchCommand => place(timeNs, side, quantity, side === 'BID' ? 101 : 100, { openClose: 'OPEN' })
const close = (timeNs: number, side: 'BID' | 'ASK', quantity: number): BenchCommand => place(timeNs, side, quantity, side === 'BID' ? 101 : 100, { openClose: 'CLOSE' })

/** Every leg: its quantity, its open value, what is set aside for it. */
function legs({ account }: PlayedMoney): string[] {
  return [...account.positions.get(1)!.legs].map(([leg, { sums, margin }]) => `${leg} ${sums.quantity.toFixed()} at ${sums.openValue.toFixed()} with ${margin.toFixed()}`)
}

describe('what is set aside for an isolated position', () => {
  test.each([
    // 10 % of 505.
    ['opened: the initial margin of its value', [open(2, 'BID', 5)], 'long 5 at 505 with 50.5'],
    // 3 of 5 stay.
    ['partly closed: the share that stays', [open(2, 'BID', 5), close(3, 'ASK', 2)], 'long 3 at 303 with 30.3'],
    ['closed: nothing', [open(2, 'BID', 5), close(3, 'ASK', 5)], 'long 0 at 0 with 0'],
    // 303 + 505 are 808: 80.8 for the whole, of which what was added takes 505 / 808.
    ['added to: the margin of what was added', [open(2, 'BID', 5), close(3, 'ASK', 2), open(4, 'BID', 5)], 'long 8 at 808 with 80.8'],
    // 808 + 303 are 1111, in the step of 20 %: 222.2, of which 303 / 1111 are 60.6.
    ['added to beyond a step: at the rate of the whole', [open(2, 'BID', 8), open(3, 'BID', 3)], 'long 11 at 1111 with 141.4'],
    // Opened at once in the step of 20 %: 242.4, half of it stays with half of the position, whatever step 606 is in.
    ['partly closed into a lower step: the share that stays', [open(2, 'BID', 12), close(3, 'ASK', 6)], 'long 6 at 606 with 121.2'],
    ['a short by its value, which is as large as a long one', [open(2, 'ASK', 5), close(3, 'BID', 1)], 'short -4 at -400 with 40'],
  ] as const)('%s', (_name, commands, expected) => {
    expect(legs(playMoney(day, commands, { profile: marginProfile(['isolated']), balances }))).toContain(expected)
  })

  test('a net position is isolated where the venue has no cross mode; a flip sets aside for the new side alone', () => {
    const commands = [place(2, 'BID', 5, 101), place(3, 'ASK', 8, 100)]
    expect(legs(playMoney(day, commands, { profile: marginProfile(['isolated']), balances }))).toEqual(['net -3 at -300 with 30'])
    expect(legs(playMoney(day, commands, { profile: marginProfile(['cross', 'isolated']), balances }))).toEqual(['net -3 at -300 with 0'])
  })

  test('nothing for what is paid in full, nothing without a margin section', () => {
    expect(legs(playMoney(day, [open(2, 'BID', 5)], { profile: marginProfile(['isolated']), balances }, { type: 'call', strikePrice: '100' }))).toContain('long 5 at 505 with 0')
    expect(legs(playMoney(day, [open(2, 'BID', 5)], { balances }))).toContain('long 5 at 505 with 0')
  })

  test('funding of an isolated position is its own', () => {
    const run = playMoney([...day, funding(1, 10, 20), book(30, 100, 101)], [open(2, 'BID', 5), open(3, 'ASK', 2)], { profile: marginProfile(['isolated']), balances })
    // 0.001 of 500 and of 200.
    expect(shortly(run)).toEqual(['funding 20 -0.5 100 mark long', 'funding 20 0.2 100 mark short'])
    expect(legs(run)).toEqual(['net 0 at 0 with 0', 'long 5 at 505 with 50', 'short -2 at -200 with 20.2'])
    expect(run.account.flows.get(2)?.toFixed()).toBe('-0.3')
  })
})

describe('what OPEN orders need', () => {
  const bid = (timeNs: number, quantity: number): BenchCommand => place(timeNs, 'BID', quantity, 90, { openClose: 'OPEN' })
  const refused = (modes: readonly ('cross' | 'isolated')[], cash: string, commands: readonly BenchCommand[]) => refusals(playMoney(day, commands, { profile: marginProfile(modes), balances: new Map([[2, cash]]) }))

  test.each([
    // 505 are held with 50.5; with 540 more 1045 are in the step of 20 %, of which 540 take 108.
    ['what its position will take', ['isolated'], [open(2, 'BID', 5), bid(3, 6)], '158.5', '158.4'],
    // 1080 are in the step of 20 %: 216, whichever comes last.
    ['several what they take together', ['isolated'], [bid(2, 6), bid(3, 6)], '216', '215.9'],
    // The other side is another position: 54 and 50.
    ['each side for itself', ['cross', 'isolated'], [bid(2, 6), place(3, 'ASK', 5, 110, { openClose: 'OPEN' })], '109', '108.9'],
    // Cross: 500 at the mark block 50 and have lost 5; 1040 need 208.
    ['the same of a cross position by the mark', ['cross'], [open(2, 'BID', 5), bid(3, 6)], '213', '212.9'],
  ] as const)('%s', (_name, modes, commands, enough, short) => {
    expect([refused(modes, enough, commands), refused(modes, short, commands)]).toEqual([[], ['o3 INSUFFICIENT_MARGIN EXCHANGE']])
  })

  test('the last bracket bounds such a position too', () => {
    // 30 and 25 are 4950, one more 5040.
    expect(refused(['isolated'], '100000', [bid(2, 30), bid(3, 26), bid(4, 25)])).toEqual(['o3 POSITION_TOO_LARGE EXCHANGE'])
    expect(refused(['isolated'], '100000', [bid(2, 30), place(3, 'BID', 1, 90), place(4, 'ASK', 1, 120), bid(5, 26)])).toEqual(['o5 POSITION_TOO_LARGE EXCHANGE'])
    // A short one for itself: 50 at 100 are 5000.
    const ask = (timeNs: number, quantity: number): BenchCommand => place(timeNs, 'ASK', quantity, 100, { openClose: 'OPEN' })
    expect(refused(['isolated'], '100000', [bid(2, 30), ask(3, 51), ask(4, 50), ask(5, 1)])).toEqual(['o3 POSITION_TOO_LARGE EXCHANGE', 'o5 POSITION_TOO_LARGE EXCHANGE'])
  })
})

describe('isolated positions at their contract\'s end', () => {
  test('every leg is paid, what was set aside is free again', () => {
    const money = { usdRates: new Map(), expiries: new Map([[1, 20]]), outcomes: new Map() }
    const run = playMoney([...day, mark(9, 103), book(30, 100, 101)], [open(2, 'BID', 5), open(3, 'ASK', 2)], { profile: marginProfile(['isolated']), balances }, { type: 'future' }, money)
    // 5 * 2 and 2 * -3.
    expect(shortly(run)).toEqual(['settlement 20 4 103 mark'])
    expect(legs(run)).toEqual(['net 0 at 0 with 0', 'long 0 at 0 with 0', 'short 0 at 0 with 0'])
    const { sums } = run.account.positions.get(1)!
    // Turnover is what was traded: 505 + 200.
    expect([run.account.cashOf(2), run.account.isolatedMargin(2), sums.realizedPnl, sums.turnover].map((sum) => sum.toFixed())).toEqual(['1004', '0', '4', '705'])
  })
})

test('an account written out and read back is the same account', () => {
  const commands = [open(2, 'BID', 5), open(3, 'ASK', 2), close(4, 'ASK', 1), place(5, 'BID', 3, 101)]
  const run = playMoney([...day, funding(1, 10, 20), book(30, 100, 101)], commands, { profile: marginProfile(['cross', 'isolated']), balances, fees: { maker: '0', taker: '0.001' } })
  run.account.debts.set(2, run.account.cashOf(2))
  const saved = run.account.state()
  const read = new Account(run.account.config)
  read.flow(7, run.account.cashOf(2))
  const entry = run.account.positions.get(1)!.entry
  read.restore(throughJson(saved), { entries: [entry], get: (id) => (id === 1 ? entry : undefined) })
  expect(read.state()).toEqual(saved)
  expect(legs({ ...run, account: read })).toEqual(legs(run))
  expect(() => { read.restore(saved, { entries: [], get: () => undefined }) }).toThrow('Cannot restore a position: no instrument has the id 1')
})

test('isolated positions are refused by the name of the field where a profile does not say it; generic allows them', () => {
  const asked = (profile: VenueProfile) => refusals(playMoney(day, [open(2, 'BID', 1), close(3, 'ASK', 1), place(4, 'BID', 1, 101, { openClose: 'AUTO' })], { profile, balances }))
  const { margin: _none, ...bare } = { ...marginProfile(['cross']), kind: 'usdtPerpetual' as const }
  const both = ['o2 NOT_SUPPORTED INTERNAL', 'o3 NOT_SUPPORTED INTERNAL']
  expect([asked(bare), asked(marginProfile(['cross'], { kind: 'usdtPerpetual' }))]).toEqual([both, both])
  expect([asked(marginProfile(['isolated'], { kind: 'usdtPerpetual' })), asked(marginProfile(['cross']))]).toEqual([[], []])
})
