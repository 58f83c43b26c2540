import { exactExp, exactLog } from '../model/exact-math.js'
import { exactPower } from '../model/exact-power.js'
import { RandomNumbers } from '../model/random.js'
import type { Side } from '../model/side.js'
import type { InstrumentProfile } from './instrument-profile.js'
import type { OrderLevelBook, Patience } from './order-level-book.js'

/*
 * Rates per second of Cont, Stoikov and Talreja, "A stochastic model for order book dynamics", Operations Research 58
 * (2010), table 1 (Sky Perfect Communications, Tokyo): limit orders at a distance of i ticks from the opposite best,
 * cancellations per order there, market orders. Beyond the fifth tick the limit rate follows the paper's power law k /
 * i^alpha.
 */
const LIMIT_RATES = [1.85, 1.51, 1.09, 0.88, 0.77]
const CANCEL_RATES = [0.71, 0.81, 0.68, 0.56, 0.47]
const MARKET_RATE = 0.94
const POWER_LAW_FACTOR = 1.92
const POWER_LAW_EXPONENT = 0.52
/** The power law ends here; one limit order in 30 lies deeper, exponentially far. */
const NEAR_DISTANCE = 40
const DEEP_SHARE = 1 / 30
const DEEP_MEAN = 80
/** Stale orders, on the wrong side of the fair value, are cancelled this many times faster. */
const STALE_FACTOR = 3
const EAGER_RATE_LIMIT = 0.81 * STALE_FACTOR
/** Orders placed farther away are patient: cancelled at most at this rate, so that far fewer draws are in vain. */
const EAGER_DISTANCE = 10
const PATIENT_RATE_LIMIT = 0.25
/**
 * Each market order raises all rates by this share, which decays within seconds (Hawkes 1971): branching ratio 2 * 0.94
 * * 0.11 * 3 = 0.62.
 */
const EXCITEMENT_JUMP = 0.11
const EXCITEMENT_SECONDS = 3
const LIQUIDATION_SHARE = 1 / 90

/** Cumulative limit rates by distance 1.. */
const CUMULATIVE_RATES: readonly number[] = ((): number[] => {
  const sums: number[] = []
  let sum = 0
  for (let i = 1; i <= NEAR_DISTANCE; i++) {
    sum += LIMIT_RATES[i - 1] ?? POWER_LAW_FACTOR / exactPower(i, POWER_LAW_EXPONENT)
    sums.push(sum)
  }
  return sums
})()
const LIMIT_RATE_SUM = CUMULATIVE_RATES.at(-1) ?? 0

function cancelRate(distance: number): number {
  const near = CANCEL_RATES[Math.max(0, distance - 1)]
  return near ?? Math.max(0.02, (0.47 * 5) / distance)
}

/** An aggressive order, announced before it executes. */
export type AggressorListener = (orderId: number, side: Side, lots: number, liquidation: boolean) => void

/**
 * The arrivals of orders at a book: times from a self-exciting point process, kinds and prices by the rates above
 * around a fair value.
 */
export class OrderFlow {
  private readonly random: RandomNumbers
  private excitement = 0
  private draws = 0
  private orders = 0
  /** The last price of either side, for where the book has run empty. */
  private lastTick: number

  constructor(
    private readonly book: OrderLevelBook,
    private readonly profile: InstrumentProfile,
    seed: number,
    private readonly onAggressor: AggressorListener,
  ) {
    this.random = new RandomNumbers(seed, 'order flow', profile.id)
    this.lastTick = profile.startTick
  }

  /** Fills an empty book around a tick, a few orders a price. */
  fill(fairTick: number): void {
    this.lastTick = Math.round(fairTick)
    for (let distance = NEAR_DISTANCE; distance >= 1; distance--) {
      for (const side of ['BID', 'ASK'] as const) {
        this.draws += 1
        for (let i = this.random.below(3, this.draws); i >= 0; i--) this.addLimit(side, distance, fairTick, i + 2)
      }
    }
  }

  /** Nanoseconds from now to the next arrival (thinning after Ogata 1981: the intensity only falls in between). */
  waitNs(): number {
    let seconds = 0
    for (;;) {
      this.draws += 1
      const before = 1 + this.excitement
      const step = this.random.exponential(this.draws) / (this.rate() * before)
      seconds += step
      this.excitement *= exactExp(-step / EXCITEMENT_SECONDS)
      if (this.random.uniform(this.draws, 1) * before < 1 + this.excitement) return Math.ceil(seconds * 1e9)
    }
  }

