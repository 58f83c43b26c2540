import type { OrderRequest, ClientMessage } from '../venue/order-messages.js'
import type { InternalTask } from './risk/exchange-task.js'
import type { UntimedMessage } from './fill-messages.js'

/** An entry of the agenda: a request of a client, a message for it, or a task of the exchange. */
export type WorldMessage =
  | { readonly way: 'request'; readonly accountId: string; readonly clientId: string; readonly request: OrderRequest }
  | { readonly way: 'response'; readonly accountId: string; readonly clientId: string; readonly message: ClientMessage }
  | { readonly way: 'internal'; readonly task: InternalTask }
  /** The adapter's own word: it needs no connection to the exchange. */
  | { readonly way: 'notice'; readonly accountId: string; readonly clientId: string; readonly message: ClientMessage }
  /** An account of a client has come to 0 (exchange rules 8.6). */
  | { readonly way: 'stop'; readonly accountId: string; readonly clientId: string; readonly reason: string }
  /** The status of an account may have changed; a window of its rate limits is over. */
  | { readonly way: 'status' | 'window'; readonly accountId: string }
  /** News that is published later than its cause. */
  | {
      readonly way: 'late'
      readonly accountId: string
      readonly instrumentId: number
      readonly message: UntimedMessage
    }
