import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The build that this process plays with: the first word of its command line names the checkout. */
export const build = await import(pathToFileURL(resolve(process.argv[2], 'dist/index.js')).href)

const schema = JSON.parse(readFileSync(resolve(process.argv[2], 'schemas/run.schema.json'), 'utf8'))

/** The assumptions that the build knows: an older one refuses those that came later. */
export function knownAssumptions(assumptions) {
  const known = schema.definitions.assumptions.properties
  return Object.fromEntries(Object.entries(assumptions).filter(([name]) => name in known))
}
