import type { EventBatch } from '../../src/model/event-batch.js'
import { copyBatch } from '../../src/model/event-batch-columns.js'
import type { FeedDecoded, FeedEncoder, FeedLoginResponse, FeedState } from '../../src/protocol/feed-messages.js'
import { createSbeDecoder } from '../../src/protocol/feed-sbe-codec.js'
import type { CountingFeedDecoder } from '../../src/protocol/feed-json-codec.js'
import type { Instrument } from '../../src/model/instrument.js'
import { masterLine, tickReading } from './tick-lines.js'

/** Everything that a decoder has passed on, in order; batches are kept, as users may. */
export class Received implements FeedDecoded {
  readonly lines: { readonly batch: EventBatch, readonly index: number }[] = []
  readonly states: FeedState[] = []
  readonly responses: FeedLoginResponse[] = []

  onLine(batch: EventBatch, index: number): void {
    this.lines.push({ batch, index })
  }

  onState(state: FeedState): void {
    this.states.push(state)
  }

  onLoginResponse(response: FeedLoginResponse): void {
    this.responses.push(response)
  }

  get count(): number {
    return this.lines.length + this.states.length + this.responses.length
  }
}

/** The bytes that an encoder has written, taken. */
export function takenFrame({ sink }: FeedEncoder): Uint8Array {
  const frame = sink.bytes.slice(0, sink.count)
  sink.count = 0
  return frame
}

/** Batches of made lines of instrument 7. */
export async function madeBatches(lines: readonly string[]): Promise<EventBatch[]> {
  const reading = await tickReading('7_2026-06-25.txt.zst', [masterLine(), ...lines])
  const batches: EventBatch[] = []
  for await (const batch of reading.batches()) batches.push(copyBatch(batch))
  return batches
}

/** A decoder of one instrument whose columns begin at the coarsest scales. */
export function decoderOf(instrument: Instrument, epochDay: number, scale = 0): CountingFeedDecoder {
  const from = { instrument, priceScale: scale, quantityScale: scale }
  return createSbeDecoder({ epochDay, instrumentOf: (id) => (id === instrument.id ? from : undefined) })
}
