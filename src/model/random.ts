import { BacktapeError } from './error.js'
import { exactLog } from './exact-math.js'

const TWO_32 = 4294967296
const TWO_M32 = 1 / TWO_32
const TWO_M53 = 1 / 9007199254740992
const PARITY = 0x1bd11bda

/** The last block. Module scratch instead of a pair per draw: drawing is synchronous and allocates nothing. */
let word0 = 0
let word1 = 0

/** Threefry-2x32 with 20 rounds, written out: the rotations of a round are constants then. */
function encrypt(key0: number, key1: number, counter0: number, counter1: number): void {
  const key2 = PARITY ^ key0 ^ key1
  let a = (counter0 + key0) | 0
  let b = (counter1 + key1) | 0
  a = (a + b) | 0
  b = ((b << 13) | (b >>> 19)) ^ a
  a = (a + b) | 0
  b = ((b << 15) | (b >>> 17)) ^ a
  a = (a + b) | 0
  b = ((b << 26) | (b >>> 6)) ^ a
  a = (a + b) | 0
  b = ((b << 6) | (b >>> 26)) ^ a
  a = (a + key1) | 0
  b = (b + key2 + 1) | 0
  a = (a + b) | 0
  b = ((b << 17) | (b >>> 15)) ^ a
  a = (a + b) | 0
  b = ((b << 29) | (b >>> 3)) ^ a
  a = (a + b) | 0
  b = ((b << 16) | (b >>> 16)) ^ a
  a = (a + b) | 0
  b = ((b << 24) | (b >>> 8)) ^ a
  a = (a + key2) | 0
  b = (b + key0 + 2) | 0
  a = (a + b) | 0
  b = ((b << 13) | (b >>> 19)) ^ a
  a = (a + b) | 0
  b = ((b << 15) | (b >>> 17)) ^ a
  a = (a + b) | 0
  b = ((b << 26) | (b >>> 6)) ^ a
  a = (a + b) | 0
  b = ((b << 6) | (b >>> 26)) ^ a
  a = (a + key0) | 0
  b = (b + key1 + 3) | 0
  a = (a + b) | 0
  b = ((b << 17) | (b >>> 15)) ^ a
  a = (a + b) | 0
  b = ((b << 29) | (b >>> 3)) ^ a
  a = (a + b) | 0
  b = ((b << 16) | (b >>> 16)) ^ a
  a = (a + b) | 0
  b = ((b << 24) | (b >>> 8)) ^ a
  a = (a + key1) | 0
  b = (b + key2 + 4) | 0
  a = (a + b) | 0
  b = ((b << 13) | (b >>> 19)) ^ a
  a = (a + b) | 0
  b = ((b << 15) | (b >>> 17)) ^ a
  a = (a + b) | 0
  b = ((b << 26) | (b >>> 6)) ^ a
  a = (a + b) | 0
  b = ((b << 6) | (b >>> 26)) ^ a
  a = (a + key2) | 0
  b = (b + key0 + 5) | 0
  word0 = a
  word1 = b
}

function limitError(limit: number): BacktapeError {
  const [expected, found] = ['a whole number from 1 to 9007199254740992', String(limit)]
  return new BacktapeError('OPTION_INVALID', `Cannot draw below a limit: it must be ${expected}, found ${found}`, {
    field: 'limit', expected, found,
  })
}

/** One block of Threefry-2x32-20 as two unsigned 32-bit words; the published test vectors are stated on it. */
export function threefry(
  key0: number, key1: number, counter0: number, counter1: number,
): [word0: number, word1: number] {
  encrypt(key0 | 0, key1 | 0, counter0 | 0, counter1 | 0)
  return [word0 >>> 0, word1 >>> 0]
}

