import type { StopSignal } from '../../model/stop-signal.js'

/** The options for reading a tick file. */
export interface ReadOptions {
  /** `YYYY-MM-DD`; overrules the date in the file's name. */
  readonly day?: string
  /**
   * `stop` (default): the first bad line ends the reading with its error. `count`: bad lines are skipped, counted and
   * kept with their places. `skip`: the same, and a file that is cut is read up to the cut, which counts as damage. A
   * damaged block inside a frame ends the reading under each of them.
   */
  readonly onDamage?: 'stop' | 'count' | 'skip'
  /** Which zstd decoder; `auto` (default) takes the fastest that the running Node has. */
  readonly zstd?: 'auto' | 'native' | 'wasm' | 'fzstd'
  /** Which line decoder; `auto` (default) is WASM. Both give the same columns. */
  readonly lines?: 'auto' | 'wasm' | 'javascript'
  /** Longest line accepted, in bytes; default 16 MiB. */
  readonly lineLimitBytes?: number
  /** Largest zstd window accepted, in bytes; default 128 MiB. */
  readonly windowLimitBytes?: number
  /** Stops the reading, wherever it stands: what is under way then throws STOPPED. */
  readonly signal?: StopSignal
}
