import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { decompressLz4, decompressLz4Raw } from 'hyparquet-compressors'
import { snappyUncompress } from 'hyparquet/src/snappy.js'
import { createBareDecompressor, SeveralFramesError } from '../../files/zstd-compressor.js'
import { ParquetFault, ParquetUnknown } from './parquet-fault.js'

/** Unpacks a page to as many bytes as its header states. */
export type PageUnpacker = (packed: Uint8Array, byteCount: number) => Uint8Array

function snappy(packed: Uint8Array, byteCount: number): Uint8Array {
  const page = new Uint8Array(byteCount)
  snappyUncompress(packed, page)
  return page
}

/** A page of no bytes, such as the dictionary of nulls alone, is packed as a token that asks for none. */
function ofLz4(unpack: PageUnpacker): PageUnpacker {
  return (packed, byteCount) => (byteCount === 0 ? new Uint8Array(0) : unpack(packed, byteCount))
}

const UNPACKERS: Readonly<Record<string, () => Promise<PageUnpacker>>> = {
  UNCOMPRESSED: () => Promise.resolve((packed) => packed),
  SNAPPY: () => Promise.resolve(snappy),
  GZIP: () => Promise.resolve((packed, byteCount) => gunzipSync(packed, { maxOutputLength: Math.max(1, byteCount) })),
  BROTLI: () => Promise.resolve((packed, byteCount) => (
    brotliDecompressSync(packed, { maxOutputLength: Math.max(1, byteCount) }))),
  LZ4: () => Promise.resolve(ofLz4(decompressLz4)),
  LZ4_RAW: () => Promise.resolve(ofLz4(decompressLz4Raw)),
  ZSTD: async () => {
    const decompress = await createBareDecompressor()
    return (packed, byteCount) => {
      try {
        return decompress(packed, byteCount)
      } catch (error) {
        throw error instanceof SeveralFramesError ? new ParquetUnknown(error.message) : error
      }
    }
  },
}

/** The unpacker of a codec. Throws ParquetUnknown for one that is not known here. */
export async function unpackerOf(codec: string | undefined): Promise<PageUnpacker> {
  const make = UNPACKERS[codec ?? '']
  if (make === undefined) throw new ParquetUnknown(`pages packed by ${codec ?? 'an unknown codec'}`)
  const unpack = await make()
  return (packed, byteCount) => {
    const page = unpack(packed, byteCount)
    if (page.length !== byteCount) throw new ParquetFault(`a page of ${page.length} bytes that states ${byteCount}`)
    return page
  }
}
