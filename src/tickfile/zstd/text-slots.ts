/**
 * Regions of shared memory that receive text. Slot i is the bytes [offsets[i], offsets[i] + capacityBytes) of `buffer`;
 * room for a partial line that is carried over lies before it and is the consumer's.
 */
export interface TextSlots {
  readonly buffer: SharedArrayBuffer
  readonly offsets: readonly number[]
  readonly capacityBytes: number
}

/** One slot of text. */
export interface FilledSlot {
  readonly slot: number
  readonly lengthBytes: number
}

/** The stage behind a text stream once it is known how large the file is. */
export interface TextStage {
  next(): Promise<FilledSlot | null>
  release(slot: number): void
  readonly compressedBytes: number
  stop(): Promise<void>
}
