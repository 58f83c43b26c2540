import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import type { WorldParts } from '../../src/backtest/outside-world.js'
import { playBacktest, playInstance, runBacktest } from '../../src/backtest/run-backtest.js'
import { textFromScaled } from '../../src/model/decimal.js'
import { factorBetween } from '../../src/model/scale-factor.js'
import { RandomNumbers } from '../../src/model/random.js'
import { GrowingStretch } from '../../src/panels/growing-stretch.js'
import type { LiveLook } from '../../src/panels/live-look.js'
import type { StretchColumns } from '../../src/panels/stretch-columns.js'
import { StretchReplay } from '../../src/panels/stretch-replay.js'
import { StretchRecorder } from '../../src/results/stretch-recorder.js'
import { datasetsFolder } from '../support/datasets-folder.ts'
import { newFolder } from '../support/new-folder.ts'
import { ScriptedOutside } from '../support/played-outside.ts'
import { caseCount } from '../support/repetitions.ts'
import { RestlessStrategy } from '../support/restless-strategy.ts'

const SWAP = join(datasetsFolder, 'synthetic_coin_swap-ETHUSD-2026-07-01.txt.zst')
const CALL = join(datasetsFolder, 'synthetic_prediction-BTC-ABOVE-65000-2026-07-01.txt.zst')

let cache = ''
beforeAll(() => { cache = join(newFolder('look'), 'cache') })

function options(seed: number): BacktestOptions {
  const of = (instrument: string, own: number): object => ({ instrument, seed: seed * 10 + own, wakeNs: 500_000_000, calm: 5 })
  return {
    data: [SWAP, CALL], from: '00:00:20', to: '00:01:20', cache, tables: 'none',
    strategies: [
      { name: 'one', strategy: RestlessStrategy, parameters: of('ETHUSD', 1) as never },
      { name: 'two', strategy: RestlessStrategy, parameters: of('BTC-ABOVE-65000', 2) as never },
    ],
    accounts: {
      swap: { exchange: 'synthetic_coin_swap', balances: { ETH: '100' }, fees: { maker: '0.0002', taker: '0.0005' } },
      call: { exchange: 'synthetic_prediction', balances: { USD: '1000' } },
    },
  }
}

/** The parts of the world of a run. */
function partsOf({ world }: ScriptedOutside): WorldParts {
  return (world as unknown as { readonly of: { readonly parts: WorldParts } }).of.parts
}

/** A run that is looked at at random turns, and left from time to time. */
class LookedRun extends ScriptedOutside {
  readonly looks: LiveLook[] = []
  readonly stretches: GrowingStretch[] = []
  readonly checked: { look: number, orders: number } = { look: 0, orders: 0 }

  constructor(private readonly seed: number, private readonly leaves: boolean, private readonly check: (run: LookedRun) => void = () => {}) {
    super((at) => {
      this.#turn(at)
      return []
    })
    this.callEvery = 31
  }

  #turn(at: number): void {
    const random = new RandomNumbers(this.seed, 'looks', 0)
    if (this.world === null) return
    if (this.leaves && random.bits(at, 1) % 16 === 0) this.world.unlook?.()
    if (random.bits(at, 0) % 4 === 0) this.look()
  }

  look(): void {
    const look = this.world!.look!()
    this.looks.push(look)
    if (look.columns === null) this.stretches.at(-1)!.add(look.part!)
    else this.stretches.push(new GrowingStretch(look.columns))
    if (this.looks.length % 12 === 1) this.check(this)
  }

  settled(): void { this.look() }
}

/** Fills as texts, by the times at which they happened and were received. */
function fillTexts({ fills, events, orders, instruments, fromEpochNs }: StretchColumns, what: 'all' | 'received' = 'all'): string[] {
  const at = (event: number): string => (event < 0 ? 'none' : String(BigInt(fromEpochNs) + BigInt(events.timeNs[event]!)))
  return fills.event.flatMap((event, place) => {
    if (event < 0) return []
    const { account, ownOrderId, side, instrument } = orders[fills.order[place]!]!
    const { priceScale, quantityScale } = instruments[instrument]!
    return [[
      at(event), what === 'all' ? '' : at(fills.receipt[place]!), account, ownOrderId, side, textFromScaled(fills.price[place]!, priceScale),
      textFromScaled(fills.quantity[place]!, quantityScale), fills.cause[place], fills.isMaker[place], fills.fee[place], fills.position[place],
    ].join(' ')]
  })
}

