/** A change of a state. */
export interface ShopTransition {
  readonly from: string
  /** The event, or `time`: it happens by itself. */
  readonly on: string
  readonly to: string
  /** Of `time`: the limit that is over, counted from the start of the object or of its state. */
  readonly after?: {
    readonly limit: 'sessionMs' | 'guestOrderMs' | 'coldMs' | 'restoreMs', readonly of: 'start' | 'state',
  }
  /** Object, state and next state of its row in "States and transitions" (spec 1); none: ours. */
  readonly row?: string
  readonly isOurs?: true
  readonly choice?: string
}

/** The states of an object: the word that shows each, and how it changes. It begins in the first. */
export interface ShopMachine {
  readonly shown: Readonly<Record<string, string>>
  readonly transitions: readonly ShopTransition[]
}

/**
 * The state machines (spec 1, "States and transitions"), and ours. An event that a state has no transition for changes
 * nothing.
 */
export const SHOP_MACHINES = {
  session: {
    shown: { pending: 'pending', paid: 'paid', expired: 'expired' },
    transitions: [
      { from: 'pending', on: 'pay', to: 'paid', row: 'Checkout session: pending, paid' },
      {
        from: 'pending', on: 'time', to: 'expired', after: { limit: 'sessionMs', of: 'start' },
        row: 'Checkout session: pending, pending, then expires',
        choice: 'after 24 hours; "decline" and "leave" change nothing: the buyer may come back and pay',
      },
    ],
  },
  guestOrder: {
    shown: { paid: 'paid', refunded: 'refunded', expired: 'expired' },
    transitions: [
      {
        from: 'paid', on: 'time', to: 'expired', after: { limit: 'guestOrderMs', of: 'start' },
        row: 'Guest order: paid, expired',
      },
      { from: 'paid', on: 'refund', to: 'refunded', isOurs: true, choice: 'its files are no longer served' },
      { from: 'refunded', on: 'time', to: 'expired', after: { limit: 'guestOrderMs', of: 'start' }, isOurs: true },
      { from: 'paid', on: 'expire', to: 'expired', isOurs: true, choice: 'the control port\'s `expire-order`' },
      { from: 'refunded', on: 'expire', to: 'expired', isOurs: true },
    ],
  },
  accountOrder: {
    shown: { paid: 'paid', refunded: 'refunded', expired: 'expired' },
    transitions: [
      { from: 'paid', on: 'refund', to: 'refunded', isOurs: true, choice: 'an order of an account does not expire' },
      { from: 'paid', on: 'expire', to: 'expired', isOurs: true },
      { from: 'refunded', on: 'expire', to: 'expired', isOurs: true },
    ],
  },
  dayFile: {
    shown: { ready: 'ready', cold: 'cold', restoring: 'pending', restored: 'ready' },
    transitions: [
      {
        from: 'ready', on: 'time', to: 'cold', after: { limit: 'coldMs', of: 'start' }, isOurs: true,
        choice: 'counted from the end of the day; only with `--cold`',
      },
      { from: 'cold', on: 'restore', to: 'restoring', row: 'Tick day file: cold, restore running' },
      {
        from: 'restoring', on: 'time', to: 'restored', after: { limit: 'restoreMs', of: 'state' },
        row: 'Tick day file: pending, ready', choice: 'a restored day stays ready',
      },
      { from: 'cold', on: 'thaw', to: 'restored', isOurs: true, choice: 'the control port\'s `thaw`: at once' },
      { from: 'restoring', on: 'thaw', to: 'restored', isOurs: true },
      { from: 'ready', on: 'freeze', to: 'cold', isOurs: true, choice: 'the control port\'s `cold`' },
      { from: 'restored', on: 'freeze', to: 'cold', isOurs: true },
      { from: 'restoring', on: 'freeze', to: 'cold', isOurs: true },
    ],
  },
  export: {
    shown: { none: 'pending', converting: 'pending', ready: 'ready', empty: 'empty', failed: 'failed' },
    transitions: [
      { from: 'none', on: 'request', to: 'converting', row: 'Derived export: none, pending' },
      { from: 'none', on: 'probe', to: 'converting', isOurs: true, choice: 'a probe starts the export too' },
      { from: 'converting', on: 'built', to: 'ready', isOurs: true },
      { from: 'converting', on: 'empty', to: 'empty', isOurs: true, choice: 'no row: its bytes are 404 `NOT_FOUND`' },
      { from: 'converting', on: 'fail', to: 'failed', isOurs: true },
      {
        from: 'failed', on: 'request', to: 'converting', isOurs: true,
        choice: 'a probe does not try anew, nor does a request within a minute: its bytes are 500, which says why',
      },
      { from: 'ready', on: 'evict', to: 'none', isOurs: true, choice: 'exports are kept under a size limit' },
    ],
  },
  archive: {
    shown: { pending: 'pending', ready: 'ready', too_large: 'too_large' },
    transitions: [
      { from: 'pending', on: 'allReady', to: 'ready', row: 'Bundle zip: pending, ready' },
      { from: 'pending', on: 'overLimit', to: 'too_large', isOurs: true },
      { from: 'ready', on: 'overLimit', to: 'too_large', isOurs: true },
      { from: 'ready', on: 'notReady', to: 'pending', isOurs: true, choice: 'a file of it became cold' },
    ],
  },
} as const

/** The name of a state machine. */
export type ShopMachineName = keyof typeof SHOP_MACHINES

/** The states of a machine. */
export type ShopState<Name extends ShopMachineName> = keyof (typeof SHOP_MACHINES)[Name]['shown']

/** The events of a machine that others cause. */
export type ShopEvent<Name extends ShopMachineName> =
  Exclude<(typeof SHOP_MACHINES)[Name]['transitions'][number]['on'], 'time'>
