import type { Fill } from '../venue/account-messages.js'
import type { MessageOrigin } from '../orders/message-origin.js'
import type { ClientMessage, OrderRequest } from '../venue/order-messages.js'
import type { InternalTask } from './risk/exchange-task.js'

/** The login that a message is for, or that a request is of. */
export interface Addressee {
  readonly accountId: string
  readonly clientId: string
  /**
   * The count of messages that the world had made when the client logged in; left out for 0. A later login of the same
   * name does not get what was on its way to an earlier one.
   */
  readonly login?: number
}

/** A message on its way to a client. */
interface AddressedMessage {
  readonly to: Addressee
  readonly message: ClientMessage
  readonly origin: MessageOrigin
}

/** An entry of the agenda: a request of a client, a message for it, or a task of the exchange. */
export type WorldMessage =
  | {
    readonly way: 'request'; readonly from: Addressee; readonly request: OrderRequest; readonly origin: MessageOrigin
  }
  | ({ readonly way: 'response' } & AddressedMessage)
  | { readonly way: 'internal'; readonly task: InternalTask }
  /** The adapter's own word: it needs no connection to the exchange. */
  | ({ readonly way: 'notice' } & AddressedMessage)
  /** An account of a client has come to 0 (exchange rules 8.6). */
  | { readonly way: 'stop'; readonly accountId: string; readonly clientId: string; readonly reason: string }
  /** The status of an account may have changed, with another text than its own. */
  | { readonly way: 'status'; readonly accountId: string; readonly text?: string }
  /** A window of its rate limits is over. */
  | { readonly way: 'window'; readonly accountId: string }
  /** A fill that is published later than its cause. */
  | {
    readonly way: 'late'; readonly accountId: string; readonly instrumentId: number; readonly fill: Fill
    readonly row: number
  }
