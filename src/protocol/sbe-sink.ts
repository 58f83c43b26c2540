const FIRST_BYTES = 1 << 16
const ASCII_END = 127
const TWO_32 = 4_294_967_296

const encoder = new TextEncoder()

/** Bytes that grow, with a view over them; whoever takes them sets `count` back, or puts other bytes there. */
export class SbeSink {
  /** Those before `count` are written. */
  bytes: Uint8Array = new Uint8Array(FIRST_BYTES)
  count = 0
  #view = new DataView(this.bytes.buffer)
  #viewed: Uint8Array = this.bytes

  /** A view of `bytes`, which have room for `more` behind `count`. */
  reserve(more: number): DataView {
    if (this.count + more > this.bytes.length) {
      const wider = new Uint8Array(Math.max(this.count + more, this.bytes.length * 2))
      wider.set(this.bytes.subarray(0, this.count))
      this.bytes = wider
    }
    if (this.#viewed !== this.bytes) {
      this.#viewed = this.bytes
      this.#view = new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength)
    }
    return this.#view
  }

  /** Writes a text at `at`, where three bytes a letter are reserved; returns the number of its bytes. */
  putText(text: string, at: number): number {
    const { bytes } = this
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code > ASCII_END) return encoder.encodeInto(text, bytes.subarray(at)).written
      bytes[at + i] = code
    }
    return text.length
  }
}

/** Writes a safe integer as an int64. */
export function putInteger(view: DataView, at: number, value: number): void {
  // Most values are small, and machine integers are cheaper.
  const small = value | 0
  if (small === value) {
    view.setInt32(at, small, true)
    view.setInt32(at + 4, small >> 31, true)
    return
  }
  const high = Math.floor(value / TWO_32)
  view.setUint32(at, value - high * TWO_32, true)
  view.setInt32(at + 4, high, true)
}

/** Writes a uint64 of two halves. */
export function putHalves(view: DataView, at: number, high: number, low: number): void {
  view.setUint32(at, low, true)
  view.setUint32(at + 4, high, true)
}
