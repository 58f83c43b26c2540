import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { BacktapeError } from '../model/error.js'

/** Folders that hold nobody's own run files. */
const PASSED_OVER = /^(?:\.|node_modules$)/

async function below(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const found: string[] = []
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.isDirectory() && !PASSED_OVER.test(entry.name)) found.push(...(await below(join(folder, entry.name))))
    else if (entry.name.endsWith('.run.json')) found.push(join(folder, entry.name))
  }
  return found
}

/** Run files of the inputs: a file as it is named, a folder's `*.run.json` at any depth, in order of their names. */
export async function runFilesOf(inputs: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const input of inputs) {
    const standing = await stat(input).catch(() => null)
    if (standing === null)
      throw new BacktapeError('FILE_NOT_FOUND', `Cannot verify ${input}: there is no such file or folder`, {
        file: input,
      })
    const files = standing.isDirectory() ? await below(input) : [input]
    if (files.length === 0)
      throw new BacktapeError('FILE_NOT_FOUND', `Cannot verify ${input}: there is no *.run.json in it`, { file: input })
    found.push(...files)
  }
  return [...new Set(found)]
}
