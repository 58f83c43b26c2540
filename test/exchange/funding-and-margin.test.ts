import { describe, expect, test } from 'vitest'
import { moneyNotes } from '../../src/results/run-warnings.js'
import { balanceSheetOf, valuedLegs } from '../../src/exchange/accounts/account-balance-sheet.js'
import { GENERIC_PROFILE, type VenueProfile } from '../../src/exchange/profile/venue-profile.js'
import type { MoneyEvent } from '../../src/exchange/accounts/money-event.js'
import { Amount } from '../../src/model/amount.js'
import { ExchangeBench } from '../support/exchange-bench.ts'
import { lineBatch, madeInstrument, type MarketLine } from '../support/market-lines.ts'
import { book, funding, marginProfile, mark, place, playMoney as played, shortly, type PlayedMoney } from '../support/played-money.ts'

const HOUR = 3_600_000_000_000
const account = (run: PlayedMoney) => run.account
const cash = (run: PlayedMoney, underlyingId = 2): string => run.account.cashOf(underlyingId).toFixed()

describe('funding (exchange rules 8.1)', () => {
  const buy = place(2, 'BID', 10, 101)

  test('at its time, on the position then, by the last rate that names it and the last mark', () => {
    const lines = [book(1, 100, 101), funding(1, 5, HOUR), mark(3, 110), funding(4, 10, HOUR), mark(19, 120), funding(HOUR, 30, 2 * HOUR), mark(HOUR + 1, 999)]
    // 10 * 120 * 0.001 = 1.2, paid by the long; the line of 1 h names 2 h, where 10 * 999 * 0.003 = 29.97.
    const run = played(lines, [buy])
    expect(shortly(run)).toEqual([`funding ${HOUR} -1.2 120 mark net`, `funding ${2 * HOUR} -29.97 999 mark net`])
    expect(cash(run)).toBe('68.83')
    expect(run.messages.filter(({ kind }) => kind === 'walletUpdate')).toHaveLength(3)
  })

  test('a short receives it, a flat account does nothing, a file that names none pays none', () => {
    const lines = [book(1, 100, 101), funding(1, 10, 20), mark(3, 100), book(30, 100, 101)]
    expect(shortly(played(lines, [place(2, 'ASK', 10, 100)]))).toEqual(['funding 20 1 100 mark net'])
    expect(shortly(played(lines, [buy, place(10, 'ASK', 10, 100)]))).toEqual([])
    expect(shortly(played([book(1, 100, 101), mark(3, 100), book(30, 100, 101)], [buy]))).toEqual([])
  })

  test('by the mid where there is no mark, and on what is named after the position was opened', () => {
    expect(shortly(played([book(1, 100, 101), funding(5, 10, 20), book(30, 100, 101)], [buy]))).toEqual(['funding 20 -1.005 100.5 mid net'])
  })

  test('where the book shows one side alone at its time, by the last mid; where there never was one, none is paid, and that is said', () => {
    const asks = (timeNs: number): MarketLine => ({ kind: 'snapshot', timeNs, rows: [[1, 101, 50]] })
    expect(shortly(played([book(1, 100, 101), funding(1, 10, 20), book(5, 104, 106), asks(10), book(30, 100, 101)], [buy]))).toEqual(['funding 20 -1.05 105 mid net'])
    const never = played([asks(1), funding(1, 10, 20), asks(30)], [buy])
    expect(shortly(never)).toEqual([])
    expect(moneyNotes(never.bench.worlds[0]!, [])).toContain('test:TEST: a funding was named that was not paid, as neither a mark nor a mid was ever known while a position was open')
    // What was known while an earlier position was open says nothing of this one.
    expect(shortly(played([book(1, 100, 101), funding(1, 10, 20), asks(4), asks(30)], [buy, place(3, 'ASK', 10, 100), place(5, 'BID', 10, 101)]))).toEqual([])
  })

  test('a position that is opened and closed again while funding is planned pays once', () => {
    const commands = [buy, place(4, 'ASK', 10, 100), place(6, 'BID', 20, 101)]
    expect(shortly(played([book(1, 100, 101), funding(1, 10, 20), mark(3, 100), book(30, 100, 101)], commands))).toEqual(['funding 20 -2 100 mark net'])
  })

  test('each named time is paid once, however the names go to and fro', () => {
    // 10 * 100 * 0.001 = 1 at 1 h, by the rate that named it last; 10 * 100 * 0.002 = 2 at 2 h.
    const names: readonly MarketLine[] = [funding(1, 5, HOUR), funding(5, 20, 2 * HOUR), funding(6, 7, HOUR), funding(7, 20, 2 * HOUR), funding(8, 10, HOUR), funding(HOUR - 1, 20, 2 * HOUR)]
    const toAndFro = [book(1, 100, 101), mark(1, 100), ...names, book(3 * HOUR, 100, 101)]
    const both = [`funding ${HOUR} -1 100 mark net`, `funding ${2 * HOUR} -2 100 mark net`]
    expect(shortly(played(toAndFro, [buy]))).toEqual(both)
    // Opened when the last line named another time, opened anew after that, and at the time itself.
    expect(shortly(played(toAndFro, [place(9, 'BID', 10, 101), place(10, 'ASK', 10, 100), place(11, 'BID', 10, 101)]))).toEqual(both)
    expect(shortly(played(toAndFro, [place(HOUR, 'BID', 10, 101)]))).toEqual(both)
    expect(shortly(played(toAndFro, [buy, place(HOUR, 'ASK', 10, 100), place(HOUR + 1, 'BID', 10, 101)]))).toEqual(both)
  })

  test('what a line names earlier or takes back is looked at in time', () => {
    const paid = (...names: readonly MarketLine[]) => shortly(played([book(1, 100, 101), mark(1, 100), ...names, book(9 * HOUR, 100, 101)], [buy]))
    expect(paid(funding(1, 10, 4 * HOUR), funding(5, 20, HOUR), funding(HOUR + 1, 30, 4 * HOUR))).toEqual([`funding ${HOUR} -2 100 mark net`, `funding ${4 * HOUR} -3 100 mark net`])
    expect(paid(funding(1, 10, HOUR), funding(5, 20, 4 * HOUR))).toEqual([`funding ${4 * HOUR} -2 100 mark net`])
    // Names that come ever later, each long before the one before it.
    expect(paid(...Array.from({ length: 100 }, (_none, at) => funding(2 + at, 10, HOUR + at)))).toEqual([`funding ${HOUR + 99} -1 100 mark net`])
  })

  test('what is published at the instant itself comes too late: rate and mark are those before it', () => {
    // 10 * 100 * 0.001: the rate of 0.5 and the marks of 500 and 600 are of 1 h itself. At 2 h the last mark is 600: 10 * 600 * 0.0001.
    const lines = [book(1, 100, 101), mark(1, 100), funding(1, 10, HOUR), funding(HOUR, 5000, HOUR), mark(HOUR, 500), mark(HOUR, 600), funding(HOUR, 1, 2 * HOUR), book(2 * HOUR + 1, 100, 101)]
    expect(shortly(played(lines, [buy]))).toEqual([`funding ${HOUR} -1 100 mark net`, `funding ${2 * HOUR} -0.6 600 mark net`])
    expect(shortly(played([book(1, 100, 101), funding(1, 10, 20), mark(20, 500), book(41, 100, 101)], [buy]))).toEqual(['funding 20 -1.005 100.5 mid net'])
  })

  test('of an inverse contract in coin', () => {
    // 10 contracts of 100 at 125: 8 coins; * 0.001.
    const run = played([book(1, 100, 101), funding(1, 10, 20), mark(3, 125), book(30, 100, 101)], [buy], { balances: new Map([[1, '1']]) }, { isInverse: true, contractValue: '100' })
    expect(shortly(run)).toEqual(['funding 20 -0.008 125 mark net'])
  })
})

