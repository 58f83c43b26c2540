import { closeSync, openSync, writeSync } from 'node:fs'
import { BacktapeError } from '../model/error.js'
import type { JournalSink } from '../report/journal-sink.js'
import { outputError } from '../files/output-fault.js'
import { checkOutputPlace } from '../files/output-place-reader.js'
import { createWholeFile, type WholeFileOptions } from '../files/whole-file-writer.js'
import { RecordContent, TextContent, type JournalContent } from './journal-content.js'

/** A journal on its way into a file: nobody sees it before `commit`. */
export interface JournalFile {
  /** The name that it gets. */
  readonly path: string
  /** Takes the journal. */
  readonly sink: JournalSink
  /** Where its lines lie until `commit`. */
  readonly temporaryPath: string
  /** Lines that came so far. */
  readonly lineCount: number
  /**
   * Writes what has gathered, so that it can be read at `temporaryPath`. Throws OUTPUT_FAILED for what failed while
   * lines came.
   */
  flush(): void
  /**
   * Writes what is left and gives the file its name; of a run that was stopped before its data ended (`isPartial`) with
   * a last line of the kind `partial`, which is in no count and no digest. Throws OUTPUT_FAILED, also for what failed
   * while the journal came.
   */
  commit(end?: { readonly isPartial: boolean }): Promise<void>
  /**
   * Leaves the lines of a run that failed beside the name that it does not get: `maker.failed.jsonl` for `maker.jsonl`,
   * its last line of the kind `failed`. Returns the path; null where there is nothing to keep, or it cannot be kept. It
   * waits for nothing.
   */
  keepFailed(reason: string): string | null
  /** Takes the unfinished file away; harmless after `commit`. */
  abort(): Promise<void>
}

/** `maker.failed.jsonl` for `maker.jsonl`: never the name of a whole journal. */
function failedName(path: string): string {
  const [, stem = path, ending = ''] = /^(.*?)((?:\.jsonl)?(?:\.gz)?|\.btj)$/is.exec(path) ?? []
  return `${stem}.failed${ending}`
}

/** Configurations that are refused have done nothing that a journal could tell. */
const REFUSED: ReadonlySet<string> = new Set(['OPTION_INVALID', 'PROFILE_INVALID', 'RUN_FILE_INVALID', 'TIME_INVALID'])

/** Journals of this process that have no name yet, in the order in which they were created. */
const unfinished: Set<JournalFile> = new Set()

/**
 * Keeps the journals of a run that failed; the error with the places where they lie, after its own words. It waits for
 * nothing.
 */
export function keepFailedJournals(journals: Iterable<JournalFile>, error: unknown): unknown {
  if (!(error instanceof BacktapeError) || REFUSED.has(error.code)) return error
  const [reason = ''] = error.message.split('\n')
  const kept = [...journals].flatMap((journal) => journal.keepFailed(reason) ?? [])
  if (kept.length === 0) return error
  const words = `${kept.length === 1 ? 'The journal' : 'The journals'} up to there: ${kept.join(', ')}`
  return new BacktapeError(error.code, `${error.message}\n${words}`, error.place, error)
}

/**
 * Keeps every journal of this process that has no name yet, as {@link keepFailedJournals} does: for a process that ends
 * at once.
 */
export function keepUnfinishedJournals(error: BacktapeError): unknown {
  return keepFailedJournals(unfinished, error)
}

/**
 * Creates the file of a journal: records where its name ends in `.btj`, else canonical JSON lines, compressed where it
 * ends in `.gz`. Lines come out of the middle of a run, so they are written without waiting, and a full disk is
 * reported by `commit`, not to the strategy.
 */
export async function createJournalFile(path: string, options: WholeFileOptions = {}): Promise<JournalFile> {
  const whole = await createWholeFile(path, options)
  const failedPath = failedName(path)
  // What cannot be kept hides nothing of why the run failed.
  const canKeep = await checkOutputPlace(failedPath, { ...options, force: true }).then(() => true, () => false)
  const descriptor = openSync(whole.temporaryPath, 'a')
  let isOpen = true
  let failure: unknown = null
  const writeOut = (bytes: Uint8Array): void => {
    if (failure !== null) return
    try {
      for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at)
    } catch (error) {
      failure = error
    }
  }
  const content = contentOf(path, writeOut)
  const close = (): void => {
    if (isOpen) closeSync(descriptor)
    isOpen = false
    unfinished.delete(journal)
  }
  const journal: JournalFile = {
    path,
    temporaryPath: whole.temporaryPath,
    sink: content.sink,
    get lineCount(): number { return content.lineCount },
    flush(): void {
      content.flush()
      if (failure !== null) throw outputError(path, failure)
    },
    async commit({ isPartial } = { isPartial: false }): Promise<void> {
      content.end({ end: isPartial ? 'partial' : 'whole', reason: null })
      close()
      if (failure === null) return whole.commit()
      await whole.abort()
      throw outputError(path, failure)
    },
    keepFailed(reason): string | null {
      if (content.lineCount === 0 || !canKeep) return null
      content.end({ end: 'failed', reason })
      close()
      if (failure !== null) return null
      try {
        whole.commitPart(failedPath)
        return failedPath
      } catch {
        return null
      }
    },
    async abort(): Promise<void> {
      close()
      await whole.abort()
    },
  }
  unfinished.add(journal)
  return journal
}

function contentOf(path: string, writeOut: (bytes: Uint8Array) => void): JournalContent {
  return /\.btj$/i.test(path) ? new RecordContent(writeOut) : new TextContent(/\.gz$/i.test(path), writeOut)
}
