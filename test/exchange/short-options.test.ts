import { Amount } from '../../src/model/amount.js'
import { describe, expect, test } from 'vitest'
import { moneyNotes } from '../../src/results/run-warnings.js'
import type { AccountConfig } from '../../src/exchange/accounts/account-config.js'
import { contractFromInstrument } from '../../src/model/contract.js'
import { GENERIC_PROFILE, type VenueProfile } from '../../src/exchange/profile/venue-profile.js'
import { shortOptionMargin, shortOptionTerms } from '../../src/exchange/accounts/margin.js'
import { madeInstrument } from '../support/market-lines.ts'
import { book, index, marginProfile, mark, place, playMoney, refusals, shortly } from '../support/played-money.ts'

const CALL = { type: 'call', strikePrice: '150' }
const RATES = { initialRate: '0.15', minimumInitialRate: '0.1', maintenanceRate: '0.075' }
const bare = marginProfile(['cross'])
const seller: VenueProfile = { ...bare, margin: { ...bare.margin!, shortOptions: RATES } }
/** Bid 9, ask 10; the index at 100 makes an option of strike 150 need 10 % of it, 10, and keep 7.5. */
const day = [index(1, 100), book(1, 9, 10)]
const sell = (quantity: number) => place(2, 'ASK', quantity, 9)
const later = (timeNs: number) => book(timeNs, 9, 10)

describe('what a sold option must have behind it', () => {
  test.each([
    ['call', '100', {}, '10', '7.5'],
    ['call', '145', {}, '16.75', '10.875'],
    ['call', '200', {}, '30', '15'],
    ['put', '200', {}, '20', '15'],
    ['put', '149', {}, '22.35', '11.175'],
    ['call', '100', { valuationUnderlyingId: 1 }, '0.1', '0.075'],
  ] as const)('%s of strike 150 at an index of %s %j: %s to open, %s to keep', (type, at, more, initial, maintenance) => {
    const contract = contractFromInstrument(madeInstrument({ ...CALL, type, ...more }))
    const margin = shortOptionMargin(shortOptionTerms(RATES), contract, Amount.ONE, Amount.from(at))
    expect([margin?.initial.rounded(9).toFixed(), margin?.maintenance.toFixed()]).toEqual([initial, maintenance])
  })

  test('is not known without an index above 0, nor of what is no option', () => {
    const of = (more: Parameters<typeof madeInstrument>[0], at: string) => shortOptionMargin(shortOptionTerms(RATES), contractFromInstrument(madeInstrument(more)), Amount.ONE, Amount.from(at))
    expect([of(CALL, '0'), of(CALL, '-1'), of({}, '100'), of({ type: 'future' }, '0')]).toEqual([null, null, null, null])
  })
})

describe('options where the profile declares no margin: ask 10, 100 in cash', () => {
  const venue: VenueProfile = { ...GENERIC_PROFILE, name: 'venue', kind: 'options' }
  const of = (commands: Parameters<typeof playMoney>[1], config: Partial<AccountConfig> = {}) => playMoney([...day, later(40)], commands, config, CALL)

  test.each([
    ['a buy needs its premium', [place(2, 'BID', 6, 8), place(3, 'BID', 6, 9), place(4, 'BID', 5, 10)], {}, ['o3 INSUFFICIENT_BALANCE']],
    // 1 % of 100 does not fit.
    ['and its fee', [place(2, 'BID', 10, 10), place(3, 'BID', 9, 10)], { fees: { maker: '0', taker: '0.01' } }, ['o2 INSUFFICIENT_BALANCE']],
    // 10 sold bring 90, and nothing is kept behind them: 190 is all there is.
    ['so does buying back', [sell(10), place(3, 'BID', 20, 8), place(4, 'BID', 4, 8), place(5, 'BID', 3, 10)], {}, ['o4 INSUFFICIENT_BALANCE']],
    ['nothing without declared balances', [place(2, 'BID', 60, 10)], { balances: new Map() }, []],
    ['nothing where nobody looks', [place(2, 'BID', 60, 10), place(3, 'ASK', 90, 9)], { checks: 'none', profile: venue }, []],
    ['generic lets sell what is not held', [sell(50)], {}, []],
    ['so it does by its name', [sell(50)], { profile: GENERIC_PROFILE }, []],
    ['a venue does not, unless it says margin.shortOptions', [sell(1)], { profile: venue }, ['o2 NOT_SUPPORTED']],
    ['nor beyond what is held', [place(2, 'BID', 2, 10), place(3, 'ASK', 1, 12), place(4, 'ASK', 2, 12), place(5, 'ASK', 1, 12)], { profile: venue, balances: new Map() }, ['o4 NOT_SUPPORTED']],
  ] as const)('%s', (_name, commands, config, expected) => {
    expect(refusals(of(commands, config))).toEqual(expected.map((text) => `${text} EXCHANGE`))
  })

  test('the refusal names the field, the note what was allowed', () => {
    const words = of([sell(1)], { profile: venue }).messages.flatMap((message) => (message.kind === 'placeResponse' ? message.results.map(({ error }) => error?.message) : []))
    expect(words).toEqual(['the venue profile venue does not say margin.shortOptions, which the seller of an option needs'])
    const note = 'account A: its venue profile declares no margin.shortOptions, so options could be sold with nothing behind them'
    expect(moneyNotes(of([sell(1)]).bench.worlds[0]!, [])).toContain(note)
    expect(moneyNotes(of([place(2, 'BID', 1, 10)], { profile: venue }).bench.worlds[0]!, [])).not.toContain(note)
  })
})

