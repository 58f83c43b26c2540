// node compare.mjs OURS.json THEIRS.json: fails where a reader has other values, or a kind of table or a reader is missing.
import { readFileSync } from 'node:fs'
import { EXPORT_KINDS } from '../../../dist/index.js'

const READERS = ['backtape', 'hyparquet', 'parquet-wasm', 'pyarrow', 'polars', 'duckdb']
const KINDS = [...EXPORT_KINDS, 'minutes', 'book', 'fills', 'orders', 'equity', 'round-trips', 'hours', 'days', 'runs']
const [ours, theirs] = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, 'utf8')))

const faults = ours.flatMap(({ name, columns }, at) => columns.flatMap((column, index) => {
  const digests = { ...column.digests, ...theirs[at][index] }
  const isSame = READERS.every((reader) => digests[reader] === digests.backtape) && digests.backtape !== undefined
  return isSame ? [] : [`${name} ${column.name} (${column.form}): ${JSON.stringify(digests)}`]
}))
for (const kind of KINDS)
  if (!ours.some(({ name }) => name === `${kind}.parquet` || name.endsWith(`.${kind}.parquet`))) faults.push(`no table of ${kind}`)
if (faults.length > 0) {
  console.error(faults.join('\n'))
  process.exit(1)
}
const columns = ours.reduce((sum, file) => sum + file.columns.length, 0)
console.log(`parquet-kinds: ${ours.length} tables, ${columns} columns: the same values by ${READERS.join(', ')}`)
