import { BacktapeError } from '../model/error.js'
import { refuseStopped } from '../model/stop-signal.js'
import { fileRows, type Margins } from '../tickfile/days/margins.js'
import { readTickFile } from '../tickfile/tick-file-reader.js'
import type { TickSource } from '../tickfile/archive/tick-source.js'
import { type ExportTarget, tableColumns, type TableShape } from './export-kind.js'
import { readResultSums } from './result-sums-reader.js'
import { SourceSums } from './source-sums.js'
import { columnsIn, type TableForm } from '../tables/table-form.js'
import type { ReadOptions } from '../tickfile/archive/read-options.js'

/** A file to read back. */
export interface ResultFile extends ExportTarget {
  /** Where its bytes lie. */
  readonly path: string
  /** Its name in messages. */
  readonly name: string
  readonly shape: TableShape
  readonly form: TableForm
}

/** The options for reading the source again. */
export interface CheckedSource {
  readonly read: ReadOptions
  readonly margins: Margins
}

/**
 * Reads files back and compares row counts, counts of values and exact sums of every column with the source, read anew.
 * Throws OUTPUT_DIFFERS for the first difference. Doubles (greeks, and decimals that were asked for as such) are
 * counted, not summed.
 */
export async function checkResults(
  source: TickSource, { read, margins }: CheckedSource, files: readonly ResultFile[],
): Promise<void> {
  if (!source.repeatable) {
    throw new BacktapeError(
      'OPTION_INVALID', `Cannot check ${source.name}: a stream cannot be read again; save it to a file first`,
      { file: source.name, field: 'check' },
    )
  }
  const wanted = files.map((file) => new SourceSums(file.kind, file.shape))
  const reading = await readTickFile(source, read)
  try {
    for await (const batch of fileRows(reading, margins).batches()) for (const sums of wanted) sums.add(batch)
  } finally {
    await reading.close()
  }
  for (const [i, file] of files.entries()) {
    refuseStopped(read.signal, source.name)
    const want = wanted[i]
    if (want !== undefined) await compare(file, want)
  }
}

async function compare(file: ResultFile, want: SourceSums): Promise<void> {
  const columns = tableColumns(file.kind, file.shape)
  const found = await readResultSums(file.path, file.form, columns).catch((error: unknown) => {
    throw new BacktapeError(
      'OUTPUT_DIFFERS', `Cannot read ${file.name} back: ${String(error)}`, { file: file.name }, error,
    )
  })
  const doubles = new Set(
    columnsIn(file.form, columns)
      .filter(({ type }) => type.form === 'double')
      .map(({ name }) => name),
  )
  differ(file, 'rows', want.rowCount, found.rowCount)
  for (const [name, sum] of want.sums) {
    differ(file, `values in ${name}`, sum.count, found.sums.get(name)?.count)
    if (!doubles.has(name)) differ(file, `the sum of ${name}`, sum.total, found.sums.get(name)?.total)
  }
}

function differ(file: ResultFile, what: string, want: number | bigint, found: number | bigint | undefined): void {
  if (want === found) return
  const message = `Checking ${file.name} failed: ${what} must be ${String(want)} as in the source, found ` +
    String(found)
  throw new BacktapeError('OUTPUT_DIFFERS', message, {
    file: file.name, field: what, expected: String(want), found: String(found),
  })
}
