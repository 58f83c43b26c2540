/**
 * The latest keys of a long run, in the order of their coming: bounded, and the oldest is found without a walk. (The first key of a `Map` from
 * which thousands were deleted is thousands of empty places away.)
 */
export class RecentKeys {
  readonly #limit: number
  readonly #known: Set<string> = new Set()
  /** A ring; places of keys that were taken out hold keys that are not known. */
  readonly #ring: string[] = []
  #next = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  has(key: string): boolean {
    return this.#known.has(key)
  }

  /** Adds a key; returns the one that had to go for it, if any. One that is known already keeps its place. */
  add(key: string): string | null {
    const known = this.#known
    const { size } = known
    known.add(key)
    if (known.size === size) return null
    const oldest = this.#ring[this.#next]
    this.#ring[this.#next] = key
    this.#next = (this.#next + 1) % this.#limit
    return oldest !== undefined && known.delete(oldest) ? oldest : null
  }

  delete(key: string): void {
    this.#known.delete(key)
  }

  /** All of them, the oldest first. */
  keys(): IterableIterator<string> {
    return this.#known.values()
  }

  clear(): void {
    this.#known.clear()
    this.#ring.length = 0
    this.#next = 0
  }
}