/**
 * Counter-based random numbers: each is a pure function of (seed, purpose, instrument, number, part), never of what was
 * drawn before, so nothing has to be saved and adding draws elsewhere changes nothing here. Threefry-2x32 with 20
 * rounds (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC11; Crush-resistant), which
 * needs only 32-bit additions, rotations and exclusive ors: the same bits on every engine. `number` is an integer from
 * 0 to 2^53 - 1 (an event or order number), `part` from 0 to 2047 tells several draws of one number apart.
 *
 * @example
 * ```ts
 * import { RandomNumbers } from 'backtape'
 * const latency = new RandomNumbers(7, 'latency', 67824)
 * const first = latency.uniform(0)
 * latency.uniform(1)
 * if (latency.uniform(0) !== first) throw new Error('a pure function of its arguments')
 * ```
 */
export class RandomNumbers {
  #key0: number
  #key1: number

  /** `seed` is an integer from 0 to 2^53 - 1; `purpose` names what the numbers are for. */
  constructor(seed: number, purpose: string, instrumentId: number) {
    let key0 = seed | 0
    let key1 = Math.floor(seed / TWO_32) | 0
    for (let i = 0; i < purpose.length; i++) {
      encrypt(key0, key1, purpose.charCodeAt(i), i)
      key0 = word0
      key1 = word1
    }
    encrypt(key0, key1, instrumentId | 0, Math.floor(instrumentId / TWO_32) | 0x40000000)
    this.#key0 = word0
    this.#key1 = word1
  }

  /** The random numbers of these keys. */
  static of([key0, key1]: RandomNumbers['keys']): RandomNumbers {
    const numbers = new RandomNumbers(0, '', 0)
    numbers.#key0 = key0
    numbers.#key1 = key1
    return numbers
  }

  /** Two integers of 32 bits that make it: random numbers of the same keys are the same. */
  get keys(): readonly [key0: number, key1: number] {
    return [this.#key0, this.#key1]
  }

  /** 32 random bits as an integer from 0 to 2^32 - 1. */
  bits(number: number, part: number = 0): number {
    this.#draw(number, part)
    return word0 >>> 0
  }

  /** Uniform in [0, 1) with 53 bits. */
  uniform(number: number, part: number = 0): number {
    this.#draw(number, part)
    return this.#bits53() * TWO_M53
  }

  /**
   * A uniform integer from 0 to `limit` - 1 without bias. OPTION_INVALID where `limit` is no whole number from 1 to
   * 2^53.
   */
  below(limit: number, number: number, part: number = 0): number {
    const range = 9007199254740992
    if (!(limit >= 1 && limit <= range && Math.floor(limit) === limit)) throw limitError(limit)
    const fair = range - (range % limit)
    this.#draw(number, part)
    let value = this.#bits53()
    while (value >= fair) {
      this.#again()
      value = this.#bits53()
    }
    return value % limit
  }

  /** Exponentially distributed with mean 1. */
  exponential(number: number, part: number = 0): number {
    return -exactLog(1 - this.uniform(number, part))
  }

  /** Normally distributed with mean 0 and variance 1 (polar method of Marsaglia and Bray, 1964). */
  normal(number: number, part: number = 0): number {
    this.#draw(number, part)
    for (;;) {
      const u = (word0 >>> 0) * TWO_M32 * 2 - 1
      const v = (word1 >>> 0) * TWO_M32 * 2 - 1
      const square = u * u + v * v
      if (square > 0 && square < 1) return u * Math.sqrt((-2 * exactLog(square)) / square)
      this.#again()
    }
  }

  #draw(number: number, part: number): void {
    encrypt(this.#key0, this.#key1, number | 0, (Math.floor(number / TWO_32) | (part << 21)) | 0)
  }

  /** The next draw of one (number, part), for what is drawn until it fits: the last draw is the counter. */
  #again(): void {
    encrypt(this.#key0, this.#key1, word0, word1)
  }

  #bits53(): number {
    return (word0 >>> 0) * 2097152 + (word1 >>> 11)
  }
}
