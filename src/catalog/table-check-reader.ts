import { fileFacts } from '../export/output-folder-writer.js'
import { BacktapeError } from '../model/error.js'
import type { FoundTable } from './catalog-day.js'

/**
 * Compares a table with the checksum that the manifest of its folder lists; a table that no manifest lists is taken as
 * it stands. Throws OUTPUT_DIFFERS, FILE_UNREADABLE.
 */
export async function checkTable({ stamp, listed }: FoundTable): Promise<void> {
  if (listed === null) return
  const { path } = stamp
  const facts = await fileFacts(path).catch((error: unknown) => {
    throw new BacktapeError('FILE_UNREADABLE', `Cannot read ${path}: ${String(error)}`, { file: path }, error)
  })
  const found = facts?.checksum ?? 'no file'
  if (found === listed.checksum) return
  throw new BacktapeError(
    'OUTPUT_DIFFERS',
    `Cannot read ${path}: its checksum must be ${listed.checksum} by the manifest of its folder, found ${found}; ` +
      'convert its tick file again',
    { file: path, expected: listed.checksum, found },
  )
}
