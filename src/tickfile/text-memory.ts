import { batchByteLength, createBatch, type BatchCapacity, type WritableBatch } from '../model/event-batch-columns.js'
import type { Instrument } from '../model/instrument.js'
import type { TextSlots } from './text-slots.js'
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
  /** Null where the program is not used. */
  readonly memory: WebAssembly.Memory | null
  readonly bytes: Uint8Array
  readonly slots: TextSlots
  /** Where the columns go. */
  readonly columnOffset: number
}

/** Shared memory for text and, with WASM, for the columns of a batch of this capacity. */
export function createTextMemory(capacity: BatchCapacity, lines: 'wasm' | 'javascript'): TextMemory {
  const stride = HEADROOM_BYTES + SLOT_BYTES + TAILROOM_BYTES
  const offsets = Array.from({ length: SLOT_COUNT }, (_, i) => PROGRAM_BYTES + i * stride + HEADROOM_BYTES)
  const columnOffset = PROGRAM_BYTES + SLOT_COUNT * stride
  const isWasm = lines === 'wasm'
  const pages = Math.ceil((columnOffset + (isWasm ? batchByteLength(capacity) : 0)) / PAGE_BYTES)
  const memory = isWasm ? new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true }) : null
  const buffer = (memory?.buffer ?? new SharedArrayBuffer(pages * PAGE_BYTES)) as SharedArrayBuffer
  return { memory, bytes: new Uint8Array(buffer), slots: { buffer, offsets, capacityBytes: SLOT_BYTES }, columnOffset }
}

/** The reused batch of a reading: in the shared memory with WASM, else in memory of its own. */
export function createReadingBatch(memory: TextMemory, instrument: Instrument, capacity: BatchCapacity): WritableBatch {
  const place = memory.memory === null ? {} : { buffer: memory.slots.buffer, byteOffset: memory.columnOffset }
  return createBatch({ instrument, epochDay: 0, capacity, ...place })
}
