// Installs what package-lock.json says, only when node_modules says otherwise. npm writes
// node_modules/.package-lock.json last, so that file is the stamp.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { npmEntry, root, runNode } from './project.mjs'

function packagesOf(path) {
  try {
    return JSON.parse(readFileSync(join(root, path), 'utf8')).packages
  } catch {
    return undefined
  }
}

/**
 * True when every package of the lock file lies in node_modules in that version (optional ones of other systems apart).
 */
function isInstalled() {
  const wanted = packagesOf('package-lock.json')
  const found = packagesOf('node_modules/.package-lock.json')
  if (wanted === undefined || found === undefined) return false
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '') return true
    const there = found[path]
    return there === undefined
      ? entry.optional === true
      : there.version === entry.version && there.integrity === entry.integrity
  })
}

/** Makes node_modules what the lock file says; no install script is needed, and one of them reports home. */
export function install() {
  if (isInstalled()) return
  console.error('Installing packages (npm ci) ...')
  runNode(npmEntry(), ['ci', '--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'])
}

if (process.argv[1] === import.meta.filename) install()
