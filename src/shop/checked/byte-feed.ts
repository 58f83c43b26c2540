/** Bytes that come in pieces, as a list that a reader goes through: one piece at a time lies in memory. */
export class ByteFeed implements AsyncIterableIterator<Uint8Array> {
  #piece: Uint8Array | null = null
  #isEnded = false
  #isLeft = false
  /** Lets the writer go on; null: nothing was written. */
  #taken: (() => void) | null = null
  #isRead = false
  #given: () => void = () => undefined

  /** Gives a piece; settles when the reader wants the next one, or wants no more. */
  write(bytes: Uint8Array): Promise<void> {
    if (this.#isLeft) return Promise.resolve()
    return new Promise((resolve) => {
      this.#taken = resolve
      this.#piece = bytes
      this.#given()
    })
  }

  /** Says that no more pieces come. */
  end(): void {
    this.#isEnded = true
    this.#given()
  }

  /** Lets a writer go on whose reader has failed. */
  leave(): void {
    this.#isLeft = true
    this.#free()
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    // Whoever asks for the next piece is done with the one before.
    if (this.#isRead) this.#free()
    for (;;) {
      const piece = this.#piece
      this.#piece = null
      if (piece !== null) {
        this.#isRead = true
        return { done: false, value: piece }
      }
      if (this.#isEnded || this.#isLeft) return { done: true, value: undefined }
      await new Promise<void>((resolve) => { this.#given = resolve })
    }
  }

  #free(): void {
    this.#isRead = false
    this.#taken?.()
    this.#taken = null
  }

  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.leave()
    return Promise.resolve({ done: true, value: undefined })
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
