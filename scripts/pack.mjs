// Packs the JavaScript of dist/ into lib/, which users run: few files in place of six hundred. The declarations that
// the entries reach go to lib/types/. Every piece lies one
// folder deep, as the rooms of dist/ do, so that addresses beside import.meta.url keep their meaning.
// Run by scripts/build.mjs. Decision: docs/decisions/0095-the-package-ships-packed.md.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, posix, relative, sep } from 'node:path'
import { build } from 'esbuild'
import { modulesMore } from './pack-pieces.mjs'
import { entryNames, filesBelow, root } from './project.mjs'

/** Files that modules read or load beside themselves. */
const BESIDE = [
  'dist/results/engine-digest.json', 'dist/tickfile/lines/line-decoder.wasm', 'dist/report/view/page-script.txt',
  'dist/strategy-server/swagger-ui-bundle.gz', 'dist/strategy-server/swagger-ui-style.gz',
  'dist/strategy-server/pages/live-script.txt',
  ...filesBelow('dist/configuration').filter((path) => path.endsWith('.check.js')),
]

/** Of `backtape`, what strategies use stands in these rooms: they need not load the rest with it. */
const STRATEGY_ROOMS = ['model', 'strategy', 'strategy/tactics', 'measures']
const STRATEGY_NAMES = 'chunks/strategy-names'

/** The exports of dist/index.js: the line of each, its names, and whether strategies use them. */
const exported = [
  ...readFileSync(join(root, 'dist/index.js'), 'utf8').matchAll(/^export \{ (.+?),? \} from '\.\/(.+)';$/gm),
].map(([line, names, path]) => ({ line, names, isOfStrategies: STRATEGY_ROOMS.includes(dirname(path)) }))

/** The modules that a strategy which is compiled imports as `backtape`: each name from the piece that loads least. */
function strategyEntry() {
  const of = (wanted) => exported.filter((one) => one.isOfStrategies === wanted).map(({ names }) => names).join(', ')
  return `export { ${of(true)} } from './${STRATEGY_NAMES}.js'\nexport { ${of(false)} } from './index.js'\n`
}

/** `more` are the modules that it loads beside those that it exports. */
const strategyNames = (more) => ({
  name: 'strategy-names',
  setup(build) {
    build.onResolve({ filter: /^strategy-names$/ }, ({ path }) => ({ path, namespace: path }))
    build.onLoad({ filter: /^/, namespace: 'strategy-names' }, () => ({
      contents: exported.filter((one) => one.isOfStrategies).map(({ line }) => line).join('\n') + importing(more),
      resolveDir: join(root, 'dist'),
    }))
  },
})

/** Modules that entries load beside their own, by the paths of the entries. */
const beside = (more) => ({
  name: 'beside',
  setup(build) {
    build.onLoad({ filter: /[\\/]dist[\\/].*\.js$/ }, ({ path }) => {
      const modules = more.get(relative(root, path).split(sep).join('/')) ?? []
      return modules.length === 0 ? null : { contents: readFileSync(path, 'utf8') + importing(modules), loader: 'js' }
    })
  },
})

function importing(modules) {
  return modules.map((path) => `\nimport ${JSON.stringify(join(root, path))}`).join('')
}

function entryPoints() {
  const workers = filesBelow('dist').filter((path) => path.endsWith('-worker.js'))
  return Object.fromEntries([
    ...entryNames().map((name) => [name, `dist/${name}.js`]),
    [STRATEGY_NAMES, 'strategy-names'],
    // The second is loaded by its name, and when a table is asked for Arrow.
    ...['dist/cli/main.js', 'dist/tables/arrow-encoder.js', ...workers]
      .map((path) => [`chunks/${basename(path, '.js')}`, path]),
  ])
}

/** Packages that are installed beside ours; every other one is packed. `ws` asks for two that nobody installs. */
function externals() {
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return [...Object.keys({ ...dependencies, ...peerDependencies }), 'bufferutil', 'utf-8-validate']
}

/** CommonJS packages that are packed ask for modules of Node. */
const REQUIRE =
  'import { createRequire as makeRequire } from \'node:module\'; const require = makeRequire(import.meta.url);'

/** A piece that asks for no module so does not load what would find it. */
function withRequire(text) {
  return /\brequire\b/.test(text.replace(REQUIRE, '')) ? text : text.replace(`${REQUIRE}\n`, '')
}

/** jsonc-parser by its ES modules, as the object of all its names that its other form is. */
const jsoncParser = {
  name: 'jsonc-parser',
  setup(build) {
    build.onResolve({ filter: /^jsonc-parser$/ }, () => ({ path: 'jsonc-parser', namespace: 'whole' }))
    build.onLoad({ filter: /^/, namespace: 'whole' }, () => ({
      contents: 'import * as whole from "jsonc-parser/lib/esm/main.js"; export default whole', resolveDir: root,
    }))
  },
}

