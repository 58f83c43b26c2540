import { createHash, randomBytes } from 'node:crypto'

/** A session lasts so long, seconds. */
export const SESSION_SECONDS = 43_200
/** Sessions at most: beyond them the oldest ends. */
const SESSIONS_MAX = 1_000

/**
 * The sessions of browsers that have logged in, by the digests of their cookies: a cookie is random, and says nothing
 * of the token. They end with the server.
 */
export class LoginSessions {
  /** When each ends, by the digest of its cookie, the oldest first. */
  readonly #ends: Map<string, number> = new Map()

  /** `steadyMs` is a clock that never steps back, milliseconds. */
  constructor(private readonly steadyMs: () => number) {}

  /** Begins a session; the value of its cookie. */
  begin(): string {
    const value = randomBytes(32).toString('base64url')
    this.#ends.set(digest(value), this.steadyMs() + SESSION_SECONDS * 1_000)
    for (const oldest of this.#ends.keys()) {
      if (this.#ends.size <= SESSIONS_MAX) break
      this.#ends.delete(oldest)
    }
    return value
  }

  /** True for the cookie of a session that goes on: what is looked up is a digest, whose letters cannot be chosen. */
  has(value: string): boolean {
    return (this.#ends.get(digest(value)) ?? -Infinity) > this.steadyMs()
  }

  /** Ends a session; harmless where there is none. */
  end(value: string): void {
    this.#ends.delete(digest(value))
  }
}

function digest(value: string): string {
  return createHash('sha256').update(value, 'utf8').digest('base64')
}
