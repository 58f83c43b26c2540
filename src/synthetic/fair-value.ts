import { exactExp } from '../model/exact-math.js'
import { NS_PER_SECOND } from '../model/time.js'
import { RandomNumbers } from '../model/random.js'
import { type InstrumentProfile, PROFILES, tickSize } from './instrument-profile.js'
import { callValue } from './option-pricing.js'

/** The fair value moves on this grid. */
export const FAIR_VALUE_STEP_NS: number = 0.1 * NS_PER_SECOND
const NS_PER_YEAR = 365 * 86_400 * NS_PER_SECOND
const START_VOLATILITY = 0.55
/** The part of a distance to the followed path that a step leaves: half of it is gone after 7 seconds. */
const DISTANCE_KEPT = 0.99
/** The standard deviation of what a step adds to it: 8 basis points in the long run. */
const DISTANCE_STEP = 1.1e-4

/**
 * A drifting value behind the orders: an index in a geometric random walk (log odds of a prediction: a plain one), and
 * what the instrument is worth by it.
 */
export class FairValue {
  private readonly random: RandomNumbers
  private readonly tickSize: number
  private steps = 0
  private distance = 0
  /** The index price; of a prediction the log odds. */
  index: number
  /** Annual volatility of the option's underlying. */
  volatility: number

  /** `expiryNs` counts as the market's times do. */
  constructor(private readonly profile: InstrumentProfile, seed: number, private readonly expiryNs: number) {
    const { id } = profile.follows === null ? profile : PROFILES[profile.follows]
    this.random = new RandomNumbers(seed, 'fair value', profile.pathId ?? id)
    this.tickSize = tickSize(profile)
    this.index = profile.startIndex
    this.volatility = START_VOLATILITY * profile.smile
  }

  /** One step of the grid. */
  step(): void {
    this.steps += 1
    const move =
      this.profile.volatility * Math.sqrt(FAIR_VALUE_STEP_NS / NS_PER_SECOND) * this.random.normal(this.steps)
    if (this.profile.kind === 'prediction') this.index = Math.max(-4, Math.min(4, this.index + move))
    else this.index *= exactExp(move)
    if (this.profile.follows !== null)
      this.distance = DISTANCE_KEPT * this.distance + DISTANCE_STEP * this.random.normal(this.steps, 2)
    if (this.profile.kind === 'option') this.volatility *= exactExp(0.0004 * this.random.normal(this.steps, 1))
  }

  /** Years until the expiry. */
  years(timeNs: number): number {
    return (this.expiryNs - timeNs) / NS_PER_YEAR
  }

  /** The fair value in ticks, not whole. */
  ticks(timeNs: number): number {
    const { kind, strike } = this.profile
    if (kind === 'prediction') return 100 / (1 + exactExp(-this.index))
    if (kind === 'option')
      return callValue(this.index, strike, this.years(timeNs), this.volatility).value / this.tickSize
    return (this.index * exactExp(this.distance)) / this.tickSize
  }
}
