import type { SkippedMember, TickInput, TickSource } from '../../src/tickfile/archive/tick-source.js'
import { isSkippedMember, openSources } from '../../src/tickfile/archive/source-reader.js'

/** All bytes of a stream. */
export async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return new Uint8Array(Buffer.concat(parts))
}

/** What an input holds, each source read at once: `name: content` or `name - reason`, in latin1. */
export async function contentsOf(input: TickInput): Promise<string[]> {
  const found: string[] = []
  for await (const item of openSources(input)) found.push(await describeItem(item))
  return found
}

async function describeItem(item: TickSource | SkippedMember): Promise<string> {
  const name = item.name.slice(item.name.lastIndexOf('#') + 1)
  return isSkippedMember(item) ? `${name} - ${item.skippedBecause}` : `${name}: ${Buffer.from(await bytesOf(item.open())).subarray(4).toString('latin1')}`
}

/** Bytes as a stream in pieces of a size. */
export async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size))
}

/** The code and sentence that work is refused with; fails the test where it is not. */
export async function refusalOf(work: () => unknown): Promise<{ code: string; message: string; place: { byteOffset?: number; file?: string } }> {
  try {
    await work()
  } catch (error) {
    const { code, message, place } = error as { code: string; message: string; place: { byteOffset?: number; file?: string } }
    return { code, message, place }
  }
  throw new Error('was not refused')
}