/** Compares books and open orders behind the last look with those of the world. */
function compareNow(run: LookedRun): void {
  const { columns } = run.stretches.at(-1)!
  const replay = new StretchReplay(columns, 64)
  const last = replay.count - 1
  const { setup: { replay: market }, world } = partsOf(run)
  run.checked.look++
  for (const [place, { name, priceScale, quantityScale }] of columns.instruments.entries()) {
    const [id, view] = [...market.views].find(([one]) => {
      const { instrument } = market.directory.get(one)!
      return `${instrument.exchangeCode}:${instrument.code}` === name
    })!
    const scales = view.received().depth
    for (const side of ['BID', 'ASK'] as const) {
      const [prices, quantities] = [new Float64Array(20), new Float64Array(20)]
      const count = view.received().copyShown(side, 20, prices, quantities)
      const [price, quantity] = [factorBetween(scales.priceScale, priceScale), factorBetween(scales.quantityScale, quantityScale)]
      const wanted = Array.from({ length: count }, (_, at) => [prices[at]! * price, quantities[at]! * quantity])
      const ladder = replay.ladders[place]!.at(last)
      const { prices: shownPrices, quantities: shownQuantities } = ladder[side === 'BID' ? 'bids' : 'asks']
      expect(shownPrices.map((one, at) => [one, shownQuantities[at]])).toEqual(wanted)
    }
    const of = market.markets.get(id)!
    of.settleQueues()
    const [price, quantity] = [factorBetween(of.priceScale, priceScale), factorBetween(of.quantityScale, quantityScale)]
    const open = world.orders.openOrders().filter(({ instrumentId }) => instrumentId === id)
    const wanted = open.map((order) => [
      String(order.ownOrderId), order.price === null ? null : order.price * price, order.totalQuantity * quantity, order.executedQuantity * quantity,
      Number.isNaN(order.quantityAhead) || order.isDormant === true ? null : order.quantityAhead * quantity,
    ])
    run.checked.orders += wanted.length
    const shown = replay.orders(last, 0).filter(({ instrument, state }) => instrument === place && state !== 'SENT')
    const found = shown.map((order) => [order.ownOrderId, order.price, order.total, order.executed, order.ahead])
    const byId = (a: readonly unknown[], b: readonly unknown[]): number => (String(a[0]) < String(b[0]) ? -1 : 1)
    expect(found.sort(byId)).toEqual(wanted.sort(byId))
  }
}

describe('a run that is looked at', () => {
  test.each(Array.from({ length: caseCount(20, 0) / 10 + 1 }, (_, seed) => seed))('is the same run, and its looks are its world, seed %i', async (seed) => {
    const own = options(seed)
    const plain = await runBacktest({ ...own, parameters: {} })
    const looked = new LookedRun(seed, seed % 2 === 1, compareNow)
    const result = await playInstance(own, looked)
    expect([result.fingerprint, result.journalDigest]).toEqual([plain.fingerprint, plain.journalDigest])
    // How many turns a run has depends on how soon its batches are there.
    expect(looked.looks.length).toBeGreaterThan(looked.turnCount / 8)
    expect(looked.checked.look).toBe(Math.ceil(looked.looks.length / 12))
    expect(looked.checked.orders).toBeGreaterThan(0)

    let stretch = null as StretchRecorder | null
    await playBacktest({ ...own, parameters: {} }, ({ fromNs }) => (
      stretch = new StretchRecorder({ fromNs, toNs: fromNs + 60e9 }, { levelCount: 20, eventsMax: 1e6, bytesMax: 1e9 })))
    const [all, seen] = [fillTexts(stretch!.columns('', [])), looked.stretches.flatMap(({ columns }) => fillTexts(columns))]
    expect(new Set(seen).size).toBe(seen.length)
    const begun = BigInt(looked.stretches[0]!.columns.fromEpochNs)
    if (seed % 2 === 1) expect(all).toEqual(expect.arrayContaining(seen))
    else expect(seen).toEqual(all.filter((text) => BigInt(text.split(' ')[0]!) > begun))
    expect(seen.length).toBeGreaterThan(0)
  })
})
