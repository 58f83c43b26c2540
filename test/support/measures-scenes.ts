import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { GENERIC_PROFILE } from '../../src/exchange/profile/venue-profile.js'
import type { Instrument } from '../../src/model/instrument.js'
import { RandomNumbers } from '../../src/model/random.js'
import type { BacktestResult } from '../../src/results/backtest-result.js'
import { Integer, List, Parameter } from '../../src/strategy/parameter.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { TradingInstrument } from '../../src/strategy/trading-instrument.js'
import { MADE_EPOCH_DAY, marketDay } from './made-market-file.ts'
import { madeInstrument, type MarketLine } from './market-lines.ts'
import { isNight } from './repetitions.ts'

const S = 1_000_000_000
const HOUR = 3600
export const DAY_NS: number = 86_400 * S

/** Times of the rows of the signal: one before the run that has it, one behind its end. */
export const SIGNAL_TIMES: readonly string[] = ['2026-06-30T23:00:00Z', '2026-07-01T00:10:00Z', '2026-07-01T02:10:00Z', '2026-07-01T23:10:00Z']

/** Draws that a seed repeats. */
class Draws {
  readonly #random: RandomNumbers
  #count = 0

  constructor(seed: number) {
    this.#random = new RandomNumbers(seed, 'measures', 0)
  }

  below(bound: number): number {
    return (this.#random.bits(this.#count++, 0) >>> 0) % bound
  }
}

/** Places, amends, replaces and cancels by a seed in all of its instruments, makes and takes. */
class Lively extends Strategy {
  instruments: TradingInstrument[] = []
  seed = 1
  everyS = 30
  autoBorrow = false
  private draws = new Draws(1)

  override onStart(): void {
    this.draws = new Draws(this.seed)
    this.every(this.everyS * 1000, () => { for (const one of this.instruments) this.act(one) })
  }

