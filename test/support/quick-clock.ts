import type { ShopClock } from '../../src/shop/client/shop-clock-client.js'

/** A clock whose waits pass at once, and are written down; waits of `limitsMs` are limits of the wall's time. */
export class QuickClock implements ShopClock {
  readonly waits: number[] = []
  #waiting: { readonly dueMs: number, readonly callback: () => void }[] = []

  constructor(private ms: number = Date.UTC(2026, 0, 5), private readonly limitsMs: readonly number[] = [20_000]) {}

  nowMs(): number {
    return this.ms
  }

  /** Lets time pass, or step back. */
  pass(ms: number): void {
    this.ms += ms
  }

  afterMs(ms: number, callback: () => void): () => void {
    if (this.limitsMs.includes(ms)) {
      const timer = setTimeout(callback, ms)
      return () => { clearTimeout(timer) }
    }
    const wait = { dueMs: this.ms + ms, callback }
    this.waits.push(ms)
    this.#waiting.push(wait)
    setImmediate(() => { this.#next() })
    return () => { this.#waiting = this.#waiting.filter((one) => one !== wait) }
  }

  /** Moves to the earliest wait and ends it; one for each that was begun. */
  #next(): void {
    const [first] = this.#waiting.sort((a, b) => a.dueMs - b.dueMs)
    if (first === undefined) return
    this.#waiting.shift()
    this.ms = Math.max(this.ms, first.dueMs)
    first.callback()
  }
}
