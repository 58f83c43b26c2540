import type { ByteCheck } from '../client/byte-check.js'
import type { ByteChecks, ExpectedContent } from '../client/byte-checks.js'
import { checkArchive } from './archive-check.js'
import { checkGzip, checkParquet } from './export-check.js'
import { StreamCheck } from './stream-check.js'
import { checkTickSource, type CheckDepth } from './tick-check.js'

/** The checks of what a shop sends: each form by what it holds. */
export const contentChecks: ByteChecks = (content, level) => (level === 'none' ? null : checkOf(content, level))

function checkOf({ kind, day, members }: ExpectedContent, depth: CheckDepth): ByteCheck {
  switch (kind) {
    case 'tick': return new StreamCheck((bytes, name) => (
      checkTickSource({ name, fileName: name, sizeBytes: null, repeatable: false, open: () => bytes }, day, depth)))
    case 'tar': return new StreamCheck((bytes, name) => checkArchive(bytes, name, members, depth))
    case 'gzip': return new StreamCheck(checkGzip)
    // The list of a zip, and the places of Parquet, stand at their ends.
    case 'zip': return wholeCheck((path, name) => checkArchive(path, name, members, depth))
    case 'parquet': return wholeCheck((path) => checkParquet(path, depth))
  }
}

/** Looks at a file when it is whole. */
function wholeCheck(read: (path: string, name: string) => Promise<void>): ByteCheck {
  let fileName = ''
  return {
    begin(name) {
      fileName = name
    },
    take: () => undefined,
    end: (path) => read(path, fileName),
  }
}
