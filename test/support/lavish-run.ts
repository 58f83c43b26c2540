import fc from 'fast-check'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import type { FaultOptions } from '../../src/configuration/fault-options.js'
import { GENERIC_PROFILE, type VenueProfile } from '../../src/exchange/profile/venue-profile.js'
import { marketLines } from './exchange-arbitraries.ts'
import { LavishStrategy } from './lavish-strategy.ts'
import { MADE_MIDNIGHT_NS, marketFile } from './made-market-file.ts'
import type { MarketLine } from './market-lines.ts'
import { marginProfile } from './played-money.ts'
import { isUsual } from './repetitions.ts'

/** A run of which everything that the adapter and the accounts can do is part: a perpetual, a future that ends, and spot. */
export type LavishOptions = BacktestOptions & { readonly parameters: readonly { readonly instruments: string[], readonly seed: number }[] }

const MINUTE_NS = 60_000_000_000
const minute = fc.integer({ min: 1, max: 170 })
const clock = (minutes: number): string => `0${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`

const quote: fc.Arbitrary<MarketLine> = fc.oneof(
  fc.record({ kind: fc.constantFrom('mark' as const, 'mark' as const, 'index' as const), timeNs: minute, value: fc.integer({ min: 88, max: 112 }) }),
  fc.record({ kind: fc.constant('funding' as const), timeNs: minute, value: fc.integer({ min: -90, max: 90 }), valueScale: fc.constant(4), nextFundingNs: minute }),
)

/** Hours, not nanoseconds: then loans have interest, and late things are late. Lines are heard up to some minutes later. */
function inMinutes(lines: readonly MarketLine[], stretch: number): MarketLine[] {
  return lines.map((line) => ({
    ...line, timeNs: line.timeNs * stretch * MINUTE_NS, adapterTimeNs: (line.timeNs * stretch + 2) * MINUTE_NS,
    ...(line.nextFundingNs === undefined ? {} : { nextFundingNs: line.nextFundingNs * MINUTE_NS }),
  }))
}

/** Lines of a market with marks, indices and funding among them. */
const pricedLines: fc.Arbitrary<MarketLine[]> = fc.tuple(marketLines(true), fc.array(quote, { maxLength: 25 })).map(([lines, quotes]) =>
  [...inMinutes(lines, 3), ...inMinutes(quotes, 1)].sort((a, b) => a.timeNs - b.timeNs))

const fault: fc.Arbitrary<FaultOptions> = fc.record({ at: minute.map(clock), for: fc.integer({ min: 1, max: 40 }).map((minutes) => `${minutes}min`) }).chain((when) => fc.constantFrom<FaultOptions>(
  { ...when, kind: 'status' }, { ...when, kind: 'status', status: 'EXCHANGE_BUSY', message: 'busy' }, { ...when, kind: 'requests', error: 'HTTP_REQUEST_TIMEOUT', requests: ['place', 'cancel'] }, { ...when, for: '90min', kind: 'replaces', error: 'UNEXPECTED_RESPONSE' },
  { ...when, kind: 'fills', delay: '25min' }, { kind: 'fills', every: '60min', for: '20min', delay: '9min' }, { kind: 'status', every: '90min', for: '10min' },
))

const profile: fc.Arbitrary<VenueProfile> = fc.record({
  base: fc.constantFrom(GENERIC_PROFILE, marginProfile(['cross']), marginProfile(['isolated']), marginProfile(['cross', 'isolated'])),
  rateLimits: fc.constantFrom([], [{ id: 'orders', windowMs: 1_200_000, tokens: { place: 4, amend: 2, replace: 1, cancel: 2 }, blockMs: 900_000, spare: 1 }], [{ id: 'all', windowMs: 3_600_000, tokens: { shared: 20 } }]),
  fillOrder: fc.constantFrom('fillFirst' as const, 'updateFirst' as const, 'seeded' as const),
  late: fc.constantFrom({}, { lateFees: '15min' }, { lateFees: '70min', lateTradeId: true }),
  triggersAtArrival: fc.boolean(),
  defaultTrigger: fc.constantFrom('lastTrade' as const, 'mark' as const, 'index' as const),
}).map(({ base, rateLimits, fillOrder, late, ...orders }) => ({
  ...base, name: 'lavish', rateLimits, messages: { fillOrder, ...late }, orders: { ...base.orders, ...orders }, borrowRates: { CASH: '0.876', BASE: '1.5' }, settlement: { feeRate: '0.001' },
}))

/** Everything of a run but its parameters. */
export type LavishSetting = Omit<LavishOptions, 'parameters'>

/** Books that are made up are often crossed. The usual runs are without that gap; of those of other seeds a part has it. */
const HAS_CROSSED_GAPS = !isUsual

/** Files of a perpetual (1), a future that ends (2), spot (3), and one more perpetual (4) that may be left idle. */
export const lavishSettings: fc.Arbitrary<LavishSetting> = fc.record({
  files: fc.tuple(pricedLines, pricedLines, pricedLines, pricedLines), expiry: minute, profile, faults: fc.array(fault, { maxLength: 3 }), gaps: fc.constantFrom('assumeWorst' as const, 'cancelAndWait' as const, 'freeze' as const),
  split: fc.option(minute), dividend: fc.option(minute), isShuffled: fc.boolean(), fees: fc.constantFrom({ maker: '-0.0001', taker: '0.0005' }, { maker: '0.0123', taker: '0.0456' }), cash: fc.constantFrom('90', '400', '5000'),
}).map(({ files, expiry, profile: venue, faults, gaps, split, dividend, isShuffled, fees, cash }) => {
  const terms = [{}, { type: 'future' as const, expiry: `2026-07-01T${clock(expiry)}:00Z` }, { type: 'spot' as const }, {}]
  const actions = [
    ...(split === null ? [] : [{ at: clock(split), instrument: 'TEST1', split: { lastPrice: '100', buyVolume: '2', sellVolume: '1', liquidateFractionalShares: true } }]),
    ...(dividend === null ? [] : [{ at: clock(dividend), instrument: 'TEST3', dividend: { underlying: 'CASH', highPrice: '1.25', lowPrice: '1' } }]),
  ]
  return {
    strategy: LavishStrategy, data: files.map((lines, at) => marketFile(lines, { id: at + 1, ...terms[at] })), day: '2026-07-01', to: MADE_MIDNIGHT_NS + 200n * BigInt(MINUTE_NS),
    account: { balances: { CASH: cash, BASE: '5' }, fees, profile: venue }, assumptions: { requestLatency: '180s', responseLatency: '300s', gaps, crossedAfter: HAS_CROSSED_GAPS && isShuffled ? '10s' : 'off' },
    faults, corporateActions: actions, entryStates: { delayedAfter: '6min' }, rates: { 'BASE/USD': '100' }, ...(isShuffled ? { shuffleSeed: 3 } : {}),
  }
})
