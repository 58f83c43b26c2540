import type { Column } from './column.js'

/**
 * A value of a table: `bigint` for timestamps (epoch nanoseconds) and 64-bit ids, a plain decimal text for decimals,
 * `number` for doubles and 32-bit counts, `boolean`, text; null where the source has none.
 */
export type TableValue = bigint | number | string | boolean | null

/** A column together with its values, one a row. */
export interface TableColumn extends Column {
  /** One value a row. */
  readonly values: readonly TableValue[]
}
