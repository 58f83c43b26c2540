import type { ColumnBuffer, TableChunk } from './column-buffer.js'
import { ByteWriter } from '../model/byte-writer.js'
import type { ByteSink, TableEncoder } from './table-encoder.js'

const FLUSH_BYTES = 1_048_576

/** The text around the cells of a text format. */
export interface TextLayout {
  /** Before everything, and behind everything. */
  readonly begin: Uint8Array
  readonly end: Uint8Array
  /** Before every row but the first. */
  readonly betweenRows: Uint8Array
  /** Before the cell of each column, and behind the last one. */
  readonly beforeCells: readonly Uint8Array[]
  readonly rowEnd: Uint8Array
  putCell(out: ByteWriter, buffer: ColumnBuffer, index: number, epochDay: number): void
}

/** Writes rows as text in a layout; a cell that stands for a run of rows is rendered once. */
export class TextTableEncoder implements TableEncoder {
  private readonly out = new ByteWriter()
  /** The rendered cell of the current run, a column each. */
  private readonly cells: ByteWriter[]
  private isFirst = true

  constructor(private readonly layout: TextLayout, private readonly sink: ByteSink) {
    this.cells = layout.beforeCells.map(() => new ByteWriter())
    this.out.piece(layout.begin)
  }

  encode(chunk: TableChunk): void {
    const { columns, runStart } = chunk
    for (let run = 0; run < chunk.runCount; run++) {
      columns.forEach((buffer, i) => {
        const cell = this.cells[i]
        if (cell === undefined || !buffer.perRun) return
        cell.count = 0
        this.layout.putCell(cell, buffer, run, chunk.epochDay)
      })
      for (let row = runStart[run] ?? 0, end = runStart[run + 1] ?? 0; row < end; row++) this.putRow(chunk, row)
      if (this.out.count > FLUSH_BYTES) this.drain()
    }
  }

  finish(): void {
    this.out.piece(this.layout.end)
    this.drain()
  }

  private putRow(chunk: TableChunk, row: number): void {
    const { out, layout } = this
    const { columns } = chunk
    if (!this.isFirst && layout.betweenRows.length > 0) out.piece(layout.betweenRows)
    this.isFirst = false
    for (let i = 0; i < columns.length; i++) {
      const before = layout.beforeCells[i]
      const buffer = columns[i]
      const cell = this.cells[i]
      if (before === undefined || buffer === undefined || cell === undefined) continue
      if (before.length === 1) out.byte(before[0] ?? 0)
      else if (before.length > 1) out.piece(before)
      if (buffer.perRun) out.piece(cell.slice())
      else layout.putCell(out, buffer, row, chunk.epochDay)
    }
    out.piece(layout.rowEnd)
    if (out.count > FLUSH_BYTES) this.drain()
  }

  private drain(): void {
    this.sink(this.out.slice())
    this.out.count = 0
  }
}
