// Writes the rows of a tick file as hftbacktest's event records (64 bytes each): node bench/peers/rows.mjs FILE OUT DAY
// Snapshots, updates and trades alone: hftbacktest leaves the top of book out (conformance README 1.1 to 1.4).
import { createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { openSource, readTickFile } from '../../dist/columns.js'

const [DEPTH, TRADE, CLEAR, SNAPSHOT] = [1, 2, 3, 4]
const BUY = 1 << 29
const SELL = 1 << 28
const RECORD_BYTES = 64

const [path, target, day] = process.argv.slice(2)
if (day === undefined)
  throw new Error('name a tick file, an output and the day: node bench/peers/rows.mjs FILE OUT DAY')
const reading = await readTickFile(await openSource(path), { day })
const out = createWriteStream(target)
let latestNs = 0
let rowCount = 0
for await (const batch of reading.batches()) {
  const baseNs = BigInt(batch.epochDay) * 86_400_000_000_000n
  const lines = batch.rowStart[batch.count] + batch.count
  const bytes = Buffer.alloc(lines * RECORD_BYTES)
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const [priceUnit, quantityUnit] = [10 ** batch.priceScale, 10 ** batch.quantityScale]
  let at = 0
  const record = (kind, sideBits, exchangeNs, price, quantity) => {
    view.setBigUint64(at, BigInt(kind) | BigInt(sideBits >>> 0), true)
    view.setBigInt64(at + 8, baseNs + BigInt(exchangeNs), true)
    view.setBigInt64(at + 16, baseNs + BigInt(latestNs), true)
    view.setFloat64(at + 24, price, true)
    view.setFloat64(at + 32, quantity, true)
    at += RECORD_BYTES
  }
  for (let i = 0; i < batch.count; i++) {
    const kind = batch.kind[i]
    if (kind > 2) continue
    latestNs = Math.max(latestNs, batch.adapterTimeNs[i])
    const given = batch.exchangeTimeNs[i]
    const lineNs = Number.isNaN(given) ? latestNs : given
    if (kind === 0) for (const side of [BUY, SELL]) record(CLEAR, side, lineNs, 0, 0)
    for (let row = batch.rowStart[i]; row < batch.rowStart[i + 1]; row++) {
      const isAsk = batch.side[row] === 1
      const own = kind === 2 ? batch.rowTimeNs[batch.tradeRowStart[i] + row - batch.rowStart[i]] : NaN
      record(
        kind === 0 ? SNAPSHOT : kind === 1 ? DEPTH : TRADE, isAsk ? SELL : BUY, Number.isNaN(own) ? lineNs : own,
        batch.price[row] / priceUnit, batch.quantity[row] / quantityUnit,
      )
    }
  }
  rowCount += at / RECORD_BYTES
  if (!out.write(bytes.subarray(0, at))) await once(out, 'drain')
}
out.end()
await once(out, 'finish')
console.log(JSON.stringify({ rowCount }))
