/** The kinds of values that a column of CSV may be stated to have. */
export type SignalColumnType = 'integer' | 'decimal' | 'double' | 'timestamp' | 'boolean' | 'text'

/** Rows from outside, such as the forecasts of a model, that a strategy receives in time: `onSignal`. */
export interface SignalOptions {
  /** The name under which the strategy receives its rows. */
  readonly name: string
  /** A Parquet, Arrow (file or stream) or CSV file; rows ascend by time. */
  readonly file: string
  /** The column with the time of a row: timestamps (UTC where they state no zone), or integers with `unit`. */
  readonly time: string
  /** From that time until the strategy receives the row: `50ms`, or `0ms`. */
  readonly delay: string
  /** The unit of times that are integers since 1970-01-01. */
  readonly unit?: 's' | 'ms' | 'us' | 'ns'
  /** The column with the time of the newest input of a row: one after `time` is refused. Default: not checked. */
  readonly known?: string
  /**
   * The types of columns of a CSV file; default: that of the first value of a column, where numbers are decimals.
   * Parquet and Arrow state their own.
   */
  readonly types?: Readonly<Record<string, SignalColumnType>>
}
