import { expect, test } from 'vitest'
import {
  batchTransferList, copyBatch, idsEqual, idTextAt, indexAtTime, sliceBatch, textAt,
} from '../../src/model/event-batch-columns.js'
import { filterBatch } from '../../src/model/event-batch-filter.js'
import type { EventBatch } from '../../src/model/event-batch.js'
import { EVENT_KIND_NAMES, EVENT_KINDS, type EventKind } from '../../src/model/event-kind.js'
import { readTickFile } from '../../src/tickfile/tick-file-reader.js'
import { plainFromBatch, type PlainEvent } from '../support/naive-tick-line.js'
import { MASTER, textSource } from '../support/tick-text.js'

const T = 1_782_345_115_843_612_834n
const at = (ms: number): string => String(T + BigInt(ms) * 1_000_000n)
const lines = [
  `[5,1210,${at(0)},"READY","é"]`,
  `[0,1210,"0","abc",${at(1)},0,[[0,"1.0715","730000",1],[1,"1.0719","205100",1]],true]`,
  `[2,1210,"6","18446744073709551615",${at(2)},0,[[0,"1","100","première",0],[1,"1","100",null,${at(1)}]]]`,
  `[7,1210,"0","7",${at(2)},0,"1.5",null,"0.5"]`,
  `[1,1210,"abc","xyz",${at(1)},${at(0)},[[0,"1.0716","5",1]]]`,
  `[17,1210,"0","9007199254740993",${at(3)},0,[[0,"1","100",${at(2)}]]]`,
  `[9,1210,"0","1",${at(4)},0,["0.0001",0,"0.1"]]`,
  `[1,1210,"xyz","2",${at(4)},0,[]]`,
  `[5,1210,${at(5)},"ERROR",null]`,
  `[2,1210,"1","3",${at(6)},0,[[1,"2","200","",0]]]`,
]

async function made(): Promise<EventBatch> {
  const reading = await readTickFile(textSource(`${MASTER}\n${lines.join('\n')}`))
  for await (const batch of reading.batches()) return copyBatch(batch)
  throw new Error('no batch')
}

const plain = (batch: EventBatch): PlainEvent[] => Array.from({ length: batch.count }, (_, i) => [plainFromBatch(batch, i), batch.flags[i] ?? 0])

test('a copy says the same in memory of its own', async () => {
  const batch = await made()
  for (const shared of [false, true]) {
    const copy = copyBatch(batch, { shared })
    expect(plain(copy)).toEqual(plain(batch))
    expect(copy.price.buffer).not.toBe(batch.price.buffer)
    expect(copy.price.buffer instanceof SharedArrayBuffer).toBe(shared)
    expect(new Set([copy.kind.buffer, copy.text.bytes.buffer, copy.eventId.low.buffer]).size).toBe(1)
    expect(batchTransferList(copy)).toEqual(shared ? [] : [copy.price.buffer])
  }
})

test('a copy outlives the reading and travels', async () => {
  const batch = await made()
  const before = plain(batch)
  const moved = structuredClone(batch, { transfer: batchTransferList(batch) })
  expect(plain(moved)).toEqual(before)
  expect(batch.price.byteLength).toBe(0)
})

test('every slice shows its events, and so does the copy of a slice', async () => {
  const batch = await made()
  const all = plain(batch)
  for (let from = 0; from <= batch.count; from++) {
    for (let to = from; to <= batch.count; to++) {
      const slice = sliceBatch(batch, from, to)
      expect(plain(slice)).toEqual(all.slice(from, to))
      expect(plain(copyBatch(slice))).toEqual(all.slice(from, to))
      expect(plain(sliceBatch(copyBatch(slice), 1, to - from))).toEqual(all.slice(from + 1, to))
      expect(slice.firstEventIndex).toBe(from)
      expect(slice.price.buffer).toBe(batch.price.buffer)
      expect(copyBatch(slice).rowStart[0]).toBe(0)
    }
  }
  expect(sliceBatch(batch, -3, 99).count).toBe(batch.count)
  expect(sliceBatch(batch, 5, 2).count).toBe(0)
})

test('every choice of kinds keeps its events', async () => {
  const batch = await made()
  const all = plain(batch)
  for (let bits = 0; bits < 1 << EVENT_KIND_NAMES.length; bits += 7) {
    const kinds: EventKind[] = EVENT_KIND_NAMES.filter((_, i) => (bits & (1 << i)) !== 0)
    const codes = new Set<number>(kinds.map((kind) => EVENT_KINDS[kind]))
    const wanted = all.filter((_, i) => codes.has(batch.kind[i] ?? -1))
    expect(plain(filterBatch(batch, kinds))).toEqual(wanted)
    const inner = filterBatch(sliceBatch(batch, 2, 9), kinds)
    expect(plain(inner)).toEqual(all.slice(2, 9).filter((_, i) => codes.has(batch.kind[i + 2] ?? -1)))
    expect(inner.firstEventIndex).toBe(2)
  }
})

test('the index at a time is where the running maximum reaches it', async () => {
  const batch = await made()
  const base = batch.adapterTimeNs[0] ?? NaN
  expect([-1, 0, 1, 1.5, 2, 3, 4, 6, 7].map((ms) => indexAtTime(batch, base + ms * 1_000_000))).toEqual([0, 0, 1, 2, 2, 5, 6, 9, 10])
})

test('ids and texts come back exactly', async () => {
  const batch = await made()
  const ids = Array.from({ length: batch.count }, (_, i) => idTextAt(batch.eventId, i))
  expect(ids).toEqual([null, 'abc', '18446744073709551615', '7', 'xyz', '9007199254740993', '1', '2', null, '3'])
  expect(idsEqual(batch.eventId, 1, batch.previousEventId, 4)).toBe(true)
  expect(idsEqual(batch.eventId, 4, batch.previousEventId, 4)).toBe(false)
  expect([0, 1, 2, 3].map((i) => textAt(batch.tradeId, i))).toEqual(['première', null, null, ''])
  expect([0, 1, 2, 3].map((i) => textAt(batch.text, i))).toEqual(['READY', 'é', 'ERROR', null])
})