describe('liquidation (exchange rules 8.3)', () => {
  test('cross: the whole wallet stands for the position; orders go, it closes at its bankruptcy price, the fee is a debt', () => {
    // 9 bought at 101 with 100: 909 + ... at a mark of 94 the profit is -63 and 37 are left, 5 % of 846 is 42.3.
    const lines = [book(1, 100, 101), mark(1, 100), mark(5, 96), mark(6, 94), book(9, 90, 91)]
    const run = played(lines, [place(2, 'BID', 9, 101), place(3, 'ASK', 1, 150)], { profile: marginProfile(['cross']) })
    // Bankruptcy: 101 - 100 / 9 = 89.9, on the grid 90: -99. Fee 1 % of 810 = 8.1, of which 1 is there.
    expect(shortly(run)).toEqual(['liquidation 6 -99 90 net', 'debt 6 7.1 net'])
    expect(cash(run)).toBe('0')
    expect([...account(run).debts].map(([id, debt]) => [id, debt.toFixed()])).toEqual([[2, '7.1']])
    const after = run.messages.filter((message) => 'adapterTimeNs' in message && message.adapterTimeNs === 6).map(({ kind }) => kind)
    expect(after).toEqual(['orderUpdate', 'positionUpdate', 'fill', 'walletUpdate'])
    expect(run.messages.find((message) => message.kind === 'fill' && message.adapterTimeNs === 6)).toMatchObject({ fills: [{ type: 'OTHER', side: 'ASK', price: 90, quantity: 9, fees: '8.1' }] })
  })

  test('what was only ordered is not said to have been held', () => {
    const notes = (price: number): string[] => moneyNotes(played([book(1, 100, 101), book(9, 100, 101)], [place(2, 'BID', 10, price)]).bench.worlds[0]!, [])
    expect(notes(90)).toEqual([])
    expect(notes(101).join('; ')).toMatch(/named no funding while a position was open, so none was paid/)
  })

  test('a profile without a liquidation fee is said to have none', () => {
    const { liquidationFeeRate: _none, ...margin } = marginProfile(['cross']).margin!
    const notes = (profile: VenueProfile) => moneyNotes(played([book(1, 100, 101), mark(1, 100), mark(6, 94)], [place(2, 'BID', 9, 101)], { profile }).bench.worlds[0]!, []).filter((note) => note.includes('liquidation'))
    expect(notes(marginProfile(['cross']))).toEqual([])
    expect(notes({ ...marginProfile(['cross']), margin })).toEqual(['account A: its venue profile declares no margin.liquidationFeeRate, so a liquidation costs no fee'])
  })

  test('cross: a winner that closes after a loser pays for it, and what is missing is a debt once', () => {
    const events: MoneyEvent[] = []
    const other = madeInstrument({ id: 2, code: 'B' })
    const bench = new ExchangeBench({
      instruments: [
        { instrument: madeInstrument({}), batches: [lineBatch([book(1, 100, 101), mark(1, 100), mark(5, 70)], { instrument: madeInstrument({}) })] },
        { instrument: other, batches: [lineBatch([book(1, 100, 101), mark(1, 100), mark(4, 88)], { instrument: other })] },
      ],
      accounts: [{ accountId: 'A', exchangeCode: 'test', balances: new Map([[2, '200']]), fees: { maker: '0', taker: '0' }, profile: marginProfile(['cross']) }],
      observer: () => ({ money: (event) => void events.push(event) }),
    })
    bench.run([place(2, 'BID', 9, 101), place(3, 'ASK', 9, 100, { instrumentId: 2, ownOrderId: 'b' })])
    // At marks of 70 and 88 there are 29 left, and 5 % of the value 1422 is more. The loser closes where its loss is 308, which is 66.8 and on the grid 67,
    // with a loss of 306 and a fee of 6.03. Before fees 2 are left then, so the winner closes at 88.2, on the grid 88, with 108 and a fee of 7.92.
    expect(events.map(({ kind, instrumentId, amount, atPrice }) => `${kind} ${instrumentId} ${amount} ${atPrice ?? ''}`)).toEqual(['liquidation 1 -306 67', 'liquidation 2 108 88', 'debt 2 11.95 '])
    const held = bench.worlds[0]!.accounts.get('A')!
    expect([held.cashOf(2).toFixed(), held.debts.get(2)?.toFixed()]).toEqual(['0', '11.95'])
  })

  test('cross: where the book shows one side alone and there is no mark, the last mid says what is held', () => {
    // 9 bought at 101 with 100. At a mid of 94 there are 37 left, and 42.3 to be kept: the bids alone after that change nothing.
    const bids: MarketLine = { kind: 'snapshot', timeNs: 8, rows: [[0, 50, 5]] }
    const run = played([book(1, 100, 101), book(5, 95, 96), bids, book(50, 93, 95)], [place(2, 'BID', 9, 101), place(10, 'BID', 9, 80)], { profile: marginProfile(['cross']) })
    // 9 at 95.5 and 9 at 80: 1579.5 in the second bracket. While nothing valued what is held, the order was taken.
    expect(run.messages.flatMap((message) => (message.kind === 'placeResponse' ? message.results.map(({ error }) => error?.type ?? 'taken') : []))).toEqual(['taken', 'INSUFFICIENT_MARGIN'])
    expect(shortly(run)).toEqual(['liquidation 50 -99 90 net', 'debt 50 7.1 net'])
  })

  test('cross: coins that a spot order sells are the margin of a position no more', () => {
    const events: MoneyEvent[] = []
    const inverse = madeInstrument({ isInverse: true, contractValue: '10', multiplier: null, feeUnderlyingId: 1, valuationUnderlyingId: 1 })
    const spot = madeInstrument({ id: 2, code: 'SPOT', type: 'spot' })
    const bench = new ExchangeBench({
      instruments: [
        { instrument: inverse, batches: [lineBatch([book(1, 99, 100), mark(1, 100), mark(3, 91), mark(30, 91)], { instrument: inverse })] },
        { instrument: spot, batches: [lineBatch([book(1, 98, 102), { kind: 'trades', timeNs: 9, rows: [[0, 103, 50]] }], { instrument: spot })] },
      ],
      accounts: [{ accountId: 'A', exchangeCode: 'test', balances: new Map([[1, '1.15'], [2, '0']]), fees: { maker: '0', taker: '0' }, profile: marginProfile(['cross']) }],
      observer: () => ({ money: (event) => void events.push(event) }),
    })
    // 12 of 10 at 91 are worth 1.3187 coins, of which 0.0659 have to stay, and have lost 0.1187: of 1.15 coins one is sold, and 0.0313 are left.
    bench.run([place(2, 'BID', 12, 100), place(2, 'ASK', 1, 102, { instrumentId: 2, ownOrderId: 's' })])
    expect(events.map(({ kind, instrumentId, exchangeTimeNs }) => [kind, instrumentId, exchangeTimeNs])).toEqual([['liquidation', 1, 9], ['debt', 1, 9]])
  })

  // 9 bought at 101 with 100; the mark stays at 100, the book falls to 50. Sold there they lose 51 each; what is left is closed at the mark, not where it would pay for that.
  test.each([
    // 100 - 8 * 51 = -308; one at the mark: -1, and 1 % of 100.
    [8, 0, ['liquidation 6 -1 100 net', 'debt 6 310 net']],
    // 100 - 7 * 51 = -257; two at the mark: -2, and 2.
    [7, 0, ['liquidation 6 -2 100 net', 'debt 6 261 net']],
    // 100 - 5 * 51 = -155; four at the mark: -4, and 4.
    [5, 0, ['liquidation 6 -4 100 net', 'debt 6 163 net']],
    // 100 - 51 = 49 stand for eight that are worth 8 less: 41 are left, 5 % of 800 is 40.
    [1, 49, []],
    // 100 - 2 * 51 = -2, and the other seven.
    [2, 0, ['liquidation 6 -7 100 net', 'debt 6 16 net']],
  ] as const)('what is realised beyond all there is becomes a debt, however little stays open: %i of 9 closed', (closed, left, told) => {
    const run = played([book(1, 100, 101), mark(1, 100), book(5, 50, 51), book(50, 50, 51)], [place(2, 'BID', 9, 101), place(6, 'ASK', closed, 50, { reduceOnly: true })], { profile: marginProfile(['cross']) })
    expect(shortly(run)).toEqual(told)
    expect(cash(run)).toBe(String(left))
  })

  test('the same of a short: what is left is bought at the mark', () => {
    // 9 sold at 100 with 100; 8 bought at 150: -400. The last one at the mark of 101: -1, and 1.01.
    const run = played([book(1, 100, 101), mark(1, 101), book(5, 149, 150), book(50, 149, 150)], [place(2, 'ASK', 9, 100), place(6, 'BID', 8, 150, { reduceOnly: true })], { profile: marginProfile(['cross']) })
    expect(shortly(run)).toEqual(['liquidation 6 -1 101 net', 'debt 6 302.01 net'])
    expect(cash(run)).toBe('0')
  })

  test('a profile without margin liquidates nothing', () => {
    expect(shortly(played([book(1, 100, 101), mark(1, 100), mark(6, 1)], [place(2, 'BID', 9, 101)]))).toEqual([])
  })

  test('isolated: a long and a short side by side, each with its own margin', () => {
    const lines = [book(1, 100, 101), mark(1, 100), mark(6, 94), book(9, 90, 91)]
    const profile = marginProfile(['cross', 'isolated'])
    const commands = [place(2, 'BID', 5, 101, { openClose: 'OPEN' }), place(3, 'ASK', 4, 100, { openClose: 'OPEN' })]
    const run = played(lines, commands, { profile })
    // Long 505: margin 50.5, at 94 its profit is -35, 15.5 left, 5 % of 470 is 23.5. Bankruptcy 101 - 10.1 = 90.9: on the grid 91, -50; fee 4.55.
    // 0.5 of its margin is left for the fee; the rest is a debt of the leg, and what was never set aside stays: 100 - 50.5.
    expect(shortly(run)).toEqual(['liquidation 6 -50 91 long', 'debt 6 4.05 long'])
    expect(cash(run)).toBe('49.5')
    expect(run.account.debts.get(2)?.toFixed()).toBe('4.05')
    const position = account(run).positions.get(1)!
    expect([...position.legs].map(([leg, { sums, margin }]) => [leg, sums.quantity.toFixed(), margin.toFixed()])).toEqual([['net', '0', '0'], ['long', '0', '0'], ['short', '-4', '40']])
  })
})

