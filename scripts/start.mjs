// npm start: from nothing but Node to a first result. Installs and builds when something changed, then reads the
// bundled days, audits them and converts them to Parquet, Arrow and CSV. What is converted already is left as it is.
// Then an example strategy trades against one of the days.
import { mkdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { build } from './build.mjs'
import { install } from './install.mjs'
import { filesBelow, root } from './project.mjs'

const FORMATS = ['parquet', 'arrow', 'csv']

install()
build()
process.chdir(root)
const { convertFiles } = await import('../dist/index.js')
const { auditReading, auditVerdict, isSkippedMember, openSources, readTickFile } = await import('../dist/columns.js')

const count = (value) => value.toLocaleString('en-US')
const size = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`
const total = (values) => values.reduce((sum, value) => sum + value, 0)

const { main: backtape } = await import('../dist/cli/main.js')

/** Audits one tick file and says in one line what it holds. */
async function auditLine(source) {
  const reading = await readTickFile(source)
  try {
    const report = await auditReading(reading)
    const { ok, reasons } = auditVerdict(report)
    const gaps = total(Object.values(report.chainGapCounts))
    const found = [
      `${count(report.events)} events`, `${count(report.tradeRows)} trades`, `${count(report.coverageSeconds)} s`,
      `${count(gaps)} chain ${gaps === 1 ? 'gap' : 'gaps'}`,
      `${count(report.outages.count)} ${report.outages.count === 1 ? 'outage' : 'outages'}`,
    ]
    console.log(`  ${source.fileName}: ${ok ? 'sound' : `NOT SOUND, ${reasons.join('; ')}`}; ${found.join(', ')}`)
    return ok
  } finally {
    await reading.close()
  }
}

async function auditAll(inputs) {
  console.log('Audited:')
  let allSound = true
  for (const input of inputs) {
    for await (const source of openSources(input))
      if (!isSkippedMember(source)) allSound = (await auditLine(source)) && allSound
  }
  return allSound
}

/** Converts some inputs into a folder and says in one line what lies there now. */
async function convertInto(out, to, inputs) {
  mkdirSync(out, { recursive: true })
  const result = await convertFiles(inputs, { to, out, jobs: 2 })
  const files = result.inputs.flatMap((input) => input.outputs).filter((output) => output.path !== null)
  const whole = result.convertedCount === 0 ? ', whole already' : ''
  console.log(
    `  ${relative(root, out) || out}: ${files.length} files, ${count(total(files.map((file) => file.rowCount)))} ` +
      `rows, ${size(total(files.map((file) => file.sizeBytes)))}${whole}`,
  )
  for (const { error } of result.inputs) if (error !== null) console.log(`  ${error.message}`)
  return result.failedCount === 0 && !result.stopped
}

const days = filesBelow('datasets').filter((path) => path.endsWith('.txt.zst'))
const bundles = filesBelow('datasets').filter((path) => path.endsWith('.tar'))
console.log(
  `${days.length} made-up days and ${bundles.length} bundle in datasets/, ` +
    `${size(total([...days, ...bundles].map((path) => statSync(path).size)))}`,
)
let isFine = await auditAll([...days, ...bundles])
console.log('Converted:')
for (const format of FORMATS) {
  isFine = await convertInto(`out/${format}`, format, days) && isFine
  isFine = await convertInto(`out/${format}/bundle`, format, bundles) && isFine
}
console.log('A strategy trades against a made-up day (examples/flow-taker):')
isFine = await backtape(['backtest', 'examples/flow-taker/flow-taker.run.json', '--no-record']) === 0 && isFine
console.log(`The tables are in ${join(root, 'out')}`)
console.log(`Next: node bin/backtape.js info ${days.at(-1)}`)
console.log('      node bin/backtape.js verify examples')
if (!isFine) process.exitCode = 1
