import type { Writable } from '../model/writable.js'
import { NO_ORIGIN, type MessageOrigin } from '../orders/message-origin.js'
import type { ClientMessage } from '../venue/order-messages.js'

/** The `adapterTimeNs` of a message that has not been sent: its way to the client sets it. */
export const UNSENT: number = NaN

/** Sets when a message arrives at its client. The message is the sender's own until then. */
export function stamp(message: ClientMessage, adapterTimeNs: number): void {
  if ('adapterTimeNs' in message) (message as Writable<typeof message>).adapterTimeNs = adapterTimeNs
  if (message.kind !== 'cancelAllResponse') return
  (message.response as Writable<typeof message.response>).adapterTimeNs = adapterTimeNs
}

function copyOf(message: ClientMessage): ClientMessage {
  return message.kind === 'cancelAllResponse' ? { ...message, response: { ...message.response } } : { ...message }
}

/** Who asks: the client's name, its account, and the way back to it. */
export interface Requester {
  readonly clientId: string
  readonly accountId: string
  /** Sends a message from the exchange, which becomes the way's own; the time is the exchange's. */
  answer(exchangeTimeNs: number, instrumentId: number, message: ClientMessage, origin?: MessageOrigin): void
}

/** A message that waits for the response of the request that caused it. */
interface HeldMessage {
  readonly accountId: string
  readonly timeNs: number
  readonly instrumentId: number
  readonly message: ClientMessage
  readonly origin: MessageOrigin
}

/**
 * The messages of a world to its clients: every message goes to all clients of its account, each with its own response
 * latency. A response goes before everything that its request caused (exchange rules 5.1): that is held until then.
 */
export class Outbox {
  readonly #held: HeldMessage[] = []
  #isHolding = false

  constructor(
    /** Channels by account, then client, in the order of logging in. */
    private readonly channels: ReadonlyMap<string, ReadonlyMap<string, Requester>>,
  ) {}

  /** Holds what is published from here on until {@link release}. */
  hold(): void {
    this.#isHolding = true
  }

  /** Sends what was held. */
  release(): void {
    this.#isHolding = false
    const held = this.#held
    for (let i = 0; i < held.length; i++) {
      const { accountId, timeNs, instrumentId, message, origin } = held[i] as HeldMessage
      this.publish(accountId, timeNs, instrumentId, message, origin)
    }
    while (held.length > 0) held.pop()
  }

  /** Sends a message, which becomes the outbox's own; times are the exchange's. */
  publish(
    accountId: string, timeNs: number, instrumentId: number, message: ClientMessage,
    origin: MessageOrigin = NO_ORIGIN,
  ): void {
    if (this.#isHolding) {
      this.#held.push({ accountId, timeNs, instrumentId, message, origin })
      return
    }
    const clients = this.channels.get(accountId)
    if (clients === undefined) return
    let own: ClientMessage | null = message
    for (const channel of clients.values()) {
      channel.answer(timeNs, instrumentId, own ?? copyOf(message), origin)
      own = null
    }
  }
}
