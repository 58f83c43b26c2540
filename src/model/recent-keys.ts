/**
 * The latest keys of a long run, in the order of their coming; every key comes once. Bounded, and the oldest is found
 * without a walk. (The first key of a `Map` from which thousands were deleted is thousands of empty places away.)
 * Nothing is hashed until somebody asks for a key.
 */
export class RecentKeys<Key> {
  /** A ring: once it is full the next place holds the oldest. */
  readonly #ring: Key[] = []
  #next = 0
  /** All of them, once somebody has asked. */
  #known: Set<Key> | null = null

  constructor(private readonly limit: number) {}

  has(key: Key): boolean {
    this.#known ??= new Set(this.#ring)
    return this.#known.has(key)
  }

  /** Adds a key; returns the one that had to go for it, if any. */
  add(key: Key): Key | null {
    const oldest = this.#ring[this.#next]
    this.#ring[this.#next] = key
    this.#next = (this.#next + 1) % this.limit
    if (this.#known !== null) {
      this.#known.add(key)
      if (oldest !== undefined) this.#known.delete(oldest)
    }
    return oldest ?? null
  }

  /** All of them, the oldest first. */
  keys(): Key[] {
    return this.#ring.length < this.limit
      ? [...this.#ring]
      : [...this.#ring.slice(this.#next), ...this.#ring.slice(0, this.#next)]
  }

  clear(): void {
    this.#known = null
    this.#ring.length = 0
    this.#next = 0
  }
}
