/** The type of a column, and its form in the export formats. */
export type ColumnType =
  /** Epoch nanoseconds in UTC. Arrow and Parquet: zone-less nanosecond timestamps; CSV: integers. */
  | { readonly form: 'timestamp' }
  /** Exact decimals. Arrow: decimal128; Parquet: 64-bit up to 18 digits, 128-bit beyond; CSV: shortest plain text. */
  | { readonly form: 'decimal'; readonly precision: 18 | 38; readonly scale: number }
  | { readonly form: 'uint32' }
  | { readonly form: 'uint64' }
  /** IEEE doubles: greeks, volatilities, averages. Never prices, quantities or times of events. */
  | { readonly form: 'double' }
  | { readonly form: 'boolean' }
  /** UTF-8 text. */
  | { readonly form: 'text' }
  /** `BID` or `ASK`; a dictionary in Arrow and Parquet. */
  | { readonly form: 'side' }

/** One column of a table. */
export interface Column {
  /** Name of the column. */
  readonly name: string
  /** Type of its values. */
  readonly type: ColumnType
  /** True for a column that may hold nulls. */
  readonly nullable: boolean
}
