import { MinuteBuilder, type MinuteOptions, type MinuteStatistics, type MinuteSubject } from '../measures/minutes.js'
import { damageWords } from '../model/damage-words.js'
import type { ReadingSummary } from '../tickfile/lines/reading.js'
import type { EventBatch } from '../model/event-batch.js'

/** A day as far as its minutes need it. */
export interface MinuteSource extends MinuteSubject {
  /** The events of the day in file order. */
  batches(): AsyncIterable<EventBatch>
  /** Findings of the newest reading; read when it has ended. */
  readonly summary?: ReadingSummary
}

/** Reads a day once and sums up its minutes, or other spans. Throws OPTION_INVALID for a span that is none. */
export async function readMinutes(source: MinuteSource, options: MinuteOptions = {}): Promise<MinuteStatistics> {
  const builder = new MinuteBuilder(source, options)
  for await (const batch of source.batches()) builder.add(batch)
  const statistics = builder.finish()
  const damage = source.summary === undefined ? [] : damageWords(source.summary)
  return damage.length === 0 ? statistics : { ...statistics, damage }
}
