// npm run notebooks [-- NAME...]: executes the notebooks (all, or those whose names begin so) and renders them into
// .cache/notebooks/. --kernel deno takes the other kernel; --clean writes them without outputs, as they are kept.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from './build.mjs'
import { install } from './install.mjs'
import { cleanNotebook, kernelNames, notebookNames, notebookPath, runNotebooks } from './notebook-runner.mjs'
import { root } from './project.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { kernel: { type: 'string', default: 'tslab' }, clean: { type: 'boolean', default: false } },
})

function fail(sentence) {
  console.error(sentence)
  process.exit(2)
}

function wantedNames() {
  const names = notebookNames()
  if (positionals.length === 0) return names
  const starts = positionals.map((given) => given.replace(/^notebooks[/\\]/, '').replace(/\.ipynb$/, ''))
  const unknown = starts.find((start) => !names.some((name) => name.startsWith(start)))
  if (unknown !== undefined) fail(`No notebook begins with "${unknown}"; there are ${names.join(', ')}.`)
  return names.filter((name) => starts.some((start) => name.startsWith(start)))
}

const names = wantedNames()
if (!kernelNames.includes(values.kernel)) fail(`The kernel is ${kernelNames.join(' or ')}, found "${values.kernel}".`)
if (values.clean) {
  for (const name of names) writeFileSync(notebookPath(name), cleanNotebook(readFileSync(notebookPath(name), 'utf8')))
} else {
  install()
  build()
  const out = join(root, '.cache/notebooks')
  const rows = await runNotebooks(names, {
    out, kernel: values.kernel,
    onDone: ({ name, page, failure, seconds }) => {
      console.log(failure === null ? `${page} (${seconds.toFixed(1)} s)` : `${name} failed:\n${failure}`)
    },
  })
  process.exitCode = rows.some(({ failure }) => failure !== null) ? 1 : 0
}
