import * as zlib from 'node:zlib'
import { plainFrameHeader, ZstdContentError, type ZstdDecoder } from './zstd-decoder.js'
import type { ZstdFrameHeader } from './zstd-frame-walker.js'

/**
 * The part of a zlib stream's inner handle that Node's own synchronous functions drive; every compression library of
 * npm uses it.
 */
interface ZlibHandle {
  writeSync(
    flush: number, input: Uint8Array, inputOffset: number, inputLength: number, output: Uint8Array,
    outputOffset: number, outputLength: number,
  ): void
  onerror: (message: string, number: number, code: string) => void
  close(): void
}
interface ZlibInside {
  readonly _handle: ZlibHandle
  /** Set by `writeSync`: output room left, input bytes left. */
  readonly _writeState: Uint32Array
  on(event: 'error', listener: () => void): void
}
interface ZlibWithZstd {
  readonly createZstdDecompress?: (options: { params: Record<number, number> }) => unknown
  readonly constants: { readonly ZSTD_d_windowLogMax?: number; readonly ZSTD_e_continue?: number }
}

// "zstd" as a frame: header, one raw block, checksum.
const PROBE = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x20, 4, 0x21, 0, 0, 0x7a, 0x73, 0x74, 0x64)

let works: boolean | null = null

/**
 * True where the running Node has zstd (22.15 and later) and its inside is as we know it; tried once, on a small frame.
 */
export function hasNativeZstd(): boolean {
  works ??= probe()
  return works
}

function probe(): boolean {
  const inside = open(27)
  if (inside === null) return false
  const text = new Uint8Array(8)
  inside._handle.writeSync(0, PROBE, 0, PROBE.length, text, 0, text.length)
  inside._handle.close()
  return (
    inside._writeState[0] === 4 && inside._writeState[1] === 0 && String.fromCharCode(...text.subarray(0, 4)) === 'zstd'
  )
}

function open(windowLog: number): ZlibInside | null {
  const { createZstdDecompress, constants } = zlib as unknown as ZlibWithZstd
  const parameter = constants.ZSTD_d_windowLogMax
  if (createZstdDecompress === undefined || parameter === undefined) return null
  const inside = createZstdDecompress({ params: { [parameter]: windowLog } }) as Partial<ZlibInside>
  const handle = inside._handle as Partial<ZlibHandle> | undefined
  if (typeof handle?.writeSync !== 'function' || typeof handle.close !== 'function' || inside._writeState?.length !== 2)
    return null
  return inside as ZlibInside
}

/**
 * `node:zlib`, driven synchronously, block by block: its streams stop silently after a frame and lose the text before a
 * damaged block.
 */
export function createNativeDecoder(windowLimitBytes: number): ZstdDecoder {
  const inside = open(Math.max(10, Math.min(31, Math.ceil(Math.log2(windowLimitBytes)))))
  if (inside === null) throw new Error('this Node has no zstd in node:zlib')
  return new NativeDecoder(inside)
}

class NativeDecoder implements ZstdDecoder {
  readonly windowBytesMax = 2 ** 31
  readonly #handle: ZlibHandle
  readonly #state: Uint32Array
  readonly #none = new Uint8Array(1)
  #block: Uint8Array = new Uint8Array(0)
  #position = 0
  #failure: string | null = null

  constructor(inside: ZlibInside) {
    this.#handle = inside._handle
    this.#state = inside._writeState
    this.#handle.onerror = (message, _number, code): void => {
      this.#failure = code === '' ? message : code
    }
  }

  beginFrame(header: ZstdFrameHeader): void {
    this.feed(plainFrameHeader(header, header.hasChecksum))
    this.#step(this.#none, 0)
  }

  feed(block: Uint8Array): void {
    this.#block = block
    this.#position = 0
  }

  read(target: Uint8Array): number {
    const length = this.#step(target, target.length)
    if (this.#failure !== null) throw new ZstdContentError(this.#failure)
    return length
  }

  checksumIs(checksum: Uint8Array): boolean {
    this.feed(checksum)
    this.#step(this.#none, 0)
    return this.#failure === null
  }

  close(): void {
    this.#handle.close()
  }

  #step(target: Uint8Array, room: number): number {
    const left = this.#block.length - this.#position
    this.#handle.writeSync(0, this.#block, this.#position, left, target, 0, room)
    this.#position += left - (this.#state[1] ?? 0)
    return room - (this.#state[0] ?? 0)
  }
}
