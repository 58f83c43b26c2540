/** The clock of a shop: the wall, one that runs on from a moment, or that of a replay. */
export interface ShopTime {
  /** Epoch milliseconds. */
  nowMs(): number
}

/** Days of the realtime feed that an account has bought at once: of markets, of instruments, or both. */
export interface ShopRealtimeDays {
  /** The time of the purchase, ISO-8601: the rest of its UTC day is free. */
  readonly bought: string
  /** Codes of markets whose every instrument is open. */
  readonly markets?: readonly string[]
  /** Ids of instruments that are open. */
  readonly instruments?: readonly number[]
  /** The days that are paid, after the day of the purchase: `2024-08-08`. */
  readonly days: readonly string[]
}

/** An account whose owner is signed in by its token. */
export interface ShopAccount {
  /** Its name, as orders have it. */
  readonly name: string
  /** The token of `Authorization: Bearer`: a secret. */
  readonly token: string
  /** Its days that were paid before: `exchange:CODE 2024-08-08` or `exchange:CODE 2024-08-01..2024-08-08`. */
  readonly owns?: readonly string[]
  /** Its key of the realtime feed: a secret. */
  readonly realtimeKey?: string
  /** Its days of the realtime feed, by the clock of the feed. */
  readonly realtimeDays?: readonly ShopRealtimeDays[]
}

/** The options of a local shop. */
export interface ShopSettings {
  /** The folder of its store; default: the user's state folder. */
  readonly stateFolder?: string
  /** Its clock: one that runs on from a time (ISO-8601 in UTC), or that of the `replay`; default: the wall's. */
  readonly now?: string
  /** True: days that ended over 30 days ago are cold. */
  readonly cold?: boolean
  /** The time that a restore takes: `12h`. */
  readonly restoreTime?: string
  /** Free days: `exchange:CODE 2024-08-08`. */
  readonly samples?: readonly string[]
  /** Instruments that are not shown: `exchange:CODE` or an id. */
  readonly hidden?: readonly (string | number)[]
  /** Buyers who sign in. */
  readonly accounts?: readonly ShopAccount[]
  /** Most bytes that exports may take together; default 10 GB. */
  readonly exportLimitBytes?: number
}
