import { createBareCompressor } from '../files/zstd-compressor.js'

/** Compresses bytes into one zstd frame; the same bytes on every Node, as the compressor is WASM. */
export type Compressor = (bytes: Uint8Array) => Uint8Array

/** Level 1: on bit-packed columns higher levels cost twice the time for a few percent. */
const LEVEL = 1

/** Loads the zstd compressor. */
export function createCompressor(): Promise<Compressor> {
  return createBareCompressor(LEVEL)
}
