import { keptValue } from '../model/kept-value.js'
import { frozenMessage, type SentMessage } from '../venue/channels.js'
import { eventText } from '../protocol/channels/channel-session.js'

/** A message of a channel on its way to those who have subscribed it. */
export interface PublishedMessage {
  readonly channel: string
  readonly sent: SentMessage
  /** The bytes of its frame, made once for all of them. */
  frame(): Uint8Array
}

/** A client of the channels: a strategy instance, or a connection. */
export interface ChannelClient {
  /** Receives a message of a channel that it has subscribed; never one of its own. */
  receive(message: PublishedMessage): void
}

/**
 * The channels of a server in memory: who has subscribed what, and whose an origin is. A message reaches its
 * subscribers within the call, in the order of their subscriptions, so order holds for each channel and publisher.
 */
export class ChannelHub {
  readonly #subscribers: Map<string, Set<ChannelClient>> = new Map()
  readonly #origins: Map<string, ChannelClient> = new Map()
  /** Receives what its clients publish, for those outside of the server; not what comes from there. */
  outward: ((channel: string, sent: SentMessage) => void) | null = null
  readonly #noSubscribers = (): Set<ChannelClient> => new Set()

  /** Takes an origin for a client; false where another one has it. */
  take(origin: string, client: ChannelClient): boolean {
    if (this.#origins.has(origin)) return false
    this.#origins.set(origin, client)
    return true
  }

  /** True where a client has an origin. */
  isTaken(origin: string): boolean {
    return this.#origins.has(origin)
  }

  /** The number of channels with subscribers. */
  get channelCount(): number {
    return this.#subscribers.size
  }

  /** Messages of a channel come to a client from now on; asking again changes nothing. */
  subscribe(channel: string, client: ChannelClient): void {
    keptValue(this.#subscribers, channel, this.#noSubscribers).add(client)
  }

  /** They do not any more. */
  unsubscribe(channel: string, client: ChannelClient): void {
    const subscribers = this.#subscribers.get(channel)
    subscribers?.delete(client)
    // A name costs memory only while it has subscribers.
    if (subscribers?.size === 0) this.#subscribers.delete(channel)
  }

  /** Publishes a message; `from` does not receive it; null: it comes from outside, and goes nowhere out again. */
  publish(channel: string, given: SentMessage, from: ChannelClient | null): void {
    const subscribers = this.#subscribers.get(channel)
    const outward = from === null ? null : this.outward
    if (subscribers === undefined && outward === null) return
    const sent = frozenMessage(given)
    outward?.(channel, sent)
    if (subscribers === undefined) return
    let frame: Uint8Array | null = null
    const published: PublishedMessage = {
      channel, sent, frame: () => (frame ??= Buffer.from(eventText(channel, sent.origin, sent.message))),
    }
    for (const client of subscribers) if (client !== from) client.receive(published)
  }

  /** A client has gone: its origin is free, and nothing comes to it. */
  leave(client: ChannelClient, channels: Iterable<string>): void {
    for (const channel of channels) this.unsubscribe(channel, client)
    for (const [origin, owner] of this.#origins) if (owner === client) this.#origins.delete(origin)
  }
}
