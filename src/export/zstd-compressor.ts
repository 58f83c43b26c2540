import { compress, init } from '@bokuweb/zstd-wasm'

/** Compresses bytes into one zstd frame; the same bytes on every Node, as the compressor is WASM. */
export type Compressor = (bytes: Uint8Array) => Uint8Array

/** Level 1: on byte-split columns higher levels cost twice the time for a few percent (bench/README.md). */
const LEVEL = 1

/** Loads the zstd compressor. */
export async function createCompressor(): Promise<Compressor> {
  await init()
  return (bytes) => compress(bytes, LEVEL)
}
