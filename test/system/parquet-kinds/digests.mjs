// node digests.mjs FILE.parquet...: the columns of each file with a digest of their values by each reader of JavaScript,
// as JSON. A value is a text: epoch nanoseconds, a decimal without its point, digits, the bytes of a double, true or
// false, a text; `null` for none.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { tableFromIPC } from 'apache-arrow'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { readParquet } from 'parquet-wasm'
import { readTable } from '../../../dist/index.js'

function doubleText(value) {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(value)
  return bytes.toString('hex')
}

/** A decimal text as the integer at a scale. */
function scaledText(text, scale) {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text)
  return String(BigInt(sign + whole + fraction.padEnd(scale, '0')))
}

function textOf({ form, scale }, value) {
  if (value === null || value === undefined) return 'null'
  if (form === 'decimal') return typeof value === 'string' ? scaledText(value, scale) : String(value)
  return form === 'double' ? doubleText(value) : String(value)
}

const digestOf = (type, values) => {
  const hash = createHash('sha256')
  for (const value of values) hash.update(`${textOf(type, value)}\n`)
  return `${values.length} ${hash.digest('hex').slice(0, 24)}`
}

/** A big-endian integer in two's complement. */
const bigOf = (bytes) => BigInt.asIntN(8 * bytes.length, BigInt(`0x${Buffer.from(bytes).toString('hex')}`))

async function byHyparquet(bytes) {
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
  const metadata = parquetMetadata(file)
  // It makes doubles of decimals: without their mark they come as they lie.
  for (const element of metadata.schema)
    if (element.converted_type === 'DECIMAL') Object.assign(element, { converted_type: undefined, logical_type: undefined })
  const rows = await parquetReadObjects({ file, metadata, compressors, parsers: { timestampFromNanoseconds: (ns) => ns } })
  return (name) => rows.map((row) => (row[name] instanceof Uint8Array ? bigOf(row[name]) : row[name]))
}

function byParquetWasm(bytes) {
  const table = tableFromIPC(readParquet(bytes).intoIPCStream())
  const wordsOf = (words) => BigInt.asIntN(128, words.reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n))
  return (name, { form }) => {
    const vector = table.getChild(name)
    if (form === 'timestamp')
      return vector.data.flatMap((data) => Array.from({ length: data.length }, (_, at) => (data.getValid(at) ? data.values[at] : null)))
    return Array.from(vector, (value) => (form === 'decimal' && value !== null ? wordsOf(value) : value))
  }
}

const files = []
for (const path of process.argv.slice(2)) {
  const bytes = readFileSync(path)
  const table = await readTable(path)
  const readers = { backtape: (name) => table.column(name), hyparquet: await byHyparquet(bytes), 'parquet-wasm': byParquetWasm(bytes) }
  files.push({
    path, name: basename(path),
    columns: table.columns.map(({ name, type }) => ({
      name, form: type.form, scale: type.scale ?? 0,
      digests: Object.fromEntries(Object.entries(readers).map(([reader, read]) => [reader, digestOf(type, read(name, type))])),
    })),
  })
}
console.log(JSON.stringify(files))
