import { existsSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'

const root = resolve(import.meta.dirname, '../..')
const source = join(root, 'src') + sep

/**
 * A vite plugin: what a test imports from `src/x.js` is the built `dist/x.js`, loaded by Node itself.
 * Workers and WASM exist only there, and users run the build.
 */
export function builtSource(): { name: string, enforce: 'pre', resolveId(id: string, importer: string | undefined): string | undefined } {
  return {
    name: 'built-source',
    enforce: 'pre',
    resolveId(id, importer) {
      if (importer === undefined || !id.startsWith('.')) return undefined
      const path = resolve(dirname(importer), id)
      if (!path.startsWith(source)) return undefined
      const built = join(root, 'dist', path.slice(source.length))
      if (!existsSync(built)) throw new Error(`Cannot import ${id} from ${importer}: ${built} is not built; run npm run build`)
      return built
    },
  }
}
