import { createHash } from 'node:crypto'
import { readSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import type { DigestReply, DigestRequest } from './source-digest-client.js'

const CHUNK_BYTES = 1_048_576

/** SHA-256 of an open file, 64 hex digits. */
function digestOf(fd: number): string {
  const hash = createHash('sha256')
  const chunk = new Uint8Array(CHUNK_BYTES)
  for (let at = 0, length = CHUNK_BYTES; length > 0; at += length) {
    length = readSync(fd, chunk, 0, CHUNK_BYTES, at)
    hash.update(chunk.subarray(0, length))
  }
  return hash.digest('hex')
}

function reply({ number, fd }: DigestRequest): DigestReply {
  try {
    return { number, sha256: digestOf(fd) }
  } catch (error) {
    const { code, message } = error as { readonly code?: string, readonly message: string }
    return { number, failure: { message, ...(code === undefined ? {} : { code }) } }
  }
}

parentPort?.on('message', (request: DigestRequest) => { parentPort?.postMessage(reply(request)) })
