import { shapeFromInstrument, type TableShape } from '../export/export-kind.js'
import { readingMetadata } from '../model/clock-words.js'
import { BacktapeError } from '../model/error.js'
import { createTableFile } from '../tables/table-file-writer.js'
import { isTextFormat, type TableForm } from '../tables/table-form.js'
import { createTableStream, type TableTarget } from '../tables/table-stream.js'
import { GRID_ROW_LIMIT, gridColumns, GridChunk, gridMetadata, gridRowCount, widerShape } from './book-grid.js'
import type { BookGridOptions } from './sampled-books.js'
import type { TickDay } from './tick-day.js'

/** The options of a grid's table. */
export interface GridTableOptions extends BookGridOptions {
  readonly form: TableForm
}

/** Where the rows of one pass go: a pass that a finer scale makes void can begin again in a file, but not in a pipe. */
interface GridTarget extends TableTarget {
  readonly beginsAgain: boolean
}

/** Writes one pass of a day; returns the number of books, or the shape with which to begin again. */
async function writePass(
  day: TickDay, target: GridTarget, firstShape: TableShape, options: GridTableOptions,
): Promise<number | TableShape> {
  let shape = firstShape
  const metadata = gridMetadata(day, shape, options)
  const stream = await createTableStream(gridColumns(shape), metadata, options.form, target)
  let chunk = new GridChunk(shape)
  let count = 0
  for await (const book of day.books(options)) {
    const wider = widerShape(book, shape)
    if (wider !== null && target.beginsAgain) return wider
    if (wider !== null && !isTextFormat(options.form.format)) {
      const sentence =
        'Cannot write the grid to standard output: the file has finer digits than its master data; write it to a file'
      throw new BacktapeError('VALUE_INEXACT', sentence, { file: day.name })
    }
    if (wider !== null || chunk.rowCount + gridRowCount(book) > GRID_ROW_LIMIT) await chunk.drain(stream)
    if (wider !== null) chunk = new GridChunk((shape = wider))
    chunk.add(book)
    count++
  }
  await chunk.drain(stream)
  await stream.finish(new Map(readingMetadata(day.summary)))
  return count
}

/** Samples a day and writes the grid into a pipe, in bounded memory; returns the number of books. */
export async function pipeBookGrid(day: TickDay, target: TableTarget, options: GridTableOptions): Promise<number> {
  const write = (bytes: Uint8Array): Promise<void> => target.write(bytes)
  const count = await writePass(day, { write, beginsAgain: false }, shapeFromInstrument(day.instrument), options)
  return typeof count === 'number' ? count : 0
}

/**
 * Samples a day and writes the grid to a file, whole or not at all, in bounded memory; returns the number of books.
 * Where the file shows finer digits than its master data, the writing begins again with the finer scale. Throws
 * OUTPUT_EXISTS, OUTPUT_FAILED.
 */
export async function writeBookGrid(
  day: TickDay, path: string, options: GridTableOptions & { readonly force?: boolean },
): Promise<number> {
  let shape = shapeFromInstrument(day.instrument)
  const inputs = [day.name === 'standard input' ? '-' : day.name]
  for (;;) {
    const file = await createTableFile(path, options.form, { force: options.force === true, inputs })
    try {
      const write = (bytes: Uint8Array): Promise<void> => file.write(bytes)
      const result = await writePass(day, { write, beginsAgain: true }, shape, options)
      if (typeof result === 'number') {
        const metadata = gridMetadata(day, shape, options)
        await file.commit(new Map([...metadata, ...readingMetadata(day.summary)]))
        return result
      }
      shape = result
    } finally {
      await file.abort()
    }
  }
}
