import type { StrategyVenue } from './instance-run.js'

/** Limits of a strategy server and of each of its instances, where they differ from its own. */
export interface StrategyServerLimits {
  /** Instances at once, whatever their state; default 100, which is the most. */
  readonly instances?: number
  /** The heap of an instance, MiB; default 1024. */
  readonly heapMb?: number
  /** The buffers of an instance beside its heap, MiB; default 1024. */
  readonly bufferMb?: number
  /** Wall time of one callback, milliseconds; default 10,000. */
  readonly callbackMs?: number
  /** The journal of an instance, MiB; default 1024. */
  readonly journalMb?: number
}

/** The configuration of a strategy server. */
export interface StrategyServerConfig {
  /** The folder of modules with strategies. */
  readonly strategies: string
  /** Venues by their names; the first by default. */
  readonly venues: Readonly<Record<string, StrategyVenue>>
  /** True: venues of the type `live` are allowed. Default false. */
  readonly live?: boolean
  /** Default `127.0.0.1`; another address only together with `tokenFile`. */
  readonly host?: string
  /** Default 8000; 0 takes a free one. */
  readonly port?: number
  /** A file with a token, which only its user can read: then every request needs it. */
  readonly tokenFile?: string
  /** Addresses of a message broker, `host:port`: then channels may be its topics. Default: none, all are in memory. */
  readonly broker_servers?: readonly string[]
  /** Names of topics, each with `:r` (read), `:w` (written, the default) or `:rw`; they are channels of that name. */
  readonly broker_topics?: readonly string[]
  /** True: a failed write stops the instances that have a written topic open. Default false: it is counted. */
  readonly broker_stop_on_error?: boolean
  /** Null: texts are written without a key. Default: the process id is their key. */
  readonly broker_key?: null
  /** Place at which reading begins; default `end`. */
  readonly broker_from?: 'end' | 'beginning'
  /** The process id on records of a broker; default: a random one. */
  readonly processId?: string
  /** The folder of instances, their journals and checkpoints. Default: the user's folder for state. */
  readonly store?: string
  /** Limits of the server and of each instance. */
  readonly limits?: StrategyServerLimits
  /** True: starts again, from their checkpoints, those that were interrupted. Default false. */
  readonly resume?: boolean
  /** Receives sentences for an operator. */
  readonly onNote?: (sentence: string) => void
}
