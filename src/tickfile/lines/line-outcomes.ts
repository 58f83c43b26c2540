/** The outcomes of a line. */
export const LINE_OUTCOMES = {
  /** An event, kept in the batch. */
  EVENT: 0,
  /** An event that does not fit: deliver the batch and decode the line again. */
  FULL: 1,
  /** An event with finer digits: deliver the batch, take over `widerScales`, and decode the line again. */
  WIDER: 2,
  /** A well-formed line of an unknown msgType, which is `unknownType`. */
  UNKNOWN: 3,
  BLANK: 4,
} as const

/** One of {@link LINE_OUTCOMES}. */
export type LineOutcome = (typeof LINE_OUTCOMES)[keyof typeof LINE_OUTCOMES]
