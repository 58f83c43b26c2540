import { createHash } from 'node:crypto'
import type { TickSource } from '../tickfile/tick-source.js'

/** SHA-256 of the compressed bytes of one source, known once it has been read to its end. */
export interface InputDigest {
  readonly fileName: string
  /** 64 hex digits; null before the end of the source. */
  hex(): string | null
}

/** A source that hashes what passes through it. */
export function hashedSource(source: TickSource): { readonly source: TickSource; readonly digest: InputDigest } {
  let hex: string | null = null
  async function* open(): AsyncGenerator<Uint8Array, void, undefined> {
    const hash = createHash('sha256')
    for await (const chunk of source.open()) {
      hash.update(chunk)
      yield chunk
    }
    hex = hash.digest('hex')
  }
  return { source: { ...source, open }, digest: { fileName: source.fileName, hex: () => hex } }
}
