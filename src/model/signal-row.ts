import type { Decimal } from './decimal.js'

/**
 * A value of a signal: an exact Decimal of a decimal column, a number of a column of floats, an integer as number or,
 * beyond 2^53 - 1, as bigint, epoch nanoseconds as bigint of a timestamp or a day, text, boolean; null where there is
 * none.
 */
export type SignalValue = Decimal | bigint | number | string | boolean | null

/** A row of a signal by the names of its columns, in their order: frozen, and nothing but this row. */
export type SignalRow = Readonly<Record<string, SignalValue>>
