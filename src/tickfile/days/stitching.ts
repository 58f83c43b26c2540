import { closing, type Closing } from '../../model/closing.js'
import { copyBatch, type WritableBatch } from '../../model/event-batch-columns.js'
import type { EventBatch } from '../../model/event-batch.js'
import { BacktapeError } from '../../model/error.js'
import type { Instrument, Underlying } from '../../model/instrument.js'
import { dayText } from '../../model/time.js'
import { textFromScaled } from '../../model/decimal.js'
import { gatherWideNumbers, wideDouble, wideOrNull } from '../../model/wide-numbers.js'
import { DayPass, type DayHandover } from './day-pass.js'
import type { Reading } from '../lines/reading.js'
import { SeamKeys } from './seam-keys.js'
import type { OpenSeam, StitchReport } from './stitching-report.js'
import { termChanges } from '../lines/term-changes.js'

/** Several days of one instrument as one stream. */
export interface StitchedDays extends Closing {
  /** Master data of the first day. */
  readonly instrument: Instrument
  /** The assets that the instrument refers to. */
  readonly underlyings: readonly Underlying[]
  /** Days since 1970-01-01 of the first day. */
  readonly firstDay: number
  /** Findings of the stitching so far. */
  readonly report: StitchReport
  /**
   * The events in order, once. Each batch counts its times from its own file's `epochDay` and names its own file's
   * instrument. Scales only grow, over all files. The columns are reused: copy what must outlive the next batch.
   * Returning early closes the readings.
   */
  batches(): AsyncIterableIterator<EventBatch>
  /**
   * Since when the book of the snapshot that was put in for a day had been crossed with itself without a break in the
   * margin of its file: adapter time since the midnight of that day (days since 1970-01-01), nanoseconds, 0 or less.
   * NaN where it was not, and where none was put in. Final once the snapshot has been delivered.
   */
  crossedSinceNs(epochDay: number): number
  /** Closes all readings. */
  close(): Promise<void>
}

/** The parts of a file that stitching needs; every {@link Reading} has it. */
export type StitchInput = Pick<Reading, 'name' | 'instrument' | 'underlyings' | 'day' | 'batches' | 'close'>

interface DayReading {
  readonly reading: StitchInput
  readonly day: number
}

function sortedDays(readings: readonly StitchInput[]): DayReading[] {
  const days = readings.map((reading) => {
    const { day, name } = reading
    if (day !== null) return { reading, day }
    const sentence = `Cannot trim ${name} to its day: neither its name nor an option says which; name it with --day ` +
      'YYYY-MM-DD, or the day of a run'
    throw new BacktapeError('DAY_UNKNOWN', sentence, { file: name, field: 'day' })
  })
  days.sort((a, b) => a.day - b.day || (a.reading.name < b.reading.name ? -1 : 1))
  const [first] = days
  if (first === undefined)
    throw new BacktapeError('OPTION_INVALID', 'Cannot stitch days: no file was given; give at least one', {
      field: 'readings',
    })
  days.forEach(({ reading, day }, i) => {
    const { name, instrument } = reading
    const wanted = first.reading.instrument
    if (instrument.id !== wanted.id) {
      const sentence = `Cannot stitch ${name} to ${first.reading.name}: it must hold instrument ` +
        `${String(wanted.id)} (${wanted.code}), found ${String(instrument.id)} (${instrument.code})`
      throw new BacktapeError('WRONG_INSTRUMENT', sentence, {
        file: name, expected: String(wanted.id), found: String(instrument.id),
      })
    }
    const before = days[i - 1]
    if (before?.day !== day) return
    throw new BacktapeError(
      'OPTION_INVALID',
      `Cannot stitch ${name}: ${before.reading.name} is of the same day ${dayText(day)}; give one file a day`,
      { file: name, found: dayText(day) },
    )
  })
  return days
}

function openSeams(days: readonly DayReading[]): OpenSeam[] {
  return days.slice(1).map(({ reading, day }, i) => {
    const earlier = days[i] as DayReading
    return {
      earlier: earlier.reading.name,
      later: reading.name,
      day: dayText(day),
      missingDays: Array.from({ length: day - earlier.day - 1 }, (_, k) => dayText(earlier.day + 1 + k)),
      overlapNs: 0,
      duplicateCount: 0,
      recoveredCount: 0,
      uncertainCount: 0,
      differingLevelCount: null,
      hasNoBook: false,
      masterDifferences: termChanges(earlier.reading, reading),
    }
  })
}

/** Brings a column of an own batch to a finer scale; what no integer holds then goes aside. */
function widen(batch: WritableBatch, name: 'price' | 'quantity', scale: number): void {
  const from = name === 'price' ? batch.priceScale : batch.quantityScale
  if (scale === from) return
  const column = batch[name]
  const factor = Number(`1e${String(scale - from)}`)
  const known = batch.wide?.[name]
  const texts = new Map<number, string>()
  for (let i = 0; i < column.length; i++) {
    const wide = (column[i] as number) * factor
    const text = known?.get(i) ?? (Number.isSafeInteger(wide) ? undefined : textFromScaled(column[i] as number, from))
    if (text !== undefined) texts.set(i, text)
    column[i] = text === undefined ? wide : wideDouble(text, scale)
  }
  batch.wide = wideOrNull({ ...gatherWideNumbers(), ...batch.wide, [name]: texts })
}

