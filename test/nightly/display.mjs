// A notebook in a real Jupyter with tslab: each kind of object shows itself as HTML, its text has no `[Array]`, errors show their sentence.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { executeNotebook, installNotebookTools, makeWorkFolder } from '../../scripts/notebook-runner.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const day = join(root, 'datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
const faults = []

const SETUP = `import { openTickFile, runBacktest, Parameter, Quantity, Strategy, TradingInstrument, pictures, type Order } from 'backtape'
const orders: Order[] = []
class Maker extends Strategy {
  @Parameter(TradingInstrument) instrument!: TradingInstrument
  @Parameter(Quantity) size!: Quantity
  onStart() { this.every(10_000, () => this.quote()) }
  quote() {
    const { bestBid } = this.instrument
    if (bestBid && this.instrument.openOrders.length === 0) orders.push(this.instrument.placeOrder({ side: 'BID', quantity: this.size, price: bestBid.price }))
  }
}
const day = await openTickFile(${JSON.stringify(day)})
const book = await day.bookAt('23:58:00')
const bars = await day.minutes()
const result = await runBacktest({
  strategy: Maker, data: [${JSON.stringify(day)}], parameters: { instrument: 'XRPUSDT', size: '10' },
  account: { balances: { USDT: '1000' }, fees: { maker: '0.0002', taker: '0.0005' } }, seed: 1,
})`

/** A cell, what its HTML must hold (null: it has none), and what its text must hold. */
const CELLS = [
  [SETUP, null, /^$/],
  ['day', /<table.*Day 2026-07-01 of synthetic_swap:XRPUSDT/s, /^\n$/],
  ['day.instrument', /<table.*Instrument synthetic_swap:XRPUSDT/s, /^\n$/],
  ['book', /<table.*<td style="text-align:right[^"]*">1\.\d+<\/td>/s, /^\n$/],
  ['book.bids.slice(0, 2)', null, /price: 1\.\d+, quantity: \d/],
  ['bars', /<table.*2026-07-01T23:59:00Z/s, /^\n$/],
  ['result', /<pre.*<svg xmlns/s, /^\n$/],
  ['result.summary', /<pre class="bt-summary">/, /^\n$/],
  ['result.fills', /<table.*own_fill_id/s, /^\n$/],
  ['result.equity', /<td[^>]*>…<\/td>/, /^\n$/],
  ['orders[0]', /<table.*Order BID 10 at 1\./s, /^\n$/],
  ['pictures.histogram(Float64Array.of(1, 2, 2), { label: \'<script>\' })', /^<svg.*&lt;script&gt;/s, /^\n$/],
  ['({ day: day, list: [bars, book] })', null, /\[Day 2026-07-01.*\[Table: .*\[Book at/s],
  ['(globalThis as any).console.log(bars); 1', /<table/, /^\n1\n$/],
  ['await openTickFile(\'missing <b>.txt.zst\')', null, /^[^\n]*missing <b>\.txt\.zst[^\n]*\(FILE_NOT_FOUND\)\n$/],
]

installNotebookTools()
const work = makeWorkFolder()
try {
  const cells = CELLS.map(([source]) => ({ cell_type: 'code', execution_count: null, metadata: {}, outputs: [], source }))
  // A cell that fails ends nothing where its tag says that it will.
  cells.at(-1).metadata = { tags: ['raises-exception'] }
  const kernelspec = { name: 'tslab', display_name: 'TypeScript', language: 'typescript' }
  const path = join(work, 'display.ipynb')
  writeFileSync(path, JSON.stringify({ cells, metadata: { kernelspec }, nbformat: 4, nbformat_minor: 5 }))
  const out = join(work, 'out')
  const failure = await executeNotebook({ path, out, to: 'notebook' })
  if (failure !== null) throw new Error(`the notebook failed: ${failure}`)
  const shown = JSON.parse(readFileSync(join(out, 'display.ipynb'), 'utf8')).cells
  for (const [index, [source, html, text]] of CELLS.entries()) {
    const { outputs } = shown[index]
    const joined = (part) => [part ?? ''].flat().join('')
    const found = outputs.map(({ data }) => joined(data?.['text/html'])).join('')
    const words = outputs.map((output) => joined(output.text)).join('')
    const name = source.split('\n')[0].slice(0, 60)
    if (html === null ? found !== '' : !html.test(found)) faults.push(`${name}: HTML is ${found.slice(0, 300)}`)
    if (!text.test(words)) faults.push(`${name}: text is ${words.slice(0, 600)}`)
    if (/\[Array\]|\[Object\]|\[Price\]/.test(words)) faults.push(`${name}: text has [Array]: ${words.slice(0, 300)}`)
    if (/<script|\son\w+=|https?:(?!\/\/www\.w3\.org\/2000\/svg)/.test(found)) faults.push(`${name}: HTML has a script or an address`)
  }
  if (faults.length === 0) console.log(`display: ${CELLS.length} cells show themselves`)
} catch (error) {
  faults.push(error instanceof Error ? error.message : String(error))
} finally {
  rmSync(work, { recursive: true, force: true })
}
for (const fault of faults) console.error(`display: ${fault}`)
process.exit(faults.length === 0 ? 0 : 1)
