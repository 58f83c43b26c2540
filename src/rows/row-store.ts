import { BlockFile } from './block-file-writer.js'

/** Rows come in blocks, so that nothing is copied while they grow. */
export const BLOCK_BITS = 10
/** Rows of a whole block. */
export const BLOCK_ROWS: number = 1 << BLOCK_BITS
/** Rows that grow no more and lie in memory, of all worlds and tables of a run together; about 130 bytes each. */
const ROWS_IN_MEMORY = 500_000

/** Whatever holds blocks of rows. */
export interface BlockHolder {
  /** Moves a block out of memory. */
  spill(block: number, file: BlockFile): void
}

/**
 * The memory of the tables of a run: blocks that grow no more, in the order in which they came into memory. Beyond a
 * limit the oldest go to a temporary file; they come back when a row of theirs changes or is read.
 */
export class RowStore {
  readonly #holders: BlockHolder[] = []
  readonly #blocks: number[] = []
  readonly #rowCounts: number[] = []
  #first = 0
  #heldRows = 0
  #file: BlockFile | null = null

  constructor(
    /** False: tables stay empty, the summary is the same. */
    readonly isKeeping = true,
    private readonly limitRows: number = ROWS_IN_MEMORY,
  ) {}

  /** The temporary file; there is one since blocks were moved out. */
  get file(): BlockFile {
    this.#file ??= new BlockFile()
    return this.#file
  }

  /** A block is in memory and grows no more: a whole one, or the last of a table that has ended. */
  hold(holder: BlockHolder, block: number, rowCount: number = BLOCK_ROWS): void {
    this.#holders.push(holder)
    this.#blocks.push(block)
    this.#rowCounts.push(rowCount)
    this.#heldRows += rowCount
    while (this.#heldRows > this.limitRows) this.#spillOldest()
    if (this.#first < BLOCK_ROWS || 2 * this.#first < this.#blocks.length) return
    for (const list of [this.#holders, this.#blocks, this.#rowCounts]) list.splice(0, this.#first)
    this.#first = 0
  }

  #spillOldest(): void {
    const [holder, block] = [this.#holders[this.#first], this.#blocks[this.#first]]
    this.#heldRows -= this.#rowCounts[this.#first] as number
    this.#first++
    if (holder !== undefined && block !== undefined) holder.spill(block, this.file)
  }
}