/** Keeps the promise that scales only grow, where a later file has coarser ones. */
class ScaleHolder {
  private price = 0
  private quantity = 0

  kept(batch: EventBatch): EventBatch {
    this.price = Math.max(this.price, batch.priceScale)
    this.quantity = Math.max(this.quantity, batch.quantityScale)
    if (this.price === batch.priceScale && this.quantity === batch.quantityScale) return batch
    const copy = copyBatch(batch) as WritableBatch
    widen(copy, 'price', this.price)
    widen(copy, 'quantity', this.quantity)
    copy.priceScale = this.price
    copy.quantityScale = this.quantity
    return copy
  }
}

/** With days missing between them, two files have the book in common and nothing else. */
function acrossMissing(handover: DayHandover, missingCount: number): DayHandover {
  return missingCount === 0 ? handover : { ...handover, keys: new SeamKeys(), lastTimeNs: -Infinity }
}

/**
 * Several files of one instrument as one stream, in the order of their days whatever the order of the arguments. Each
 * is trimmed to its UTC day `[00:00, 24:00)` by the running maximum of the adapter time. The first begins with one
 * snapshot (flag SEAM) at 00:00 that holds the book warmed from its margin. At every later midnight the later file's
 * book and chains take over: where the two books are equal nothing happens unless days are missing between them, else
 * one snapshot (flag SEAM) holds the later one. Within a minute of midnight, events of both files are matched by kind
 * and id: an event that both files deliver is delivered once, one that neither would deliver is delivered. The report
 * says what was met. Throws DAY_UNKNOWN, WRONG_INSTRUMENT, OPTION_INVALID (no file, a day twice, and while reading a
 * file with events more than half a day off its day).
 *
 * @example
 * ```ts
 * import { stitchDays } from 'backtape/columns'
 * try {
 *   stitchDays([])
 * } catch (error) {
 *   if ((error as { code?: string }).code !== 'OPTION_INVALID') throw error
 * }
 * ```
 */
export function stitchDays(readings: readonly StitchInput[]): StitchedDays {
  const days = sortedDays(readings)
  const first = days[0] as DayReading
  const seams = openSeams(days)
  const counts = { events: 0 }
  const passes: DayPass[] = []
  const isApart = (seam: OpenSeam | undefined): boolean => seam === undefined || seam.missingDays.length > 0
  const close = async (): Promise<void> => {
    for (const { reading } of days) await reading.close()
  }
  async function* batches(): AsyncGenerator<EventBatch, void, undefined> {
    const scales = new ScaleHolder()
    let earlier: DayHandover | null = null
    try {
      for (const [i, { reading }] of days.entries()) {
        const seam = seams[i - 1] ?? null
        const pass: DayPass = new DayPass(earlier, seam, i + 1 < days.length, reading.name)
        passes.push(pass)
        for await (const batch of reading.batches()) {
          for (const part of pass.process(batch)) {
            counts.events += part.count
            yield scales.kept(part)
          }
        }
        for (const part of pass.end()) {
          counts.events += part.count
          yield scales.kept(part)
        }
        earlier = acrossMissing(pass.finish(), seams[i]?.missingDays.length ?? 0)
        await reading.close()
      }
    } finally {
      await close()
    }
  }
  const report: StitchReport = {
    files: days.map(({ reading }) => reading.name),
    days: days.map(({ day }) => dayText(day)),
    seams,
    get eventCount() {
      return counts.events
    },
    get leftOut() {
      let [before, after] = [0, 0]
      passes.forEach(({ beforeCount, afterCount }, i) => {
        if (isApart(seams[i - 1])) before += beforeCount
        if (isApart(seams[i])) after += afterCount
      })
      return { before, after }
    },
    get openingSnapshot() {
      return passes[0]?.isOpeningMade === true ? 'made' : 'none'
    },
    get isOpeningSuspect() {
      return passes[0]?.isOpeningSuspect === true
    },
  }
  return {
    instrument: first.reading.instrument, underlyings: first.reading.underlyings, firstDay: first.day, report, batches,
    crossedSinceNs: (epochDay) => passes[days.findIndex(({ day }) => day === epochDay)]?.crossedSinceNs ?? NaN,
    ...closing(close),
  }
}

/**
 * One file trimmed to its UTC day by the rule of {@link stitchDays}: the book is right at 00:00.
 *
 * @example
 * ```ts
 * import { openSource, readTickFile, trimToDay } from 'backtape/columns'
 * const source = await openSource('datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
 * const { batches, report } = trimToDay(await readTickFile(source))
 * let events = 0
 * for await (const batch of batches()) events += batch.count
 * if (events !== report.eventCount) throw new Error('the report counts what was delivered')
 * ```
 */
export function trimToDay(reading: StitchInput): StitchedDays {
  return stitchDays([reading])
}
