import { brand } from '../model/brand.js'

/**
 * A channel that a strategy has opened: `openChannel`.
 *
 * @example
 * ```ts
 * import { runBacktest, Strategy, type Channel } from 'backtape'
 * class Speaker extends Strategy {
 *   override onStart() {
 *     const news: Channel = this.openChannel('news')
 *     news.publish('hello')
 *   }
 * }
 * await runBacktest({
 *   strategy: Speaker, data: ['datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst'], from: '23:59',
 *   account: { balances: { USDT: '1000' } },
 * })
 * ```
 */
export class Channel {
  readonly #publish: (message: string) => void

  constructor(
    /** Its name. */
    readonly name: string,
    /** Called with each text that the strategy publishes. */
    publish: (message: string) => void,
  ) {
    this.#publish = publish
  }

  /**
   * Publishes a text of at most 1 MiB: a line of the journal, and a message to all others that have the channel open.
   * It succeeds without a listener too. Throws OPTION_INVALID for what is no text, LIMIT_EXCEEDED for a longer one.
   */
  publish(message: string): void {
    this.#publish(message)
  }
}

brand(Channel, 'Channel')