describe('liquidation of isolated legs', () => {
  const open = (timeNs: number, side: 'BID' | 'ASK', quantity: number) => place(timeNs, side, quantity, side === 'BID' ? 101 : 100, { openClose: 'OPEN' })
  const balances = new Map([[2, '200']])

  test('each owes for itself; the net position beside them keeps what was never set aside', () => {
    // A short of 4 at 400 with 40: at 108 it has lost 32, 8 are left, 5 % of 432 is 21.6. Bankruptcy 110, on the grid: -40, so all of its fee of 4.4 is owed.
    const run = played([book(1, 100, 101), mark(1, 100), mark(6, 108), book(9, 107, 108)], [place(2, 'BID', 1, 101), open(3, 'BID', 5), open(4, 'ASK', 4)], { profile: marginProfile(['cross', 'isolated']), balances })
    expect(shortly(run)).toEqual(['liquidation 6 -40 110 short', 'debt 6 4.4 short'])
    expect(cash(run)).toBe('160')
  })

  test('funding beyond its margin is the leg\'s debt, not a better price', () => {
    // 9 bought at 101 with 90.9 set aside; a funding of 20 % of 900 takes 180, so 89.1 are missing. At the mark: -9, and 1 % of 900.
    const run = played([book(1, 100, 101), mark(1, 100), funding(1, 2000, 20), book(50, 100, 101)], [open(2, 'BID', 9)], { profile: marginProfile(['cross', 'isolated']), balances: new Map([[2, '1000']]) })
    expect(shortly(run)).toEqual(['funding 20 -180 100 mark long', 'liquidation 20 -9 100 long', 'debt 20 107.1 long'])
    expect(cash(run)).toBe('909.1')
  })

  test('an own close at a loss beyond its margin is a fill as any other: the wallet pays', () => {
    // 90.9 are set aside; 9 * 51 are lost.
    const commands = [open(2, 'BID', 9), place(6, 'ASK', 9, 50, { openClose: 'CLOSE' })]
    const run = played([book(1, 100, 101), mark(1, 100), book(5, 50, 51), book(50, 50, 51)], commands, { profile: marginProfile(['cross', 'isolated']), balances: new Map([[2, '1000']]) })
    expect(shortly(run)).toEqual([])
    expect(cash(run)).toBe('541')
  })

  test('what is left of a margin after the fee is the wallet\'s', () => {
    // No fee, and 50.5 less 50.
    const profile = marginProfile(['isolated'])
    const run = played([book(1, 100, 101), mark(1, 100), mark(6, 94), book(9, 90, 91)], [open(2, 'BID', 5)], { balances, profile: { ...profile, margin: { ...profile.margin!, liquidationFeeRate: '0' } } })
    expect(shortly(run)).toEqual(['liquidation 6 -50 91 long'])
    expect(cash(run)).toBe('150')
  })

  test('a cross position that closes with it pays no fee of it, and has nothing of it', () => {
    // 5 isolated long with 50.5, 9 net long with the other 105 behind them. At 94 those have lost 63: 42 are left, 5 % of 846 is 42.3.
    const run = played([book(1, 100, 101), mark(1, 100), mark(6, 94), book(9, 80, 81)], [place(2, 'BID', 9, 101), open(3, 'BID', 5)], { profile: marginProfile(['cross', 'isolated']), balances: new Map([[2, '155.5']]) })
    // The net one at 101 - 105 / 9 = 89.3, on the grid 90, with a fee of 8.1: 2.1 more than there is.
    expect(shortly(run)).toEqual(['liquidation 6 -99 90 net', 'liquidation 6 -50 91 long', 'debt 6 4.05 long', 'debt 6 2.1 long'])
    expect(cash(run)).toBe('0')
  })
})

