import type { EventBatch } from '../model/event-batch.js'
import { ReceivedMarket } from '../simulation/received-market.js'

/** The market of one instrument as a feed client receives it: a line counts from the moment it is taken. */
export class LiveMarket extends ReceivedMarket {
  override received(): ReturnType<ReceivedMarket['received']> {
    return this.taken
  }

  /** Takes a line. */
  receive(batch: EventBatch, index: number): void {
    this.take(batch, index, index + 1)
  }
}
