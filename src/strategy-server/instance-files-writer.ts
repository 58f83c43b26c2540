import {
  appendFileSync, closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Checkpoint } from '../backtest/checkpoint-state.js'
import { writeWholeText } from '../files/whole-file-writer.js'
import { CHECKPOINT_DEPTH_LIMIT, parseNestedJson } from '../model/nested-json.js'
import { epochNsFromText, isoFromEpochNs } from '../model/time.js'
import type { OpenJournal, SegmentSink } from '../report/journal-sink.js'
import { RecordContent, type JournalEnding } from '../results/journal-content.js'
import { messageRow, sentMessageOf } from '../simulation/message-columns.js'
import type { TimedMessage } from '../simulation/message-inbox.js'
import type { InstanceEnd } from './instance-run.js'
import { RESULT_FILE } from './instance-thread.js'

/** The file of the own ids of orders that were sent over sockets, by the run and by those before it. */
export const SENT_FILE = 'orders.txt'

/** Ids that are named at most where it is not known which of them are open: the last ones. */
export const NAMED_MOST = 1_000

/** Files of the folder of an instance. */
const FILES = {
  journal: 'journal.btj', checkpoint: 'checkpoint.json', received: 'received.jsonl', orders: SENT_FILE,
  result: RESULT_FILE,
} as const

const BYTES_OF_MB = 1_048_576

/** The end of a journal's file at a checkpoint. */
interface JournalPlace {
  readonly sizeBytes: number
  /** Check of its last frame, or its head, hex. */
  readonly check: string
  /** True where segments are missing from here on. */
  readonly isFull: boolean
}

/** A checkpoint with the place of the journal. */
interface KeptCheckpoint {
  readonly journal: JournalPlace
  readonly checkpoint: Checkpoint
}

/**
 * A journal that grows under its own name, frame by frame: whatever happens to its process, what is there is whole
 * records. Behind a limit the segments of the run are dropped.
 */
class GrowingJournal implements SegmentSink {
  readonly #content: RecordContent
  readonly #descriptor: number
  #sizeBytes = 0
  #isFull: boolean

  constructor(path: string, private readonly limitBytes: number, place: JournalPlace | null) {
    if (place !== null) truncateSync(path, place.sizeBytes)
    this.#descriptor = openSync(path, place === null ? 'w' : 'a')
    this.#sizeBytes = place?.sizeBytes ?? 0
    this.#isFull = place?.isFull ?? false
    this.#content = new RecordContent(
      (bytes) => { this.#write(bytes) }, place === null ? null : Buffer.from(place.check, 'hex'),
    )
  }

  get lineCount(): number {
    return this.#content.lineCount
  }

  open(journal: OpenJournal): void {
    this.#content.open(journal)
  }

