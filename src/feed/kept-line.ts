import { copyRuns } from '../model/event-batch-columns.js'
import type { EventBatch } from '../model/event-batch.js'

/** A line that is remembered: in its batch as long as that is valid, then in memory of its own. */
export class KeptLine {
  batch: EventBatch | null = null
  index = 0
  #isOwn = false

  set(batch: EventBatch, index: number): void {
    this.batch = batch
    this.index = index
    this.#isOwn = false
  }

  clear(): void {
    this.batch = null
  }

  own(): void {
    if (this.batch === null || this.#isOwn) return
    this.batch = copyRuns(this.batch, { from: [this.index], to: [this.index + 1] })
    this.index = 0
    this.#isOwn = true
  }
}
