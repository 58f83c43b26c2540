/** An exact decimal, `integer * 10^-scale`; NaN for null. One is used for many rows, so that none is made for each. */
export interface ExactCell {
  /** A number wherever that is safe. */
  integer: number | bigint
  scale: number
}
