// What every script here needs: where the project is, how to run a child, how to name a state of the sources.
// Only node: modules, as nothing may be installed yet.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of package.json. */
export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[/\\]$/, '')

/**
 * Where the sources can be read: `https://github.com/OWNER/NAME`. Repository, home page and place of faults of a
 * release come from here; empty until there is such a place.
 */
export const REPOSITORY = ''

/** The modules that users import, as package.json's `exports` state them: `index` is `backtape` itself. */
export function entryNames() {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return Object.keys(exports).flatMap((path) => path === '.' ? ['index'] : /^\.\/(\w+)$/.exec(path)?.[1] ?? [])
}

/** Every file below a folder of the project, as sorted paths with forward slashes, relative to the project. */
export function filesBelow(folder) {
  const top = join(root, folder)
  if (!existsSync(top)) return []
  return readdirSync(top, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)).split(sep).join('/'))
    .sort()
}

/** One name for the contents of some files: equal exactly when every path and byte is equal. */
export function contentHash(paths) {
  const hash = createHash('sha256')
  for (const path of paths) {
    const bytes = readFileSync(join(root, path))
    hash.update(`${path}\0${bytes.length}\0`).update(bytes)
  }
  return hash.digest('hex')
}

/** Runs a JavaScript file under this Node; ends this process with the child's code when that is not 0. */
export function runNode(script, args = [], options = {}) {
  const code = tryNode(script, args, options)
  if (code !== 0) process.exit(code)
}

/** Runs a JavaScript file under this Node and returns its exit code (1 when a signal ended it). */
export function tryNode(script, args = [], options = {}) {
  const child = spawnSync(process.execPath, [script, ...args], { cwd: root, stdio: 'inherit', ...options })
  if (child.error) throw child.error
  return child.status ?? 1
}

/** Where npm's own JavaScript lies: told by npm when it runs us, otherwise beside this Node. */
export function npmEntry() {
  const told = process.env.npm_execpath
  const beside = [
    join(dirname(process.execPath), 'node_modules/npm/bin/npm-cli.js'),
    join(dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js'),
  ]
  const found = [told, ...beside].find((path) => path && /\.c?js$/.test(path) && existsSync(path))
  if (!found) {
    console.error('Cannot find npm: run this as `npm start` or `npm test`, not by its file.')
    process.exit(1)
  }
  return found
}
