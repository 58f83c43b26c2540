import type { Price } from '../model/fixed-decimal.js'

/** The way to a target, and how long it may take. */
export interface TargetOptions {
  /**
   * `take` (default) takes what is missing at once: a MARKET order, or an immediate-or-cancel limit order with `price`
   * or `offsetTicks`. `join` rests post-only at the best price of its own side and follows it. `limit` rests at
   * `price`.
   */
  readonly style?: 'take' | 'join' | 'limit'
  /** The price of `limit`; of `take` the worst price, in place of a MARKET order. */
  readonly price?: Price
  /** After so many milliseconds `join` takes what is still missing; without it, it waits for ever. */
  readonly timeoutMs?: number
  /**
   * Of `join`: ticks behind the best price of its own side, 0 by default. Of `take` without a price: a limit order so
   * many ticks through the best price of the other side, in place of a MARKET order.
   */
  readonly offsetTicks?: number
  /**
   * A target between two lots is refused, unless this is stated: `down` takes the lot nearer to 0, `up` the one beyond.
   */
  readonly round?: 'down' | 'up'
  /**
   * Milliseconds before the next order where one was rejected, discarded or not filled in full, doubled each time up to
   * a minute; default 100.
   */
  readonly retryMs?: number
}
