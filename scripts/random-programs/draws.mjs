/** Draws of one seed, one after the other, of nothing but the seed: no build that is compared has a part in them. */
export class Draws {
  /** The place in the draws: 32 bits, all that a checkpoint has to keep. */
  state

  constructor(seed) {
    this.state = seed >>> 0
    for (let i = 0; i < 4; i++) this.bits()
  }

  /** The next 32 bits (mulberry32). */
  bits() {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return (mixed ^ (mixed >>> 14)) >>> 0
  }

  /** A whole number from 0 and below `limit`. */
  below(limit) {
    return Math.floor((this.bits() / 4294967296) * limit)
  }

  /** From `least` to `most`, both included. */
  within(least, most) {
    return least + this.below(most - least + 1)
  }

  /** True once in so many draws. */
  once(of) {
    return this.below(of) === 0
  }

  one(list) {
    return list[this.below(list.length)]
  }

  /** Some of a list, in its order. */
  some(list) {
    return list.filter(() => this.once(2))
  }
}