  private act(instrument: TradingInstrument): void {
    const { bestBid, bestAsk, openOrders } = instrument
    const open = openOrders.filter(({ state }) => state === 'CONFIRMED')
    const chosen = open[this.draws.below(Math.max(1, open.length))]
    if (bestBid === null || bestAsk === null) return
    const quantity = instrument.quantity(String(1 + this.draws.below(5)))
    const isBuy = this.draws.below(2) === 0
    const [own, other] = isBuy ? [bestBid.price, bestAsk.price] : [bestAsk.price, bestBid.price]
    const choice = this.draws.below(10)
    if (choice === 0 && chosen !== undefined) chosen.cancel()
    else if (choice === 1 && chosen !== undefined) chosen.amend({ price: chosen.side === 'BID' ? bestBid.price : bestAsk.price })
    else if (choice === 2 && chosen !== undefined) chosen.amend({ quantity })
    else if (choice === 3 && chosen !== undefined) chosen.replace({ price: chosen.side === 'BID' ? bestBid.price : bestAsk.price })
    else if (choice === 4) instrument.placeOrder({ side: isBuy ? 'BID' : 'ASK', quantity, price: other, postOnly: true })
    else if (choice === 5) instrument.placeOrder({ side: isBuy ? 'BID' : 'ASK', quantity: instrument.quantity('0'), price: own })
    else if (choice < 8 && open.length < 4) instrument.placeOrder({ side: isBuy ? 'BID' : 'ASK', quantity, price: own, postOnly: false })
    else instrument.placeOrder({ side: isBuy ? 'BID' : 'ASK', quantity, price: other, postOnly: false, timeInForce: 'IMMEDIATE_OR_CANCEL', ...(this.autoBorrow ? { autoBorrow: true } : {}) })
  }
}
type Decorate = (target: object, key: string) => void
;(Parameter(List(TradingInstrument)) as Decorate)(Lively.prototype, 'instruments')
;(Parameter(Integer, { optional: true }) as Decorate)(Lively.prototype, 'seed')
;(Parameter(Integer, { optional: true }) as Decorate)(Lively.prototype, 'everyS')
;(Parameter(Boolean, { optional: true }) as Decorate)(Lively.prototype, 'autoBorrow')

/** A market whose touch moves by a seed: lines of one day, with seconds that have none. */
interface Walk {
  readonly seed: number
  readonly everyS: number
  readonly from: number
  readonly to: number
  readonly around: number
  /** Hours without a line. */
  readonly holes?: readonly (readonly [from: number, to: number])[]
  /** Hours at which the recorder reports an error; a snapshot comes four steps later. */
  readonly gaps?: readonly number[]
  /** Hours at which a funding of a 10,000th is due, named an hour before. */
  readonly fundings?: readonly number[]
  readonly marked?: boolean
  /** Hours at which a bid stands above the ask for so many seconds, with a trade two seconds later. */
  readonly crossings?: readonly (readonly [hour: number, seconds: number])[]
}

function walk({ seed, everyS, from, to, around, holes = [], gaps = [], fundings = [], marked = false, crossings = [] }: Walk): MarketLine[] {
  const draws = new Draws(seed)
  let bid = around
  let brokenFor = 0
  const lines: MarketLine[] = []
  const add = (line: MarketLine): void => {
    const adapterTimeNs = line.timeNs + 2_000_000 + 1000 * draws.below(50_000)
    // Some stamps are missing, late, or far behind those before.
    const odd = line.kind === 'update' ? draws.below(60) : -1
    const timeNs = odd === 0 ? NaN : odd === 1 ? adapterTimeNs + 3_000_000 : odd === 2 ? line.timeNs - 30 * S : line.timeNs
    lines.push({ ...line, timeNs, adapterTimeNs })
  }
  const snapshot = (timeNs: number): void => add({ kind: 'snapshot', timeNs, rows: [[0, bid, 9], [1, bid + 2, 9]] })
  let isBegun = false
  for (let at = from * HOUR + 1; at < to * HOUR; at += everyS) {
    const [timeNs, hour] = [at * S, at / HOUR]
    if (holes.some(([first, last]) => hour >= first && hour < last)) continue
    if (!isBegun) snapshot(timeNs)
    isBegun = true
    if (gaps.some((gap) => hour >= gap && hour - everyS / HOUR < gap)) {
      add({ kind: 'ERROR', timeNs: timeNs + S })
      brokenFor = 5
    }
    if (brokenFor === 1) bid = around + 12
    if (brokenFor > 0 && --brokenFor === 0) snapshot(timeNs + 3 * S)
    const next = Math.max(around - 15, Math.min(around + 15, bid + draws.below(5) - 2))
    if (next === bid) add({ kind: 'update', timeNs: timeNs + 4 * S, rows: [[0, bid, 3 + draws.below(9)]] })
    else add({ kind: 'update', timeNs: timeNs + 4 * S, rows: [[0, bid, 0], [1, bid + 2, 0], [0, next, 4 + draws.below(9)], [1, next + 2, 4 + draws.below(9)]] })
    bid = next
    if (marked) add({ kind: 'mark', timeNs: timeNs + 5 * S, value: 10 * bid + draws.below(20), valueScale: 1 })
    const side = draws.below(2)
    const [price, quantity] = [side === 1 ? bid : bid + 2, 1 + draws.below(12)]
    // Some books show a trade before its own line.
    const isShown = draws.below(8) === 0
    const plain = (line: MarketLine): void => void lines.push({ ...line, adapterTimeNs: line.timeNs + 2_000_000 })
    if (isShown) {
      plain({ kind: 'trades', timeNs: timeNs + 5.5 * S, rows: [[side, price, 1]] })
      plain({ kind: 'update', timeNs: timeNs + 6 * S, rows: [[1 - side, price, quantity + 20]] })
      plain({ kind: 'update', timeNs: timeNs + 7 * S - 50_000_000, rows: [[1 - side, price, 20]] })
    }
    add({ kind: 'trades', timeNs: timeNs + 7 * S, rows: [[side, price, quantity]] })
    if (isShown) plain({ kind: 'update', timeNs: timeNs + 9 * S, rows: [[1 - side, price, 20]] })
    for (const [from, seconds] of crossings) {
      if (hour < from || hour - everyS / HOUR >= from) continue
      plain({ kind: 'update', timeNs: timeNs + 12 * S, rows: [[0, bid + 4, 5]] })
      plain({ kind: 'trades', timeNs: timeNs + 14 * S, rows: [[side, price, 90]] })
      plain({ kind: 'update', timeNs: timeNs + (12 + seconds) * S, rows: [[0, bid + 4, 0]] })
    }
    for (const due of fundings) if (hour >= due - 1 && hour - everyS / HOUR < due - 1) add({ kind: 'funding', timeNs: timeNs + 8 * S, value: 1, valueScale: 4, nextFundingNs: due * HOUR * S })
  }
  return lines
}

/** A run to be computed again: its markets day by day, and its options. */
export interface Scene {
  readonly name: string
  readonly markets: readonly { readonly master: Partial<Instrument>; readonly days: readonly (readonly MarketLine[])[] }[]
  readonly options: Partial<BacktestOptions>
  readonly seed: number
  readonly everyS: number
  readonly autoBorrow?: boolean
}

const FEES = { maker: '0.0001', taker: '0.0005' }
const SPOT: Partial<Instrument> = { type: 'spot', multiplier: null }
const INVERSE: Partial<Instrument> = { isInverse: true, contractValue: '10', multiplier: null, feeUnderlyingId: 1 }
const FUTURE: Partial<Instrument> = { type: 'future', expiry: '2026-07-01T02:00:00Z' }
const SETTLED = { ...GENERIC_PROFILE, settlement: { feeRate: '0.0003' } }
const LOANS = { ...GENERIC_PROFILE, borrowRates: { CASH: '0.0001', BASE: '0.0002' } }

/** Scenes of every kind of contract, of several currencies, of days with holes. */
export function scenes(folder: string): Scene[] {
  const signal = join(folder, 'score.csv')
  writeFileSync(signal, ['ts,score', ...SIGNAL_TIMES.map((time, at) => `${time},${at}`), ''].join('\n'))
  return [
    {
      name: 'linear, marked, funded, with a gap', seed: 1, everyS: 30,
      markets: [{ master: { fundingIntervalSeconds: 3600 }, days: [walk({ seed: 1, everyS: 20, from: 0, to: 4, around: 100, gaps: [0.6, 1.5, 2.2, 3.1], fundings: [2, 3], marked: true })] }],
      options: { account: { balances: { CASH: '1000' }, fees: FEES }, to: '03:59:30.015', signals: [{ name: 'score', file: signal, time: 'ts', delay: '0ms' }] },
    },
    {
      name: 'inverse', seed: 2, everyS: 40,
      markets: [{ master: INVERSE, days: [walk({ seed: 2, everyS: 25, from: 0.2, to: 3.4, around: 300 })] }],
      options: { account: { balances: { BASE: '5' }, fees: FEES }, to: '03:50', assumptions: { staleAfter: 'off' } },
    },
    {
      name: 'spot, with a loan', seed: 3, everyS: 30, autoBorrow: true,
      markets: [{ master: SPOT, days: [walk({ seed: 3, everyS: 20, from: 0, to: 3, around: 50 })] }],
      options: { account: { balances: { CASH: '150', BASE: '8' }, fees: FEES, profile: LOANS }, to: '03:00' },
    },
    ...['CASH', 'BASE'].map((currency): Scene => ({
      name: `three markets, total in ${currency}`, seed: 4, everyS: 60,
      markets: [
        { master: { feeUnderlyingId: 1 }, days: [walk({ seed: 4, everyS: 30, from: 0, to: 3, around: 100, marked: true })] },
        { master: SPOT, days: [walk({ seed: 5, everyS: 35, from: 0.1, to: 2.9, around: 100 })] },
        { master: INVERSE, days: [walk({ seed: 6, everyS: 40, from: 0, to: 2.5, around: 100, gaps: [1] })] },
      ],
      options: { account: { balances: { CASH: '20000', BASE: '200' }, fees: FEES, currency }, to: '03:00', assumptions: { staleAfter: 'off' } },
    })),
    {
      name: 'a day with holes', seed: 7, everyS: 120,
      markets: [{ master: {}, days: [walk({ seed: 7, everyS: 100, from: 0.7, to: 23.8, around: 100, holes: [[5.2, 6.9], [14, 15.6]] })] }],
      options: { account: { balances: { CASH: '10000' }, fees: FEES }, assumptions: { staleAfter: 'off' } },
    },
    {
      name: 'a day that loses all', seed: 7, everyS: 120,
      markets: [{ master: {}, days: [walk({ seed: 7, everyS: 100, from: 0.7, to: 23.8, around: 100, holes: [[5.2, 6.9], [14, 15.6]] })] }],
      options: { account: { balances: { CASH: '500' }, fees: FEES, stopAtZero: false }, assumptions: { staleAfter: 'off' } },
    },
    {
      name: 'a future that expires', seed: 9, everyS: 40,
      markets: [{ master: FUTURE, days: [walk({ seed: 9, everyS: 20, from: 0, to: 2.4, around: 100, marked: true })] }],
      options: { account: { balances: { CASH: '10000' }, fees: FEES, profile: SETTLED }, to: '02:20' },
    },
    {
      name: 'a book that crosses', seed: 10, everyS: 20,
      markets: [{ master: {}, days: [walk({ seed: 10, everyS: 60, from: 0, to: 3, around: 100, crossings: [[0.3, 5], [0.6, 9.9], [1, 10], [1.4, 30], [1.8, 45], [2.2, 7]] })] }],
      options: { account: { balances: { CASH: '10000' }, fees: FEES }, to: '03:00', assumptions: { staleAfter: 'off' } },
    },
    {
      name: isNight ? 'three weeks and a half' : 'five days', seed: 8, everyS: 1800,
      markets: [{ master: {}, days: Array.from({ length: isNight ? 25 : 5 }, (_, day) => walk({ seed: 100 + day, everyS: 1200, from: 0, to: day % 7 === 3 ? 8 : 24, around: 100 })) }],
      options: { account: { balances: { CASH: '10000' }, fees: FEES }, assumptions: { staleAfter: 'off' } },
    },
  ]
}

/** A line of a journal. */
export type JournalLine = Readonly<Record<string, unknown>> & { readonly kind: string; readonly side: string; readonly time: string }

/** A scene that was played. */
export interface PlayedScene {
  readonly scene: Scene
  readonly result: BacktestResult
  readonly journal: readonly JournalLine[]
  readonly instruments: readonly Instrument[]
}

/** Plays a scene with all of its tables; its files lie in a folder. */
export async function playedScene(scene: Scene, folder: string): Promise<PlayedScene> {
  const instruments = scene.markets.map(({ master }, at) => madeInstrument({ code: `TEST${at + 1}`, ...master, id: at + 1 }))
  const data = scene.markets.flatMap(({ days }, at) => days.map((lines, day) => {
    const epochDay = MADE_EPOCH_DAY + day
    const path = join(folder, `${scene.name.replaceAll(/\W+/g, '_')}-${instruments[at]!.code}-${new Date(epochDay * 86_400_000).toISOString().slice(0, 10)}.txt.zst`)
    writeFileSync(path, marketDay([{ lines }], { epochDay, master: { ...scene.markets[at]!.master, id: at + 1 } }))
    return path
  }))
  const journal: JournalLine[] = []
  const result = await runBacktest({
    strategy: Lively, data, parameters: { instruments: instruments.map(({ code }) => code), seed: scene.seed, everyS: scene.everyS, autoBorrow: scene.autoBorrow ?? false },
    journal: () => ({ write: (line) => void journal.push(JSON.parse(line) as JournalLine) }), ...scene.options,
  } as BacktestOptions & { parameters: Record<string, unknown> })
  return { scene, result, journal, instruments }
}
