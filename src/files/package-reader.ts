import { createRequire } from 'node:module'
import { BacktapeError } from '../model/error.js'

/** Packages that an installation may lack, and the part of Backtape that each is for. */
export const PACKAGE_PARTS = {
  'apache-arrow': 'arrow', 'parquet-wasm': 'parquet', '@duckdb/node-api': 'sql', '@observablehq/plot': 'pictures',
  '@resvg/resvg-js': 'pictures', linkedom: 'pictures', esbuild: 'core', fastify: 'servers',
  '@fastify/swagger': 'servers', '@fastify/rate-limit': 'servers', libsql: 'servers', '@platformatic/kafka': 'kafka',
} as const

/** The name of such a package. */
export type PartPackage = keyof typeof PACKAGE_PARTS

/** Versions of packages that are installed by themselves: another one may want another Node. */
const VERSIONS: { readonly [Name in PartPackage]?: string } = { '@platformatic/kafka': '1.35.0' }

const MISSING: ReadonlySet<unknown> = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND', 'ERR_DLOPEN_FAILED'])
/** The words of packages that look for their program of this platform themselves. */
const NO_PROGRAM = /native binding|could not be found, and is needed by|for another platform/i

/** True where an error says that a package, or its program for this platform, is not there. */
function isMissing(error: unknown): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown }
  return MISSING.has(code) || (typeof message === 'string' && NO_PROGRAM.test(message))
}

/**
 * PACKAGE_MISSING where an error says that a package, or its program for this platform, is not there: with its part,
 * the platform, and the command that installs it. Any other error as it is.
 */
export function packageFault(name: PartPackage, error: unknown): unknown {
  if (error instanceof BacktapeError || !isMissing(error)) return error
  const platform = `${process.platform}-${process.arch}`
  const version = VERSIONS[name]
  const command = version === undefined ? `npm install --include=optional ${name}` : `npm install ${name}@${version}`
  return new BacktapeError(
    'PACKAGE_MISSING',
    `Cannot do this without the package ${name} (part ${PACKAGE_PARTS[name]}), which is not installed here for ` +
      `${platform}: ${command}`,
    { expected: command, found: `no ${name} for ${platform}` }, error,
  )
}

const require = createRequire(import.meta.url)

/** PACKAGE_MISSING of the first package that is not there, before anything is loaded; null where all are. */
export function missingPackage(names: readonly PartPackage[]): BacktapeError | null {
  for (const name of names) {
    try {
      require.resolve(name)
    } catch (error) {
      const fault = packageFault(name, error)
      if (fault instanceof BacktapeError) return fault
    }
  }
  return null
}

/** A package that an installation may lack, loaded when it is used. Throws PACKAGE_MISSING. */
export async function loadPackage<Module>(name: PartPackage, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    throw packageFault(name, error)
  }
}

/** The same where it is loaded at once. */
export function requirePackage<Module>(name: PartPackage, load: () => Module): Module {
  try {
    return load()
  } catch (error) {
    throw packageFault(name, error)
  }
}
