import type { TimedMessage } from '../simulation/message-inbox.js'
import type { ChannelType, MessageRecord } from '../venue/channels.js'
import type { CallbackWatch } from '../strategy/callback-guard.js'
import type { ClientRequest } from '../venue/order-messages.js'

/** A program around a live run, and what that says to it while it goes on. */
export interface LiveOutside {
  /** Sees each callback begin and end. */
  readonly callbacks: CallbackWatch
  /** Its strategy has started. */
  begun(): void
  /** It opens a channel: what this throws keeps it closed. */
  opened(channel: string, type: ChannelType): void
  /** It has published a message. */
  published(channel: string, message: string, record: MessageRecord | undefined): void
  /** A line of its log; epoch nanoseconds. */
  logged(timeNs: bigint, level: 'log' | 'warning', text: string): void
  /** A request is about to be sent. */
  requested(request: ClientRequest): void
  /** A message of a channel has its time; it is played once this has returned. */
  timed(message: TimedMessage): void
}
