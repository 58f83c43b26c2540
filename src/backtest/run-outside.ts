import type { LiveLook } from '../panels/live-look.js'
import type { WorldProgress } from '../results/world-progress.js'
import type { ChannelType, MessageRecord } from '../venue/channels.js'
import type { InboxSource } from '../simulation/message-inbox.js'
import type { ReplayInput } from '../simulation/replay-input.js'
import type { CallbackWatch } from '../strategy/callback-guard.js'

/**
 * Wishes that a run fulfils before its next step: to take a checkpoint and go on, to end its strategy, to end it and
 * cancel its open orders.
 */
export type RunWish = 'checkpoint' | 'stop' | 'cancel'

/** A world of a run, for the program around it: looking changes nothing of it. */
export interface RunWorld {
  /** True where its strategy has a callback for messages of channels: others pass it by without a trace. */
  readonly isListening: boolean
  /** True where so much waits for the next look that it is due, though nobody asks for it. */
  readonly isLookDue?: boolean
  progress(): WorldProgress
  /**
   * A look for a live view: books, orders and last lines as they are now, every fill since the look before. From the
   * first one on the world is watched. Absent: it cannot be.
   */
  look?(): LiveLook
  /** Watches it no more. */
  unlook?(): void
}

/** A program around a run of one world, and what they say to each other while it goes on. */
export interface RunOutside {
  /** Market data that come while the run goes on, in place of those of its files; absent: those. */
  readonly market?: ReplayInput
  /**
   * Asked for messages at the end of a turn: a batch, a few thousand steps, or the step at which it calls. That is the
   * time to state a wish too.
   */
  readonly inbox: InboxSource
  /** Looked at before every step: true ends the turn. */
  readonly isCalling: boolean
  /** Sees each callback begin and end. */
  readonly callbacks: CallbackWatch
  /** Looked at before every step; the run takes away what it has done. */
  wish: RunWish | null
  /** Its strategy has started. */
  begun(world: RunWorld): void
  /** It opens a channel, of a type; throws OPTION_INVALID where the channel cannot have it. */
  opened(channel: string, type: ChannelType): void
  /** It has published a message. */
  published(channel: string, message: string, record: MessageRecord | undefined): void
  /** A line of its log; epoch nanoseconds. */
  logged(timeNs: bigint, level: 'log' | 'warning', text: string): void
  /** Its strategy has stopped. */
  stopped?(reason: string): void
  /** Nothing more is played: own ids of its orders that are still open, and messages that came too late. */
  ended(end: { readonly openOrders: readonly string[], readonly unplayedCount: number }): void
  /** Its worlds are settled: nothing more comes into their journals. */
  settled?(): void
}
