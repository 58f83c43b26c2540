import type { BacktestOptions } from '../backtest/backtest-options.js'
import type { ShopSettings } from '../shop/server/shop-settings.js'

/** The pace of a replay: as fast as it is read, so many times as fast as it was recorded, or in lock-step. */
export type ReplaySpeed = 'max' | 'lockstep' | number

/** When a replay starts to move. */
export type ReplayStart = 'first-subscription' | 'now' | 'paused'

/** The options of a replay that is served: those of a backtest that say nothing of a strategy. */
export type ServedReplayOptions = Omit<
  BacktestOptions,
  'strategy' | 'strategies' | 'parameters' | 'checkpoints' | 'resume' | 'journal' | 'signals' | 'tables'
>

/** A key of the feed and what it opens: markets, instruments or both. */
export interface ServeKey {
  /** The key itself: a secret. */
  readonly key: string
  /** Codes of markets whose every instrument it opens. */
  readonly markets?: readonly string[]
  /** Ids of instruments that it opens. */
  readonly instruments?: readonly number[]
  /** Days (UTC, by the server's clock) on which it opens them. */
  readonly days: 'always' | readonly string[]
}

/** An action of the control port with its fields, and the time at which it is done. */
export interface PlannedControl {
  /** `12:00` of the first day, ISO-8601, or epoch nanoseconds in digits. */
  readonly at: string
  /** The name of the action: docs/reference/serve-actions.md. */
  readonly action: string
  readonly [field: string]: unknown
}

/** The options of a server: recorded days, and where and to whom they are served. */
export interface ServeOptions extends ServedReplayOptions {
  /** Default `127.0.0.1`. */
  readonly host?: string
  /** Adapter, lookup and directory; 0 takes a free port. Default 8080. */
  readonly httpPort?: number
  /** Faults on demand, on the loopback alone; absent: none. */
  readonly controlPort?: number
  /** Path of the adapter's domain socket; absent: none. */
  readonly domainSocket?: string
  /** Ports by market code; markets of the data that are not named take free ports. */
  readonly markets?: Readonly<Record<string, { readonly feedPort: number }>>
  /** Default: one random key that opens everything, always. */
  readonly keys?: readonly ServeKey[]
  /** Connections of a key to the feed of a market at once; default 5, as the vendor's. */
  readonly connectionsPerKey?: number
  /** The way of the replay; true: with its defaults. False: there is none, and the shop is served alone. */
  readonly replay?: boolean | {
    /** Default 1: as fast as it was recorded. */
    readonly speed?: ReplaySpeed
    /** Default `first-subscription`. */
    readonly start?: ReplayStart
    /** True: begins again at its end, with a snapshot that has `forceReset`. */
    readonly loop?: boolean
    /**
     * In lock-step: `ping` (default) takes the pong of a client as its answer to a step; `post` steps when somebody
     * asks for it at the control port.
     */
    readonly step?: 'ping' | 'post'
    /** At a factor, days without data: `play` (default) waits for them, `skip` passes over them at once. */
    readonly holes?: 'play' | 'skip'
  }
  /** A shop over the files of `data`, on the port of `httpPort`; true: with its defaults. Default: none. */
  readonly shop?: boolean | ShopSettings
  /** Actions of the control port at times of the replay; default none. */
  readonly controlPlan?: readonly PlannedControl[]
  /**
   * In lock-step, a client that does not answer is waited for so long, whether it answers pings or not: `5m` (default),
   * `90s`; `off`: as long as it is there.
   */
  readonly patience?: string
  /** Pings of feed and order entry; default every 5 s, with 30 s for the answer. In lock-step `patience` is for it. */
  readonly ping?: { readonly everySeconds: number; readonly pongSeconds: number }
}

/** Where everything listens. */
export interface ServeAddresses {
  /** `http://host:port`: the backend and the directory. */
  readonly http: string
  /** `ws://host:port/api/v6` of each market, the same for SBE, and `/api/info`. */
  readonly feeds: readonly {
    readonly market: string; readonly json: string; readonly sbe: string; readonly info: string
  }[]
  /** Path of the adapter's domain socket; null: there is none. */
  readonly domainSocket: string | null
  /** Names of the accounts. */
  readonly accounts: readonly string[]
  /** Keys of the feeds: secrets. */
  readonly keys: readonly string[]
  /** The control port and its token; null: none. */
  readonly control: { readonly url: string; readonly token: string } | null
}
