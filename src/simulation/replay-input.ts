import { BacktapeError } from '../model/error.js'
import type { EventBatch } from '../model/event-batch.js'
import type { Instrument, Underlying } from '../model/instrument.js'
import { dayText, epochDayFromText } from '../model/time.js'
import { epochDayFromFileName } from '../tickfile/archive/file-day.js'
import {
  claimedDigest, hashedSource, knownDigest, waitingReading, type InputDigest, type HashedReading,
} from './input-digest.js'
import { refuseMoneyChanges, type FileTerms } from './day-terms.js'
import { checkMaster } from '../tickfile/lines/master-check.js'
import { NamedSources } from '../tickfile/named-sources.js'
import { isSkippedMember } from '../tickfile/archive/source-reader.js'
import { stitchDays, type StitchedDays } from '../tickfile/days/stitching.js'
import type { TickSource } from '../tickfile/archive/tick-source.js'
import { brokenClaim, readCachedDay } from '../tickfile/cache/day-cache-reader.js'
import type { DayCache } from '../tickfile/cache/day-cache-writer.js'
import { SourceDigests } from '../tickfile/cache/source-digest-client.js'
import { readTickFile } from '../tickfile/tick-file-reader.js'
import type { ReadOptions } from '../tickfile/archive/read-options.js'
import type { MasterChanges } from '../tickfile/lines/term-changes.js'
import type { DataInput } from '../tickfile/data-input.js'
import type { LiveTimes } from '../replay/feed-input.js'
import type { SelectionNote, SelectionOptions } from '../tickfile/data-selection-reader.js'

/** The options of the streams, one an instrument, that the files of a run become. */
export interface ReplayInputOptions extends ReadOptions, Pick<SelectionOptions, 'days' | 'prefer' | 'mayBeEmpty'> {
  /** `day` (default): each file trimmed to its UTC day. `none`: one file an instrument, whole, margins included. */
  readonly trim?: 'day' | 'none'
  /** The rule for another contract value, settlement and the like on a later day; default `refuse`. */
  readonly masterChanges?: MasterChanges
  /** Keeps decoded days; absent: none are kept. */
  readonly cache?: DayCache
  /**
   * Files to take; others are closed again once their line 1 has been read, and none at all is no fault. Default: all,
   * at least one.
   */
  readonly takes?: (instrumentId: number, day: number | null) => boolean
}

/** The events of one instrument over all days of a run. */
export interface InstrumentInput {
  readonly instrument: Instrument
  readonly underlyings: readonly Underlying[]
  /** Days since 1970-01-01 of the files, ascending; empty where a file's day is unknown. */
  readonly days: readonly number[]
  /** Files in order of their day, as the user named them. */
  readonly names: readonly string[]
  /** Master data of the files, in order of their days; none where their day is unknown. */
  readonly terms: readonly FileTerms[]
  /** Digests of the files, in the same order. */
  readonly digests: readonly InputDigest[]
  /** The findings of stitching; null for `trim: 'none'`. */
  readonly stitched: StitchedDays | null
  /** Of live lines: the times that they come to. */
  readonly live?: LiveTimes
  batches(): AsyncIterableIterator<EventBatch>
  close(): Promise<void>
}

/** The terms on which live lines are played. */
export interface LiveMarket extends Pick<LiveTimes, 'lagNs'> {
  /** Base of times, days since 1970-01-01. */
  readonly epochDay: number
  /** When strategies begin, nanoseconds since that midnight. */
  readonly fromNs: number
  /** True where time is the wall's, so that only a stop ends the run. */
  readonly isOnWall: boolean
}

/** All instruments of a run, by ascending id, and how they were trimmed. */
export interface ReplayInput {
  readonly inputs: readonly InstrumentInput[]
  readonly trim: 'day' | 'none'
  /** Notes on what folders, patterns and days of instruments matched, in the order of the data. */
  readonly selection: readonly SelectionNote[]
  /** False where some of its bytes come once: standard input, an iterable. */
  readonly isRepeatable: boolean
  /** Lines that come while the run goes on, and stand in no file. Absent: those of files. */
  readonly live?: LiveMarket
  /**
   * Closes the inputs of a run that has ended, and reads their compressed bytes to the end: then all digests are known.
   */
  finish(): Promise<void>
  /**
   * Sees that every digest holds that is only claimed, before anybody learns the outcome of its file: a result, a
   * checkpoint, an error.
   */
  verify(): Promise<void>
  close(): Promise<void>
}

