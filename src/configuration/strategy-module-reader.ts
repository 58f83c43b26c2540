import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { url as inspectorUrl } from 'node:inspector'
import { builtinModules, SourceMap } from 'node:module'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type {
  BuildFailure, BuildOptions, Message, OnLoadResult, OnResolveArgs, OnResolveResult, Plugin, PluginBuild,
} from 'esbuild'
import { extendsBranded } from '../model/brand.js'
import { loadPackage, packageFault } from '../files/package-reader.js'
import { BacktapeError } from '../model/error.js'
import type { Strategy } from '../strategy/strategy.js'
import { impureCalls } from './impure-calls.js'
import { keepBundle, readKeptBundle, sha256Of, type Bundle, type BundleInputs } from './kept-bundle-writer.js'

/**
 * Where this package's own modules lie: a strategy that imports `backtape` gets these very classes, wherever it stands.
 */
const OWN_MODULES: Readonly<Record<string, string>> = {
  backtape: '../index.js', 'backtape/columns': '../columns.js', 'backtape/measures': '../measures.js',
  'backtape/report': '../report.js', 'backtape/serve': '../serve.js', 'backtape/testing': '../testing.js',
}
const ENDINGS = /\.m?[jt]s$/
interface Compiled {
  readonly map: SourceMap
  readonly folder: string
}

interface SourcesOfMap {
  /** Relative to the folder of the module. */
  readonly sources: readonly string[]
  readonly sourcesContent?: readonly (string | null)[]
}

/** Modules that were compiled in this process: their names in stack traces, and the way back to their sources. */
const compiled: Map<string, Compiled> = new Map()
/**
 * Loaded strategies: where they were loaded from, their code, the SHA-256 over their module and the local ones that it
 * imports, and warnings.
 */
const loaded: WeakMap<object, {
  readonly reference: string
  readonly digest: string
  readonly bundle: string
  readonly warnings: readonly string[]
}> = new WeakMap()
const OWN_RESOLUTION = 'backtape: resolved by us'
const FAULTS_SHOWN = 10

function failure(reference: string, why: string, found: string, cause?: unknown): BacktapeError {
  return new BacktapeError(
    'STRATEGY_NOT_FOUND', `Cannot load the strategy ${reference}: ${why}`,
    { field: 'strategy', found: found.slice(0, 80) }, cause,
  )
}

/** `./maker.ts#Maker` as the path of a module and the name of its export. */
function partsOf(reference: string, folder: string): { readonly path: string; readonly name: string } {
  const at = reference.lastIndexOf('#')
  const path = resolve(folder, reference.slice(0, Math.max(at, 0)))
  const name = reference.slice(at + 1)
  if (at > 0 && name !== '' && ENDINGS.test(path)) return { path, name }
  throw failure(
    reference,
    'it must be a module ending in .ts, .mts, .js or .mjs, # and the name of a class, such as ./maker.ts#Maker',
    reference,
  )
}

/** The path of the module that `./module.ts#Class` names, relative to a folder. Throws STRATEGY_NOT_FOUND. */
export function strategyModulePath(reference: string, folder: string): string {
  return partsOf(reference, folder).path
}

/** A bare name, as npm knows it, and no alias such as `#own` or `~/own`. */
function isPackage(path: string): boolean {
  return /^(?:@[\w.~-]+\/)?[a-z\d][\w.~-]*(?:\/|$)/i.test(path)
}

function missingPackage(path: string): string {
  const name = path.split('/').slice(0, path.startsWith('@') ? 2 : 1).join('/')
  return `the package ${name} is not installed: npm install ${name}`
}

/** In the packed build: the exports of `backtape`, each from the piece that loads least. */
const STRATEGY_ENTRY = fileURLToPath(new URL('../strategy-entry.js', import.meta.url))
const isPacked = existsSync(STRATEGY_ENTRY)
const entryText = isPacked ? readFileSync(STRATEGY_ENTRY, 'utf8') : ''

