import { RandomNumbers } from '../../src/model/random.js'

/** Draws of one seed, one after the other. */
export class FaultDraws {
  readonly #random: RandomNumbers
  #count = 0
  constructor(seed: number) {
    this.#random = new RandomNumbers(seed, 'fault run', 0)
  }

  below(limit: number): number {
    return this.#random.below(limit, this.#count++)
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!
  }
}
