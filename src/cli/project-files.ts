import { readFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BacktapeError } from '../model/error.js'
import { exists } from '../files/whole-file-writer.js'

/** Where the package lies: `dist/cli` and `src/cli` are both two folders below it. */
const PACKAGE_FOLDER = fileURLToPath(new URL('../../', import.meta.url))
const TEMPLATES = join(PACKAGE_FOLDER, 'templates/init')
/** The kernel that notebooks were tried with. */
const TSLAB = '1.0.22'

/** Templates by the place that they get in a project; npm leaves some names out of packages, so some differ. */
const FILES: readonly (readonly [target: string, template: string])[] = [
  ['strategies/touch-maker.ts', 'strategies/touch-maker.ts'],
  ['strategies/touch-maker.run.json', 'strategies/touch-maker.run.json'],
  ['test/touch-maker.test.ts', 'test/touch-maker.test.ts'],
  ['notebooks/first-look.ipynb', 'notebooks/first-look.ipynb'],
  ['jupyter/kernels/tslab/kernel.json', 'jupyter/kernel.json'],
  ['tsconfig.json', 'tsconfig.project.json'],
  ['.gitignore', 'gitignore.txt'],
  ['.github/workflows/ci.yml', 'github-ci.yml'],
  ['ci.sh', 'ci.sh'],
  ['README.md', 'README.md'],
]

/** The run file of a new project. */
export const PROJECT_RUN_FILE = 'strategies/touch-maker.run.json'

/** The day of a new project, made up by these options. */
export const PROJECT_DAY = { seed: 7, minutes: 5, kind: 'perpetual', day: '2026-07-01' } as const

interface PackageFile {
  readonly version: string
  readonly devDependencies: Readonly<Record<string, string>>
}

const NAME = /^[a-z0-9][a-z0-9._-]{0,99}$/
/** Names that npm, a system or the project itself needs for something else. */
const TAKEN: ReadonlySet<string> = new Set([
  'backtape', 'vitest', 'typescript', 'tslab', 'node_modules', 'favicon.ico', 'con', 'nul', 'aux', 'prn',
])

/**
 * Throws OPTION_INVALID where a name cannot be both a folder here and a package: npm's rules, and no way out of the
 * working directory.
 */
export function checkProjectName(name: string): void {
  if (NAME.test(name) && !name.includes('..') && !name.endsWith('.') && !TAKEN.has(name)) return
  const expected = 'small letters, digits, hyphens, dots and underscores, a letter or digit first, and no taken name'
  const found = JSON.stringify(name)
  throw new BacktapeError('OPTION_INVALID', `Cannot make a project: its name must be ${expected}, found ${found}`, {
    field: 'name', expected, found: found.slice(0, 80),
  })
}

/** A path as `file:` of npm, from the folder of the project. */
function fileSpec(project: string, path: string): string {
  const way = relative(project, path)
  return `file:${(isAbsolute(way) ? path : way).split(sep).join('/')}`
}

/** The place of a tarball or folder that npm installed the running package from; null where it came from a registry. */
async function installedFrom(): Promise<string | null> {
  const modules = dirname(resolve(PACKAGE_FOLDER))
  try {
    const lock = JSON.parse(await readFile(join(modules, '.package-lock.json'), 'utf8')) as {
      readonly packages?: Readonly<Record<string, { readonly resolved?: string } | undefined>>
    }
    const resolved = lock.packages?.['node_modules/backtape']?.resolved
    if (resolved?.startsWith('file:') !== true) return null
    const path = resolve(dirname(modules), resolved.slice('file:'.length))
    return (await exists(path)) ? path : null
  } catch {
    return null
  }
}

/**
 * The version of this package that a project depends on: the exact one where it came from a registry, else `file:` and
 * the tarball or checkout that is running.
 */
async function packageSpec(project: string, version: string): Promise<string> {
  const folder = resolve(PACKAGE_FOLDER)
  const isInstalled = folder.split(sep).includes('node_modules')
  if (!isInstalled) return fileSpec(project, folder)
  const source = await installedFrom()
  return source === null ? version : fileSpec(project, source)
}

function packageText(name: string, spec: string, { devDependencies }: PackageFile): string {
  const versionOf = (one: string): string => devDependencies[one] ?? '*'
  const content = {
    name,
    version: '0.0.0',
    private: true,
    type: 'module',
    scripts: { test: 'vitest run', check: 'tsc', verify: 'backtape verify strategies', ci: 'sh ci.sh' },
    dependencies: { backtape: spec },
    devDependencies: {
      '@types/node': versionOf('@types/node'), tslab: TSLAB, typescript: versionOf('typescript'),
      vitest: versionOf('vitest'),
    },
  }
  return `${JSON.stringify(content, null, 2)}\n`
}

/** A file of a new project. */
export interface ProjectFile {
  /** From the folder of the project, with `/`. */
  readonly path: string
  readonly text: string
}

/**
 * The text files of a new project in `folder`. `spec` is what npm installs as backtape; left out, it is found out from
 * where this package lies.
 */
export async function projectFiles(name: string, folder: string, spec?: string): Promise<ProjectFile[]> {
  const own = JSON.parse(await readFile(join(PACKAGE_FOLDER, 'package.json'), 'utf8')) as PackageFile
  const wanted = spec ?? (await packageSpec(resolve(folder), own.version))
  const files: ProjectFile[] = [{ path: 'package.json', text: packageText(name, wanted, own) }]
  for (const [path, template] of FILES) {
    const text = await readFile(join(TEMPLATES, template), 'utf8')
    files.push({ path, text: path === 'README.md' ? text.replace('# my-strategy', `# ${name}`) : text })
  }
  return files
}
