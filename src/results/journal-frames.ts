import { createHash } from 'node:crypto'
import { JOURNAL_FORMAT } from '../protocol/record-layout.js'

/** The first 16 bytes of a journal of records. */
const NAME = 'backtape-journal'
/** Bytes before the first frame: the name, and the number of the format. */
export const FILE_HEAD_BYTES = 20
/** Bytes of a frame before its content: the content's length, its length unpacked, and the check. */
export const FRAME_HEAD_BYTES = 40
const LENGTH_BYTES = 8

/** The last frame of a journal of records. */
export interface JournalEnd {
  /** Digest of the whole journal. */
  readonly digest: string
  /** Lines of the whole journal. */
  readonly lineCount: number
  /** `whole`; `partial` where the run was stopped, `failed` where it failed. */
  readonly end: 'whole' | 'partial' | 'failed'
  /** The reason for which it failed; null elsewhere. */
  readonly reason: string | null
}

/** The head of a file. */
export function fileHead(): Uint8Array {
  const head = new Uint8Array(FILE_HEAD_BYTES)
  head.set(new TextEncoder().encode(NAME))
  new DataView(head.buffer).setUint32(NAME.length, JOURNAL_FORMAT, true)
  return head
}

/** The format number of a file by its head; null where it is no journal of records. */
export function formatOf(head: Uint8Array): number | null {
  const name = new TextDecoder('latin1').decode(head.subarray(0, NAME.length))
  const isOne = head.length === FILE_HEAD_BYTES && name === NAME
  return isOne ? new DataView(head.buffer, head.byteOffset).getUint32(NAME.length, true) : null
}

/** The checks of frames: each is a SHA-256 over the check before it (the head for the first), lengths and content. */
export class FrameChecks {
  #before: Uint8Array

  constructor(head: Uint8Array) {
    this.#before = head
  }

  /** The check of the last frame; the head before the first. */
  get last(): Uint8Array {
    return this.#before
  }

  /** The check of the next frame. */
  next(lengths: Uint8Array, content: Uint8Array): Uint8Array {
    this.#before = createHash('sha256').update(this.#before).update(lengths).update(content).digest()
    return this.#before
  }
}

/** A frame; `rawLength` is 0 for the last one, whose content is JSON. */
export function frame(checks: FrameChecks, content: Uint8Array, rawLength: number): readonly Uint8Array[] {
  const lengths = new Uint8Array(LENGTH_BYTES)
  const view = new DataView(lengths.buffer)
  view.setUint32(0, content.length, true)
  view.setUint32(4, rawLength, true)
  return [lengths, checks.next(lengths, content), content]
}

/** Lengths and check of a frame by its head. */
export function frameHead(head: Uint8Array): {
  readonly length: number, readonly rawLength: number, readonly lengths: Uint8Array, readonly check: Uint8Array,
} {
  const view = new DataView(head.buffer, head.byteOffset)
  return {
    length: view.getUint32(0, true), rawLength: view.getUint32(4, true), lengths: head.subarray(0, LENGTH_BYTES),
    check: head.subarray(LENGTH_BYTES, FRAME_HEAD_BYTES),
  }
}
