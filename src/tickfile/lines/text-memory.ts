import { BATCH_CAPACITY, batchByteLength, createBatch, type WritableBatch } from '../../model/event-batch-columns.js'
import type { Instrument } from '../../model/instrument.js'
import type { TextSlots } from '../zstd/text-slots.js'
import { PROGRAM_BYTES } from './wasm-line-decoder.js'

/** Room before each slot for a line that was carried over; longer ones are gathered elsewhere. */
export const HEADROOM_BYTES = 65_536
// The WASM decoder looks up to 64 bytes ahead of what it decodes.
const TAILROOM_BYTES = 4096
const SLOT_COUNT = 4
const SLOT_BYTES = 1_048_576
const PAGE_BYTES = 65_536

/** One piece of memory for a reading: the program's own, the text slots, the columns. */
export interface TextMemory {
  readonly memory: WebAssembly.Memory
  readonly bytes: Uint8Array
  readonly slots: TextSlots
  /** Where the columns go. */
  readonly columnOffset: number
}

// Shared WASM memory is no weight to the garbage collector, which so leaves hundreds of them lying; those of ended
// readings are used again.
const idle: TextMemory[] = []
const IDLE_COUNT = 2

/**
 * Shared memory for text and the columns of a batch of {@link BATCH_CAPACITY}; give it back with `returnTextMemory`. It
 * is WASM memory with either decoder: its pages cost nothing before they are used, while a buffer of that size is
 * zeroed when it is made.
 */
export function takeTextMemory(): TextMemory {
  return idle.pop() ?? createTextMemory()
}

/** The reading is over: nothing writes into its memory any more. */
export function returnTextMemory(memory: TextMemory): void {
  if (idle.length < IDLE_COUNT) idle.push(memory)
}

function createTextMemory(): TextMemory {
  const stride = HEADROOM_BYTES + SLOT_BYTES + TAILROOM_BYTES
  const offsets = Array.from({ length: SLOT_COUNT }, (_, i) => PROGRAM_BYTES + i * stride + HEADROOM_BYTES)
  const columnOffset = PROGRAM_BYTES + SLOT_COUNT * stride
  const pages = Math.ceil((columnOffset + batchByteLength(BATCH_CAPACITY)) / PAGE_BYTES)
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true })
  const buffer = memory.buffer as unknown as SharedArrayBuffer
  return { memory, bytes: new Uint8Array(buffer), slots: { buffer, offsets, capacityBytes: SLOT_BYTES }, columnOffset }
}

/** The reused batch of a reading. */
export function createReadingBatch(memory: TextMemory, instrument: Instrument): WritableBatch {
  return createBatch({
    instrument, epochDay: 0, capacity: BATCH_CAPACITY, buffer: memory.slots.buffer, byteOffset: memory.columnOffset,
  })
}