async function resolveImport(build: PluginBuild, args: OnResolveArgs): Promise<OnResolveResult | undefined> {
  if (args.kind === 'entry-point' || args.pluginData === OWN_RESOLUTION) return undefined
  if (args.path === 'backtape' || args.path.startsWith('backtape/')) {
    const own = Object.hasOwn(OWN_MODULES, args.path) ? OWN_MODULES[args.path] : undefined
    if (own === undefined)
      return {
        errors: [
          { text: `backtape exports ${Object.keys(OWN_MODULES).join(', ')}, found ${JSON.stringify(args.path)}` },
        ],
      }
    if (isPacked && args.path === 'backtape') return { path: STRATEGY_ENTRY }
    return { path: new URL(own, import.meta.url).href, external: true }
  }
  if (args.path.startsWith('node:') || builtinModules.includes(args.path)) return { path: args.path, external: true }
  const { resolveDir, kind, importer } = args
  const found = await build.resolve(args.path, { resolveDir, kind, importer, pluginData: OWN_RESOLUTION })
  if (found.errors.length > 0 && isPackage(args.path)) return { errors: [{ text: missingPackage(args.path) }] }
  // Packages stay what Node loads, so that they exist once; files of the user's own, also by a tsconfig's paths, are
  // compiled.
  if (found.errors.length > 0 || found.external || !found.path.includes(`${sep}node_modules${sep}`)) return found
  return { path: pathToFileURL(found.path).href, external: true }
}

/** The line in front of such a module. */
const OWN_NAMES = /^const backtapeModuleUrl = .*?, backtapeModuleFolder = "(?:[^"\\]|\\.)*";/

/** A bundled module keeps its own `import.meta`: what it names stands in front of it, on its first line. */
async function loadSource(path: string, digests: Map<string, string>): Promise<OnLoadResult | undefined> {
  if (path === STRATEGY_ENTRY) return undefined
  const bytes = await readFile(path)
  digests.set(path, sha256Of(bytes))
  if (!ENDINGS.test(path)) return undefined
  const text = bytes.toString()
  if (!text.includes('import.meta') || text.startsWith('#!')) return undefined
  const own = `const backtapeModuleUrl = ${JSON.stringify(pathToFileURL(path).href)}, backtapeModulePath = ` +
    `${JSON.stringify(path)}, backtapeModuleFolder = ${JSON.stringify(dirname(path))};`
  return { contents: own + text, loader: /ts$/.test(path) ? 'ts' : 'js' }
}

/** A piece of the packed build, which is left out where none of its names is used. */
function resolvePiece({ path, importer }: OnResolveArgs): OnResolveResult | undefined {
  if (importer !== STRATEGY_ENTRY) return undefined
  return { path: new URL(path, pathToFileURL(importer)).href, external: true, sideEffects: false }
}

