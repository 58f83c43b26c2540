// Both packages installed into an empty folder, by what lies there then and by the processor time of `npm install` with
// npm's cache filled. usage: node bench/install.mjs; OTHER_NODE names the program of a second Node.
import { spawn } from 'node:child_process'
import { mkdtempSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { tableRow } from '../scripts/big-day.mjs'
import { npmEntry } from '../scripts/project.mjs'
import { packTarballs } from '../scripts/tarballs.mjs'
import { openRegistry } from '../test/support/local-registry.mjs'

const folder = mkdtempSync(join(tmpdir(), 'backtape-install-'))
const nodes = [process.execPath, process.env.OTHER_NODE].filter((path) => path !== undefined)
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)))

/** Runs a program under `time`, beside the registry, which this process is: its processor seconds. */
function seconds(cwd, node, words) {
  const times = join(folder, 'times.cjs')
  writeFileSync(times, `process.on('exit', () => {
  const { userCPUTime, systemCPUTime } = process.resourceUsage()
  require('node:fs').writeSync(2, '\\nprocessor ' + (userCPUTime + systemCPUTime))
})\n`)
  const path = `${dirname(node)}:${env.PATH}`
  return new Promise((resolve, reject) => {
    const child = spawn(node, ['--require', times, ...words], { cwd, env: { ...env, PATH: path } })
    let said = ''
    child.stderr.on('data', (text) => { said += text })
    child.on('close', (code) => {
      const found = /processor (\d+)/.exec(said)?.[1]
      if (code === 0 && found !== undefined) resolve(Number(found) / 1e6)
      else reject(new Error(said))
    })
  })
}

function contents(installed) {
  const paths = readdirSync(installed, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath ?? entry.path, entry.name))
  const packages = paths.filter((path) => /node_modules[\\/](@[^\\/]+[\\/])?[^\\/]+[\\/]package\.json$/.test(path))
  // esbuild's program lies there once, under two names.
  const sizeOf = new Map(paths.map((path) => statSync(path)).map(({ ino, size }) => [ino, size]))
  const bytes = [...sizeOf.values()].reduce((sum, size) => sum + size, 0)
  return `${packages.length} packages, ${paths.length} files, ${(bytes / 1e6).toFixed(0)} MB`
}

try {
  const registry = await openRegistry(await packTarballs(join(folder, 'pack')))
  const found = new Map()
  for (const node of nodes) {
    for (const spec of ['backtape', 'backtape@npm:backtape-core']) {
      const rounds = []
      for (let round = 0; round < 3; round++) {
        const project = join(folder, `project-${round}`)
        mkdirSync(project)
        writeFileSync(join(project, 'package.json'), '{ "private": true }')
        const words = ['install', '--no-audit', '--no-fund', '--prefer-offline', '--registry', registry.address, spec]
        rounds.push(await seconds(project, node, [npmEntry(), ...words]))
        found.set(spec, contents(join(project, 'node_modules')))
        rmSync(project, { recursive: true })
      }
      const median = rounds.toSorted((a, b) => a - b)[1]
      const name = node === process.execPath ? '' : ' (the other Node)'
      tableRow(`\`npm install ${spec}\`${name}`, `${found.get(spec)}, ${median.toFixed(1)} s of processor`, '-', null)
    }
  }
  registry.close()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
