import { setImmediate } from 'node:timers/promises'
import { EVENT_KINDS } from '../model/event-kind.js'
import { createTickFile, type TickFileWriter } from '../tickfile/tick-file-writer.js'
import type { TickEvent } from './tick-event.js'

/** Ids are unique over the days of an instrument: the day in front, then the number of the event in its file. */
const IDS_PER_DAY = 10_000_000_000

/** Writes events as lines with ids; snapshots begin a chain of their own, updates follow the book event before them. */
class EventLines {
  private number = 0
  private bookId = '0'
  private readonly encoder = new TextEncoder()

  constructor(
    private readonly instrumentId: number,
    private readonly epochDay: number,
  ) {}

  get count(): number {
    return this.number
  }

  encode(events: readonly TickEvent[]): Uint8Array {
    const lines = events.map(({ kind, localUs, exchangeNs, data }) => {
      const id = String(this.epochDay * IDS_PER_DAY + ++this.number)
      const isBook = kind === EVENT_KINDS.snapshot || kind === EVENT_KINDS.update
      const before = kind === EVENT_KINDS.update ? this.bookId : '0'
      if (isBook) this.bookId = id
      return `[${kind},${this.instrumentId},"${before}","${id}",${localUs}000,${exchangeNs},${data}]\n`
    })
    return this.encoder.encode(lines.join(''))
  }
}

/**
 * Writes the events of a day as a tick file behind its line 1. Returns how many there were. The file is there whole or
 * not at all. Throws OUTPUT_EXISTS, OUTPUT_FAILED, and what reading the events throws.
 */
export async function writeImportedDay(
  path: string, masterDataText: string, epochDay: number, events: AsyncIterable<readonly TickEvent[]>,
  options: { readonly force: boolean },
): Promise<number> {
  const { instrument } = JSON.parse(masterDataText) as { readonly instrument: { readonly id: number } }
  const lines = new EventLines(instrument.id, epochDay)
  const file: TickFileWriter = await createTickFile(path, masterDataText, options)
  try {
    for await (const some of events) {
      // Signals get their turn between batches.
      await setImmediate()
      await file.writeText(lines.encode(some))
    }
    await file.close()
    return lines.count
  } finally {
    await file.abort()
  }
}
