import { brand } from '../model/brand.js'

/** A message that a strategy publishes on a channel of `BrokerMessage`. */
export interface BrokerRecord {
  /** The key of the record; left out or null: none. */
  readonly key?: string | null
  /** Its value; null: none, which compacted topics take as the end of a key. */
  readonly value: string | null
  /** Texts by name, in their order; default none. `CS_ORIGIN` and `CS_PROCESS_ID` are the server's. */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * A message of a channel that was opened with this class: a record of a broker, or what another strategy or client has
 * published on the channel. Frozen; it can be published as it is.
 *
 * @example
 * ```ts
 * import { BrokerMessage, Strategy, type Channel, type ChannelMessage } from 'backtape'
 * export class Forwarder extends Strategy {
 *   prices!: Channel<BrokerMessage>
 *   override onStart() { this.prices = this.openChannel('prices', BrokerMessage) }
 *   override onChannelMessage(_: Channel<BrokerMessage>, { origin, message }: ChannelMessage<BrokerMessage>) {
 *     this.log(`${origin} says ${message.value} of ${message.key}, offset ${message.offset}`)
 *     this.prices.publish({ key: message.key, value: 'seen', headers: { from: origin } })
 *   }
 * }
 * ```
 */
export class BrokerMessage implements BrokerRecord {
  /** Null: no key. */
  readonly key: string | null
  /** Null: no value. */
  readonly value: string | null
  /** Texts by name; without those of the server. */
  readonly headers: Readonly<Record<string, string>>
  /** The partition of its topic; null of a message that was not read from a broker, as are offset and timestamp. */
  readonly partition: number | null
  /** Its place in the partition. */
  readonly offset: number | null
  /** Epoch milliseconds, as the broker states it. */
  readonly timestamp: number | null

  constructor(
    { key = null, value, headers = {} }: BrokerRecord,
    { partition = null, offset = null, timestamp = null }: {
      readonly partition?: number | null, readonly offset?: number | null, readonly timestamp?: number | null,
    } = {},
  ) {
    this.key = key
    this.value = value
    this.headers = headers
    this.partition = partition
    this.offset = offset
    this.timestamp = timestamp
    Object.freeze(this)
  }
}

brand(BrokerMessage, 'BrokerMessage')
