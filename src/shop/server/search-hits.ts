/** Scores stand above places in one number: both together stay exact. */
const PLACES = 2 ** 30

/** The best of hits: the least scores, among equal ones the least places. All are counted. */
export class BestHits {
  total = 0
  readonly #limit: number
  /** Ascending. */
  readonly #keys: number[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  add(score: number, place: number): void {
    this.total++
    const key = score * PLACES + place
    const isFull = this.#keys.length === this.#limit
    if (isFull && key > (this.#keys[this.#limit - 1] ?? 0)) return
    if (isFull) this.#keys.pop()
    let at = this.#keys.length
    while (at > 0 && (this.#keys[at - 1] ?? 0) > key) at--
    this.#keys.splice(at, 0, key)
  }

  /** The places, the best first. */
  places(): readonly number[] {
    return this.#keys.map((key) => key % PLACES)
  }
}
