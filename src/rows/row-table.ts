import type { BlockFile } from './block-file-writer.js'
import { BLOCK_BITS, BLOCK_ROWS, type RowStore } from './row-store.js'

const BLOCK_MASK = BLOCK_ROWS - 1
/** Rows of the first block of a table at first: most tables of a thousand worlds are short. */
const FIRST_ROWS = 16

/** The cells of a column: machine numbers, `width` of them a row. */
export type Cells = Float64Array | Int32Array | Uint32Array | Uint8Array

/** A column as plain data. */
export interface ColumnState {
  /** The cells as base64 of their bytes, little-endian; null where all are empty. */
  readonly cells: string | null
}

/** A table as plain data: its columns whole, by name. */
export interface RowTableState {
  readonly isKept: boolean
  readonly firstRow: number
  readonly count: number
  readonly free: readonly number[]
  readonly columns: Readonly<Record<string, unknown>>
}

/** A column as its table sees it. */
export interface TableColumn {
  spill?(block: number, file: BlockFile): void
  /** Makes the cell of a row that is used again what it was before anything was set. */
  clear?(row: number): void
  /** The last block has so many rows, and nothing is written any more. */
  end?(block: number, rowCount: number): void
  /** The column of so many rows as plain data. */
  state(count: number): unknown
  restore(state: never, count: number): void
}

/**
 * Rows of one kind of record, addressed by their number. Columns register themselves. Where rows are not kept, those
 * of which nothing more is needed are used again.
 */
export class RowTable {
  readonly #names: string[] = []
  readonly #columns: TableColumn[] = []
  #free: number[] = []
  #count = 0
  #firstRow = 0
  /** True for blocks that are out of memory. */
  readonly #isSpilled: boolean[] = []

  constructor(readonly store: RowStore) {}

  /** The number of rows that are to be shown; 0 where none are kept. */
  get length(): number {
    return this.store.isKeeping ? this.#count - this.#firstRow : 0
  }

  /** The number of rows, those that are free to be used again included. */
  get count(): number {
    return this.#count
  }

  /** The first row that is to be shown: those before it are of a time in which none were kept. */
  get firstRow(): number {
    return this.#firstRow
  }

  register(name: string, column: TableColumn): void {
    this.#names.push(name)
    this.#columns.push(column)
  }

