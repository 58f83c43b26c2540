// The order book over decoded columns: every depth row of the big day (one recording, tiled), against a Map-based book
// in the same run. usage: node bench/book.mjs [RUNS=5] [RECORDING.txt.zst] [TILES=64]
import { createReadStream, existsSync } from 'node:fs'
import { basename } from 'node:path'
import { OrderBook } from '../dist/book/order-book.js'
import { tableRow } from '../scripts/big-day.mjs'
import { readTickFile } from '../dist/tickfile/tick-file-reader.js'

const shared = process.env.BACKTAPE_SHARED ?? '../shared'
const runs = Number(process.argv[2] ?? 5)
const path = process.argv[3] ?? `${shared}/data/days/binance_swap-BTCUSDT-2024-08-08.txt.zst`
const tiles = Number(process.argv[4] ?? 64)
if (!existsSync(path)) throw new Error(`no recording at ${path}; set BACKTAPE_SHARED`)

/** A batch with the depth events of one batch alone, in memory of its own. */
function depthOf(batch) {
  const indices = []
  for (let i = 0; i < batch.count; i++) if (batch.kind[i] <= 1) indices.push(i)
  const rows = indices.reduce((sum, i) => sum + batch.rowStart[i + 1] - batch.rowStart[i], 0)
  const cut = {
    ...batch, count: indices.length, kind: new Uint8Array(indices.length), flags: new Uint16Array(indices.length),
    rowStart: new Uint32Array(indices.length + 1), side: new Uint8Array(rows), price: new Float64Array(rows),
    quantity: new Float64Array(rows),
  }
  let row = 0
  indices.forEach((i, at) => {
    const [from, to] = [batch.rowStart[i], batch.rowStart[i + 1]]
    cut.kind[at] = batch.kind[i]
    cut.flags[at] = batch.flags[i]
    for (const column of ['side', 'price', 'quantity']) cut[column].set(batch[column].subarray(from, to), row)
    row += to - from
    cut.rowStart[at + 1] = row
  })
  return cut
}

class MapBook {
  sides = [new Map(), new Map()]
  applyRange(batch, from, to) {
    for (let i = from; i < to; i++) {
      if (batch.kind[i] === 0) for (const side of this.sides) side.clear()
      for (let row = batch.rowStart[i]; row < batch.rowStart[i + 1]; row++) {
        const side = this.sides[batch.side[row]]
        if (batch.quantity[row] === 0) side.delete(batch.price[row])
        else side.set(batch.price[row], batch.quantity[row])
      }
    }
  }
}

const source = {
  name: path, fileName: basename(path), sizeBytes: null, repeatable: true, open: () => createReadStream(path),
}
const batches = []
const reading = await readTickFile(source)
for await (const batch of reading.batches()) batches.push(depthOf(batch))
const rows = tiles * batches.reduce((sum, batch) => sum + batch.rowStart[batch.count], 0)

function seconds(book) {
  const start = performance.now()
  for (let tile = 0; tile < tiles; tile++) for (const batch of batches) book.applyRange(batch, 0, batch.count)
  return (performance.now() - start) / 1000
}
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1]
const times = { book: [], map: [] }
for (let run = 0; run < runs; run++) {
  times.book.push(seconds(new OrderBook()))
  times.map.push(seconds(new MapBook()))
}
const [book, map] = [median(times.book), median(times.map)]
console.log(`book: ${(rows / 1e6).toFixed(1)} M depth rows, median of ${runs}, Node ${process.versions.node}`)
console.log(`  OrderBook  ${book.toFixed(3)} s  ${(rows / 1e6 / book).toFixed(1)} M rows/s`)
console.log(
  `  Map a side ${map.toFixed(3)} s  ${(rows / 1e6 / map).toFixed(1)} M rows/s  (${(map / book).toFixed(1)} times ` +
    'as long, and it knows no best price)',
)
console.log(`  peak memory ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB`)
tableRow(
  'book applied to depth rows',
  `${(rows / 1e6 / book).toFixed(0)} M rows/s (${(map / book).toFixed(1)} x faster than a Map a side)`,
  '40 M/s, aim 60', process.resourceUsage().maxRSS / 1024,
)
