import { expect, test } from 'vitest'
import { RiskGuard } from '../../../src/strategy/tactics/risk-guard.js'
import { playPrograms, TACTIC_RUNS } from '../../support/tactic-runs.ts'
import { must, WatchedStrategy } from '../../support/watched-strategy.ts'

let refused = 0
let flattened = 0

/** Orders, targets and changes at random, all of which the guard has to look at. */
class Guarded extends WatchedStrategy {
  guard!: RiskGuard
  times: number[] = []
  most = 0

  override begin(): void {
    this.most = 4 + this.seed % 6
    const limits = [{ maxPosition: String(this.most) }, { maxPosition: String(this.most), maxOrdersPerSecond: 3 }, { maxPosition: String(this.most), maxLossOfDay: '4' }] as const
    this.guard = new RiskGuard(this.instrument, { ...limits[this.seed % 3]!, action: this.seed % 2 === 0 ? 'refuse' : 'flatten', checkMs: 70 })
  }

  override act(): void {
    const { instrument } = this
    const what = this.draw(9)
    const [chosen] = instrument.openOrders.filter(({ state }) => state === 'CONFIRMED')
    const price = instrument.price(String(97 + this.draw(7)))
    if (what === 0) instrument.target(String(this.draw(25) - 12), { style: this.draw(2) === 0 ? 'take' : 'join' })
    else if (what === 1 && chosen !== undefined) chosen.amend({ quantity: this.quantity(1 + this.draw(15)) })
    else if (what === 2 && chosen !== undefined && this.seed % 7 !== 0) chosen.replace({ quantity: this.quantity(1 + this.draw(15)) })
    else if (what === 3) instrument.cancelAll()
    else if (what > 3) {
      const { isDiscarded, discardReason } = instrument.placeOrder({ side: this.draw(2) === 0 ? 'BID' : 'ASK', quantity: this.quantity(1 + this.draw(6)), price, postOnly: false })
      if (isDiscarded && discardReason?.startsWith('RISK') === true) refused++
    }
  }

  override placed(): void {
    if (this.seed % 3 !== 1 || this.guard.flattened !== null) return
    const nowNs = this.nowNs()
    this.times = [...this.times.filter((time) => time > nowNs - 1e9), nowNs]
    must(this.times.length <= 3, 'four orders a second')
  }

  override check(): void {
    if (this.guard.flattened !== null) flattened++
  }
}

test('a position never passes the limit of a guard, whatever races, gaps and faults there are', async () => {
  await playPrograms(Guarded, ({ fills }, seed) => {
    let position = 0
    for (const { side, qty } of fills.rows) {
      position += side === 'BID' ? Number(qty) : -Number(qty)
      must(Math.abs(position) <= 4 + seed % 6, `a position of ${position}`)
    }
  })
  expect(refused).toBeGreaterThan(TACTIC_RUNS)
  expect(flattened).toBeGreaterThan(TACTIC_RUNS / 10)
}, 3_600_000)