  /** A new row, all cells of which are empty. */
  add(): number {
    if (this.#free.length > 0) return this.#cleared(this.#free.pop() as number)
    const row = this.#count++
    if ((row & BLOCK_MASK) === 0 && row > 0) this.#hold((row >> BLOCK_BITS) - 1)
    return row
  }

  #cleared(row: number): number {
    for (const column of this.#columns) column.clear?.(row)
    return row
  }

  /** Nothing but a table needs the row any more. */
  release(row: number): void {
    if (!this.store.isKeeping) this.#free.push(row)
  }

  spill(block: number, file: BlockFile): void {
    this.#isSpilled[block] = true
    for (const column of this.#columns) column.spill?.(block, file)
  }

  /** The table is whole: its rows are read alone from here on, and take no more memory than they need. */
  end(): void {
    if (this.#count === 0) return
    const last = (this.#count - 1) >> BLOCK_BITS
    const rowCount = this.#count - last * BLOCK_ROWS
    for (const column of this.#columns) column.end?.(last, rowCount)
    if (this.store.isKeeping) this.store.hold(this, last, rowCount)
  }

  /** A cell of a block is to be written: it comes back into memory. */
  unspill(block: number): void {
    if (this.#isSpilled[block] !== true) return
    this.#isSpilled[block] = false
    this.#hold(block)
  }

  state(): RowTableState {
    const columns = this.#columns.map((column, at) => [this.#names[at] as string, column.state(this.#count)] as const)
    return {
      isKept: this.store.isKeeping, firstRow: this.#firstRow, count: this.#count, free: this.#free,
      columns: Object.fromEntries(columns),
    }
  }

  restore({ isKept, firstRow, count, free, columns }: RowTableState): void {
    this.#firstRow = isKept === this.store.isKeeping ? firstRow : count
    this.#count = count
    this.#free = this.store.isKeeping ? [] : [...free]
    for (const [at, column] of this.#columns.entries())
      column.restore(columns[this.#names[at] as string] as never, count)
    for (let block = 0; block < (count - 1) >> BLOCK_BITS; block++) this.#hold(block)
  }

  #hold(block: number): void {
    if (this.store.isKeeping) this.store.hold(this, block)
  }
}

/** Cells in blocks; a block in which nothing but `empty` was ever written does not exist. */
export abstract class BlockColumn<Block extends Cells> implements TableColumn {
  protected readonly blocks: (Block | undefined)[] = []
  /** False as long as all cells are empty. */
  isUsed = false
  /** Places of the blocks that were moved to the file, by block, and their cells. */
  readonly #places: (number | undefined)[] = []
  readonly #lengths: number[] = []
  /** True once nothing is written any more. */
  #hasEnded = false
  /** The block of the file that was read last. */
  #visited = -1
  #visitedCells: Block | undefined

  /** `makeZeros` gives cells of 0; `width` of them are a row. */
  constructor(
    private readonly table: RowTable, name: string, private readonly makeZeros: (length: number) => Block,
    protected readonly empty = 0, protected readonly width = 1,
  ) {
    table.register(name, this)
  }

  private make(length: number): Block {
    const cells = this.makeZeros(length)
    return this.empty === 0 ? cells : cells.fill(this.empty) as Block
  }

  clear(row: number): void {
    const at = (row & BLOCK_MASK) * this.width
    this.blocks[row >> BLOCK_BITS]?.fill(this.empty, at, at + this.width)
  }

  /** The cells of a row, to be read; undefined, or too few, where they are empty. */
  protected cellsOf(row: number): Block | undefined {
    return this.blocks[row >> BLOCK_BITS] ?? this.#visit(row >> BLOCK_BITS)
  }

  /** True where no cell of the row was ever written. */
  protected isAbsent(row: number): boolean {
    return this.#places[row >> BLOCK_BITS] === undefined
  }

  /** The cells of a row, to be written; made where there are none. */
  protected grown(row: number): Block {
    const block = row >> BLOCK_BITS
    this.isUsed = true
    this.table.unspill(block)
    const place = this.#places[block]
    let known = this.blocks[block]
    if (known === undefined && place !== undefined) {
      known = this.make(BLOCK_ROWS * this.width)
      this.#read(block, place, known)
      this.#forgetVisit(block)
    }
    const length = block > 0 ? BLOCK_ROWS : roundUp((row & BLOCK_MASK) + 1)
    return (this.blocks[block] = this.#withLength(known, length * this.width))
  }

  spill(block: number, file: BlockFile): void {
    const known = this.blocks[block]
    if (known === undefined) return
    const whole = this.#hasEnded ? known : this.#withLength(known, BLOCK_ROWS * this.width)
    const bytes = new Uint8Array(whole.buffer, whole.byteOffset, whole.byteLength)
    const place = this.#places[block]
    if (place === undefined) this.#places[block] = file.append(bytes)
    else file.rewrite(place, bytes)
    this.#lengths[block] = whole.length
    this.blocks[block] = undefined
    this.#forgetVisit(block)
  }

  end(block: number, rowCount: number): void {
    this.#hasEnded = true
    const known = this.blocks[block]
    if (known !== undefined) this.blocks[block] = known.slice(0, rowCount * this.width) as Block
  }

  state(count: number): ColumnState {
    let isEmpty = true
    const all = this.make(count * this.width)
    for (let from = 0; from < count; from += BLOCK_ROWS) {
      const cells = this.cellsOf(from)
      if (cells === undefined) continue
      isEmpty = false
      all.set(cells.subarray(0, Math.min(cells.length, (count - from) * this.width)), from * this.width)
    }
    return { cells: isEmpty ? null : Buffer.from(all.buffer, all.byteOffset, all.byteLength).toString('base64') }
  }

  restore({ cells: text }: ColumnState, count: number): void {
    if (text === null) return
    this.isUsed = true
    const all = this.make(count * this.width)
    new Uint8Array(all.buffer).set(Buffer.from(text, 'base64'))
    for (let from = 0; from < count; from += BLOCK_ROWS) {
      const rows = all.subarray(from * this.width, (from + BLOCK_ROWS) * this.width) as Block
      const length = from > 0 ? BLOCK_ROWS : roundUp(Math.min(count, BLOCK_ROWS))
      this.blocks[from >> BLOCK_BITS] = this.#withLength(rows, length * this.width)
    }
  }

  #withLength(known: Block | undefined, length: number): Block {
    if (known !== undefined && known.length >= length && known.byteLength === known.buffer.byteLength) return known
    const cells = this.make(length)
    if (known !== undefined) cells.set(known)
    return cells
  }

  #visit(block: number): Block | undefined {
    const place = this.#places[block]
    if (place === undefined) return undefined
    if (this.#visited !== block) {
      const length = this.#lengths[block] as number
      if (this.#visitedCells?.length !== length) this.#visitedCells = this.make(length)
      this.#read(block, place, this.#visitedCells)
      this.#visited = block
    }
    return this.#visitedCells
  }

  #read(block: number, place: number, cells: Block): void {
    const byteLength = (this.#lengths[block] as number) * cells.BYTES_PER_ELEMENT
    this.table.store.file.read(place, new Uint8Array(cells.buffer, 0, byteLength))
  }

  #forgetVisit(block: number): void {
    if (this.#visited === block) this.#visited = -1
  }
}

/** The length of a first block that has room for so many rows. */
function roundUp(rowCount: number): number {
  let length = FIRST_ROWS
  while (length < rowCount) length *= 2
  return length
}
