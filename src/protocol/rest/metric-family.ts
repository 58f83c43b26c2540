/** One value of a metric. */
interface MetricSample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** A metric, as Prometheus has it. */
export interface MetricFamily {
  /** Its unit stands at the end: `_seconds`, `_bytes`; a counter's name ends with `_total`. */
  readonly name: string
  readonly help: string
  /** A counter only rises while its process lives. */
  readonly kind: 'gauge' | 'counter'
  readonly samples: readonly MetricSample[]
}
