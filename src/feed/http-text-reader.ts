import { BacktapeError } from '../model/error.js'

const TIMEOUT_MS = 30_000
const LIMIT_BYTES = 64 * 1024 * 1024

/** An answer of HTTP. */
export interface HttpText {
  readonly status: number
  readonly text: string
  /** Seconds of `Retry-After`; null where there is none. */
  readonly retryAfterSeconds: number | null
}

/** Reads a URL whole, as text. Throws FEED_UNREACHABLE where nobody answers, LIMIT_EXCEEDED beyond 64 MiB. */
export async function readHttpText(url: URL, headers: Readonly<Record<string, string>>): Promise<HttpText> {
  try {
    const response = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) })
    const parts: Uint8Array[] = []
    let length = 0
    for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      length += part.length
      if (length > LIMIT_BYTES)
        throw new BacktapeError('LIMIT_EXCEEDED', `Cannot read ${url.href}: it is longer than 64 MiB`)
      parts.push(part)
    }
    const after = Number(response.headers.get('retry-after') ?? NaN)
    const text = Buffer.concat(parts).toString('utf8')
    return { status: response.status, text, retryAfterSeconds: Number.isFinite(after) ? after : null }
  } catch (error) {
    if (error instanceof BacktapeError) throw error
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    const words = cause instanceof Error ? cause.message : 'no answer'
    throw new BacktapeError('FEED_UNREACHABLE', `Cannot read ${url.href}: ${words}`, {}, error)
  }
}
