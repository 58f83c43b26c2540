import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'

/** Files of Swagger UI by their paths in the explorer, as the build has packed them. */
const FILES = {
  'swagger-ui-bundle.js': 'swagger-ui-bundle.gz', 'swagger-ui.css': 'swagger-ui-style.gz',
} as const

/** The name of such a file. */
export type ExplorerFile = keyof typeof FILES

const unpacked = promisify(gunzip)
const kept = new Map<ExplorerFile, Promise<Uint8Array>>()

/** True for the name of a file of Swagger UI. */
export function isExplorerFile(name: string): name is ExplorerFile {
  return Object.hasOwn(FILES, name)
}

/** The bytes of a file; they are kept. */
export function readExplorerFile(name: ExplorerFile): Promise<Uint8Array> {
  const bytes = kept.get(name) ?? readFile(new URL(FILES[name], import.meta.url)).then((packed) => unpacked(packed))
  kept.set(name, bytes)
  return bytes
}
