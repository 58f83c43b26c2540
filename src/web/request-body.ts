import type { IncomingMessage } from 'node:http'

/** Bytes of a refused body that are read, so that a client which still writes reads its answer. */
const PASSED_BYTES = 16_777_216

/** The reason why there is no body: it is longer than its limit, or its connection ended. */
export type BodyFault = 'tooLong' | 'cutOff'

/**
 * The body of a request, of at most `limitBytes`. What is beyond them is read up to 16 MiB, and forgotten; the listener
 * closes the connection of a request that has still more. It takes as long as the listener lets a request take.
 */
export function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer | BodyFault> {
  if (request.destroyed) return Promise.resolve('cutOff')
  const longest = limitBytes + PASSED_BYTES
  if (Number(request.headers['content-length'] ?? 0) > longest) return Promise.resolve('tooLong')
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let length = 0
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= limitBytes) chunks.push(chunk)
      else chunks.length = 0
      if (length <= longest) return
      request.pause()
      resolve('tooLong')
    })
    request.once('end', () => { resolve(length <= limitBytes ? Buffer.concat(chunks) : 'tooLong') })
    request.on('error', () => { resolve('cutOff') })
    request.once('close', () => { resolve('cutOff') })
  })
}

/** Reads the body of a request that is refused, as far as {@link readBody} would, before its answer is sent. */
export async function passBody(request: IncomingMessage): Promise<void> {
  if (!request.readableEnded) await readBody(request, 0)
}
