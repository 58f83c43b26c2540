// npm run pack [-- --out FOLDER]: the two packages of one build, as tarballs: `backtape`, which installs every part,
// and `backtape-core`, which leaves out the packages of all parts but the core; these say PACKAGE_MISSING where they
// are needed. Programs import `backtape` in both cases: npm install backtape@npm:backtape-core.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { build } from './build.mjs'
import { install } from './install.mjs'
import { npmEntry, root } from './project.mjs'

/** npm's own answer to `npm pack`: the file's name, and the paths in it. */
function npmPack(folder, args) {
  const words = [npmEntry(), 'pack', '--json', '--silent', '--ignore-scripts', ...args]
  const done = spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8' })
  if (done.status !== 0) throw new Error(`npm pack in ${folder}: ${done.stderr}`)
  return JSON.parse(done.stdout)[0]
}

/** The manifest of the core: the packages of other parts may stand beside it, in the versions that are tested. */
export function coreManifest(manifest, parts) {
  const isOther = ([name]) => (parts[name] ?? 'core') !== 'core'
  const all = Object.entries(manifest.dependencies)
  const others = all.filter(isOther)
  const { devDependencies: _, scripts: __, ...shipped } = manifest
  return {
    ...shipped, name: `${manifest.name}-core`,
    dependencies: Object.fromEntries(all.filter((one) => !isOther(one))),
    peerDependencies: {
      ...manifest.peerDependencies, ...Object.fromEntries(others.map(([name, version]) => [name, `^${version}`])),
    },
    peerDependenciesMeta: {
      ...manifest.peerDependenciesMeta, ...Object.fromEntries(others.map(([name]) => [name, { optional: true }])),
    },
  }
}

/** Writes both tarballs into a folder; returns their paths, the whole one first. */
export async function packTarballs(out) {
  install()
  build()
  mkdirSync(out, { recursive: true })
  const { PACKAGE_PARTS } = await import('../dist/files/package-reader.js')
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const whole = npmPack(root, ['--pack-destination', out])
  const stage = mkdtempSync(join(tmpdir(), 'backtape-core-'))
  try {
    for (const { path } of whole.files) {
      mkdirSync(dirname(join(stage, path)), { recursive: true })
      cpSync(join(root, path), join(stage, path))
    }
    writeFileSync(join(stage, 'package.json'), `${JSON.stringify(coreManifest(manifest, PACKAGE_PARTS), null, 2)}\n`)
    const core = npmPack(stage, ['--pack-destination', out])
    return [whole, core].map(({ filename }) => join(out, filename))
  } finally {
    rmSync(stage, { recursive: true })
  }
}

if (process.argv[1] === import.meta.filename) {
  const [flag, folder = 'out/pack', ...rest] = process.argv.slice(2)
  if ((flag ?? '--out') !== '--out' || rest.length > 0) {
    console.error('Cannot pack: the only option is --out FOLDER')
    process.exit(2)
  }
  for (const path of await packTarballs(resolve(folder))) console.log(path)
}
