import { expect, test } from 'vitest'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import { GENERIC_PROFILE } from '../../src/exchange/profile/venue-profile.js'
import { Order } from '../../src/strategy/order.js'
import { Planned } from '../support/planned-run.ts'
import { backtestLines, liveLines, WIRES } from '../support/live-parity.js'
import { MadeDaysFolder } from '../support/made-days-folder.ts'
import { MADE_MIDNIGHT_NS } from '../support/made-market-file.ts'
import type { MarketLine } from '../support/market-lines.ts'
import { marginProfile } from '../support/played-money.ts'

const S = 1e9
const DAY_NS = 86_400_000_000_000n

/** The names of an object and of its classes. */
function namesOf(value: object): string[] {
  const names = new Set<string>()
  for (let at: object | null = value; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at) as object | null)
    for (const name of Object.getOwnPropertyNames(at)) names.add(name)
  return [...names]
}

/** Says every field of a time that anything has which the strategy is handed, once a name and place. */
class Timing extends Planned {
  known: string[] = []

  look(what: string, value: unknown, depth = 0): void {
    if (typeof value !== 'object' || value === null || depth > 3) return
    if (Array.isArray(value)) return value.forEach((one) => { this.look(`${what}[]`, one, depth + 1) })
    for (const name of namesOf(value)) {
      if (/^(constructor|toString|toJSON|toFixed)$/.test(name)) continue
      const field = (value as Record<string, unknown>)[name]
      if (/T(ime|imestamp)Ns$/.test(name) && field !== undefined) this.note(`${what}.${name}`, field)
      else if (typeof field === 'object' && /^(wallets|lastTrades|lastLiquidations|fundingRate|lastError|recentFills|account)$/.test(name)) this.look(`${what}.${name}`, field, depth + 1)
    }
  }

  note(what: string, value: unknown): void {
    if (this.known.includes(what)) return
    this.known.push(what)
    this.log(`${what} ${typeof value} ${String(value)}`)
  }

  order(order: Order): void {
    this.look('order', order)
    this.look('fill', order.getLastFill())
    this.look('instrument', this.instrument)
    this.look('trades', this.instrument.getLastTrades())
  }

  override onInstrumentTrades(): void { this.look('trades', this.instrument.getLastTrades()) }
  override onInstrumentLiquidations(): void { this.look('instrument', this.instrument) }
  override onInstrumentFundingRate(): void { this.look('fundingRate', this.instrument.fundingRate) }
  override onOrderUpdate(order: Order): void { this.order(order) }
  override onOrderFill(order: Order): void { this.order(order) }
  override onOrderFillUpdate(order: Order): void { this.order(order) }
  override onOrderError(order: Order, error: object): void {
    this.order(order)
    this.look('error', error)
  }
  override onInstrumentPosition(): void { this.look('instrument', this.instrument) }
  override onStop(): void { this.look('account', this.instrument.account) }
}

test('every time that a strategy is handed lies in the day of the run, in epoch nanoseconds as now(): in a backtest and over each wire', { timeout: 120_000 }, async () => {
  const folder = new MadeDaysFolder()
  try {
    const book = (second: number): MarketLine => ({ kind: 'snapshot', timeNs: second * S, rows: [[0, 99, 500], [1, 101, 500]] })
    const traded = (second: number): MarketLine => ({ kind: 'trades', timeNs: second * S, rows: [[0, 101, 1]] })
    const fundings: readonly MarketLine[] = [{ kind: 'funding', timeNs: 3 * S, value: 1, valueScale: 4, nextFundingNs: 3600 * S }]
    const day = (): MarketLine[] => [book(0), ...Array.from({ length: 20 }, (_, at) => [book(at + 1), traded(at + 1.2)]).flat(), ...fundings].sort((a, b) => a.timeNs - b.timeNs)
    const profile = marginProfile(['cross', 'isolated'], {
      capabilities: { ...GENERIC_PROFILE.capabilities, walletTypes: ['ACCOUNT', 'ISOLATED'], retryTime: true }, rateLimits: [{ id: 'orders', windowMs: 1000, tokens: { shared: 2 }, blockMs: 3000 }],
    })
    const options: BacktestOptions = {
      strategy: Timing, data: folder.write(new Map([[0, day()], [1, day()]])), from: '2026-07-02T00:00:01Z', to: '2026-07-02T00:00:20Z', account: { balances: { CASH: '10000' }, fees: { maker: '0', taker: '0.001' }, profile },
      parameters: { instrument: 'TEST1', plan: ['4s BID 101 5 IOC', '6s ASK 99 5 IOC', '8s BID 90 1', '8.1s BID 90 1', '8.2s BID 90 1', '14s cancelAll'] }, assumptions: { staleAfter: 'off' },
    }
    const timesOf = (lines: readonly string[]): Map<string, readonly [string, string]> => new Map(lines.map((line) => JSON.parse(line) as { readonly kind: string, readonly text?: string })
      .flatMap(({ kind, text = '' }) => (kind === 'log' && /TimeNs |TimestampNs /.test(text) ? [text.split(' ')] : [])).map(([what = '', type = '', value = '']) => [what, [type, value]]))
    const own = timesOf(await backtestLines(options))
    expect([...own.keys()].map((what) => what.replace(/^.*\./, ''))).toEqual(expect.arrayContaining(['exchangeTimeNs', 'retryTimeNs', 'exchangeTradeTimestampNs', 'nextFundingTimestampNs']))
    expect([...own.keys()]).toEqual(expect.arrayContaining(['fill.exchangeTimeNs', 'account.wallets[].exchangeTimeNs']))
    for (const [what, [type, value]] of own) {
      expect([what, type]).toEqual([what, 'bigint'])
      expect([what, (BigInt(value) - MADE_MIDNIGHT_NS) / DAY_NS]).toEqual([what, 1n])
    }
    for (const wire of WIRES) expect([wire, timesOf((await liveLines(options, wire)).lines)]).toEqual([wire, own])
  } finally {
    folder.remove()
  }
})