/** zstddec would load Node's whole HTTP client to read its own bytes out of an address. */
const zstddec = {
  name: 'zstddec',
  setup(build) {
    build.onLoad({ filter: /zstddec[\\/]dist[\\/][\w-]+\.mjs$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
      const fetches = 'typeof fetch !== "undefined"'
      if (!text.includes(fetches)) throw new Error(`${path} has no ${fetches} any more: look how it begins now`)
      return { contents: text.replaceAll(fetches, 'false'), loader: 'js' }
    })
  },
}

/**
 * A class that names itself in its body, which becomes `var Price = class _Price`, has its own name again: messages and
 * stacks show it. Throws where a class lost its name to another one of its file.
 */
function withClassNames(text, path) {
  let named = text
  for (const [, name, inner] of text.matchAll(/^var (\w+) = class (_\w+)/gm))
    named = named.replaceAll(new RegExp(`\\b${inner}\\b`, 'g'), name)
  const renamed = /^var (\w+\d) = class\b/m.exec(named)?.[1]
  if (renamed !== undefined) throw new Error(`${path}: another class has the name of ${renamed}: rename one of them`)
  return named
}

/** The packages of which modules were packed, by the folder of each. */
function packedPackages(inputs) {
  const found = Object.keys(inputs).map((path) => /^(.*node_modules\/((?:@[^/]+\/)?[^/]+))\//.exec(path)?.slice(1))
  return new Map(found.filter((one) => one !== undefined).map(([folder, name]) => [name, join(root, folder)]))
}

/** Packages of which files lie in the pack as they are, with the files of their further notices. */
const COPIED = { 'swagger-ui-dist': ['NOTICE', 'swagger-ui-bundle.js.LICENSE.txt'] }

/** THIRD-PARTY.md: the notices that the licences of packed packages ask for. */
function licences(inputs) {
  const copied = Object.keys(COPIED).map((name) => [name, join(root, 'node_modules', name)])
  const packages = [...packedPackages(inputs), ...copied].sort(([a], [b]) => (a < b ? -1 : 1))
  const notices = packages.map(([name, folder]) => {
    const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one))
    if (file === undefined) throw new Error(`${folder} has no licence to pack`)
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const text = [file, ...COPIED[name] ?? []].map((one) => readFileSync(join(folder, one), 'utf8').trim()).join('\n\n')
    return `## ${name} ${version}, ${license}\n\n${text.replace(/^/gm, '    ')}\n`
  })
  return ['# Packages that are packed into this folder\n', ...notices].join('\n')
}

/** The declarations that the entries reach, by their paths below dist/. */
function reachedTypes() {
  const reached = new Map()
  const waiting = entryNames().map((name) => `${name}.d.ts`)
  for (const path of waiting) {
    if (reached.has(path)) continue
    const text = readFileSync(join(root, 'dist', path), 'utf8')
    reached.set(path, text)
    for (const [, to] of text.matchAll(/(?:\bfrom |\bimport |\bimport\()'(\.[^']+)\.js'/g))
      waiting.push(posix.join(posix.dirname(path), `${to}.d.ts`))
  }
  return reached
}

/** Takes away the pieces of an earlier build. */
function sweep(kept) {
  for (const path of filesBelow('lib')) if (!kept.has(path)) rmSync(join(root, path))
}

const pack = (more) => build({
  entryPoints: entryPoints(), outdir: join(root, 'lib'), chunkNames: 'chunks/[name]-[hash]', bundle: true, write: false,
  splitting: true, format: 'esm', platform: 'node', target: 'node20.19', charset: 'utf8', external: externals(),
  banner: { js: REQUIRE }, legalComments: 'none', metafile: true, logLevel: 'warning', absWorkingDir: root,
  plugins: [jsoncParser, zstddec, strategyNames(more.get('strategy-names:strategy-names') ?? []), beside(more)],
})
const { metafile: first } = await pack(new Map())
const { outputFiles, metafile } = await pack(modulesMore(first))
const texts = new Map(outputFiles.map(({ path, text }) => {
  const name = relative(root, path).split(sep).join('/')
  return [name, withClassNames(withRequire(text), name)]
}))
texts.set('lib/THIRD-PARTY.md', licences(metafile.inputs))
texts.set('lib/strategy-entry.js', strategyEntry())
for (const [path, text] of reachedTypes()) texts.set(`lib/types/${path}`, text)
const copies = BESIDE.map((path) => [path, `lib/chunks/${basename(path)}`])
mkdirSync(join(root, 'lib/chunks'), { recursive: true })
for (const [path, text] of texts) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
for (const [from, to] of copies) cpSync(join(root, from), join(root, to))
sweep(new Set([...texts.keys(), ...copies.map(([, to]) => to)]))
