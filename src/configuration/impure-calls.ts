import type { OnLoadResult, Plugin, PluginBuild } from 'esbuild'
import { loadPackage } from '../files/package-reader.js'

/** Names in the code that is looked at, never run: each stands for a global that differs from run to run. */
const MARK = 'backtapeImpure'

/**
 * Calls whose results differ from run to run, by their names in a warning. `Date` itself does so without arguments
 * alone.
 */
const CALLS: readonly string[] = [
  'Date.now', 'performance.now', 'Math.random', 'crypto.randomUUID', 'crypto.getRandomValues',
]

/** Node's own modules that export such functions under other roofs, and the functions. */
const MODULES: Readonly<Record<string, readonly string[]>> = {
  crypto: ['randomUUID', 'getRandomValues', 'randomBytes', 'randomInt', 'randomFill', 'randomFillSync'],
}
const MODULE_FILTER = /^(?:node:)?crypto$/

function markOf(name: string): string {
  return `${MARK}_${name.replace('.', '_')}_`
}

const DEFINED: Readonly<Record<string, string>> = Object.fromEntries([...CALLS, 'Date'].flatMap((name) => (
  ['', 'globalThis.'].map((owner) => [owner + name, markOf(name)] as const))))

/** One of Node's modules whose functions are marks: `import { randomUUID }` keeps its mark, the others are dropped. */
async function markedModule(name: string): Promise<OnLoadResult> {
  const exported = Object.keys((await import(`node:${name}`)) as object).filter((one) => one !== 'default')
  const impure = MODULES[name] ?? []
  const lines = exported.map(
    (one) =>
      `function f_${one}() { return ${impure.includes(one) ? markOf(`${name}.${one}`) : 0} }\nexport { f_${one} as ` +
        `${one} }`,
  )
  // Of the whole module the marks are its uses: `crypto.randomUUID()`.
  return {
    contents: `${lines.join('\n')}\nconst ${MARK}_whole_${name} = {}\nexport { ${MARK}_whole_${name} as default }`,
    loader: 'js',
  }
}

const marks: Plugin = {
  name: 'marks',
  setup(build: PluginBuild): void {
    build.onResolve({ filter: /./ }, ({ path, kind }) => {
      if (kind === 'entry-point') return undefined
      return MODULE_FILTER.test(path) ? { path: path.replace('node:', ''), namespace: MARK } : { path, external: true }
    })
    build.onLoad({ filter: /./, namespace: MARK }, ({ path }) => markedModule(path))
  },
}

/**
 * Names of what a strategy's code calls and no two runs have alike: the wall clock and random numbers of the machine,
 * in the order of a fixed list. By syntax, after scopes: texts, comments, unused functions and names of the strategy's
 * own are none. `code` is one JavaScript module with everything of its author's in it; packages that it imports are not
 * looked at.
 */
export async function impureCalls(code: string): Promise<readonly string[]> {
  if (!/\b(?:Date|performance|Math|crypto)\b/.test(code)) return []
  const { build } = await loadPackage('esbuild', () => import('esbuild'))
  const { outputFiles } = await build({
    stdin: { contents: code, loader: 'js' }, write: false, bundle: true, format: 'esm', platform: 'node',
    target: 'node20.19', charset: 'utf8', logLevel: 'silent', define: DEFINED, plugins: [marks],
  })
  const marked = outputFiles[0]?.text ?? ''
  const named = [
    ...CALLS, ...Object.entries(MODULES).flatMap(([module, names]) => names.map((name) => `${module}.${name}`)),
  ]
  const isUsed = (name: string): boolean =>
    marked.includes(markOf(name)) || new RegExp(`\\b${MARK}_whole_${name.replace('.', '\\.')}\\b`).test(marked)
  const found = [...new Set(named)].filter(isUsed)
  return marked.includes(`${markOf('Date')}()`) ? ['new Date()', ...found] : found
}