describe('selling options under margin', () => {
  test('is refused by the name of what the profile does not say, beyond what is held', () => {
    const buy = place(2, 'BID', 2, 10)
    const run = playMoney([...day, later(9)], [buy, place(3, 'ASK', 3, 9), place(4, 'ASK', 2, 12), place(5, 'ASK', 1, 12)], { profile: bare }, CALL)
    expect(refusals(run)).toEqual(['o3 NOT_SUPPORTED EXCHANGE', 'o5 NOT_SUPPORTED EXCHANGE'])
    const words = run.messages.flatMap((message) => (message.kind === 'placeResponse' ? message.results.map(({ error }) => error?.message) : []))
    expect(words[1]).toBe('the venue profile margined does not say margin.shortOptions, which the seller of an option needs')
  })

  test('what buys back needs no premium, what is bought beyond it does', () => {
    // 5 sold; of 8 bids 3 are new, of the next 2 both.
    const run = playMoney(day, [sell(5), place(3, 'BID', 8, 8), place(4, 'BID', 2, 7)], { profile: seller, balances: new Map([[2, '200']]) }, CALL)
    expect([refusals(run), run.bench.worlds[0]!.preTrade.blocked(run.account, 2).toFixed()]).toEqual([[], '38'])
  })

  test('needs an index', () => {
    expect(refusals(playMoney([book(1, 9, 10)], [sell(1)], { profile: seller }, CALL))).toEqual(['o2 REFERENCE_PRICE_UNKNOWN EXCHANGE'])
  })

  test('takes its margin: premium in, 5 * 10 blocked', () => {
    const run = playMoney(day, [sell(5), place(3, 'ASK', 5, 9)], { profile: seller }, CALL)
    // 100 + 45 - 5 * 9.5 is 97.5, all of it free but 50: 47.5, and 5 more need 50.
    expect(refusals(run)).toEqual(['o3 INSUFFICIENT_MARGIN EXCHANGE'])
    const [wallet] = run.bench.worlds[0]!.news.of(run.account).wallets(9).filter(({ underlyingId }) => underlyingId === 2)
    expect(wallet).toMatchObject({ availableAmount: '47.5', amountBlockedForMargin: '50', marginBalance: '97.5', maintenanceMargin: '37.5', cashBalance: '145' })
  })

  test('an order for more than is free is refused; buying back needs nothing', () => {
    expect(refusals(playMoney(day, [sell(11)], { profile: seller }, CALL))).toEqual(['o2 INSUFFICIENT_MARGIN EXCHANGE'])
    const run = playMoney([...day, later(5)], [sell(10), place(3, 'BID', 10, 10)], { profile: seller }, CALL)
    expect([refusals(run), run.account.cashOf(2).toFixed()]).toEqual([[], '90'])
  })

  test('is closed where all there is has come down to what must be kept', () => {
    // 145 - 5 m is 40 at 21 and 35 at 22, below 37.5. Taken over at 29, where nothing is left; the fee of 1 % of 145 is owed.
    const run = playMoney([...day, mark(4, 21), mark(5, 22), later(9)], [sell(5)], { profile: seller }, CALL)
    expect(shortly(run)).toEqual(['liquidation 5 -100 29 net', 'debt 5 1.45 net'])
    expect(run.account.cashOf(2).toFixed()).toBe('0')
  })

  test('is judged by the index alone too: 7.5 % of 260 for each of 5 is all there is', () => {
    const run = (at: number) => shortly(playMoney([...day, index(4, at), later(9)], [sell(5)], { profile: seller }, CALL))
    expect([run(259), run(260)]).toEqual([[], ['liquidation 4 -100 29 net', 'debt 4 1.45 net']])
    expect(shortly(playMoney([...day, index(4, 999)], [place(2, 'BID', 5, 10)], { profile: seller }, CALL))).toEqual([])
  })

  test('is settled as it was bought', () => {
    const money = { usdRates: new Map(), expiries: new Map([[1, 20]]), outcomes: new Map() }
    const run = playMoney([...day, index(9, 160), later(30)], [sell(5)], { profile: seller }, CALL, money)
    expect([shortly(run), run.account.cashOf(2).toFixed()]).toEqual([['settlement 20 -5 10 index'], '95'])
  })
})
