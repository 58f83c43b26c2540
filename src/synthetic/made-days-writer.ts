import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { makeFolder } from '../files/folder-writer.js'
import { refuseStopped, type StopSignal } from '../model/stop-signal.js'
import { createTickFile, type TickFileWriter } from '../tickfile/tick-file-writer.js'
import { makeDays, type SyntheticOptions } from './made-days.js'

/** The options for writing made-up days. */
export interface WriteDaysOptions {
  /** Overwrite what exists; default false: OUTPUT_EXISTS. */
  readonly force?: boolean
  /** zstd level, 1 (default) to 19. */
  readonly level?: number
  /** Stops the work: it then throws STOPPED and removes the files that are not whole. */
  readonly signal?: StopSignal
}

/** A file that `writeDays` has written. */
export interface WrittenDay {
  /** Path of the file. */
  readonly path: string
  /** Lines behind line 1. */
  readonly lineCount: number
  /** Size of its text. */
  readonly textBytes: number
}

interface OpenDay {
  readonly path: string
  readonly file: TickFileWriter
  lineCount: number
  textBytes: number
}

function lineEnds(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

/**
 * Makes up days ({@link makeDays}) and writes them into a folder, which is created where it is missing:
 * `{exchange_code}-{code}-{YYYY-MM-DD}.txt.zst` and, with `truth`, `.truth.jsonl.zst` beside each. The same options
 * give the same bytes on every Node. A file is there whole or not at all. Returns the files in the order of their days.
 * Throws OPTION_INVALID, OUTPUT_EXISTS, OUTPUT_FAILED, STOPPED.
 *
 * @example
 * ```ts
 * import { mkdtempSync } from 'node:fs'
 * import { tmpdir } from 'node:os'
 * import { join } from 'node:path'
 * import { writeDays } from 'backtape/columns'
 * const [day] = await writeDays(mkdtempSync(join(tmpdir(), 'backtape-')), { seed: 7, minutes: 1, kind: 'option' })
 * if (day === undefined || !day.path.endsWith('.txt.zst')) throw new Error('one file a day')
 * ```
 */
export async function writeDays(
  folder: string, days: SyntheticOptions, options: WriteDaysOptions = {},
): Promise<WrittenDay[]> {
  const open = new Map<string, OpenDay>()
  const encoder = new TextEncoder()
  try {
    for (const { fileName, text, last } of makeDays(days)) {
      // Making up is work without a wait: signals get their turn here.
      await setImmediate()
      refuseStopped(options.signal, fileName)
      const known = open.get(fileName)
      if (known === undefined) {
        await makeFolder(folder)
        const path = join(folder, fileName)
        open.set(fileName, {
          path, file: await createTickFile(path, text.trimEnd(), options), lineCount: 0, textBytes: text.length,
        })
        continue
      }
      await known.file.writeText(encoder.encode(text))
      known.lineCount += lineEnds(text)
      known.textBytes += text.length
      if (last) await known.file.close()
    }
  } catch (error) {
    for (const { file } of open.values()) await file.abort()
    throw error
  }
  return [...open.values()].map(({ path, lineCount, textBytes }) => ({ path, lineCount, textBytes }))
}
