/*
 * Shared memory between a text stream and its worker. The stream writes compressed bytes into a ring and counts them;
 * the worker counts what it has taken. The worker fills slots of text in the order in which they were released and
 * queues (slot, length); counters only grow (modulo 2^32), so a full queue and an empty one cannot be confused. Each
 * side that finds nothing to do says that it waits and looks again before it sleeps.
 */

/** Compressed bytes that may wait for the worker. */
export const RING_BYTES = 2_097_152
/** Most slots a stream may have. */
export const SLOTS_MAX = 64

/** Positions in `control`. */
export const CONTROL = {
  /** Bytes written to the ring. */
  inputWritten: 0,
  /** Bytes taken from the ring. */
  inputTaken: 1,
  /** 1 after the last byte, 2 when the job is to stop. */
  inputState: 2,
  /** Slots queued as filled. */
  filled: 3,
  /** Slots queued as free. */
  freed: 4,
  /** Changes whenever the stream did anything; the worker sleeps on it. */
  wake: 5,
  /** 1 while the stream sleeps until a message comes. */
  readerWaits: 6,
  /** Compressed bytes decompressed. */
  compressedLow: 8,
  compressedHigh: 9,
  /** Queue of free slots, then of pairs (slot, length). */
  freeQueue: 16,
  filledQueue: 80,
} as const

/** Bytes of the control words. */
export const CONTROL_BYTES = 1024

/** Values of `inputState`. */
export const INPUT = { open: 0, ended: 1, stopped: 2 } as const

/** The job of a worker. */
export interface ZstdJob {
  readonly job: number
  readonly control: SharedArrayBuffer
  readonly ring: SharedArrayBuffer
  readonly slots: SharedArrayBuffer
  readonly offsets: readonly number[]
  readonly capacityBytes: number
  readonly fileName: string
  readonly zstd: 'auto' | 'native' | 'wasm' | 'fzstd'
  readonly windowLimitBytes: number
}

/** The message of a worker: it did something a sleeping stream waits for, or it is through, well or not. */
export type ZstdNotice =
  | { readonly job: number; readonly kind: 'progress' }
  | { readonly job: number; readonly kind: 'end' }
  | {
      readonly job: number
      readonly kind: 'failure'
      readonly code: string | null
      readonly message: string
      readonly place: object
    }
