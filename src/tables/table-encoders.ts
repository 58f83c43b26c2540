import { gzipSync } from 'node:zlib'
import { loadPackage } from '../files/package-reader.js'
import { type Column, type ByteSink, type TableEncoder, ColumnBuffer, type TableChunk } from './column.js'
import { ByteWriter } from '../model/byte-writer.js'
import { columnsIn, hasDoubles, metadataIn, type TableForm } from './table-form.js'
import { keptValue } from '../model/kept-value.js'
import { putNearestDoubles } from './nearest-doubles.js'

/** Hands decimals to another encoder as the nearest doubles. */
class DoubleEncoder implements TableEncoder {
  private readonly doubles = new Map<Column, ColumnBuffer>()

  constructor(private readonly inner: TableEncoder) {}

  encode(chunk: TableChunk): void {
    const columns = chunk.columns.map((buffer) =>
      buffer.column.type.form === 'decimal' ? this.asDoubles(buffer, chunk) : buffer,
    )
    this.inner.encode({ ...chunk, columns })
  }

  finish(late?: ReadonlyMap<string, string>): void {
    this.inner.finish(late)
  }

  private asDoubles(buffer: ColumnBuffer, { rowCount, runCount }: TableChunk): ColumnBuffer {
    const { column, perRun } = buffer
    const { type } = column
    if (type.form !== 'decimal') return buffer
    const count = perRun ? runCount : rowCount
    const target = keptValue(this.doubles, column, () => (
      new ColumnBuffer({ ...column, type: { form: 'double' } }, perRun, count)))
    target.reserve(count)
    putNearestDoubles(buffer, count, target.numbers)
    return target
  }
}

const GZIP_LEVEL = 6
/** Text of a gzip member. */
const MEMBER_BYTES = 1_048_576

/**
 * Gzip members back to back, which is one gzip file: each of a fixed amount of text, so that the bytes are a function
 * of the text alone.
 */
function gzipSink(sink: ByteSink): { readonly sink: ByteSink; readonly end: () => void } {
  const pending = new ByteWriter()
  let isEmpty = true
  const put = (): void => {
    sink(gzipSync(pending.slice(), { level: GZIP_LEVEL }))
    pending.count = 0
    isEmpty = false
  }
  return {
    sink: (bytes) => {
      pending.piece(bytes)
      if (pending.count >= MEMBER_BYTES) put()
    },
    end: () => { if (pending.count > 0 || isEmpty) put() },
  }
}

/** Level 1: on bit-packed columns higher levels cost twice the time for a few percent. */
const ZSTD_LEVEL = 1

async function plainEncoder(
  columns: readonly Column[], metadata: ReadonlyMap<string, string>, form: TableForm, sink: ByteSink,
): Promise<TableEncoder> {
  const { format } = form
  if (format === 'parquet') {
    const [{ ParquetEncoder }, { createBareCompressor }] = await Promise.all([
      import('./parquet-encoder.js'), import('../files/zstd-compressor.js'),
    ])
    return new ParquetEncoder(columns, metadata, await createBareCompressor(ZSTD_LEVEL), sink)
  }
  if (format === 'arrow' || format === 'arrows') {
    const { ArrowEncoder } = await loadPackage('apache-arrow', () => import('./arrow-encoder.js'))
    return new ArrowEncoder(columns, metadata, format, sink)
  }
  const { csvLayout, jsonLayout, TextTableEncoder } = await import('./text-encoder.js')
  const layout = format.startsWith('csv') ? csvLayout(columns, metadata, form) : jsonLayout(columns, form)
  return new TextTableEncoder(layout, sink)
}

/**
 * The encoder of a table in a form: every table in every format comes from here. Loads what the format needs and
 * nothing more, as the Arrow library alone takes a tenth of a second. The sink has to take or copy its bytes at once.
 */
export async function createTableEncoder(
  columns: readonly Column[], metadata: ReadonlyMap<string, string>, form: TableForm, sink: ByteSink,
): Promise<TableEncoder> {
  const gzip = form.format.endsWith('.gz') ? gzipSink(sink) : null
  const plain = await plainEncoder(columnsIn(form, columns), metadataIn(form, metadata), form, gzip?.sink ?? sink)
  const encoder = hasDoubles(form) ? new DoubleEncoder(plain) : plain
  return {
    encode: (chunk) => { encoder.encode(chunk) },
    finish: (late) => {
      encoder.finish(late)
      gzip?.end()
    },
  }
}
