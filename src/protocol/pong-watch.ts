/** Pings that are remembered; whoever never answers is closed long before there are that many. */
const UNANSWERED_MAX = 1024

/** A client is given so much ahead of its pongs, ... */
const LEAST_AHEAD_BYTES = 1_048_576
/** ... and up to so much where they come soon. */
const MOST_AHEAD_BYTES = 8_388_608
const SOON_MS = 1_000

interface Unanswered {
  readonly number: number
  readonly sinceMs: number
  /** Bytes that the connection had been given before it. */
  readonly givenBytes: number
}

/**
 * The pings of one connection: they say how much its client has read, and whether it is there. A pong is due within a
 * time from the first ping without an answer, and from the last pong: a slow client is there while it reads.
 */
export class PongWatch {
  /** Bytes that the client has read, as far as its pongs say. */
  readBytes = 0
  #count = 0
  #lastMs = -Infinity
  #aheadBytes = LEAST_AHEAD_BYTES
  readonly #unanswered: Unanswered[] = []

  /** `pongMs`: most time without a pong, milliseconds; Infinity: any. */
  constructor(private readonly pongMs: number) {}

  /** The number of a ping that is due now, behind so many bytes; null where no pong has come for too long. */
  ping(nowMs: number, givenBytes: number): number | null {
    const [first] = this.#unanswered
    if (first !== undefined && nowMs - Math.max(first.sinceMs, this.#lastMs) >= this.pongMs) return null
    const number = ++this.#count
    if (this.#unanswered.length < UNANSWERED_MAX) this.#unanswered.push({ number, sinceMs: nowMs, givenBytes })
    return number
  }

  /** The pong of a ping has come: it answers those before, too (RFC 6455, section 5.5.3). */
  pong(nowMs: number, number: number): void {
    if (number > this.#count) return
    for (let [first] = this.#unanswered; first !== undefined && first.number <= number; [first] = this.#unanswered) {
      this.#unanswered.shift()
      this.#lastMs = nowMs
      const moreBytes = this.#aheadBytes + 4 * (first.givenBytes - this.readBytes)
      this.#aheadBytes = nowMs - first.sinceMs < SOON_MS ? Math.min(MOST_AHEAD_BYTES, moreBytes) : LEAST_AHEAD_BYTES
      this.readBytes = first.givenBytes
    }
  }

  /**
   * True where a client that was given so many bytes may be given more. One that reads slowly has little ahead of it,
   * so that it reads a notice soon.
   */
  mayBeGiven(givenBytes: number): boolean {
    return givenBytes - this.readBytes < this.#aheadBytes
  }
}
