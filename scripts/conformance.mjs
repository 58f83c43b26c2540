// npm run conformance -- [--data DIR]... FILE...: plays recorded hftbacktest runs (*.json.gz) with this engine; ends
// with 1 and the first difference in words.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import ts from 'typescript'

const root = join(import.meta.dirname, '..')

/** The driver is TypeScript beside the tests; Node 20 cannot read that, so its types are taken off first. */
async function driver() {
  const folder = join(root, '.cache/conformance')
  mkdirSync(folder, { recursive: true })
  for (const name of ['conformance', 'conformance-classes', 'conformance-report', 'naive-hftbacktest']) {
    const { outputText } = ts.transpileModule(readFileSync(join(root, `test/support/${name}.ts`), 'utf8'), {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
    })
    writeFileSync(
      join(folder, `${name}.mjs`),
      outputText
        .replaceAll('../../src/', `${pathToFileURL(join(root, 'dist')).href}/`)
        .replace(/'\.\/([\w-]+)\.ts'/g, "'./$1.mjs'"),
    )
  }
  return import(pathToFileURL(join(folder, 'conformance-report.mjs')).href)
}

const shared = resolve(root, process.env.BACKTAPE_SHARED ?? '../shared')
const folders = [join(shared, 'data/days'), join(shared, 'conformance/hftbacktest/days')]
const files = []
for (let i = 2; i < process.argv.length; i++) {
  if (process.argv[i] === '--data') folders.unshift(resolve(process.argv[++i] ?? ''))
  else files.push(resolve(process.argv[i]))
}
if (files.length === 0) {
  console.error('Cannot compare nothing: name recorded runs (*.json.gz)')
  process.exit(2)
}
const { compareRuns } = await driver()
const reports = await compareRuns(files, (name) =>
  folders.map((folder) => join(folder, name)).find((path) => existsSync(path)),
)
for (const { path, orderCount, classes, unexplained, moneyDifference } of reports) {
  const explained = Object.entries(classes).map(([name, count]) => `${count} ${name}`).join(', ')
  const word = unexplained !== null || moneyDifference !== null ? 'DIFFERENT' : explained === '' ? 'equal' : 'explained'
  console.log(`${word} ${basename(path)}: ${orderCount} orders${explained === '' ? '' : `, explained: ${explained}`}`)
  if (unexplained !== null) console.log(`  ${unexplained}`)
  if (moneyDifference !== null) console.log(`  ${moneyDifference}`)
}
if (reports.some(({ unexplained, moneyDifference }) => unexplained !== null || moneyDifference !== null))
  process.exitCode = 1
