import { BacktapeError } from '../../model/error.js'

/**
 * Checks and copies the chunks of somebody's stream: the receiver of a source owns its chunks, and a stream's own
 * buffers are not ours to give away. Throws OPTION_INVALID where a chunk is not bytes, FILE_UNREADABLE where the stream
 * fails.
 */
export async function* ownedChunks(
  stream: AsyncIterable<Uint8Array>, name: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const iterator = stream[Symbol.asyncIterator]()
  let ended = false
  try {
    for (;;) {
      const step = await iterator.next().catch((cause: unknown) => {
        ended = true
        throw failedRead(name, 'stream', cause)
      })
      ended = step.done === true
      if (step.done === true) return
      const chunk: unknown = step.value
      if (!(chunk instanceof Uint8Array)) throw chunkError(name, chunk)
      // A Buffer's own slice would be a view.
      if (chunk.length > 0) yield Uint8Array.prototype.slice.call(chunk)
    }
  } finally {
    if (!ended) await iterator.return?.()
  }
}

/** FILE_UNREADABLE of a stream or blob whose own reading failed. */
export function failedRead(name: string, kind: 'stream' | 'blob', cause: unknown): BacktapeError {
  if (cause instanceof BacktapeError) return cause
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new BacktapeError(
    'FILE_UNREADABLE', `Cannot read ${name}: the ${kind} failed with ${JSON.stringify(reason.slice(0, 80))}`,
    { file: name, found: reason.slice(0, 80) }, cause,
  )
}

function chunkError(name: string, chunk: unknown): BacktapeError {
  const found = typeof chunk
  return new BacktapeError(
    'OPTION_INVALID',
    `Cannot read ${name}: its chunks must be Uint8Array, found ${found}; set no encoding on the stream`,
    {
      file: name,
      expected: 'Uint8Array',
      found,
    },
  )
}
