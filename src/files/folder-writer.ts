import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { barrenError, outputError, systemCode } from './output-fault.js'

/**
 * Makes a folder and what is missing on the way to it; returns the topmost folder that was made, null where all were
 * there. Folders are made one by one: where nothing can be made (`/proc/x`), Node's recursive way never ends. Throws
 * OUTPUT_FAILED.
 */
export async function makeFolder(path: string): Promise<string | null> {
  try {
    return await made(path)
  } catch (error) {
    throw outputError(path, error)
  }
}

async function made(path: string): Promise<string | null> {
  try {
    await mkdir(path)
    return path
  } catch (error) {
    const code = systemCode(error)
    if (code === 'EEXIST' || code === 'EISDIR' || code === 'EROFS' || code === 'EPERM') {
      if (await isFolder(path)) return null
      throw error
    }
    const parent = dirname(path)
    if (code !== 'ENOENT' || parent === path) throw error
    return await madeBelow(parent, path)
  }
}

async function madeBelow(parent: string, path: string): Promise<string | null> {
  // A parent that stands was made by another meanwhile, or nothing can be made in it.
  const top = (await isFolder(parent)) ? null : await made(parent)
  try {
    await mkdir(path)
    return top ?? path
  } catch (error) {
    if (systemCode(error) === 'EEXIST' && (await isFolder(path))) return top
    if (systemCode(error) === 'ENOENT') throw barrenError(path, parent, 'folder', error)
    throw error
  }
}

/** True where a folder stands at `path`, also behind a link. */
export function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}
