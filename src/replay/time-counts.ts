/** The counts of times that were not taken as they stand (exchange rules 1.1); part of a result. */
export interface TimeCounts {
  /** No exchange time given: adapter time instead. State lines, which never have one, are not counted. */
  missing: number
  /** Later than the adapter's time: adapter time instead. */
  afterAdapter: number
  /** More than the window behind: moved up. */
  movedUp: number
  /** Adapter clock steps back, clamped on the local side. */
  adapterStepsBack: number
  /** Lines of a clock jump of the recorder: they took the adapter time of the line before. */
  adapterJumps: number
}