  writeSegment(bytes: Uint8Array): void {
    // Packed, it is smaller than that: no file is longer than its limit.
    this.#isFull ||= this.#sizeBytes + bytes.length > this.limitBytes
    if (!this.#isFull) this.#content.writeSegment(bytes)
  }

  place(): JournalPlace {
    const { check } = this.#content
    return { sizeBytes: this.#sizeBytes, check: Buffer.from(check).toString('hex'), isFull: this.#isFull }
  }

  end(ending: JournalEnding): void {
    if (!this.#isFull) this.#content.end(ending)
    closeSync(this.#descriptor)
  }

  #write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) at += writeSync(this.#descriptor, bytes, at)
    this.#sizeBytes += bytes.length
  }
}

/** A received message as a line of its file, which a signal plays again. */
function receivedLine({ timeNs, channel, message }: TimedMessage): string {
  return `${JSON.stringify({ ts: isoFromEpochNs(timeNs), channel, ...messageRow(message) })}\n`
}

/** The messages of such a file; the line behind the last whole one was being written, and was never played. */
function receivedMessages(text: string): TimedMessage[] {
  return text.slice(0, text.lastIndexOf('\n') + 1).split('\n').filter((line) => line !== '').map((line) => {
    const { ts, channel, ...row } = JSON.parse(line) as Readonly<Record<string, string>>
    return {
      timeNs: epochNsFromText(ts as string, null), channel: channel as string, message: sentMessageOf(row),
    }
  })
}

/** Own ids of the orders of a folder that were sent and may be open; of a line that was cut off none was sent. */
export function sentIds(folder: string): readonly string[] {
  const path = join(folder, FILES.orders)
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : []
}

/** Keeps of those the ones that are open: nothing needs to be known of the others. */
export function keepOpenIds(folder: string, openIds: readonly string[]): void {
  const path = join(folder, FILES.orders)
  if (!existsSync(path)) return
  if (openIds.length === 0) return rmSync(path)
  writeFileSync(`${path}.part`, openIds.map((id) => `${id}\n`).join(''), { flush: true })
  renameSync(`${path}.part`, path)
}

/** The files of one run of an instance. */
export class InstanceFiles {
  readonly journal: GrowingJournal
  /** The checkpoint that the run goes on from; null where it begins. */
  readonly resume: Checkpoint | null
  /** Messages that it had received before. */
  readonly known: readonly TimedMessage[]
  /** Own ids of the orders of runs before that may be open: this one takes them over. */
  readonly sentBefore: readonly string[]
  readonly #folder: string

  /** Without `isResumed` the files of a run before are removed, but for the ids of its orders. */
  constructor(folder: string, { isResumed, journalMb }: { readonly isResumed: boolean, readonly journalMb: number }) {
    this.#folder = folder
    const [checkpoint, received] = [this.#pathOf('checkpoint'), this.#pathOf('received')]
    rmSync(this.#pathOf('result'), { force: true })
    if (!isResumed) for (const path of [checkpoint, received]) rmSync(path, { force: true })
    const kept = existsSync(checkpoint)
      ? parseNestedJson(readFileSync(checkpoint, 'utf8'), CHECKPOINT_DEPTH_LIMIT) as KeptCheckpoint : null
    const text = existsSync(received) ? readFileSync(received, 'utf8') : ''
    this.known = receivedMessages(text)
    if (text !== '' && !text.endsWith('\n'))
      truncateSync(received, Buffer.byteLength(text.slice(0, text.lastIndexOf('\n') + 1)))
    this.resume = kept?.checkpoint ?? null
    this.sentBefore = sentIds(folder)
    this.journal = new GrowingJournal(this.#pathOf('journal'), journalMb * BYTES_OF_MB, kept?.journal ?? null)
  }

  /** Saves the own ids of orders before they are sent. */
  sent(ownOrderIds: readonly string[]): void {
    appendFileSync(this.#pathOf('orders'), ownOrderIds.map((id) => `${id}\n`).join(''))
  }

  /** Forgets the orders that are over. */
  keepOpen(openIds: readonly string[]): void {
    keepOpenIds(this.#folder, openIds)
  }

  /** Saves messages before they are played. */
  received(messages: readonly TimedMessage[]): void {
    appendFileSync(this.#pathOf('received'), messages.map(receivedLine).join(''))
  }

  async writeCheckpoint(checkpoint: Checkpoint): Promise<void> {
    const kept: KeptCheckpoint = { journal: this.journal.place(), checkpoint }
    await writeWholeText(this.#pathOf('checkpoint'), JSON.stringify(kept), { force: true })
  }

  /** Writes how the run has ended, its journal too, and removes the checkpoint; `isPartial`: before its data did. */
  end(end: InstanceEnd, more: { readonly isPartial: boolean } & Readonly<Record<string, unknown>>): void {
    this.journal.end({
      end: end.end === 'failed' ? 'failed' : more.isPartial ? 'partial' : 'whole',
      reason: end.end === 'failed' ? end.reason : null,
    })
    // Whole or not at all, and without waiting: a run may fail in the middle of anything.
    const path = this.#pathOf('result')
    writeFileSync(`${path}.part`, `${JSON.stringify({ ...end, ...more }, null, 2)}\n`, { flush: true })
    renameSync(`${path}.part`, path)
    rmSync(this.#pathOf('checkpoint'), { force: true })
  }

  #pathOf(name: keyof typeof FILES): string {
    return join(this.#folder, FILES[name])
  }
}
