import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createJournalFile } from '../../src/results/journal-file-writer.js'
import { readJournal, type JournalPart } from '../../src/results/journal-file-reader.js'
import type { JournalEnd } from '../../src/results/journal-frames.js'
import { RunJournal } from '../../src/results/run-journal.js'
import type { JournalSink } from '../../src/report/journal-sink.js'
import type { InstrumentDirectory } from '../../src/venue/venue.js'
import type { ClientMessage } from '../../src/venue/order-messages.js'
import { repeated } from '../support/repetitions.ts'

const folder = mkdtempSync(join(tmpdir(), 'backtape-journal-'))
afterAll(() => rmSync(folder, { recursive: true }))
const directory = { get: () => ({ priceScale: 1, quantityScale: 3 }) } as unknown as InstrumentDirectory
const uuid = (n: number): string => `aaaaaaaa-0000-4000-8000-${n.toString(16).padStart(12, '0')}`

function update(n: number): ClientMessage {
  return {
    kind: 'orderUpdate', adapterTimeNs: n,
    orders: [{ ownOrderId: uuid(n % 50), exchangeOrderId: uuid(n % 50 + 100), clientOrderId: uuid(n % 50 + 200), instrumentId: 7, type: 'LIMIT', side: 'ASK', state: 'CONFIRMED', timeInForce: 'GOOD_TILL_CANCEL', price: n, totalQuantity: 5, executedQuantity: 0, postOnly: false }],
  }
}

function written(sink: JournalSink, count: number): RunJournal {
  const records = new RunJournal(sink, directory, 19943)
  for (let n = 0; n < count; n++) {
    if (n % 500 === 3) records.log('maker', n, `line ${n}`)
    else records.delivered('maker', n, update(n), 'main')
  }
  return records
}

async function kept(name: string, count: number): Promise<{ readonly path: string, readonly lines: string[], readonly digest: string }> {
  const path = join(folder, name)
  const lines: string[] = []
  const text = written({ write: (line) => void lines.push(line) }, count)
  const file = await createJournalFile(path, { force: true })
  written(file.sink, count)
  await file.commit()
  return { path, lines, digest: text.journal.digest() }
}

async function read(path: string): Promise<{ readonly parts: JournalPart[], readonly lines: string[], readonly end: JournalEnd }> {
  const reading = readJournal(path)
  const parts: JournalPart[] = []
  for (;;) {
    const { value, done } = await reading.next()
    if (done === true) return { parts, lines: parts.flatMap((part) => [...part.lines()]), end: value }
    parts.push(value)
  }
}

describe('a journal that is kept as records', () => {
  test('has the lines of one that is kept as text, and its digest', async () => {
    const { path, lines, digest } = await kept('long.btj', 9000)
    const { parts, lines: found, end } = await read(path)
    expect(found).toEqual(lines)
    expect(end).toEqual({ digest, lineCount: 9000, end: 'whole', reason: null })
    expect(parts.map(({ firstLine, lineCount, epochDay }) => [firstLine, lineCount, epochDay])).toEqual([[0, 4096, 19943], [4096, 4096, 19943], [8192, 808, 19943]])
    expect(parts[0]!.values('orderUpdate', 'orders.price').slice(0, 4)).toEqual([0, 1, 2, 4])
    expect(parts[0]!.values('orderUpdate', 'orders.state')[0]).toBe('CONFIRMED')
    expect(parts[0]!.scales(7)).toEqual({ priceScale: 1, quantityScale: 3 })
    expect(() => parts[0]!.values('orderUpdate', 'orders.colour')).toThrow('no field orders.colour of orderUpdate')
    expect(readFileSync(path).length * 10).toBeLessThan(lines.join('\n').length)
  })

  test('that is not there is none', async () => {
    await expect(read('nowhere.btj')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND', message: 'Cannot read the journal nowhere.btj: there is no such file; check the path' })
  })

  test('every cut and every changed byte is found', async () => {
    const { path } = await kept('short.btj', 20)
    const whole = readFileSync(path)
    for (let length = 0; length < whole.length; length++) {
      writeFileSync(path, whole.subarray(0, length))
      await expect(read(path), `cut at ${length}`).rejects.toMatchObject({ code: 'FILE_UNREADABLE' })
    }
    for (let at = 0; at < whole.length; at++) {
      for (const bit of repeated([1, 0x80], (_, which) => which === at % 2)) {
        const changed = Uint8Array.from(whole)
        changed[at]! ^= bit
        writeFileSync(path, changed)
        await expect(read(path), `byte ${at}`).rejects.toMatchObject({ code: 'FILE_UNREADABLE' })
      }
    }
    writeFileSync(path, Buffer.concat([whole, Buffer.from([0])]))
    await expect(read(path)).rejects.toThrow('bytes behind its end')
  }, 60_000)

  test('of a run that failed, or was stopped, says so', async () => {
    const failed = await createJournalFile(join(folder, 'maker.btj'))
    written(failed.sink, 5)
    const keptPath = failed.keepFailed('no more disk')
    expect(keptPath).toBe(join(folder, 'maker.failed.btj'))
    expect((await read(keptPath!)).end).toMatchObject({ end: 'failed', reason: 'no more disk', lineCount: 5 })
    const partial = await createJournalFile(join(folder, 'part.btj'))
    written(partial.sink, 0)
    await partial.commit({ isPartial: true })
    expect(await read(partial.path)).toMatchObject({ parts: [], end: { end: 'partial', lineCount: 0 } })
  })

  test('a file of another kind, or a folder, is refused', async () => {
    await expect(read(folder)).rejects.toMatchObject({ code: 'FILE_UNREADABLE', message: expect.stringContaining(folder) as string })
    const path = join(folder, 'other.btj')
    writeFileSync(path, '{"kind":"place"}\n'.repeat(9))
    await expect(read(path)).rejects.toThrow('it is no journal of records')
  })
})
