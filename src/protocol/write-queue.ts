/** The writing side of a socket, as a {@link WriteQueue} sees it. */
export interface WriteSink<Piece> {
  /** True: it may be given another piece. */
  readonly isReady: boolean
  /** Gives it a piece; `onTaken` is called when the system has all of it. */
  write(piece: Piece, onTaken: () => void): void
}

/** A socket is given no more while so many bytes of it have not been taken by the system. */
export const SOCKET_BYTES = 262_144
/** Items that were given are let go after so many. */
const GIVEN_MAX = 256

/**
 * The pieces that one connection is to be sent, in their order. Its socket is given little at a time: systems take
 * megabytes for a client that reads nothing, and the pace of its reading would show too late.
 */
export class WriteQueue<Piece extends { readonly length: number }> {
  #items: (Piece | (() => void))[] = []
  #next = 0
  #waitingBytes = 0
  #givenBytes = 0
  #isHeld = false
  #isGiving = false

  constructor(private readonly sink: WriteSink<Piece>) {}

  /** Bytes that the socket has not been given. */
  get waitingBytes(): number {
    return this.#waitingBytes
  }

  /** Bytes that the socket has been given so far. */
  get givenBytes(): number {
    return this.#givenBytes
  }

  /** True: the socket is given nothing. */
  get isHeld(): boolean {
    return this.#isHeld
  }

  set isHeld(isHeld: boolean) {
    this.#isHeld = isHeld
    this.give()
  }

  push(piece: Piece): void {
    this.#items.push(piece)
    this.#waitingBytes += piece.length
    this.give()
  }

  /** Calls back when the socket has been given everything before. */
  then(action: () => void): void {
    this.#items.push(action)
    this.give()
  }

  /** Drops what the socket has not been given. */
  clear(): void {
    this.#items = []
    this.#next = 0
    this.#waitingBytes = 0
  }

  /** Gives the socket what it may be given: to be called when it has become ready. */
  readonly give = (): void => {
    if (this.#isGiving) return
    this.#isGiving = true
    while (!this.#isHeld && this.#next < this.#items.length) {
      const item = this.#items[this.#next] as Piece | (() => void)
      if (typeof item !== 'function' && !this.sink.isReady) break
      if (++this.#next === this.#items.length || this.#next === GIVEN_MAX) {
        this.#items = this.#items.slice(this.#next)
        this.#next = 0
      }
      if (typeof item === 'function') item()
      else this.#write(item)
    }
    this.#isGiving = false
  }

  #write(piece: Piece): void {
    this.#waitingBytes -= piece.length
    this.#givenBytes += piece.length
    this.sink.write(piece, this.give)
  }
}