/** Resolves and loads modules as {@link loadStrategy} says; digests of the files that were read go to `digests`. */
function plugin(digests: Map<string, string>): Plugin {
  return {
    name: 'backtape',
    setup(build): void {
      build.onResolve({ filter: /^[^./\\]/ }, (args) => resolveImport(build, args))
      if (isPacked) build.onResolve({ filter: /^\.\// }, resolvePiece)
      build.onLoad({ filter: /^/, namespace: 'file' }, ({ path }) => loadSource(path, digests))
    },
  }
}

function buildOptions(
  path: string, digests: Map<string, string>,
): BuildOptions & { readonly write: false, readonly metafile: true } {
  return {
    entryPoints: [path],
    outfile: join(dirname(path), 'strategy.js'),
    write: false,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    charset: 'utf8',
    keepNames: true,
    sourcemap: 'external',
    logLevel: 'silent',
    absWorkingDir: dirname(path),
    define: {
      'import.meta.url': 'backtapeModuleUrl', 'import.meta.filename': 'backtapeModulePath',
      'import.meta.dirname': 'backtapeModuleFolder',
    },
    metafile: true,
    plugins: [plugin(digests)],
  }
}

function faultText({ text, location }: Message): string {
  return location === null ? text : `${location.file}:${location.line}:${location.column + 1}: ${text}`
}

async function transpile(path: string, reference: string): Promise<Bundle & { readonly inputs: BundleInputs }> {
  const esbuild = await loadPackage('esbuild', () => import('esbuild'))
  const digests = new Map<string, string>()
  try {
    const { outputFiles, metafile } = await esbuild.build(buildOptions(path, digests))
    const textOf = (ending: string): string => outputFiles.find((file) => file.path.endsWith(ending))?.text ?? ''
    const code = textOf('.js')
    return {
      code, map: textOf('.map'), impure: await impureCalls(code),
      inputs: { digests, imports: Object.values(metafile.inputs).flatMap(({ imports }) => imports) },
    }
  } catch (error) {
    const { errors } = error as Partial<BuildFailure>
    if (errors === undefined || errors.length === 0) {
      const fault = packageFault('esbuild', error)
      if (fault instanceof BacktapeError) throw fault
      const words = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
      throw failure(reference, `esbuild, which compiles it, does not work here: ${words}`, words, error)
    }
    const faults = errors.slice(0, FAULTS_SHOWN).map(faultText)
    throw failure(
      reference, faults.length === 1 ? faults.join('') : `${errors.length} faults:\n  ${faults.join('\n  ')}`,
      faults[0] ?? '', error,
    )
  }
}

/** The code of a module: as it is kept, else compiled and kept. */
async function bundleOf(path: string, reference: string, kept: string | null): Promise<Bundle> {
  if (kept === null) return transpile(path, reference)
  const place = { folder: kept, basis: entryText }
  const found = await readKeptBundle(place, path)
  if (found !== null) return found
  const { inputs, ...bundle } = await transpile(path, reference)
  await keepBundle(place, path, bundle, inputs)
  return bundle
}

function dataAddress(type: string, text: string): string {
  return `data:${type};base64,${Buffer.from(text).toString('base64')}`
}

/** The line with which a debugger finds the sources, by absolute addresses; empty where Node's inspector is closed. */
function debuggerMap(map: string, path: string): string {
  if (inspectorUrl() === undefined) return ''
  const { sources, sourcesContent = [], ...rest } = JSON.parse(map) as SourcesOfMap
  const placed = {
    ...rest,
    sources: sources.map((source) => pathToFileURL(resolve(dirname(path), source)).href),
    sourcesContent: sourcesContent.map((text) => text?.replace(OWN_NAMES, '') ?? null),
  }
  return `\n//# sourceMappingURL=${dataAddress('application/json', JSON.stringify(placed))}`
}

async function importCode(code: string, path: string, map: string): Promise<Readonly<Record<string, unknown>>> {
  const name = `${pathToFileURL(path).href}?compiled`
  // No file is written: what the module imports stands in it as an absolute address.
  const address = dataAddress('text/javascript', `${code}${debuggerMap(map, path)}\n//# sourceURL=${name}`)
  const way = {
    map: new SourceMap(JSON.parse(map) as ConstructorParameters<typeof SourceMap>[0]), folder: dirname(path),
  }
  // Node names the source; who prepares stacks himself, as test runners do, names the address.
  compiled.set(name, way).set(address, way)
  return (await import(address)) as Readonly<Record<string, unknown>>
}

function originalPlaces(text: string, name: string, { map, folder }: Compiled): string {
  const [head = '', ...parts] = text.split(name)
  return (
    head +
    parts
      .map((part) => {
        const place = /^:(\d+):(\d+)/.exec(part)
        const entry = map.findEntry(Number(place?.[1]) - 1, Number(place?.[2]) - 1)
        if (place === null || !('originalSource' in entry)) return name + part
        const { originalSource, originalLine, originalColumn } = entry
        const at = `${resolve(folder, originalSource)}:${originalLine + 1}:${originalColumn + 1}`
        return `${at}${part.slice(place[0].length)}`
      })
      .join('')
  )
}

/** Names and texts of the user's own modules; where they lie does not count. */
function digestOf(map: string, path: string): string {
  const { sources, sourcesContent = [] } = JSON.parse(map) as SourcesOfMap
  const own = relative(dirname(path), STRATEGY_ENTRY).split(sep).join('/')
  const modules = sources
    .map((source, at) => [source, (sourcesContent[at] ?? '').replace(OWN_NAMES, '')] as const)
    .filter(([source]) => source !== own)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(modules)).digest('hex')
}

/**
 * The digest of the sources of a class that {@link loadStrategy} has loaded; undefined for any other, whose sources
 * nobody knows.
 */
export function strategySourceDigest(strategy: new () => Strategy): string | undefined {
  return loaded.get(strategy)?.digest
}

/**
 * The name by which {@link loadStrategy} loads this very class again, in any folder and thread; undefined for a class
 * that it has not loaded.
 */
export function strategyReference(strategy: new () => Strategy): string | undefined {
  return loaded.get(strategy)?.reference
}

/**
 * The code of a class that {@link loadStrategy} has loaded, its local imports bundled; undefined for any other.
 */
export function strategyBundle(strategy: new () => Strategy): string | undefined {
  return loaded.get(strategy)?.bundle
}

/**
 * Sentences about the sources of a class that {@link loadStrategy} has loaded; none for any other, whose sources nobody
 * knows.
 */
export function strategySourceWarnings(strategy: new () => Strategy): readonly string[] {
  return loaded.get(strategy)?.warnings ?? []
}

function warningsOf(calls: readonly string[], name: string): readonly string[] {
  if (calls.length === 0) return []
  return [
    `the source of ${name} uses ${calls.join(', ')}: no two runs have these alike; use this.now(), and random ` +
      'numbers of a seed of your own',
  ]
}

/** A text with stack traces, its places in compiled strategies turned into places in their sources. */
export function originalStack(text: string): string {
  let mapped = text
  for (const [name, way] of compiled) mapped = originalPlaces(mapped, name, way)
  return mapped
}

interface LoadedModule {
  readonly exports: Readonly<Record<string, unknown>>
  readonly strategies: ReadonlyMap<string, new () => Strategy>
}

async function loadModule(path: string, reference: string, kept: string | null): Promise<LoadedModule> {
  const standing = await stat(path).catch(() => null)
  if (standing?.isFile() !== true) throw failure(reference, `there is no file ${path}`, path)
  const { code, map, impure } = await bundleOf(path, reference, kept)
  let exports: Readonly<Record<string, unknown>>
  try {
    exports = await importCode(code, path, map)
  } catch (error) {
    const words = error instanceof Error ? (error.stack ?? error.message) : String(error)
    throw failure(reference, `the module threw when it was loaded\n${originalStack(words)}`, words, error)
  }
  const strategies = new Map<string, new () => Strategy>()
  for (const [name, found] of Object.entries(exports)) {
    if (typeof found !== 'function' || !extendsBranded(found, 'Strategy')) continue
    loaded.set(found, {
      reference: `${path}#${name}`, digest: digestOf(map, path), bundle: code, warnings: warningsOf(impure, name),
    })
    strategies.set(name, found as new () => Strategy)
  }
  return { exports, strategies }
}

/**
 * The strategies that a module exports, by their names: none of another module. Loads it as {@link loadStrategy} does,
 * and throws STRATEGY_NOT_FOUND where it cannot.
 */
export async function loadStrategies(
  path: string, kept: string | null = null,
): Promise<ReadonlyMap<string, new () => Strategy>> {
  const { strategies } = await loadModule(path, path, kept)
  return strategies
}

/**
 * The class that `./module.ts#Class` names, relative to a folder. `.ts`, `.mts`, `.js` and `.mjs`, with standard
 * decorators, or legacy ones where a tsconfig.json near the module says `experimentalDecorators`; local imports are
 * compiled with it, and `backtape` is the running package. Types are not checked: that is the compiler's work. With
 * `kept`, a folder, the compiled code is taken from there while all that it was made of is the same, and left there.
 * Throws STRATEGY_NOT_FOUND with what is missing or wrong.
 */
export async function loadStrategy(
  reference: string, folder: string, kept: string | null = null,
): Promise<new () => Strategy> {
  const { path, name } = partsOf(reference, folder)
  const { exports, strategies } = await loadModule(path, reference, kept)
  const strategy = strategies.get(name)
  if (strategy !== undefined) return strategy
  const found = Object.hasOwn(exports, name) ? exports[name] : undefined
  const names = Object.keys(exports).join(', ') || 'nothing'
  if (found === undefined)
    throw failure(reference, `${relative(folder, path) || path} exports no ${name}; it exports ${names}`, names)
  throw failure(
    reference,
    `${name} must be a class that extends Strategy, found ` +
      (typeof found === 'function' ? 'another class or function' : typeof found),
    typeof found,
  )
}
