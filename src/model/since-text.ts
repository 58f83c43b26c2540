import { textAt } from './event-batch-columns.js'
import type { EventBatch } from './event-batch.js'
import { epochNsFromText, isoFromTime, nearTimeFromEpochNs } from './time.js'

/** Texts of states that say since when something is so: `no data since 2026-07-01T00:00:00.000000000Z`. */
export interface SinceText {
  /** The text for a time, nanoseconds since the midnight of `epochDay`. */
  textOf(sinceNs: number, epochDay: number): string
  /** The time of such a text, nanoseconds since the midnight of `epochDay`; NaN for any other text. */
  sinceNs(text: string, epochDay: number): number
  /** The same of the state line `index` of a batch. */
  lineSinceNs(batch: EventBatch, index: number): number
}

/** Texts that begin with these words. */
export function sinceText(words: string): SinceText {
  const form = new RegExp(`^${words} (\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{9}Z)$`)
  const sinceNs = (text: string, epochDay: number): number => {
    const [, since] = form.exec(text) ?? []
    return since === undefined ? NaN : nearTimeFromEpochNs(epochNsFromText(since, null), epochDay)
  }
  return {
    textOf: (timeNs, epochDay) => `${words} ${isoFromTime(timeNs, epochDay)}`,
    sinceNs,
    lineSinceNs: (batch, index) =>
      sinceNs(textAt(batch.text, (batch.textStart[index] as number) + 1) ?? '', batch.epochDay),
  }
}
