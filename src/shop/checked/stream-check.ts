import type { ByteCheck } from '../client/byte-check.js'
import { ByteFeed } from './byte-feed.js'

/** Reads the bytes of a file to their end; throws for damage. */
export type ByteReader = (bytes: AsyncIterable<Uint8Array>, name: string) => Promise<void>

/** The reading of one file. */
interface OpenReading {
  readonly feed: ByteFeed
  /** The failure; null after a reading that found none. */
  readonly outcome: Promise<unknown>
  /** Set when it failed. */
  failure: { readonly error: unknown } | null
}

/** Lets a reader look at bytes on their way to the disk. */
export class StreamCheck implements ByteCheck {
  #reading: OpenReading | null = null

  constructor(private readonly read: ByteReader) {}

  async begin(name: string): Promise<void> {
    await this.close()
    const feed = new ByteFeed()
    const outcome = this.read(feed, name).then(() => null, (error: unknown) => ({ error }))
    const reading: OpenReading = { feed, outcome, failure: null }
    void outcome.then((failure) => {
      reading.failure = failure
      feed.leave()
    })
    this.#reading = reading
  }

  async take(bytes: Uint8Array): Promise<void> {
    await this.#reading?.feed.write(bytes)
    const failure = this.#reading?.failure ?? null
    if (failure !== null) throw failure.error
  }

  async end(): Promise<void> {
    const reading = this.#reading
    if (reading === null) return
    reading.feed.end()
    const failure = await reading.outcome as { readonly error: unknown } | null
    this.#reading = null
    if (failure !== null) throw failure.error
  }

  /** Ends a reading that nothing more comes for. */
  async close(): Promise<void> {
    const reading = this.#reading
    this.#reading = null
    if (reading === null) return
    reading.feed.leave()
    reading.feed.end()
    await reading.outcome
  }
}
