import { Indicator } from './indicator.js'

/** The last values of a series. Sums begin with the oldest, so that a value depends on the window alone. */
export class Window extends Indicator {
  private readonly ring: Float64Array
  private at = 0
  private count = 0

  constructor(period: number) {
    super(`window(${period})`)
    this.ring = new Float64Array(period)
  }

  /** The newest value. */
  get value(): number {
    return this.count === 0 ? NaN : this.back(0)
  }

  get period(): number {
    return this.ring.length
  }

  get isFull(): boolean {
    return this.count === this.ring.length
  }

  push(value: number): void {
    this.ring[this.at] = value
    this.at = this.at + 1 === this.ring.length ? 0 : this.at + 1
    if (!this.isFull) this.count += 1
  }

  /** The value so many places before the newest. */
  back(places: number): number {
    const at = this.at - 1 - places
    return this.ring[at < 0 ? at + this.ring.length : at] as number
  }

  sum(): number {
    let sum = 0
    for (let places = this.count - 1; places >= 0; places -= 1) sum += this.back(places)
    return sum
  }

  mean(): number {
    return this.sum() / this.count
  }

  /** Sum of the products of what both differ from their means; of one with itself the sum of squares. */
  comoment(other: Window): number {
    const [mean, otherMean] = [this.mean(), other.mean()]
    let sum = 0
    for (let places = this.count - 1; places >= 0; places -= 1)
      sum += (this.back(places) - mean) * (other.back(places) - otherMean)
    return sum
  }

  least(): number {
    let least = Infinity
    for (let places = 0; places < this.count; places += 1) least = Math.min(least, this.back(places))
    return least
  }

  greatest(): number {
    let greatest = -Infinity
    for (let places = 0; places < this.count; places += 1) greatest = Math.max(greatest, this.back(places))
    return greatest
  }
}
