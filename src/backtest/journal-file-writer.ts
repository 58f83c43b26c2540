import { closeSync, openSync, writeSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { LineSink } from '../report/journal.js'
import { createWholeFile, outputError } from '../tickfile/whole-file-writer.js'

/** A journal on its way into a file: nobody sees it before `commit`. */
export interface JournalFile extends LineSink {
  readonly path: string
  /** Where its lines lie until `commit`. */
  readonly temporaryPath: string
  readonly lineCount: number
  /** Writes what has gathered, so that it can be read at `temporaryPath`. Throws OUTPUT_FAILED for what failed while lines came. */
  flush(): void
  /** Writes what is left and gives the file its name. Throws OUTPUT_FAILED, also for what failed while lines came. */
  commit(): Promise<void>
  /** Takes the unfinished file away; harmless after `commit`. */
  abort(): Promise<void>
}

/** Characters that are gathered before they are written; for `.gz` each such piece is a gzip member. */
const PIECE_LENGTH = 1 << 20

/**
 * Creates the file of a journal, one canonical JSON line an event; compressed where its name ends in `.gz`. Lines come out of
 * the middle of a run, so they are written at once and without waiting, and a full disk is told by `commit`, not to the strategy.
 */
export async function createJournalFile(path: string, options: { readonly force?: boolean } = {}): Promise<JournalFile> {
  const whole = await createWholeFile(path, options)
  const descriptor = openSync(whole.temporaryPath, 'a')
  const isPacked = path.endsWith('.gz')
  let gathered = ''
  let lineCount = 0
  let isOpen = true
  let failure: unknown = null
  const writeOut = (): void => {
    const text = gathered
    gathered = ''
    if (text === '' || failure !== null) return
    try {
      const bytes = isPacked ? gzipSync(text) : new TextEncoder().encode(text)
      for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at)
    } catch (error) {
      failure = error
    }
  }
  const close = (): void => {
    if (isOpen) closeSync(descriptor)
    isOpen = false
  }
  return {
    path,
    temporaryPath: whole.temporaryPath,
    get lineCount(): number { return lineCount },
    write(line): void {
      lineCount++
      gathered += `${line}\n`
      if (gathered.length >= PIECE_LENGTH) writeOut()
    },
    flush(): void {
      writeOut()
      if (failure !== null) throw outputError(path, failure)
    },
    async commit(): Promise<void> {
      writeOut()
      close()
      if (failure === null) return whole.commit()
      await whole.abort()
      throw outputError(path, failure)
    },
    async abort(): Promise<void> {
      close()
      await whole.abort()
    },
  }
}
