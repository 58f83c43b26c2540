import type { FeedAddress } from '../feed/feed-source.js'
import type { ReplaySpeed, ReplayStart } from './pacer.js'
import type { ServedReplayOptions } from './served-replay.js'

/** A key of the feed and what it opens; one without markets and instruments opens nothing. */
export interface ServeKey {
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
  readonly replay?: {
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
  }
  /** Actions of the control port at times of the replay; default none. */
  readonly controlPlan?: readonly PlannedControl[]
  readonly ping?: { readonly everySeconds: number; readonly pongSeconds: number }
}

/** Where everything listens. */
export interface ServeAddresses {
  /** `http://host:port`: the backend and the directory. */
  readonly http: string
  readonly feeds: readonly FeedAddress[]
  readonly domainSocket: string | null
  readonly accounts: readonly string[]
  readonly keys: readonly string[]
  /** The control port and its token; null: none. */
  readonly control: { readonly url: string; readonly token: string } | null
}
