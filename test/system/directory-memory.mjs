// A directory of 200,000 instruments with master data, over 64 MiB of JSON, reads in under 150 MB.
import { spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Worker, isMainThread, parentPort } from 'node:worker_threads'

const COUNT = 200_000
const LIMIT_MB = 150
const root = new URL('../..', import.meta.url)
const row = (at) => JSON.stringify({
  instrument_id: at, code: `CODE${at}USDT`, type: 'perpetual', base_underlying: `CODE${at}`, counter_underlying: 'USDT', state: 'open', ticksize: '0.0001', lot_size: '1',
  contract_value: null, multiplier: '1', min_order: '1', max_order: null, exchange_id: 1, exchange_code: 'test_swap',
  master: {
    instrument: {
      id: at, code: `CODE${at}USDT`, exchange_id: 1, exchange_code: 'test_swap', type: 'perpetual', state: 'open', ticksize: 0.0001, lot_size: 1, multiplier: 1, min_order: 1,
      base_underlying_id: at, counter_underlying_id: 1, valuation_underlying_id: 1, fee_underlying_id: 1,
    },
    underlyings: [{ id: at, code: `CODE${at}`, type: 'crypto' }, { id: 1, code: 'USDT', type: 'crypto' }],
  },
})

if (!isMainThread) {
  const server = createServer(async (_request, response) => {
    response.write('{"market":{"code":"test_swap"},"generated_at":"2026-06-24T00:00:00Z","instruments":[')
    let bytes = 0
    for (let at = 0; at < COUNT; at += 500) {
      const text = Array.from({ length: 500 }, (_, more) => row(at + more)).join(',')
      bytes += text.length
      if (!response.write(at === 0 ? text : `,${text}`)) await new Promise((resolve) => response.once('drain', resolve))
    }
    response.end(']}')
    parentPort.postMessage({ bytes })
  })
  server.listen(0, '127.0.0.1', () => parentPort.postMessage({ port: server.address().port }))
} else {
  const worker = new Worker(fileURLToPath(import.meta.url))
  const { port } = await new Promise((resolve) => worker.once('message', resolve))
  const sent = new Promise((resolve) => worker.once('message', resolve))
  const program = `
const { directoryRows } = await import(${JSON.stringify(pathToFileURL(fileURLToPath(new URL('dist/feed/instrument-directory-client.js', root))).href)})
let [count, sum] = [0, 0]
for await (const { master, instrumentId } of directoryRows('http://127.0.0.1:${port}', 'test_swap', 'k', { hasMaster: true })) {
  count += master.instrument.id === instrumentId ? 1 : 0
  sum += master.underlyings.length
}
console.log(JSON.stringify({ count, sum, megabytes: process.resourceUsage().maxRSS / 1024 }))
`
  const run = await new Promise((resolve) => setImmediate(() => resolve(spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' }))))
  const { count, sum, megabytes } = run.status === 0 ? JSON.parse(run.stdout) : {}
  const { bytes } = run.status === 0 ? await sent : { bytes: 0 }
  await worker.terminate()
  const isRight = count === COUNT && sum === 2 * COUNT && bytes > 64 * 1024 * 1024 && megabytes < LIMIT_MB
  console.log(`directory-memory: ${count} instruments, ${(bytes / 2 ** 20).toFixed(0)} MiB of JSON, ${megabytes?.toFixed(0)} MB (limit ${LIMIT_MB})${run.stderr}`)
  process.exitCode = isRight ? 0 : 1
}
