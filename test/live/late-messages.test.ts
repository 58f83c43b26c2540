import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { LiveResult } from '../../src/live/live-options.js'
import { runLive } from '../../src/live/run-live.js'
import { openServing, type ServedDays } from '../../src/serve/open-serving.js'
import { Parameter } from '../../src/strategy/parameter.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { TradingInstrument } from '../../src/strategy/trading-instrument.js'

const DAY = join(import.meta.dirname, '../../datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')

/** Sweeps the book with one order, and ends itself in the middle of what comes of it. */
class Sweeper extends Strategy {
  declare instrument: TradingInstrument
  protected isSent = false
  override onInstrumentTopOfBook(): void {
    if (this.isSent) return
    this.isSent = true
    this.instrument.placeOrder({ side: 'BID', quantity: this.instrument.quantity('30000'), price: this.instrument.price('1.2000'), timeInForce: 'IMMEDIATE_OR_CANCEL', postOnly: false })
  }
}

class FillStopper extends Sweeper {
  override onOrderFill(): void { this.stop('a fill') }
}

class PositionStopper extends Sweeper {
  override onInstrumentPosition(): void { this.stop('a position') }
}

class UpdateStopper extends Sweeper {
  override onOrderUpdate(): void { this.stop('an update') }
}

class TimerStopper extends Sweeper {
  override onStart(): void { this.every(1, () => { if (this.isSent && Number(this.instrument.position) !== 0) this.stop('a timer') }) }
}

class Watcher extends Strategy {
  declare instrument: TradingInstrument
  override onStart(): void { this.after(1, () => { this.stop('seen') }) }
}

for (const strategy of [Sweeper, Watcher]) (Parameter(TradingInstrument) as (target: object, key: string) => void)(strategy.prototype, 'instrument')

async function played(serving: ServedDays, strategy: new () => Strategy, clientId: string): Promise<LiveResult> {
  const { feeds, http, keys, accounts } = serving.addresses
  return runLive({ strategy, parameters: { instrument: 'XRPUSDT' }, feed: feeds[0]!.json, apiKey: keys[0], backend: http, accountId: accounts, clientId, cancelAllAtStop: 'own' })
}

test.each([[FillStopper], [PositionStopper], [UpdateStopper], [TimerStopper]])('%o: what has come when it ends itself is in its result', { timeout: 120_000 }, async (strategy) => {
  const serving = await openServing({ data: [DAY], from: '23:57', httpPort: 0, account: { balances: { USDT: '100000' }, fees: { maker: '0', taker: '0.0005' } }, replay: { speed: 20 } })
  try {
    void serving.run()
    const result = await played(serving, strategy, 'first')
    const [own] = result.summary.instruments
    const [found] = (await played(serving, Watcher, 'second')).summary.instruments
    expect(Number(own?.position)).toBeGreaterThan(0)
    expect(own?.position).toBe(found?.position)
    // Tenths, as whole numbers.
    expect(result.fills.rows.reduce((sum, { qty }) => sum + Math.round(Number(qty) * 10), 0)).toBe(Math.round(Number(own?.position) * 10))
    expect(result.summary.moneyEvents).toEqual([])
  } finally {
    await serving.close()
  }
})
