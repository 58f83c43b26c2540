import { checkedPeriod, Indicator, type IndicatorInput } from './indicator.js'

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

/** The base of indicators of the last so many values: each is worked out anew once there are as many. */
export abstract class WindowIndicator extends Indicator {
  /**
   * The last values.
   *
   * @internal
   */
  protected readonly window: Window

  /** `least` is the smallest period that it can have. */
  constructor(kind: string, period: number, least = 1, label = `${kind}(${period})`) {
    super(label)
    this.window = new Window(checkedPeriod(kind, period, least))
  }

  /** The value with one more input; NaN until there are enough. Throws OPTION_INVALID for NaN. */
  next(value: IndicatorInput): number {
    this.window.push(this.input('value', value))
    if (this.window.isFull) this.workOut()
    return this.value
  }

  /** Works the value out of a full window. */
  protected abstract workOut(): void
}