/**
 * Line 1 of every file. The file that is found first stays open, and so does what gives its bytes once (standard input,
 * an iterable, a tar of such); the others close and wait for their turn, so that a run over many days holds one of each
 * instrument open.
 */
async function openReadings(
  data: readonly DataInput[], options: ReplayInputOptions, digests: SourceDigests, selection: SelectionNote[],
): Promise<{ readonly readings: readonly HashedReading[]; readonly isRepeatable: boolean }> {
  const readings: HashedReading[] = []
  let isRepeatable = true
  const named = new NamedSources({ ...options, onSelection: (note) => selection.push(note) })
  try {
    for (const input of data) {
      for await (const source of named.open(input)) {
        if ('error' in source) throw source.error
        if (isSkippedMember(source)) continue
        checkDay(source.fileName, options.day)
        const open = (): Promise<HashedReading> => openHashed(source, options, digests)
        isRepeatable &&= source.repeatable
        const isWaiting = source.repeatable && (readings.length > 0 || options.takes !== undefined)
        const hashed = isWaiting ? await waitingReading(source, optionsFor(source, options), open) : await open()
        const { instrument, day } = hashed.reading
        if (options.takes?.(instrument.id, day) === false) {
          await closeAll([hashed])
          continue
        }
        readings.push(hashed)
        checkMaster(instrument, source.name)
      }
    }
  } catch (error) {
    await closeAll(readings)
    await digests.close()
    throw error
  }
  return { readings, isRepeatable }
}

/**
 * A run over a day that a file is not of would trade on the book of its margin: refused, as the name is what the vendor
 * says.
 */
function checkDay(fileName: string, day: string | undefined): void {
  const named = epochDayFromFileName(fileName)
  if (day === undefined || named === null || named === epochDayFromText(day)) return
  throw new BacktapeError(
    'OPTION_INVALID',
    `Cannot take ${fileName} for a file of ${day}: its name says ${dayText(named)}; day is for files ` +
      'whose names do not say theirs',
    { file: fileName, field: 'day', expected: dayText(named), found: day },
  )
}

/** The signal ends reads of a stream, as nobody knows when its next byte comes; reads of a file end by themselves. */
function optionsFor(source: TickSource, options: ReplayInputOptions): ReplayInputOptions {
  const { signal, ...rest } = options
  return source.repeatable || signal === undefined ? rest : { ...rest, signal }
}

async function openHashed(
  source: TickSource, given: ReplayInputOptions, digests: SourceDigests,
): Promise<HashedReading> {
  const hashed = hashedSource(source, given.signal)
  const options = optionsFor(source, given)
  try {
    if (options.cache === undefined)
      return { reading: await readTickFile(hashed.source, options), digest: hashed.digest }
    const { reading, sha256, claim } = await readCachedDay(
      source.repeatable ? source : hashed.source, options, options.cache,
    )
    if (sha256 === null) return { reading, digest: hashed.digest }
    if (claim === null) return { reading, digest: knownDigest(source.fileName, sha256) }
    return {
      reading,
      digest: claimedDigest(source.fileName, sha256, {
        found: digests.digest(claim.path), refuse: () => brokenClaim(source, claim),
      }),
    }
  } catch (error) {
    await hashed.digest.abandon()
    throw error
  }
}

/** Batches that are left before their end hold a file or a thread: closing an input leaves them too. */
function closable(
  batches: () => AsyncIterableIterator<EventBatch>, close: () => Promise<void>,
): Pick<InstrumentInput, 'batches' | 'close'> {
  let taken: AsyncIterableIterator<EventBatch> | null = null
  return {
    batches(): AsyncIterableIterator<EventBatch> {
      taken = batches()
      return taken
    },
    async close(): Promise<void> {
      await taken?.return?.()
      await close()
    },
  }
}

/** `unnamed` is a file whose unknown day makes all files be played whole; null where the run asked for it. */
function wholeFile(readings: readonly HashedReading[], unnamed: string | null): InstrumentInput {
  const [first, second] = readings
  if (first === undefined)
    throw new BacktapeError('OPTION_INVALID', 'Cannot open a pass without a file', { field: 'data' })
  const { reading } = first
  if (second !== undefined) {
    const { name } = second.reading
    const why = unnamed === null ? '' : `, as nothing says the day of ${unnamed}`
    throw new BacktapeError(
      'OPTION_INVALID', `Cannot play ${reading.name} and ${name} whole${why}: trim none takes one file an instrument`,
      { field: 'trim', file: name },
    )
  }
  return {
    instrument: reading.instrument,
    underlyings: reading.underlyings,
    days: reading.day === null ? [] : [reading.day],
    names: [reading.name],
    terms: [],
    digests: [first.digest],
    stitched: null,
    ...closable(() => reading.batches(), () => reading.close()),
  }
}

