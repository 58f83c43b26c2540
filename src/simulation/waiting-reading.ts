import { BacktapeError } from '../model/error.js'
import type { EventBatch } from '../model/event-batch.js'
import type { Reading } from '../tickfile/lines/reading.js'
import { readTickFile } from '../tickfile/tick-file-reader.js'
import type { TickSource } from '../tickfile/archive/tick-source.js'
import type { InputDigest } from './input-digest.js'
import type { ReadOptions } from '../tickfile/archive/read-options.js'

/** A reading of one file, and the digest of its bytes. */
export interface HashedReading {
  readonly reading: Reading
  readonly digest: InputDigest
}

function changedFile(name: string): BacktapeError {
  return new BacktapeError(
    'FILE_UNREADABLE',
    `Cannot read ${name}: its master data changed since the run began; leave files alone while a run reads them`,
    { file: name, line: 1 },
  )
}

/**
 * A file that waits for its turn: its first line is read and the file closed again, so that it holds neither file nor
 * worker nor memory. It is opened by `open` when its batches are asked for, or when its digest is finished without.
 * Only for sources that may be opened twice.
 */
export async function waitingReading(
  source: TickSource, options: ReadOptions, open: () => Promise<HashedReading>,
): Promise<HashedReading> {
  const first = await readTickFile(source, options)
  await first.close()
  const { name, fileName, instrument, underlyings, masterDataText, day } = first
  let opened: HashedReading | null = null
  let isTaken = false
  async function* batches(): AsyncGenerator<EventBatch, void, undefined> {
    if (isTaken)
      throw new BacktapeError('OPTION_INVALID', `Cannot read ${name} twice: a reading gives its batches once`, {
        file: name,
      })
    isTaken = true
    opened = await open()
    const { reading } = opened
    try {
      if (reading.masterDataText !== masterDataText) throw changedFile(name)
      yield* reading.batches()
    } finally {
      await reading.close()
    }
  }
  async function finish(): Promise<void> {
    if (opened === null) {
      opened = await open()
      await opened.reading.close()
      if (opened.reading.masterDataText !== masterDataText) throw changedFile(name)
    }
    await opened.digest.finish()
  }
  return {
    reading: {
      name, fileName, instrument, underlyings, masterDataText, day, batches,
      get summary() { return (opened ?? { reading: first }).reading.summary },
      close: async () => { await opened?.reading.close() },
    },
    digest: {
      fileName,
      hex: () => opened?.digest.hex() ?? null,
      finish,
      // Nothing came of a file that was not opened.
      verify: async () => { await opened?.digest.verify() },
      abandon: async () => { await opened?.digest.abandon() },
    },
  }
}
