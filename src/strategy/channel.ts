import { brand } from '../model/brand.js'
import type { BrokerMessage, BrokerRecord } from './broker-message.js'

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
export class Channel<Message extends string | BrokerMessage = string> {
  readonly #publish: (message: unknown) => void

  constructor(
    /** Its name. */
    readonly name: string,
    /** Called with each message that the strategy publishes. */
    publish: (message: unknown) => void,
  ) {
    this.#publish = publish
  }

  /**
   * Publishes a text of at most 1 MiB, or `{ key, value, headers }` where the channel was opened with `BrokerMessage`:
   * a line of the journal, and a message to all others that have the channel open. It succeeds without a listener too.
   * Throws OPTION_INVALID for anything else, LIMIT_EXCEEDED for more.
   */
  publish(message: Message extends string ? string : BrokerRecord): void {
    this.#publish(message)
  }
}

brand(Channel, 'Channel')