describe('what cash cannot pay is a debt at once where nothing is left that may stand for it', () => {
  const cross = marginProfile(['cross'])
  const two = (bid: number, ask: number): MarketLine[] => [book(1, 100, 101), mark(1, 100), book(5, bid, ask), book(50, bid, ask)]
  const has = (amount: string) => ({ balances: new Map([[2, amount]]) })
  const ofAll = (rate: string) => ({ fees: { maker: rate, taker: rate } })

  test.each<readonly [string, PlayedMoney, debts: string[], cashLeft: string, told: string]>([
    // 100 - 9 * 51.
    ['all is closed at a loss', played(two(50, 51), [place(2, 'BID', 9, 101), place(6, 'ASK', 9, 50)], { profile: cross }), ['2 359'], '0', '0'],
    ['the same without a margin section', played(two(50, 51), [place(2, 'BID', 9, 101), place(6, 'ASK', 9, 50)], { profile: GENERIC_PROFILE }), ['2 359'], '0', '0'],
    // 10 * 10 and 1 % of it.
    ['the fee of an option', played([book(1, 9, 10), mark(1, 10), book(50, 9, 10)], [place(2, 'BID', 10, 10)], { profile: cross, ...ofAll('0.01') }, { type: 'call', strikePrice: '100' }), ['2 1'], '0', '0'],
    // 10 * 0.5 - 2 % of 5, then - 10 * 0.99 and 2 % of 9.9: 5.1 + 4.9 - 10.098.
    [
      'a prediction contract is bought back',
      played([book(1, 50, 51), book(5, 98, 99), book(50, 98, 99)], [place(2, 'ASK', 10, 50), place(6, 'BID', 10, 99)], { profile: GENERIC_PROFILE, predictions: new Set([1]), ...has('5.1'), ...ofAll('0.02') }, { tickSize: '0.01' }),
      ['2 0.098'], '0', '0',
    ],
    // 5 coins at 1 %, of none; the position stands for cash alone.
    ['a fee in coin', played(two(100, 101), [place(2, 'BID', 5, 101)], { profile: cross, ...ofAll('0.01') }, { feeUnderlyingId: 1 }), ['1 0.05'], '100', '100'],
    // What is left open stands for cash until it is liquidated: at 100 nothing is due with 49 behind it.
    ['an open position stands for it', played(two(50, 51), [place(2, 'BID', 9, 101), place(6, 'ASK', 1, 50)], { profile: cross }), [], '49', '49'],
    ['nobody looks at balances', played(two(50, 51), [place(2, 'BID', 9, 101), place(6, 'ASK', 9, 50)], { profile: GENERIC_PROFILE, checks: 'none' }), [], '-359', '-359'],
    // 10 * 100 * 20 % of 100.
    ['funding without a margin section', played([book(1, 100, 101), mark(1, 100), funding(1, 2000, 20), book(50, 100, 101)], [place(2, 'BID', 10, 101)], { profile: GENERIC_PROFILE }), ['2 100'], '0', '0'],
  ])('%s', (_name, run, debts, cashLeft, told) => {
    expect(run.events.filter(({ kind }) => kind === 'debt').map(({ underlyingId, amount }) => `${underlyingId} ${amount}`)).toEqual(debts)
    expect([...run.account.debts].map(([id, debt]) => `${id} ${debt.toFixed()}`)).toEqual(debts)
    expect(cash(run)).toBe(cashLeft)
    const wallets = run.messages.flatMap((message) => (message.kind === 'walletUpdate' ? [message.wallets] : [])).at(-1)!
    expect(wallets.find(({ underlyingId }) => underlyingId === 2)!.cashBalance?.toString()).toBe(told)
  })

  test('ten fills that pay a least fee each', () => {
    const lines: MarketLine[] = [book(1, 10, 11), ...[3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((timeNs): MarketLine => ({ kind: 'trades', timeNs, rows: [[1, 9, 1]] })), book(50, 10, 11)]
    const run = played(lines, [place(2, 'BID', 10, 10)], { profile: GENERIC_PROFILE, ...has('101'), fees: { maker: '0.001', taker: '0.001', minimum: '1' } }, { type: 'spot' })
    // 101 - 9 * 11 = 2 before the last, which costs 11.
    expect([cash(run), run.account.debts.get(2)?.toFixed()]).toEqual(['0', '9'])
  })
})

describe('isolated positions', () => {
  test('OPEN and CLOSE name them, AUTO closes the other side first', () => {
    const commands = [
      place(2, 'BID', 6, 101, { openClose: 'OPEN' }), place(3, 'ASK', 4, 100, { openClose: 'OPEN' }), place(4, 'ASK', 2, 100, { openClose: 'CLOSE' }), place(5, 'ASK', 5, 100),
    ]
    const run = played([book(1, 100, 101), mark(1, 100)], commands)
    const position = account(run).positions.get(1)!
    expect([...position.legs].map(([leg, { sums }]) => `${leg} ${sums.quantity.toFixed()}`)).toEqual(['net -1', 'long 0', 'short -4'])
    expect(position.sums.realizedPnl.toFixed()).toBe('-6')
    const last = run.messages.filter((message) => message.kind === 'positionUpdate').at(-1)
    expect(last).toMatchObject({ positions: [{ longPosition: 0, shortPosition: 1 }], isolatedPositions: [{ long: { size: 0 }, short: { size: 4, averageEntryPrice: '100' } }] })
  })
})

test('money adds up to the last digit: cash, what positions are worth, loans and debts are what was paid in, earned and paid', () => {
  const lines = [book(1, 100, 101), mark(1, 100), funding(1, 7, 7), mark(5, 96), mark(8, 93), book(9, 90, 91)]
  for (const profile of [marginProfile(['cross']), marginProfile(['isolated']), GENERIC_PROFILE]) {
    const run = played(lines, [place(2, 'BID', 9, 101), place(6, 'ASK', 3, 96)], { profile, fees: { maker: '0.0002', taker: '0.0005' } })
    const held = account(run)
    const position = held.positions.get(1)!
    const standing = balanceSheetOf(held, 2, valuedLegs(held, 2, run.bench.worlds[0]!.money.priceOf))
    const assets = standing.cash.plus(standing.crossProfit).plus(standing.isolatedProfit).minus(held.debts.get(2) ?? Amount.ZERO)
    const fees = [...position.fees.values()].reduce((sum, fee) => sum.plus(fee), Amount.ZERO)
    const earned = position.sums.realizedPnl.plus(standing.crossProfit).plus(standing.isolatedProfit).minus(fees).plus(held.flows.get(2) ?? Amount.ZERO)
    expect(assets.toFixed()).toBe(Amount.from(100).plus(earned).toFixed())
  }
})
