import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import type { Order } from '../../src/strategy/order.js'
import { List, Parameter } from '../../src/strategy/parameter.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { TradingInstrument } from '../../src/strategy/trading-instrument.js'
import { repeated } from '../support/repetitions.ts'
import { hasSharedData, sharedFolder } from '../support/shared-data.ts'
import { optionsOf, readRun, sendsOf } from '../support/conformance.ts'

/** Sends what a recorded run sent: `at|BID|price|quantity|tif|postOnly`, or `at|cancel|ordinal`. */
class Replayer extends Strategy {
  instrument!: TradingInstrument
  sends: string[] = []
  readonly #orders: Order[] = []

  override onStart(): void {
    const start = this.now()
    this.sends.forEach((send, at) => {
      const [time = '', what = '', price = '', quantity = '', timeInForce = '', postOnly = ''] = send.split('|')
      this.after(Number(BigInt(time) - start) / 1e6, () => {
        if (what === 'cancel') this.#orders[Number(price)]?.cancel()
        else {
          const { instrument } = this
          this.#orders.push(instrument.placeOrder({
            side: what as 'BID' | 'ASK', price: instrument.price(price), quantity: instrument.quantity(quantity), timeInForce: timeInForce, postOnly: postOnly === 'true',
          }))
        }
      }, { name: `send ${at}` })
    })
  }
}
type Decorate = (target: object, key: string) => void
;(Parameter(TradingInstrument) as Decorate)(Replayer.prototype, 'instrument')
;(Parameter(List(String)) as Decorate)(Replayer.prototype, 'sends')

interface Line {
  readonly kind: string
  readonly entries?: readonly { readonly ownOrderId: string }[]
  readonly orders?: readonly { readonly ownOrderId: string, readonly state: string, readonly exchangeTimestampNs: string }[]
  readonly fills?: readonly { readonly ownOrderId: string, readonly exchangeTimestampNs: string, readonly price: string, readonly quantity: string, readonly addedLiquidity: boolean }[]
}

const RUNS = [
  'binance_swap-BTCUSDT-2024-08-08-hold_gtc-power_prob_n3', 'binance_swap-BTCUSDT-2024-08-08-ioc_take-risk_adverse', 'binance_coin_swap-BTCUSD_PERP-2024-08-09-join_gtx_fast-log_prob2',
  'binance_swap-ETHUSDT-2024-07-19-behind1_gtx-risk_adverse',
]

describe.skipIf(!hasSharedData)('assumptions: { preset: hftbacktest } through runBacktest', () => {
  test.each(repeated(RUNS, (name) => /ioc_take|behind1/.test(name)))('%s', { timeout: 180_000 }, async (name) => {
    const run = readRun(join(sharedFolder, 'conformance/hftbacktest', `${name}.json.gz`))
    const decimals = (String(run.params.tick_size).split('.')[1] ?? '').length
    const ordinals = new Map<number, number>()
    const epochDay = Number(BigInt(run.orders[0]![4] as string) / 86_400_000_000_000n)
    const sends = sendsOf(run, epochDay).map(({ timeNs, life, isCancel }) => {
      const time = BigInt(epochDay) * 86_400_000_000_000n + BigInt(timeNs)
      if (isCancel) return `${time}|cancel|${ordinals.get(life.id)}`
      ordinals.set(life.id, ordinals.size)
      const price = (life.priceTick * run.params.tick_size).toFixed(decimals)
      const tif = run.params.time_in_force === 'IOC' ? 'IMMEDIATE_OR_CANCEL' : 'GOOD_TILL_CANCEL'
      return `${time}|${life.side === 'BUY' ? 'BID' : 'ASK'}|${price}|${life.quantity}|${tif}|${run.params.time_in_force === 'GTX'}`
    })
    const lines: Line[] = []
    const result = await runBacktest({
      strategy: Replayer, data: [join(sharedFolder, 'data/days', run.file)], trim: 'none', parameters: { instrument: name.split('-')[1]!, sends },
      assumptions: optionsOf(run), journal: () => ({ write: (line) => void lines.push(JSON.parse(line) as Line) }),
    })
    expect(result.summary.assumptions).toMatchObject({ preset: 'hftbacktest', fills: 'whole', exchangeTop: 'depth', gaps: 'ignore', snapshots: 'rows', selfTrade: 'ignore', crossingPostOnly: 'expire', notShown: 'zero' })
    const ids = lines.flatMap((line) => (line.kind === 'place' ? line.entries!.map((entry) => entry.ownOrderId) : []))
    const ends = new Map(lines.flatMap((line) => (line.kind === 'orderUpdate' ? line.orders! : [])).filter(({ state }) => state !== 'CONFIRMED').map((order) => [order.ownOrderId, `${order.state} ${order.exchangeTimestampNs}`]))
    const fills = new Map(lines.flatMap((line) => (line.kind === 'fill' ? line.fills! : [])).map((fill) => [fill.ownOrderId, `${fill.exchangeTimestampNs} ${Number(fill.price)} ${Number(fill.quantity)} ${fill.addedLiquidity}`]))
    const byId = [...ordinals.keys()]
    for (const row of run.orders) {
      const [id, , tick, , , , , , end, , status, , rowFills] = row as unknown as [number, string, number, number, string, string, string, string, string | number, string, string, number, [string, string, number, number, number][]]
      const own = ids[byId.indexOf(id)]!
      const state = status === 'FILLED' ? 'FILLED' : 'CANCELED'
      expect([id, ends.get(own)]).toEqual([id, end === 0 ? undefined : `${state} ${end}`])
      const [fill] = rowFills
      const price = fill === undefined ? tick : Number((fill[2] * run.params.tick_size).toFixed(decimals))
      expect([id, fills.get(own)]).toEqual([id, fill === undefined ? undefined : `${fill[0]} ${price} ${fill[3]} ${fill[4] === 1}`])
    }
  })
})
