import { createHash } from 'node:crypto'
import { refuseStopped, type StopSignal } from '../model/stop-signal.js'
import type { SourceOptions, TickSource } from './archive/tick-source.js'

/** The facts about the bytes of a source. */
export interface SourceFacts {
  readonly sizeBytes: number
  readonly sha256: string
}

/**
 * The source, whose bytes are counted and hashed while they are read. `facts` covers all bytes once they have
 * been.
 */
export function hashedSource(source: TickSource): { source: TickSource; facts: () => SourceFacts } {
  const hash = createHash('sha256')
  let sizeBytes = 0
  async function* open(options?: SourceOptions): AsyncGenerator<Uint8Array> {
    for await (const chunk of source.open(options)) {
      hash.update(chunk)
      sizeBytes += chunk.length
      yield chunk
    }
  }
  return {
    source: { name: source.name, fileName: source.fileName, sizeBytes: source.sizeBytes, repeatable: false, open },
    facts: () => ({ sizeBytes, sha256: hash.digest('hex') }),
  }
}

/** Reads a source to its end for its size and checksum alone. Throws STOPPED. */
export async function sourceFacts(source: TickSource, signal?: StopSignal): Promise<SourceFacts> {
  const hashed = hashedSource(source)
  for await (const chunk of hashed.source.open({ reuseChunks: true })) {
    refuseStopped(signal, source.name)
    if (chunk.length < 0) break
  }
  return hashed.facts()
}
