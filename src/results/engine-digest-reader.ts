import { createRequire } from 'node:module'

/**
 * The engine of this build: SHA-256 of the sources of the rooms that make a result, 64 hex digits. Builds of equal
 * sources have the same one, in every package and on every system. `scripts/engine-digest.mjs` names the rooms.
 */
export const ENGINE_DIGEST: string =
  (createRequire(import.meta.url)('./engine-digest.json') as { readonly sha256: string }).sha256
