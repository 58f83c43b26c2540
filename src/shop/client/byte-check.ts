import { BacktapeError } from '../../model/error.js'

/** The form of a file that a shop sends. */
export type ShopFileKind = 'tick' | 'gzip' | 'parquet' | 'zip' | 'tar'

/** Looks at the bytes of a file on their way to the disk. Each of its functions throws a typed error for damage. */
export interface ByteCheck {
  /** Called before the first byte, and again where a file begins anew: nothing of before counts. */
  begin(name: string, kind: ShopFileKind): void | Promise<void>
  /** The next bytes, in their order; they may be reused once the promise has settled. */
  take(bytes: Uint8Array): void | Promise<void>
  /** Called behind the last byte; the whole bytes lie at `path`. */
  end(path: string): void | Promise<void>
  /** Lets go of what it holds; called once, at the end of everything. */
  close?(): void | Promise<void>
}

/** The bytes that each form begins with, one of several. A tar begins with a name: never with a bracket. */
const HEADS: Readonly<Record<ShopFileKind, RegExp>> = {
  tick: /^(?:\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18)/, gzip: /^\x1f\x8b\x08/, parquet: /^PAR1/,
  zip: /^PK(?:\x03\x04|\x05\x06)/, tar: /^[\w.-]{4}/,
}
const HEAD_BYTES = 4

/** Holds the first bytes back until they show that a file has its form. */
export class HeadGate {
  #held: Uint8Array | null = new Uint8Array(0)

  constructor(private readonly kind: ShopFileKind, private readonly place: string) {}

  /** The bytes that may pass; empty while the head is not whole. Throws SHOP_ANSWER_INVALID. */
  passed(bytes: Uint8Array): Uint8Array {
    if (this.#held === null) return bytes
    const head = new Uint8Array(this.#held.length + bytes.length)
    head.set(this.#held)
    head.set(bytes, this.#held.length)
    this.#held = head
    if (head.length < HEAD_BYTES) return head.subarray(0, 0)
    if (!HEADS[this.kind].test(String.fromCharCode(...head.subarray(0, HEAD_BYTES)))) throw this.#fault()
    this.#held = null
    return head
  }

  /** Throws SHOP_ANSWER_INVALID where a file ended within its head. */
  end(): void {
    if (this.#held !== null) throw this.#fault()
  }

  #fault(): BacktapeError {
    const [expected, found] = [`the bytes of a file (${this.kind})`, 'others']
    const words = `Cannot take the answer of ${this.place}: expected ${expected}, found ${found}`
    return new BacktapeError('SHOP_ANSWER_INVALID', words, { expected, found })
  }
}
