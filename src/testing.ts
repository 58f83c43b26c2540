import { createFrameCompressor } from './tickfile/zstd-compressor.js'

/**
 * The bytes of a small tick file: the lines as they are given, each ended by a line feed, in one checksummed zstd frame. Line 1 is the
 * master data. Nothing is checked, so that a test can make any damage it wants. Readable by everything that takes bytes.
 *
 * @example
 * ```ts
 * import { readEvents } from 'backtape'
 * import { tickFileBytes } from 'backtape/testing'
 * const master = '{"instrument":{"id":7,"code":"A"},"underlyings":[]}'
 * const prices: string[] = []
 * for await (const event of readEvents(await tickFileBytes([master, '[8,7,"0","1",1735862400000000000,0,"1.5"]']))) {
 *   if (event.kind === 'index') prices.push(event.price.toString())
 * }
 * if (prices.join() !== '1.5') throw new Error('one index price')
 * ```
 */
export async function tickFileBytes(lines: readonly string[]): Promise<Uint8Array> {
  const compress = await createFrameCompressor(3)
  return compress(new TextEncoder().encode(lines.map((line) => `${line}\n`).join('')))
}
