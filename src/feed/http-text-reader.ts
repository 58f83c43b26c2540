import { BacktapeError } from '../model/error.js'

/** A connection ends where nothing comes for so long. */
const STALL_MS = 30_000
const LIMIT_BYTES = 64 * 1024 * 1024

/** The head of an answer of HTTP. */
interface HttpHead {
  readonly status: number
  /** Seconds of `Retry-After`; null where there is none. */
  readonly retryAfterSeconds: number | null
}

/** An answer of HTTP. */
export interface HttpText extends HttpHead {
  readonly text: string
}

/** An answer of HTTP whose text comes in pieces. */
export interface HttpPieces extends HttpHead {
  /** The text, decoded as UTF-8. Throws FEED_UNREACHABLE where it breaks off. */
  readonly pieces: AsyncGenerator<string, void>
  /** Ends the connection; harmless behind the end of the text. */
  close(): void
}

/**
 * Asks for a URL; its text may have any length. Throws FEED_UNREACHABLE where nobody answers, or nothing comes for 30
 * seconds.
 */
export async function openHttpText(url: URL, headers: Readonly<Record<string, string>>): Promise<HttpPieces> {
  const abort = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const watch = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => { abort.abort(new Error(`nothing came for ${STALL_MS / 1000} s`)) }, STALL_MS)
  }
  const close = (): void => {
    clearTimeout(timer)
    abort.abort()
  }
  watch()
  try {
    const response = await fetch(url, { headers, redirect: 'error', signal: abort.signal })
    const after = Number(response.headers.get('retry-after') ?? NaN)
    const pieces = textPieces(url, (response.body ?? []) as AsyncIterable<Uint8Array>, watch)
    return { status: response.status, retryAfterSeconds: Number.isFinite(after) ? after : null, pieces, close }
  } catch (error) {
    close()
    throw unreachable(url, error)
  }
}

async function* textPieces(
  url: URL, chunks: AsyncIterable<Uint8Array>, watch: () => void,
): AsyncGenerator<string, void> {
  const decoder = new TextDecoder()
  try {
    for await (const chunk of chunks) {
      watch()
      yield decoder.decode(chunk, { stream: true })
    }
    yield decoder.decode()
  } catch (error) {
    throw unreachable(url, error)
  }
}

function unreachable(url: URL, error: unknown): BacktapeError {
  if (error instanceof BacktapeError) return error
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const words = cause instanceof Error ? cause.message : 'no answer'
  return new BacktapeError('FEED_UNREACHABLE', `Cannot read ${url.href}: ${words}`, {}, error)
}

/** Reads a URL whole, as text. Throws FEED_UNREACHABLE where nobody answers, LIMIT_EXCEEDED beyond 64 MiB. */
export async function readHttpText(url: URL, headers: Readonly<Record<string, string>>): Promise<HttpText> {
  const { status, retryAfterSeconds, pieces, close } = await openHttpText(url, headers)
  try {
    let text = ''
    for await (const piece of pieces) {
      text += piece
      if (text.length > LIMIT_BYTES)
        throw new BacktapeError('LIMIT_EXCEEDED', `Cannot read ${url.href}: it is longer than 64 MiB`)
    }
    return { status, text, retryAfterSeconds }
  } finally {
    close()
  }
}