  /** Lets one arrival happen to the book. `fairTick` is the fair value in ticks, not whole. */
  arrive(fairTick: number): void {
    this.draws += 1
    const tilt = this.tilt(fairTick)
    const pick = this.random.uniform(this.draws) * (this.rate() / this.profile.activity)
    const buys = this.random.uniform(this.draws, 1)
    if (pick < 2 * MARKET_RATE) this.market(buys < 0.5 + 0.45 * tilt ? 'BID' : 'ASK')
    else if (pick < 2 * (MARKET_RATE + LIMIT_RATE_SUM))
      this.addLimit(buys < 0.5 + 0.2 * tilt ? 'BID' : 'ASK', this.distance(), fairTick, 4)
    else
      this.cancel(
        pick < 2 * (MARKET_RATE + LIMIT_RATE_SUM) + EAGER_RATE_LIMIT * this.resting('eager') ? 'eager' : 'patient',
        fairTick,
      )
  }

  private resting(patience: Patience): number {
    return this.book.orderCount('BID', patience) + this.book.orderCount('ASK', patience)
  }

  private rate(): number {
    const cancels = EAGER_RATE_LIMIT * this.resting('eager') + PATIENT_RATE_LIMIT * this.resting('patient')
    return this.profile.activity * (2 * MARKET_RATE + 2 * LIMIT_RATE_SUM + cancels)
  }

  /** From -1 to 1: how far the fair value lies above the middle of the book. */
  private tilt(fairTick: number): number {
    const bid = this.book.bestTick('BID')
    const ask = this.book.bestTick('ASK')
    const middle = (bid + ask) / 2
    if (Number.isNaN(middle)) return 0
    return Math.max(-1, Math.min(1, (fairTick - middle) / (3 * this.profile.stepAt(middle))))
  }

  private distance(): number {
    if (this.random.uniform(this.draws, 2) < DEEP_SHARE)
      return NEAR_DISTANCE + Math.ceil(-exactLog(1 - this.random.uniform(this.draws, 3)) * DEEP_MEAN)
    const target = this.random.uniform(this.draws, 3) * LIMIT_RATE_SUM
    let distance = 1
    while (distance < NEAR_DISTANCE && (CUMULATIVE_RATES[distance - 1] ?? 0) <= target) distance += 1
    return distance
  }

  private lots(part: number): number {
    const mean = this.profile.meanLots * (this.random.uniform(this.draws, part) < 0.05 ? 6 : 1)
    const lots = Math.ceil(this.random.exponential(this.draws, part + 1) * mean)
    return Math.max(1, lots > 10 && this.random.uniform(this.draws, part + 2) < 0.3 ? lots - (lots % 10) : lots)
  }

  private addLimit(side: Side, distance: number, fairTick: number, part: number): void {
    const { minTick, maxTick } = this.profile
    const opposite = this.book.bestTick(side === 'BID' ? 'ASK' : 'BID')
    const own = this.book.bestTick(side)
    const reference = Number.isNaN(opposite) ? (Number.isNaN(own) ? this.lastTick : own) : opposite
    const sign = side === 'BID' ? -1 : 1
    const step = this.profile.stepAt(reference)
    const raw = reference + sign * distance * step
    const rawStep = this.profile.stepAt(raw)
    const tick = (side === 'BID' ? Math.floor(raw / rawStep) : Math.ceil(raw / rawStep)) * rawStep
    if (tick < minTick || tick > maxTick || (tick - fairTick) * sign < -1.5 * step) return
    this.lastTick = reference
    this.orders += 1
    this.book.add(this.orders, side, tick, this.lots(part * 8), distance <= EAGER_DISTANCE ? 'eager' : 'patient')
  }

  private cancel(patience: Patience, fairTick: number): void {
    const bids = this.book.orderCount('BID', patience)
    const index = this.random.below(this.resting(patience), this.draws, 4)
    const order =
      index < bids ? this.book.orderAt('BID', patience, index) : this.book.orderAt('ASK', patience, index - bids)
    if (order === undefined) return
    const opposite = this.book.bestTick(order.side === 'BID' ? 'ASK' : 'BID')
    const step = this.profile.stepAt(order.tick)
    const distance = Number.isNaN(opposite) ? 1 : Math.round(Math.abs(opposite - order.tick) / step)
    const stale = (order.side === 'BID' ? order.tick - fairTick : fairTick - order.tick) > 0
    const limit = patience === 'eager' ? EAGER_RATE_LIMIT : PATIENT_RATE_LIMIT
    if (this.random.uniform(this.draws, 5) * limit < cancelRate(distance) * (stale ? STALE_FACTOR : 1))
      this.book.cancel(order)
  }

  private market(side: Side): void {
    if (Number.isNaN(this.book.bestTick(side === 'BID' ? 'ASK' : 'BID'))) return
    const liquidation = this.random.uniform(this.draws, 6) < LIQUIDATION_SHARE
    const lots = this.lots(32) * (liquidation ? 5 : 1)
    this.orders += 1
    this.excitement += EXCITEMENT_JUMP
    this.onAggressor(this.orders, side, lots, liquidation)
    this.book.execute(this.orders, side, lots)
  }
}
