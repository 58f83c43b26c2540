import type { ByteCheck } from '../client/byte-check.js'
import type { ByteChecks, ExpectedContent } from '../client/byte-checks.js'
import { StreamCheck } from './stream-check.js'
import type { CheckDepth } from './tick-check.js'

/** The checks of what a shop sends: each form by what it holds. The code of each is loaded for files of its form. */
export const contentChecks: ByteChecks = (content, level) => (level === 'none' ? null : checkOf(content, level))

function checkOf({ kind, day, members }: ExpectedContent, depth: CheckDepth): ByteCheck {
  switch (kind) {
    case 'tick': return new StreamCheck(async (bytes, name) => {
      const { checkTickSource } = await import('./tick-check.js')
      const source = { name, fileName: name, sizeBytes: null, repeatable: false, open: () => bytes }
      await checkTickSource(source, day, depth)
    })
    case 'tar': return new StreamCheck(async (bytes, name) => (
      (await import('./archive-check.js')).checkArchive(bytes, name, members, depth)))
    case 'gzip': return new StreamCheck(async (bytes, name) => (
      (await import('./export-check.js')).checkGzip(bytes, name)))
    // The list of a zip, and the places of Parquet, stand at their ends.
    case 'zip': return wholeCheck(async (path, name) => (
      (await import('./archive-check.js')).checkArchive(path, name, members, depth)))
    case 'parquet': return wholeCheck(async (path) => (await import('./export-check.js')).checkParquet(path, depth))
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
