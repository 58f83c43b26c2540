import { lendBlock, type BlockLender } from '../../model/batch-loan.js'

/** The blocks of a reader that gives them out one at a time and uses them again, but for those that somebody keeps. */
export class LentBlocks<T extends ArrayBufferLike> implements BlockLender {
  #held: T | null = null
  #isKept = false
  readonly #spare: T[] = []

  /** Gives out a block that a batch of so many events fills; no batch is 0. */
  lend(block: T, eventCount: number): void {
    this.#held = block
    this.#isKept = false
    lendBlock(block, eventCount, this)
  }

  /**
   * Takes the block given out last back: a block that may be written now, null where it is kept and none was given
   * back.
   */
  takeBack(): T | null {
    const block = this.#isKept ? null : this.#held
    this.#held = null
    this.#isKept = false
    return block ?? this.#spare.pop() ?? null
  }

  keep(block: ArrayBufferLike): void {
    if (block === this.#held) this.#isKept = true
  }

  repayUnused(block: ArrayBufferLike): void {
    if (block === this.#held) this.#isKept = false
    else this.#spare.push(block as T)
  }
}
