/** Scores stand above places in one number: both together stay exact. */
const PLACES = 2 ** 30

/** The best of hits: the least scores, among equal ones the least places. All are counted. */
export class BestHits {
  total = 0
  readonly #limit: number
  /** Ascending. */
  readonly #keys: number[] = []
  /** A hit that is not better is counted alone. */
  #worst = Infinity

  constructor(limit: number) {
    this.#limit = limit
  }

  add(score: number, place: number): void {
    this.total++
    const key = score * PLACES + place
    if (key < this.#worst) this.#insert(key)
  }

  /** The places, the best first. */
  places(): readonly number[] {
    return this.#keys.map((key) => key % PLACES)
  }

  #insert(key: number): void {
    if (this.#keys.length === this.#limit) this.#keys.pop()
    let at = this.#keys.length
    while (at > 0 && (this.#keys[at - 1] ?? 0) > key) at--
    this.#keys.splice(at, 0, key)
    if (this.#keys.length === this.#limit) this.#worst = this.#keys[this.#limit - 1] ?? Infinity
  }
}
