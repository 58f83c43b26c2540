import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { removeNewFolders } from './new-folder.ts'

/** A file of tests has a temporary folder of its own, below that of the run. What it leaves there fails it. */
const outer = process.env['TMPDIR']!
const own = mkdtempSync(join(outer, 't'))
setTemporary(own)

// Of all hooks of a file those of its set-up files are the last.
afterAll(() => {
  setTemporary(outer)
  removeNewFolders()
  const left = readdirSync(own)
  rmSync(own, { recursive: true, force: true })
  if (left.length > 0) throw new Error(`Left in the temporary folder: ${left.join(', ')}`)
})

function setTemporary(folder: string): void {
  for (const name of ['TMPDIR', 'TMP', 'TEMP']) process.env[name] = folder
}
