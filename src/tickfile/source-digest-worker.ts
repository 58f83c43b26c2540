import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import type { DigestReply, DigestRequest } from './source-digest-client.js'

const CHUNK_BYTES = 1_048_576

/** SHA-256 of a file, 64 hex digits. */
function digestOf(path: string): string {
  const file = openSync(path, 'r')
  try {
    const hash = createHash('sha256')
    const chunk = new Uint8Array(CHUNK_BYTES)
    for (let length = readSync(file, chunk); length > 0; length = readSync(file, chunk)) hash.update(chunk.subarray(0, length))
    return hash.digest('hex')
  } finally {
    closeSync(file)
  }
}

function reply({ number, path }: DigestRequest): DigestReply {
  try {
    return { number, sha256: digestOf(path) }
  } catch (error) {
    const { code, message } = error as { readonly code?: string, readonly message: string }
    return { number, failure: { message, ...(code === undefined ? {} : { code }) } }
  }
}

parentPort?.on('message', (request: DigestRequest) => { parentPort?.postMessage(reply(request)) })