function trimmedDays(readings: readonly HashedReading[], masterChanges: MasterChanges): InstrumentInput {
  const stitched = stitchDays(readings.map(({ reading }) => reading))
  const ordered = [...readings].sort((a, b) => (a.reading.day ?? 0) - (b.reading.day ?? 0))
  const terms = ordered.map(({ reading: { day, name, instrument, underlyings } }): FileTerms => ({
    day: day ?? 0, name, instrument, underlyings,
  }))
  if (masterChanges === 'refuse') refuseMoneyChanges(terms)
  return {
    instrument: stitched.instrument,
    underlyings: stitched.underlyings,
    days: ordered.map(({ reading }) => reading.day ?? 0),
    names: ordered.map(({ reading }) => reading.name),
    terms,
    digests: ordered.map(({ digest }) => digest),
    stitched,
    ...closable(() => stitched.batches(), () => stitched.close()),
  }
}

/**
 * Opens every file, member and bundle that a run reads, and groups them by instrument; the order of the arguments never
 * counts. Where the day of a file is unknown the whole run plays files whole, and the result says so.
 */
export async function openReplayInput(
  data: readonly DataInput[], options: ReplayInputOptions = {},
): Promise<ReplayInput> {
  const digests = new SourceDigests()
  const selection: SelectionNote[] = []
  const { readings, isRepeatable } = await openReadings(data, options, digests, selection)
  if (readings.length === 0 && options.takes === undefined)
    throw new BacktapeError('OPTION_INVALID', 'Cannot run without data: no tick file was given', {
      field: 'data', expected: 'at least one tick file', found: 'none',
    })
  const unnamed =
    options.trim === undefined ? (readings.find(({ reading }) => reading.day === null)?.reading.name ?? null) : null
  const trim = options.trim ?? (unnamed === null ? 'day' : 'none')
  const byInstrument = new Map<number, HashedReading[]>()
  for (const hashed of readings) {
    const { id } = hashed.reading.instrument
    byInstrument.set(id, [...(byInstrument.get(id) ?? []), hashed])
  }
  const verify = async (): Promise<void> => {
    for (const { digest } of readings) await digest.verify()
  }
  const closeReadings = async (): Promise<void> => {
    await closeAll(readings)
    await digests.close()
  }
  try {
    const groups = [...byInstrument].sort(([a], [b]) => a - b).map(([, group]) => group)
    const inputs = groups.map((group) =>
      trim === 'none' ? wholeFile(group, unnamed) : trimmedDays(group, options.masterChanges ?? 'refuse'),
    )
    checkSpan(inputs)
    return {
      inputs,
      trim,
      selection,
      isRepeatable,
      finish: async (): Promise<void> => {
        await Promise.all(inputs.map((one) => one.close()))
        for (const { digest } of readings) await digest.finish()
      },
      verify,
      close: async (): Promise<void> => {
        await Promise.all(inputs.map((one) => one.close()))
        await closeReadings()
      },
    }
  } catch (error) {
    // What is refused of files may come of a day that is only claimed.
    await verify().finally(closeReadings)
    throw error
  }
}

async function closeAll(readings: readonly HashedReading[]): Promise<void> {
  await Promise.all(readings.map(async ({ reading, digest }) => {
    await reading.close()
    await digest.abandon()
  }))
}

/** Days of a run are counted from its first midnight: exact within 104 days. */
const RUN_DAYS_MAX = 100

function checkSpan(inputs: readonly InstrumentInput[]): void {
  const days = inputs.flatMap((input) => input.days)
  if (days.length === 0) return
  const first = Math.min(...days)
  const last = Math.max(...days)
  if (last - first < RUN_DAYS_MAX) return
  throw new BacktapeError(
    'LIMIT_EXCEEDED',
    `Cannot run from ${dayText(first)} to ${dayText(last)}: a run spans at most ${RUN_DAYS_MAX} ` +
      'days; split it into runs of their own',
    { field: 'data', expected: `at most ${RUN_DAYS_MAX} days`, found: String(last - first + 1) },
  )
}
