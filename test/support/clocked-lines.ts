import { expect } from 'vitest'
import type { BacktapeError } from '../../src/model/error.js'
import { createBatch, copyBatch } from '../../src/model/event-batch-columns.js'
import { EVENT_FLAGS, type EventBatch } from '../../src/model/event-batch.js'
import type { Instrument } from '../../src/model/instrument.js'
import { emptySummary } from '../../src/tickfile/lines/reading.js'
import { SettledBatches } from '../../src/tickfile/lines/settled-batches.js'
import type { Stamp } from './naive-clock.js'
import { masterLine, tickReading } from './tick-lines.js'

const MIDNIGHT = 1_735_862_400_000_000_000n
export const NAME = 'test-MADE-2025-01-03.txt.zst'
export const DAY = 86_400
export const YEAR = 366 * DAY
export const at = (seconds: number): string => String(MIDNIGHT + BigInt(Math.round(seconds * 1000)) * 1_000_000n)
/** An index price received at a second, sent at another. */
export const line = (second: number, exchange: number | null = second): string => `[8,7,"0","1",${at(second)},${exchange === null ? '0' : at(exchange)},"1"]`
/** Exchange times are so many seconds before adapter times. */
export const SENT_S = 0.007
/** Seconds in steps. */
export const steps = (from: number, count: number, step = 1): number[] => Array.from({ length: count }, (_, i) => from + i * step)

export interface Read {
  readonly seconds: number[]
  readonly jumped: number
  readonly flagged: number
  readonly code: string | null
}

/** The adapter times of lines as read, in seconds of the day, with both decoders. */
export async function read(lines: readonly string[], name = NAME): Promise<Read> {
  const found: Read[] = []
  for (const decoder of ['wasm', 'javascript'] as const) {
    const reading = await tickReading(name, [masterLine(), ...lines], { lines: decoder })
    const seconds: number[] = []
    let flagged = 0
    let code: string | null = null
    try {
      for await (const { adapterTimeNs, flags, count, epochDay } of reading.batches())
        for (let i = 0; i < count; i++) {
          seconds.push(adapterTimeNs[i]! / 1e9 + (epochDay - 20_091) * DAY)
          if ((flags[i]! & EVENT_FLAGS.CLOCK_JUMPED) !== 0) flagged++
          expect(flags[i]! & EVENT_FLAGS.CLOCK_STEPPED_BACK && flags[i]! & EVENT_FLAGS.CLOCK_JUMPED).toBe(0)
        }
    } catch (error) {
      ;({ code } = error as BacktapeError)
    }
    found.push({ seconds, flagged, jumped: reading.summary.jumpedLineCount, code })
  }
  expect(found[1]).toEqual(found[0])
  return found[0]!
}

/** Batches of some stamps, cut where the sizes say, as {@link SettledBatches} delivers them. */
export function settledTimes(stamps: readonly Stamp[], sizes: readonly number[], summary = emptySummary()): (number | null)[] {
  const settled = new SettledBatches(summary, true)
  const found: { index: number; time: number }[] = []
  const say = (batch: EventBatch): void => {
    const { count, adapterTimeNs, eventId } = copyBatch(batch)
    for (let i = 0; i < count; i++) found.push({ index: eventId.low[i]!, time: adapterTimeNs[i]! })
  }
  const capacity = { eventCount: 64, rowCount: 0, tradeRowCount: 0, tradeIdBytes: 0, valueCount: 0, textCount: 0, textBytes: 0 }
  const batch = createBatch({ instrument: {} as Instrument, epochDay: 0, capacity })
  for (let from = 0, k = 0; from < stamps.length; k++) {
    const part = stamps.slice(from, from + (sizes[k % sizes.length] ?? 1))
    batch.count = part.length
    const farLines = part.flatMap(([time], index) => (Number.isFinite(time) ? [] : [{ index, error: { code: 'VALUE_INEXACT', message: '', place: {} } as BacktapeError }]))
    for (const [i, [time, exchange]] of part.entries()) {
      batch.adapterTimeNs[i] = time
      batch.exchangeTimeNs[i] = exchange
      batch.flags[i] = 0
      batch.kind[i] = 8
      batch.eventId.form[i] = 1
      batch.eventId.low[i] = from + i
    }
    for (const one of settled.settle(batch, farLines)) say(one)
    from += part.length
  }
  for (const one of settled.end()) say(one)
  const times = new Map(found.map(({ index, time }) => [index, time]))
  expect(found.map(({ index }) => index)).toEqual([...times.keys()].sort((a, b) => a - b))
  return stamps.map((_, i) => times.get(i) ?? null)
}
