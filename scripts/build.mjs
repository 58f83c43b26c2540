// Compiles src/ to dist/ and the programs that assembly/targets.json names to dist/**/*.wasm, only when a source
// changed. What is for browsers (*-page.ts) is checked against their types and bundled by esbuild into
// one text. scripts/pack.mjs packs dist/ into lib/, which users run.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { writeEngineDigest } from './engine-digest.mjs'
import { contentHash, filesBelow, root, runNode } from './project.mjs'

const stampFile = join(root, 'dist/.build-stamp')
const libMain = join(root, 'lib/chunks/main.js')

function sourcesHash() {
  return contentHash([
    ...filesBelow('src').filter((path) => path.endsWith('.ts')),
    ...filesBelow('assembly').filter((path) => /\.(ts|json)$/.test(path)),
    ...filesBelow('schemas'),
    'package-lock.json',
    'package.json',
    'scripts/build.mjs',
    'scripts/engine-digest.mjs',
    'scripts/pack-pieces.mjs',
    'scripts/pack.mjs',
    'scripts/schema-checks.mjs',
    'tsconfig.json',
    'tsconfig.page.json',
  ])
}

/** Takes away what an earlier build made of a source that is gone. */
function sweep() {
  for (const path of filesBelow('dist')) {
    const source = /^dist\/(.+?)\.(?:js|js\.map|d\.ts|d\.ts\.map)$/.exec(path)?.[1]
    if (source !== undefined && !existsSync(join(root, `src/${source}.ts`))) rmSync(join(root, path))
  }
}

function compileAssembly() {
  const targets = JSON.parse(readFileSync(join(root, 'assembly/targets.json'), 'utf8'))
  for (const [source, { out, flags }] of Object.entries(targets)) {
    if (!existsSync(join(root, 'assembly', source))) continue
    const outFile = join('dist', out)
    mkdirSync(join(root, dirname(outFile)), { recursive: true })
    runNode('node_modules/assemblyscript/bin/asc.js', [`assembly/${source}`, '--outFile', outFile, ...flags])
  }
}

/** Scripts of pages: a text that a page of HTML carries, so it must not end the element that it stands in. */
function bundlePages() {
  runNode('node_modules/typescript/bin/tsc', ['-p', 'tsconfig.page.json'])
  // Loaded here: this module is read before packages are installed.
  const { buildSync } = createRequire(import.meta.url)('esbuild')
  const pages = [
    ['report/view', 'main-page.ts', 'page-script.txt'],
    ['strategy-server/pages', 'live-main-page.ts', 'live-script.txt'],
  ]
  for (const [room, source, out] of pages) {
    const outfile = join(root, 'dist', room, out)
    buildSync({
      entryPoints: [join(root, 'src', room, source)], outfile, bundle: true, format: 'iife', minify: true,
      target: 'es2022', charset: 'utf8', legalComments: 'none', logLevel: 'warning', absWorkingDir: root,
    })
    if (/<\/script|<!--/i.test(readFileSync(outfile, 'utf8'))) throw new Error(`${outfile} would end its own element`)
  }
}

/** The two files of Swagger UI that the explorer serves, packed; the install script of its package reports home. */
function packExplorer() {
  const files = { 'swagger-ui-bundle.js': 'swagger-ui-bundle.gz', 'swagger-ui.css': 'swagger-ui-style.gz' }
  for (const [from, to] of Object.entries(files)) {
    const text = readFileSync(join(root, 'node_modules/swagger-ui-dist', from), 'utf8')
    const alone = text.replace(/\n?\/[/*]# sourceMappingURL=\S+(?: \*\/)?\s*$/, '\n')
    writeFileSync(join(root, 'dist/strategy-server', to), gzipSync(alone, { level: 9 }))
  }
}

/** Makes dist/ and lib/ what the sources say; with `force` even when nothing changed. */
export function build({ force = false } = {}) {
  const hash = sourcesHash()
  if (!force && [stampFile, libMain].every(existsSync) && readFileSync(stampFile, 'utf8') === hash) return
  console.error('Building ...')
  rmSync(stampFile, { force: true })
  sweep()
  // The compiler makes millions of objects that live for long: with more room for the young ones it collects less.
  const env = { ...process.env, NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --max-semi-space-size=64` }
  const files = ['--incremental', '--tsBuildInfoFile', 'dist/.tsbuildinfo']
  runNode('node_modules/typescript/bin/tsc', ['-p', '.', ...files], { env })
  compileAssembly()
  bundlePages()
  packExplorer()
  runNode('scripts/schema-checks.mjs')
  writeEngineDigest()
  runNode('scripts/pack.mjs')
  writeFileSync(stampFile, hash)
}

if (process.argv[1] === import.meta.filename) build({ force: process.argv.includes('--force') })
