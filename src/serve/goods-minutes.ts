import type { FoundTick } from '../catalog/catalog-day.js'
import { currentStamp } from '../catalog/catalog-scan-reader.js'
import { stampKey } from '../catalog/catalog-file.js'
import { tickKey } from '../catalog/tick-copies-reader.js'
import { readMinutes, type MinuteSource } from '../day/minutes-reader.js'
import { openTickFile, type TickDay } from '../day/tick-day.js'
import { minutesMetadata } from '../export/minutes-metadata.js'
import { minutesCsv } from '../export/minutes-table.js'
import type { MinuteStatistics } from '../measures/minutes.js'
import { eventLoopTurn } from '../model/event-loop-client.js'
import { refuseStopped, type StopSignal } from '../model/stop-signal.js'
import { NS_PER_DAY, NS_PER_MINUTE } from '../model/time.js'

/** The minutes of one day, and the text of their source. */
interface DayMinutes {
  readonly key: string
  readonly statistics: MinuteStatistics
  readonly source: string
}

/** Days whose minutes are kept, at most 1,440 rows each; and texts made of them. */
const DAYS_KEPT = 16
const TEXTS_KEPT = 64
const NS_PER_MS = 1_000_000n
const MINUTE_NS = BigInt(NS_PER_MINUTE)
const DAY_NS = BigInt(NS_PER_DAY)

/**
 * The minutes of the newest 24 hours with data, as the shop's CSV. A tick file is read once while it is the same, one
 * at a time; the texts of the same rows are made once.
 */
export class GoodsMinutes {
  readonly #signal: StopSignal
  readonly #days = new Map<string, DayMinutes | null>()
  readonly #texts = new Map<string, Uint8Array>()
  #turn: Promise<unknown> = Promise.resolve()

  constructor(signal: StopSignal) {
    this.#signal = signal
  }

  /**
   * The rows of the whole minutes before `endMs` (epoch milliseconds), from 24 hours before the end of the newest one
   * on; null where there is none. Throws what reading a tick file throws, and STOPPED.
   */
  async csv(files: ReadonlyMap<string, FoundTick>, endMs: number): Promise<Uint8Array | null> {
    const endNs = BigInt(Math.floor(endMs)) * NS_PER_MS
    const isBefore = ([date]: readonly [string, FoundTick]): boolean => Date.parse(date) < endMs
    const days = [...files].filter(isBefore).sort(([a], [b]) => (a < b ? 1 : -1))
    for (const [at, [date, tick]] of days.entries()) {
      const day = await this.#minutesOf(tick)
      const lastNs = day?.statistics.rows.findLast(({ time }) => time + MINUTE_NS <= endNs)?.time
      if (day === null || lastNs === undefined) continue
      const fromNs = lastNs + MINUTE_NS - DAY_NS
      const [beforeDate, beforeTick] = days[at + 1] ?? []
      const isNeeded = beforeDate !== undefined && BigInt(Date.parse(date)) * NS_PER_MS > fromNs
        && BigInt(Date.parse(beforeDate)) * NS_PER_MS + DAY_NS > fromNs
      const before = isNeeded && beforeTick !== undefined ? await this.#minutesOf(beforeTick) : null
      return this.#textOf(before === null ? [day] : [before, day], fromNs, lastNs)
    }
    return null
  }

  /** Resolves once no file is read any more; the signal ends what is. */
  async ended(): Promise<void> {
    await this.#turn
  }

  /** One file at a time; null for one that is gone, or has changed since it was found. */
  #minutesOf(tick: FoundTick): Promise<DayMinutes | null> {
    const turn = this.#turn.then(async () => {
      const key = tickKey(tick.facts.name, tick.stamp)
      const known = this.#days.get(key)
      const found = known === undefined ? await this.#read(key, tick) : known
      keep(this.#days, key, found, DAYS_KEPT)
      return found
    })
    this.#turn = turn.catch(() => undefined)
    return turn
  }

  async #read(key: string, { facts: { name }, stamp }: FoundTick): Promise<DayMinutes | null> {
    refuseStopped(this.#signal, name)
    if (!await isSame(stamp)) return null
    const day = await openTickFile(name, { signal: this.#signal })
    const statistics = await readMinutes(withTurns(day))
    if (!await isSame(stamp)) return null
    return { key, statistics, source: minutesMetadata(day, statistics).get('source') ?? '' }
  }

  #textOf(days: readonly DayMinutes[], fromNs: bigint, lastNs: bigint): Uint8Array {
    const key = [...days.map((day) => day.key), String(lastNs)].join('\n')
    const text = this.#texts.get(key) ?? new TextEncoder().encode(csvOf(days, fromNs, lastNs))
    keep(this.#texts, key, text, TEXTS_KEPT)
    return text
  }
}

/** One `#` line with the sources of all days, one header, and the rows of the time. */
function csvOf(days: readonly DayMinutes[], fromNs: bigint, lastNs: bigint): string {
  const texts = days.map(({ statistics, source }) => {
    const rows = statistics.rows.filter(({ time }) => time >= fromNs && time <= lastNs)
    const [note = '', header = '', ...lines] = minutesCsv({ ...statistics, rows }, source, 'shop').split('\r\n')
    return { note, header, lines: lines.filter((line) => line !== '') }
  })
  const notes = texts.map(({ note }, at) => (at === 0 ? note : note.replace(/^# /, '')))
  const lines = [notes.join('; '), texts[0]?.header ?? '', ...texts.flatMap((text) => text.lines)]
  return lines.map((line) => `${line}\r\n`).join('')
}

/** A day whose batches let the server answer others between them. */
function withTurns(day: TickDay): MinuteSource {
  const { name, instrument, underlyings, epochDay } = day
  return {
    name, instrument, underlyings, epochDay,
    async *batches() {
      for await (const batch of day.batches()) {
        yield batch
        await eventLoopTurn()
      }
    },
    get summary() {
      return day.summary
    },
  }
}

async function isSame(stamp: FoundTick['stamp']): Promise<boolean> {
  const now = await currentStamp(stamp.path)
  return now !== null && stampKey(now) === stampKey(stamp)
}

/** Sets a value as the newest; the oldest leave. */
function keep<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.delete(key)
  map.set(key, value)
  for (const oldest of map.keys()) if (map.size > most) map.delete(oldest)
}
