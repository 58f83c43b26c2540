import { gzipSync } from 'node:zlib'
import type { Column } from './column.js'
import { DoubleEncoder } from './double-encoder.js'
import { ByteWriter } from '../model/byte-writer.js'
import type { ByteSink, TableEncoder } from './table-encoder.js'
import { columnsIn, hasDoubles, metadataIn, type TableForm } from './table-form.js'

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

async function plainEncoder(
  columns: readonly Column[], metadata: ReadonlyMap<string, string>, form: TableForm, sink: ByteSink,
): Promise<TableEncoder> {
  const { format } = form
  if (format === 'parquet') {
    const [{ ParquetEncoder }, { createCompressor }] = await Promise.all([
      import('./parquet-encoder.js'), import('./parquet-compressor.js'),
    ])
    return new ParquetEncoder(columns, metadata, await createCompressor(), sink)
  }
  if (format === 'arrow' || format === 'arrows') {
    const { ArrowEncoder } = await import('./arrow-encoder.js')
    return new ArrowEncoder(columns, metadata, format, sink)
  }
  const { TextTableEncoder } = await import('./text-encoder.js')
  if (format === 'csv' || format === 'csv.gz') {
    const { csvLayout } = await import('./csv-layout.js')
    return new TextTableEncoder(csvLayout(columns, metadata, form), sink)
  }
  const { jsonLayout } = await import('./json-layout.js')
  return new TextTableEncoder(jsonLayout(columns, form), sink)
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
