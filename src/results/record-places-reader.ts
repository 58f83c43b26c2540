import { readdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { recordsFolder } from './run-records-reader.js'

/** Folders below one that are looked through: this deep, and so many at most. */
const [DEPTH, MOST] = [4, 2000]

async function isThere(path: string): Promise<boolean> {
  return await stat(path).then(() => true, () => false)
}

/** Of a folder and those below it, the ones with records; packages, hidden folders and links are left out. */
async function placesBelow(folder: string): Promise<string[]> {
  const found: string[] = []
  let level = [folder]
  for (let depth = 0, count = 0; depth <= DEPTH && level.length > 0; depth++) {
    const next: string[] = []
    for (const one of level) {
      if (++count > MOST) return found
      if (await isThere(recordsFolder(one))) found.push(one)
      const entries = await readdir(one, { withFileTypes: true }).catch(() => [])
      const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name).sort()
      const shown = names.filter((name) => !name.startsWith('.') && name !== 'node_modules')
      next.push(...shown.map((name) => join(one, name)))
    }
    level = next
  }
  return found
}

/**
 * The folders of run files whose records are meant in a folder: it and those below it; where these have none, the
 * nearest one above it with records, no higher than the project (the first folder with a `package.json`), and of the
 * project also those below it. Absolute paths, the folder itself first; none where there are no records.
 */
export async function recordPlaces(folder: string): Promise<readonly string[]> {
  const start = resolve(folder)
  const below = await placesBelow(start)
  if (below.length > 0) return below
  for (let one = start; ; one = dirname(one)) {
    if (await isThere(join(one, 'package.json'))) return placesBelow(one)
    if (await isThere(recordsFolder(one))) return [one]
    if (dirname(one) === one) return []
  }
}
