import { closing } from '../model/closing.js'
import { createHash } from 'node:crypto'
import type { SourceOptions, TickSource } from '../tickfile/archive/tick-source.js'
import { unlessStopped, type StopSignal } from '../model/stop-signal.js'
import { settledSoon } from '../model/event-loop-client.js'
import { BacktapeError } from '../model/error.js'
import type { EventBatch } from '../model/event-batch.js'
import type { Reading } from '../tickfile/lines/reading.js'
import { readTickFile } from '../tickfile/tick-file-reader.js'
import type { ReadOptions } from '../tickfile/archive/read-options.js'

/** SHA-256 of the compressed bytes of one source, known once it has been read to its end. */
export interface InputDigest {
  readonly fileName: string
  /** 64 hex digits; null before the end of the source. */
  hex(): string | null
  /** Reads what a run that has ended left of the source; to be called when nobody reads it any more. */
  finish(): Promise<void>
  /**
   * Sees that a digest holds that is only claimed; nothing where it is none. To be called before anybody learns the
   * outcome of the source.
   */
  verify(): Promise<void>
  /** Lets go of the source without reading its rest. */
  abandon(): Promise<void>
}

/** The digest of a source that is known already. */
export function knownDigest(fileName: string, sha256: string): InputDigest {
  return {
    fileName, hex: () => sha256, finish: () => Promise.resolve(), verify: () => Promise.resolve(),
    abandon: () => Promise.resolve(),
  }
}

/**
 * A digest that is only claimed until the source has been digested beside the run; one that does not hold is refused.
 */
export function claimedDigest(
  fileName: string, claimed: string,
  { found, refuse }: { readonly found: Promise<string>; readonly refuse: () => Promise<Error> },
): InputDigest {
  let hex: string | null = null
  async function verify(): Promise<void> {
    if (await found !== claimed) throw await refuse()
    hex = claimed
  }
  return { fileName, hex: () => hex, finish: verify, verify, abandon: () => Promise.resolve() }
}

/**
 * A source that hashes what passes through it; a reader that stops early leaves it open for {@link InputDigest.finish},
 * which throws STOPPED once the signal has fired.
 */
export function hashedSource(
  source: TickSource, signal?: StopSignal,
): { readonly source: TickSource; readonly digest: InputDigest } {
  const hash = createHash('sha256')
  let chunks: AsyncIterator<Uint8Array> | null = null
  let hex: string | null = null
  async function next(): Promise<Uint8Array | null> {
    if (hex !== null || chunks === null) return null
    const step = await chunks.next()
    if (step.done === true) {
      hex = hash.digest('hex')
      return null
    }
    hash.update(step.value)
    return step.value
  }
  async function* open(options?: SourceOptions): AsyncGenerator<Uint8Array, void, undefined> {
    chunks = source.open(options)[Symbol.asyncIterator]()
    for (let chunk = await next(); chunk !== null; chunk = await next()) yield chunk
  }
  async function finish(): Promise<void> {
    while (await unlessStopped(next(), signal, source.name) !== null);
  }
  async function abandon(): Promise<void> {
    const closed = hex === null ? chunks?.return?.() : undefined
    // A source that is stuck in a read cannot be closed before the read is over: it is asked to stop, and left.
    if (closed !== undefined) await settledSoon(closed)
  }
  return {
    source: { ...source, repeatable: false, open },
    digest: { fileName: source.fileName, hex: () => hex, finish, verify: () => Promise.resolve(), abandon },
  }
}

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
      ...closing(async () => { await opened?.reading.close() }),
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
