import { userPlace } from './user-stack.js'

/**
 * So many timers of one callback's text have their places noted, then one of so many more: a stack costs several
 * microseconds.
 */
const NOTED = 16
const NOTED_ONE_OF = 1024
/** Texts of callbacks that are known at a time. */
const TEXT_LIMIT = 256

interface Known {
  count: number
  /** Their stacks are made into text when they are asked for. */
  last: Error
}

/** Where a strategy's timers without a name were made, for what is said when one fails. */
export class TimerPlaces {
  readonly #known: Map<string, Known> = new Map()

  /** The place of a timer that is made just now; null where those of many like it have been noted. */
  note(callback: () => unknown): Error | null {
    const text = Function.prototype.toString.call(callback)
    const known = this.#known.get(text)
    if (known === undefined) {
      const made = new Error('made')
      if (this.#known.size < TEXT_LIMIT) this.#known.set(text, { count: 1, last: made })
      return made
    }
    known.count++
    if (known.count > NOTED && known.count % NOTED_ONE_OF !== 0) return null
    known.last = new Error('made')
    return known.last
  }

  /**
   * The name of a timer in an error: by its own place, or by that of one with the same callback; null where there is
   * none.
   */
  title(made: Error | null, callback: () => unknown): string | null {
    const stack = made ?? this.#known.get(Function.prototype.toString.call(callback))?.last
    const place = stack === undefined ? null : userPlace(stack.stack ?? '')
    if (place === null) return null
    return made === null ? `a timer like the one made at ${place}` : `the timer made at ${place}`
  }
}
