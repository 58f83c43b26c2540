import { describe, expect, test } from 'vitest'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { runLive } from '../../src/live/run-live.js'
import { openServing } from '../../src/serve/open-serving.js'
import type { Strategy } from '../../src/strategy/strategy.js'
import { isNight, repeated } from '../support/repetitions.ts'
import { COMPILERS, loaded, typeFaults } from '../support/strategy-compiler.js'

const CLASS = `
import { Parameter, Quantity, Strategy, TradingInstrument } from 'backtape'

export class TouchMaker extends Strategy {
  @Parameter(TradingInstrument) instrument!: TradingInstrument
  @Parameter(Quantity) size!: Quantity
  @Parameter(Number, { optional: true, name: 'refreshMs' }) refresh = 1000

  onStart() {
    this.every(this.refresh, () => this.requote())
  }
  requote() {
    const { bestBid, bestAsk } = this.instrument
    if (!bestBid || !bestAsk || this.instrument.openOrders.length > 0) return
    this.instrument.placeOrder({ side: 'BID', quantity: this.size, price: bestBid.price })
    this.instrument.placeOrder({ side: 'ASK', quantity: this.size, price: bestAsk.price })
  }
}
`
/** The program of `shared/design/usage.md`, as it stands there. */
const PROGRAM = `
import { runLive } from 'backtape'                            // the same class over sockets: the vendor's hosts, or \`backtape serve\`

const parameters = { instrument: 'binance_swap:BTCUSDT', size: '0.01' }
await runLive({ strategy: TouchMaker, parameters, feed: 'ws://localhost:14004/api/v6', apiKey: process.env.FEED_KEY, backend: 'http://localhost:8080', accountId: 'paper' })
`

const MARKET = {
  data: ['datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst'], from: `2026-07-01T23:${isNight ? 55 : 59}:00Z`, to: '2026-07-02T00:00:00Z',
  accounts: { paper: { exchange: 'synthetic_swap', balances: { USDT: '10000' }, fees: { maker: '0.0002', taker: '0.0005' } } },
}

describe.each(repeated(COMPILERS))('%s', (compiler) => {
  test('the live program of the usage page has no type fault', () => {
    const declared = 'declare const process: { readonly env: { readonly FEED_KEY?: string } }\n'
    expect(typeFaults(compiler, 'live', `${CLASS}${declared}${PROGRAM}`)).toEqual([])
  }, 180_000)

  test('the class does over sockets what it does in a backtest', { timeout: 60_000 }, async () => {
    const { TouchMaker } = await loaded(compiler, 'live', CLASS)
    const strategy = TouchMaker as new () => Strategy
    const parameters = { instrument: 'synthetic_swap:XRPUSDT', size: '100' }
    const served = await openServing({ ...MARKET, httpPort: 0, replay: { speed: 'lockstep' } })
    try {
      const played = served.run()
      const { feeds: [feed], http, keys: [apiKey] } = served.addresses
      const result = await runLive({ strategy, parameters, feed: feed!.json, apiKey, backend: http, accountId: 'paper' })
      const counts: Record<string, number> = {}
      await runBacktest({ ...MARKET, strategy, parameters, journal: () => ({ write(line: string): void {
        const { side, kind } = JSON.parse(line) as { side: string, kind: string }
        if (side === 'local') counts[kind] = (counts[kind] ?? 0) + 1
      } }) })
      expect(await played).toBe('ended')
      expect(result.messageCounts['fill']).toBeGreaterThan(0)
      for (const [kind, count] of Object.entries(result.messageCounts)) expect([kind, counts[kind]]).toEqual([kind, count])
      expect([result.reason, served.lateRequestCount]).toEqual(['the data have ended', 0])
    } finally {
      await served.close()
    }
  })
})
